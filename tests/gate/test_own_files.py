"""Every plain way to hookd's own files, and to its entries in an agent's settings."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gate_world import git, judged, repository
from msgspec.structs import replace

from hookd.events.calls import Call
from hookd.gate.case.model import Case

ENTRY = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "/x/hookd-client"}]}]}}


class Place:
    """A home with hookd in it, and a project that hookd is registered in."""

    def __init__(self, base: Path) -> None:
        self.home = base / "home"
        self.root = repository(self.home / "work")
        self.config = self.home / ".config" / "hookd"
        self.data = self.home / ".local" / "share" / "hookd"
        self.package = base / "lib" / "site-packages" / "hookd"
        for folder in (self.config, self.data / "grants", self.package, self.root / ".claude"):
            folder.mkdir(parents=True)
        self.settings = self.root / ".claude" / "settings.local.json"
        self.settings.write_text(json.dumps(ENTRY))

    def case(self, tool: str, cwd: Path | None = None, **given: Any) -> Case:
        own = (self.config, self.data, self.package, self.home / ".local" / "bin" / "hookd-client")
        return Case(
            call=Call(tool, given),
            cwd=str(cwd or self.root),
            root=str(self.root),
            home=str(self.home),
            own=tuple(map(str, own)),
            registered=(str(self.settings),),
        )

    def verdict(self, command: str, cwd: Path | None = None) -> str:
        text = command.replace("HOME", str(self.home)).replace("PKG", str(self.package))
        return judged(self.case("Bash", cwd, command=text)).verdict


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    yield Place(tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        "perl -e 'unlink \"HOME/.config/hookd/config.toml\"'",
        "ruby -e 'File.write(\"HOME/.config/hookd/config.toml\", 1)'",
        'python3 -c \'from pathlib import Path; (Path.home() / ".config" / "hookd" / "a").write_text("")\'',
        'node -e \'require("fs").writeFileSync("HOME/.local/share/hookd/grants/key", "")\'',
        "perl -pi -e s/enforce/off/ HOME/.config/hookd/config.toml",
        "ruby -i -pe 'gsub(1,2)' HOME/.config/hookd/config.toml",
        "perl -pi -e s/PreToolUse/x/ .claude/settings.local.json",
        "python3 - <<'E'\nopen('.claude/settings.local.json', 'w').write('{}')\nE",
        "rm .claude/s?ttings.local.json",
        "rm .claude/*",
        "rm -rf .cl*",
        "mv .claude .c",
        "mv .claude/settings.local.json x.json",
        "rm -rf HOME/.config",
        "mv HOME/.local/share HOME/old",
        "rm -rf HOME/.con*",
        "mount --bind /tmp/empty HOME/.config/hookd",
        "git --work-tree=HOME/.config/hookd checkout .",
        "chmod -x HOME/.local/bin/hookd-client",
        "cp HOME/.local/bin/hookd-client /tmp/x",
        "ln -s HOME/.local/bin/hookd-client /tmp/x",
        "cat HOME/.local/bin/hookd-client > /tmp/x",
        "ln -s HOME/.config/hookd /tmp/x",
        "tar czf /tmp/x.tgz HOME/.local/share/hookd",
        "rm PKG/gate/judge.py",
        "sed -i s/deny/allow/ PKG/gate/fold.py",
        "rm $(which hookd)",
        "chmod -x $(command -v hookd-client)",
        "`command -v hookd` pause",
        "$(which hookd) uninstall",
        "cat HOME/.local/share/hookd/grants/key",
        "cp -r HOME/.local/share/hookd/grants /tmp/g",
        "ln -s HOME/.config /tmp/l && echo x > /tmp/l/hookd/config.toml",
    ],
)
def test_it_is_denied(place: Place, command: str) -> None:
    assert place.verdict(command) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "find . -name '*.json' -exec rm {} +",
        "find . -name '*.json' -delete",
        "find . -type f -delete",
        "tar xf backup.tar -C HOME/.config",
        "tar xf backup.tar -C HOME",
    ],
)
def test_it_is_at_least_asked_about(place: Place, command: str) -> None:
    assert place.verdict(command) in ("ask", "deny")


@pytest.mark.parametrize(
    "command",
    [
        "find . -name '*.pyc' -delete",
        "find . -name '*.orig' -exec rm {} +",
        "python3 -c 'print(open(\".claude/settings.local.json\").read())'",
        "python3 -c 'import hookd; print(hookd.__version__)'",
        "perl -ne 'print if /x/' src/a.c",
        "which hookd",
        "$(which hookd) status",
        "cat HOME/.config/hookd/config.toml",
        "rm src/*.o",
        "ln -s src/a.c b.c",
        "tar xf x.tar",
        "git stash",
        "git stash -u -- src",
        "git checkout -- src/a.c",
        "git clean -nd",
        "git restore README",
        "git switch -c topic",
    ],
)
def test_it_is_nobodys_business(place: Place, command: str) -> None:
    said = [
        o.rule for o in judged(place.case("Bash", command=command.replace("HOME", str(place.home)))).trace
    ]
    assert not [rule for rule in said if rule.startswith("self-protection.")]


def test_a_link_is_followed(place: Place, tmp_path: Path) -> None:
    link = tmp_path / "l"
    link.symlink_to(place.home / ".config")
    assert place.verdict(f"printf x > {link}/hookd/config.toml") == "deny"
    assert place.verdict(f"rm -f {link}/hookd/*.toml") == "deny"
    (place.root / "p2").symlink_to(place.home / "Documents")
    (place.home / "Documents" / "d").mkdir(parents=True)
    assert place.verdict("rm -rf p2/d") == place.verdict("rm -rf HOME/Documents/d") != "none"
    # The link itself may go.
    assert place.verdict("rm p2") == "none"


@pytest.mark.parametrize(
    "command", ["git stash -u", "git stash --all", "git stash push -u", "git clean -fdx"]
)
def test_git_does_not_take_the_registration_away(place: Place, command: str) -> None:
    assert place.verdict(command) == "deny"
    assert place.verdict(f"cd src && {command}") == "deny" or "clean" in command
    if "stash" in command:
        assert place.verdict(f"{command} -- . ':!.claude'") == "none"
    place.settings.write_text("{}")
    assert place.verdict(command) != "deny"


def test_a_file_that_git_ignores_is_not_stashed(place: Place) -> None:
    (place.root / ".gitignore").write_text("**/.claude/settings.local.json\n")
    assert place.verdict("git stash -u") == "none"
    assert place.verdict("git stash -a") == "deny"


def test_a_tracked_settings_file_is_not_put_back(place: Place) -> None:
    place.settings.write_text("{}")
    git(place.root, "add", ".")
    git(place.root, "commit", "-m", "settings")
    place.settings.write_text(json.dumps(ENTRY))
    os.utime(place.settings, (1, 1))
    for command in (
        "git checkout .",
        "git restore .claude/settings.local.json",
        "git restore .",
        "git checkout HEAD~1 -- .claude",
        "git reset --hard",
        "git stash",
        "git rm -f .claude/settings.local.json",
    ):
        assert place.verdict(command) == "deny", command
    git(place.root, "add", ".")
    assert "self-protection.own-entry" not in {
        o.rule for o in judged(place.case("Bash", command="git checkout .")).trace
    }


def test_other_tools_reach_the_settings_no_better(place: Place, tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: .claude/settings.local.json\n@@\n-x\n+y\n*** End Patch"
    assert judged(place.case("apply_patch", input=patch)).verdict == "deny"
    path = str(place.settings)
    assert judged(place.case("NotebookEdit", notebook_path=path, new_source="")).verdict == "deny"
    odd = place.case("mcp__files__transmogrify", what=str(place.config / "config.toml"))
    assert judged(odd).verdict == "ask"
    assert judged(place.case("mcp__files__transmogrify", what=str(place.root / "a.c"))).verdict == "none"
    nested = place.case("Write", file_path=f"{place.root}/src/.claude/settings.json", content="{}")
    assert judged(nested).verdict == "ask"
    moved = tmp_path / "elsewhere" / "settings.json"
    moved.parent.mkdir()
    moved.write_text(json.dumps(ENTRY))
    write = place.case("Write", file_path=str(moved), content="{}")
    assert judged(replace(write, registered=(str(moved),))).verdict == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "go test -coverprofile=HOME/.config/hookd/config.toml ./...",
        "pytest --junitxml HOME/.config/hookd/config.toml",
        "git config -f HOME/.config/hookd/config.toml gate.mode off",
        "git diff --output=.hookd/config.toml",
        "sed -n 'w HOME/.config/hookd/config.toml' a",
        "sqlite3 a.db '.output .hookd/config.toml' 'select 1'",
        "wget -o .hookd/config.toml http://example.com",
        "vim -es a -c 'w! .hookd/config.toml' -c q",
        "docker run -v HOME/.config/hookd:/x alpine true",
        "sometool --report .hookd/rules/a.toml",
        "sometool out:.hookd/rules/a.toml",
        "7z x a.7z -o.hookd",
        "F=.hookd/config.toml; sometool $F",
        "cd .hookd && sometool",
        "cd HOME/.local/share/hookd && git init",
        "find .hookd -name '*.toml' -exec sometool {} +",
        "echo .hookd/config.toml | xargs sometool",
        "sometool HOME/.con*/hookd/config.toml",
        "sometool HOME/.config/*/config.toml",
        "less -o .hookd/config.toml a",
        "tree -o .hookd/config.toml",
        "ruby -e 'puts File.read(\".hookd/config.toml\")'",
        "npx prettier --write .claude/settings.local.json",
        "sometool --out .claude/settings.local.json",
        "cat > x.sh <<'E'\necho 'mode = \"off\"' > ~/.config/hookd/config.toml\nE",
        "printf '#!/bin/sh\\nrm -rf .hookd\\n' > go && chmod +x go",
    ],
)
def test_a_path_of_ours_is_for_readers_only(place: Place, command: str) -> None:
    (place.root / ".hookd").mkdir()
    assert place.verdict(command) in ("deny", "ask")
    if ".claude" not in command and "*" not in command:
        assert place.verdict(command) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "cat .hookd/config.toml HOME/.config/hookd/config.toml",
        "ls -la .hookd && head -3 .hookd/runs/a/run.json | jq .",
        "grep -rn mode .hookd; find .hookd -name '*.toml'",
        "git add .hookd/config.toml && git commit -m 'Share .hookd/config.toml'",
        "git diff .hookd; git status --short .hookd",
        "gh pr create --title hookd --body 'Adds .hookd/config.toml and > .hookd/rules'",
        "python3 -m json.tool .claude/settings.local.json",
        "echo 'see .hookd/config.toml' >> README.md",
        "eslint 'src/**/*.ts' && prettier --write src/*.ts",
        "cat > notes.md <<'E'\nhookd keeps its rules in .hookd/rules; rm removes them\nE",
    ],
)
def test_who_only_reads_or_tells_of_it_passes(place: Place, command: str) -> None:
    (place.root / ".hookd").mkdir()
    assert place.verdict(command) == "none"


@pytest.mark.parametrize(
    ("name", "content", "verdict"),
    [
        ("go.py", "open('.hookd/config.toml', 'w').write('')", "deny"),
        ("go.sh", "sed -i s/enforce/off/ ~/.config/hookd/config.toml", "deny"),
        ("Makefile", "x:\n\trm -rf .hookd\n", "deny"),
        ("go.py", "print('hookd')", "none"),
        ("go.sh", "hookd status && cat .hookd/config.toml", "none"),
        ("README.md", "remove it with rm -rf .hookd", "none"),
    ],
)
def test_a_program_is_looked_at_when_it_is_written(
    place: Place, name: str, content: str, verdict: str
) -> None:
    written = place.case("Write", file_path=str(place.root / name), content=content)
    edited = place.case("Edit", file_path=str(place.root / name), old_string="a", new_string=content)
    assert [judged(written).verdict, judged(edited).verdict] == [verdict, verdict]


def test_hookds_own_ports_are_the_persons(place: Place) -> None:
    run = place.home / "run"
    run.mkdir()
    (run / "p-1.port").write_text("23456")
    asked = [
        place.case("Bash", command="curl -s http://127.0.0.1:23456/health"),
        place.case(
            "Bash", command="python3 -c 'import urllib.request as u; u.urlopen(\"http://localhost:23456/\")'"
        ),
        place.case("WebFetch", url="http://localhost:23456/", prompt="x"),
        place.case("mcp__browser__navigate", url="http://[::1]:23456/dashboard"),
    ]
    for case in asked:
        assert judged(replace(case, own=(*case.own, str(run)))).rule == "self-protection.named-files"
        assert judged(replace(case)).rule != "self-protection.named-files"
