"""What is harmless for certain."""

import pytest
from gate_world import call, own_rules, shell

from hookd.gate.judge import Judge
from hookd.gate.model import Case

READ_ONLY = Judge(own_rules(), auto_allow="read-only")
PROJECT = Judge(own_rules(), auto_allow="project")

READS = [
    "ls -la",
    "cat src/a.c | head -3",
    "git status",
    "git log --oneline -5",
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
