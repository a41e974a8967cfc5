"""Checks that are switched off, where that matters: the host, the project's hooks, what is written."""

from pathlib import Path

import pytest
from gate_world import call, git, judged, repository, said, shell

from worlds import World


def test_hooks_matter_only_where_there_are_some(tmp_path: Path) -> None:
    root = repository(tmp_path / "p")
    skips = (
        "git commit --no-verify -m x",
        "git commit -nm x",
        "git push --no-verify",
        "SKIP=lint git commit -m x",
    )
    for command in skips:
        assert said(shell(command, root=str(root))) == {}, command
    (root / ".pre-commit-config.yaml").write_text("repos: []\n")
    for command in skips:
        assert said(shell(command, root=str(root))) == {"weakened.hooks-skipped": "ask"}, command
    assert said(shell("git push -n", root=str(root))) == {}, "this -n only shows what would be done"


def test_a_hook_of_ones_own_counts_in_every_work_tree(tmp_path: Path) -> None:
    root = repository(tmp_path / "p")
    git(root, "worktree", "add", "-q", str(tmp_path / "q"))
    (root / ".git" / "hooks" / "pre-push").write_text("#!/bin/sh\n")
    for folder in (root, tmp_path / "q"):
        assert "weakened.hooks-skipped" in said(shell("git push --no-verify", root=str(folder)))


@pytest.mark.parametrize("before", ["", "NODE_ENV=test "])
@pytest.mark.parametrize(
    "command",
    [
        "NODE_TLS_REJECT_UNAUTHORIZED=0 node sync.js",
        "env NODE_TLS_REJECT_UNAUTHORIZED=0 node sync.js",
        "export PYTHONHTTPSVERIFY=0; pip install x",
        "sudo -E GIT_SSL_NO_VERIFY=true git clone https://example.com/x.git",
        "bash -c 'GOINSECURE=example.com go get example.com/x'",
    ],
)
def test_a_variable_is_seen_however_it_is_set(before: str, command: str) -> None:
    assert "weakened.certificates" in said(before + command)


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("curl -k https://example.com/x > x", True),
        ("curl --insecure https://example.com/x | tee x", True),
        ("curl -kL https://example.com/x.tgz | tar xz -C vendor", True),
        ("curl -k https://203.0.113.5/x -o x", True),
        ("curl -k https://example.com/x | jq .", False),
        ("curl -k https://localhost/x > x", False),
        ("curl -k https://10.1.2.3/x > x", False),
        ("curl -k https://nas.lan/x > x", False),
        ("curl https://example.com/x > x", False),
    ],
)
def test_an_unchecked_download_counts_if_it_is_kept_and_from_elsewhere(command: str, asked: bool) -> None:
    assert ("weakened.certificates" in said(command)) is asked


def test_the_line_that_takes_a_weakness_out_is_no_weakness() -> None:
    weak, strong = "r = get(u, verify=False)", "r = get(u, timeout=5)"
    made = {"file_path": "/home/user/project/src/a.py"}
    assert "weakened.written" in said(call("Edit", **made, old_string=strong, new_string=weak))
    assert said(call("Edit", **made, old_string=weak, new_string=strong)) == {}
    kept = call("Edit", **made, old_string=f"a\n{weak}", new_string=f"b\n{weak}")
    assert said(kept) == {}, "it was there before"
    edits = [{"old_string": "x", "new_string": weak}]
    assert "weakened.written" in said(call("MultiEdit", **made, edits=edits))
    assert "weakened.written" in said("cat > src/a.py <<'END'\nimport requests\nget(u, verify=False)\nEND")


def test_the_person_is_asked_and_can_switch_it_off(world: World) -> None:
    command = "ssh -o StrictHostKeyChecking=no deploy@example.com uptime"
    answer = world.bash(command)["hookSpecificOutput"]
    assert (
        answer["permissionDecision"] == "ask" and "weakened.host-keys" in answer["permissionDecisionReason"]
    )
    assert world.bash("ssh -o StrictHostKeyChecking=no deploy@localhost uptime") is None
    (world.folders.config / "config.toml").write_text('[gate.rules]\n"weakened.host-keys" = "off"\n')
    assert world.bash(command) is None


def test_what_weakens_nothing_is_left_alone() -> None:
    for command in (
        "curl -I https://example.com",
        "git commit -m 'drop --no-verify'",
        "grep -rn InsecureSkipVerify .",
        "aws s3 cp a s3://b/",
        "apt-get install -y jq",
        "ssh-keyscan example.com >> known_hosts",
    ):
        assert judged(command).verdict == "none", said(command)
