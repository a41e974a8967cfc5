"""What is harmless for certain."""

import os
from pathlib import Path

import pytest
from gate_world import call, git, own_rules, repository, shell

from hookd.gate.case.model import Case
from hookd.gate.judge import Judge

READ_ONLY = Judge(own_rules(), auto_allow="read-only")
PROJECT = Judge(own_rules(), auto_allow="project")

READS = [
    "ls -la",
    "cat src/a.c | head -3",
    "grep -rn x src",
    "cd src && ls",
    "find . -name '*.c'",
]
WRITES = [
    "mkdir -p src/new",
    "touch src/a.c",
    "cp src/a.c src/b.c",
    "rm -rf node_modules",
    "echo x > src/a.c",
    "echo x >> /tmp/log",
]
NEITHER = [
    "cat .env",
    "ls $X",
    "ls $(rm a)",
    "git push",
    "git -c core.pager=x log",
    "git diff --ext-diff",
    "rg --pre ./x y",
    "npm test",
    "python a.py",
    "sudo ls",
    "FOO=1 ls",
    "./ls",
    "/tmp/ls",
    "sort --compress-program=./x a",
    "find . -exec ./x {} +",
    "ls > ~/x",
    "rm src/a.c",
    "mv src/a.c b.c",
    "echo x > .git/config",
    "ls &",
    "ssh host ls",
    "docker exec c ls",
    "cat /dev/sda",
    "git alias-of-something",
    "curl https://example.com",
    "cat <(ls)",
    "unknown-program",
    "ls 'x",
    "echo x > .hookd/config.toml",
    "tee .env",
    "cp ~/.ssh/id_rsa src/",
    "ls | sh",
    "date -s x",
    "date 010100002020",
    "test -v 'a[$(id>/tmp/f)]'",
    "test 'a[$(id>f)]' -eq 1",
    "[[ 'a[$(id>f)]' -eq 1 ]]",
    "[[ -v 'a[$(id>f)]' ]]",
    "printf -v 'a[$(id>f)]' y",
    "printf %n PATH",
    "rg --hostname-bin ./e x",
    "rg --pre=./e x",
    "rg -z x",
    "tree -o out",
    "file -C -m x",
    "jq -n env",
    "jq -n '$ENV'",
    "jq -f a.jq b.json",
    "grep -r . /",
    "grep -R x src",
    "grep -f /etc/passwd src/a.c",
    "cat ~/.claude.json",
    "cat /etc/passwd",
    "head -3 ../other/a.c",
    "cat < /etc/passwd",
    "ls /",
    "ls src/*",
    "cd / && ls",
    "cd - && ls",
    "sort -o out a",
    "sort -T /tmp a",
    "sort --files0-from=x",
    "uniq a b",
    "tail -f a",
    "find . -fprint x",
    "find . -delete",
    "find / -name x",
    "find -files0-from x",
    "hostname evil",
    "diff -r . /etc",
    "du --files0-from=x",
    "md5sum -c x",
    "type ls; ls() { ./evil; }; ls",
    "git status",  # there is no repository here
    "cp -r . /tmp/x",
    "touch .husky/pre-commit",
    "echo x > .git/hooks/pre-commit",
    "echo x > .github/workflows/a.yml",
    "echo x > .vscode/tasks.json",
    "echo x > .claude/commands/a.md",
    "echo x > src/.envrc",
    "echo x >> CLAUDE.md",
    "mkdir -m 777 x",
    "rm -rf src",
]


@pytest.mark.parametrize("command", READS)
def test_what_only_reads_is_allowed(command: str) -> None:
    for judge in (READ_ONLY, PROJECT):
        found = judge.judge(shell(command))
        assert (found.verdict, found.layer, found.rule) == ("allow", "context", "context.read-only")


@pytest.mark.parametrize("command", WRITES)
def test_changes_in_the_project_only_where_the_person_wants_it(command: str) -> None:
    assert READ_ONLY.judge(shell(command)).verdict == "none"
    assert PROJECT.judge(shell(command)).verdict == "allow"


@pytest.mark.parametrize("command", NEITHER)
def test_everything_else_is_not(command: str) -> None:
    assert PROJECT.judge(shell(command)).verdict != "allow"


@pytest.mark.parametrize(
    ("case", "read_only", "project"),
    [
        (call("Read", file_path="src/a.c"), "allow", "allow"),
        (call("Read", file_path=".env"), "deny", "deny"),
        (call("Glob", pattern="*.c"), "allow", "allow"),
        (call("Write", file_path="src/a.c", content=""), "none", "allow"),
        (call("Edit", file_path=".claude/settings.json"), "ask", "ask"),
        (call("Write", file_path="/etc/x", content=""), "ask", "ask"),
        (call("Write", file_path="package.json", content=""), "none", "allow"),
        (call("WebFetch", url="https://example.com"), "none", "none"),
        (call("mcp__a__write_file", path="src/a.c"), "none", "none"),
    ],
)
def test_other_tools(case: Case, read_only: str, project: str) -> None:
    assert (READ_ONLY.judge(case).verdict, PROJECT.judge(case).verdict) == (read_only, project)


GIT_READS = [
    "git status",
    "git --no-pager status -s",
    "git log --oneline -5",
    "git diff -- src/a.c",
    "git diff --stat HEAD~3",
    "git show --stat HEAD",
    "git show HEAD:src/a.c",
    "cd src && git blame a.c",
    "git branch -a",
]
GIT_OTHERS = [
    "git -C . status",
    "git --git-dir=.git status",
    "git --work-tree=. status",
    "git -c a.b=c status",
    "git cat-file --filters HEAD:README",
    "git diff --ext-diff",
    "git diff --no-index /etc/passwd README",
    "git diff /etc/passwd /dev/null",
    "git log --output=x",
    "git log --show-signature",
    "git log --format=%GK",
    "git show HEAD:.env",
    "git show",
    "git show HEAD~5",
    "git diff HEAD~5",
    "git log -p",
    "stat -f /etc x",
    "git branch new",
    "git tag new",
    "git grep -O x",
    "git config -l",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "project")


def allowed(command: str, project: Path, judge: Judge = READ_ONLY) -> bool:
    case = shell(command, root=str(project), home=str(project.parent / "home"))
    return judge.judge(case).verdict == "allow"


@pytest.mark.parametrize("command", GIT_READS)
def test_git_in_the_projects_own_repository(project: Path, command: str) -> None:
    assert allowed(command, project)


@pytest.mark.parametrize("command", GIT_OTHERS)
def test_git_that_may_do_more(project: Path, command: str) -> None:
    assert not allowed(command, project, PROJECT)


@pytest.mark.parametrize(
    "setting",
    [
        "core.fsmonitor=./evil",
        "core.pager=./evil",
        "alias.status=!./evil",
        "diff.external=./evil",
        "filter.x.clean=./evil",
        "include.path=../evil",
        "core.hooksPath=.husky",
        "core.worktree=/",
        "log.showSignature=true",
    ],
)
def test_a_repository_that_names_a_program_or_might(project: Path, setting: str) -> None:
    name, _, value = setting.partition("=")
    git(project, "config", name, value)
    assert not allowed("git status", project)


@pytest.mark.parametrize(
    "text",
    ["[core] fsmonitor = ./evil\n", "[core]\nbare = \\\n false\n", '[remote "a\\"b"]\nurl = x\n', "\xff"],
)
def test_a_configuration_that_is_not_understood(project: Path, text: str) -> None:
    with (project / ".git/config").open("a", encoding="latin-1") as file:
        file.write(text)
    assert not allowed("git status", project)


@pytest.mark.parametrize("name", ["config", "config.worktree"])
def test_nobody_waits_for_a_pipe_in_the_place_of_a_configuration(project: Path, name: str) -> None:
    (project / ".git" / name).unlink(missing_ok=True)
    assert allowed("git status", project)
    os.mkfifo(project / ".git" / name)
    assert not allowed("git status", project)


def test_a_configuration_that_is_no_file_or_has_more_than_can_be_seen(project: Path) -> None:
    path = project / ".git/config.worktree"
    path.mkdir()
    assert not allowed("git status", project)
    path.rmdir()
    path.write_text("# no program\n" * 10_000)
    assert not allowed("git status", project)
    path.unlink()
    path.symlink_to("nowhere")
    assert allowed("git status", project)


@pytest.mark.skipif(not os.path.exists("/proc/self/comm"), reason="there is no /proc")
def test_a_configuration_that_says_it_is_empty_and_is_not(project: Path) -> None:
    (project / ".git/config.worktree").symlink_to("/proc/self/comm")
    assert os.stat(project / ".git/config.worktree").st_size == 0
    assert not allowed("git status", project)


def test_a_repository_elsewhere_with_a_hook_or_with_secrets(project: Path) -> None:
    repository(project / "nested")
    assert not allowed("cd nested && git status", project)
    (project / "key.pem").write_text("x")
    (project / ".env").write_text("x")
    git(project, "add", "-f", ".env")
    assert allowed("git status", project)
    assert not allowed("git diff --cached", project)
    (project / ".git/hooks/post-index-change").write_text("#!/bin/sh\n")
    assert not allowed("git status", project)


def test_a_search_through_a_folder_with_a_secret(project: Path) -> None:
    assert allowed("grep -rn x src", project) and allowed("rg x", project)
    assert not allowed("grep -rn x .", project)  # .git holds addresses with passwords
    (project / "src" / ".env").write_text("A=1")
    assert not allowed("grep -rn A src", project)
    assert allowed("rg A src", project)  # it does not look at what begins with a dot
    assert not allowed("rg --hidden A src", project)
    (project / "src" / "server.key").write_text("x")
    assert not allowed("rg A src", project)
    searched = call("Grep", pattern="A", path="src", root=str(project))
    assert READ_ONLY.judge(searched).verdict != "allow"


def test_a_link_out_of_the_project(project: Path) -> None:
    outside = project.parent / "home"
    outside.mkdir()
    (outside / "notes").write_text("x")
    (project / "link").symlink_to(outside)
    (project / "note").symlink_to(outside / "notes")
    for command in ("cat note", "cat link/notes", "ls link", "grep x note", "cd link && ls"):
        assert not allowed(command, project, PROJECT), command
    for command in ("echo x > note", "touch link/new", "cp README link/x"):
        assert not allowed(command, project, PROJECT), command
    assert allowed("cat README", project) and allowed("cp README src/x", project, PROJECT)
    written = call("Write", file_path="link/new", content="", root=str(project), home=str(outside))
    assert PROJECT.judge(written).verdict != "allow"


@pytest.mark.parametrize(
    "path", [".husky/a", ".github/workflows/a.yml", ".vscode/tasks.json", ".claude/agents/a.md", "CLAUDE.md"]
)
def test_files_that_something_runs_or_obeys_are_not_written_unasked(path: str) -> None:
    assert PROJECT.judge(call("Write", file_path=path, content="")).verdict != "allow"
