"""Calls of other tools than the shell."""

from pathlib import Path

import pytest
from gate_world import call, judged, said

from hookd.events.tools import verb_of
from hookd.gate.examples import HOME, ROOT
from hookd.gate.layers.files import text_of


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
@pytest.mark.parametrize(
    ("path", "verdict", "rule"),
    [
        (f"{ROOT}/src/a.c", "none", None),
        ("src/a.c", "none", None),
        ("/tmp/a.c", "none", None),
        (f"{HOME}/elsewhere/a.c", "ask", "filesystem.write-outside"),
        (f"{HOME}/.bashrc", "ask", "filesystem.startup-files"),
        (f"{HOME}/.config/app/a", "ask", "filesystem.write-home-config"),
        (f"{HOME}/.ssh/authorized_keys", "deny", "filesystem.ssh-access"),
        ("/etc/hosts", "ask", "filesystem.write-system"),
        ("/etc/sudoers", "deny", "filesystem.write-accounts"),
        (f"{ROOT}/.git/config", "ask", "filesystem.git-hook"),
        (f"{ROOT}/.git/HEAD", "deny", "filesystem.git-folder"),
        (f"{ROOT}/.hookd/config.toml", "deny", "self-protection.hookd-files"),
        (f"{ROOT}/.hookd/../.hookd/rules/a.toml", "deny", "self-protection.hookd-files"),
        (f"{ROOT}/.claude/settings.json", "ask", "self-protection.agent-settings"),
        (f"{ROOT}/.env", "ask", "secrets.overwrite"),
    ],
)
def test_where_a_file_is_written_decides(tool: str, path: str, verdict: str, rule: str | None) -> None:
    found = judged(call(tool, file_path=path, content="x"))
    assert (found.verdict, found.rule) == (verdict, rule)


@pytest.mark.parametrize(
    ("tool", "key", "path", "verdict"),
    [
        ("Read", "file_path", ".env", "deny"),
        ("Read", "file_path", f"{HOME}/.aws/credentials", "deny"),
        ("Read", "file_path", ".env.example", "none"),
        ("Read", "file_path", "server.key", "ask"),
        ("Read", "file_path", f"{HOME}/elsewhere/a.c", "none"),
        ("Grep", "path", ".env", "deny"),
        ("Grep", "path", "src", "none"),
        ("Grep", "glob", ".env", "deny"),
        ("Grep", "glob", "**/.env", "deny"),
        ("Grep", "glob", "!.env", "none"),
        ("Grep", "glob", "*.ts", "none"),
        ("Glob", "path", "/", "none"),
        ("NotebookEdit", "notebook_path", f"{HOME}/elsewhere/a.ipynb", "ask"),
        ("mcp__files__read_text_file", "path", ".env", "deny"),
        ("mcp__files__write_file", "path", f"{HOME}/elsewhere/a", "ask"),
        ("mcp__files__write_file", "path", "src/a.c", "none"),
        ("mcp__files__read_multiple_files", "paths", ["a.c", ".env"], "deny"),
    ],
)
def test_files_by_tool_and_path(tool: str, key: str, path: object, verdict: str) -> None:
    assert judged(call(tool, **{key: path})).verdict == verdict


def test_a_link_is_seen_for_what_it_leads_to(tmp_path: Path) -> None:
    project, outside = tmp_path / "p", tmp_path / "home" / "x"
    project.mkdir()
    outside.mkdir(parents=True)
    (outside / ".env").write_text("A=1")
    (project / "innocent").symlink_to(outside / ".env")
    (project / "folder").symlink_to(outside)
    where = {"root": str(project), "home": str(tmp_path / "home")}
    assert judged(call("Read", file_path="innocent", **where)).verdict == "deny"
    assert judged(call("Write", file_path="folder/a.c", content="", **where)).verdict == "ask"


PATCH = """*** Begin Patch
*** Update File: src/a.c
@@
-a
+b
*** Delete File: {path}
*** End Patch"""


def test_a_patch_is_read_for_the_files_it_names() -> None:
    assert judged(call("apply_patch", input=PATCH.format(path="src/b.c"))).verdict == "none"
    assert judged(call("apply_patch", input=PATCH.format(path=".hookd/config.toml"))).verdict == "deny"


def test_a_patch_hides_no_other_file_of_the_call() -> None:
    patch = PATCH.format(path="src/b.c")
    edit = {"file_path": f"{HOME}/.bashrc", "old_string": "a", "new_string": "b"}
    assert judged(call("Edit", input=patch, **edit)).verdict == "ask"
    assert judged(call("Edit", input=PATCH.format(path=".hookd/config.toml"))).verdict == "deny"


@pytest.mark.parametrize(
    ("tool", "tool_input", "rule"),
    [
        ("WebFetch", {"url": "http://169.254.169.254/latest/"}, "remote.metadata"),
        ("WebFetch", {"url": "file:///etc/passwd"}, "remote.local-file-by-address"),
        ("FetchUrl", {"url": "file:///etc/passwd"}, "remote.local-file-by-address"),
        ("mcp__github__delete_repository", {"name": "x"}, "services.delete-by-tool"),
        ("mcp__cloud__terminateInstances", {}, "services.delete-by-tool"),
        ("mcp__pg__query", {"sql": "DROP TABLE users"}, "databases.drop-by-tool"),
        ("mcp__pg__query", {"sql": "delete from users;"}, "databases.drop-by-tool"),
    ],
)
def test_the_network_and_mcp(tool: str, tool_input: dict[str, str], rule: str) -> None:
    assert rule in said(call(tool, **tool_input))


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("WebFetch", {"url": "https://example.com/delete"}),
        ("WebSearch", {"query": "how to rm -rf /"}),
        ("mcp__github__list_issues", {"labels": ["delete"]}),
        ("mcp__notes__create_note", {"text": "DROP TABLE users; rm -rf /"}),
        ("mcp__pg__query", {"sql": "select * from deleted"}),
        ("Task", {"prompt": "rm -rf /"}),
        ("TodoWrite", {"todos": []}),
    ],
)
def test_what_only_mentions_something_is_left_alone(tool: str, tool_input: dict[str, object]) -> None:
    assert judged(call(tool, **tool_input)).verdict == "none"


SHELLS = (
    "Bash Monitor exec_command local_shell run_shell_command Shell Execute execute_bash developer__shell "
    "mcp__term__execute_command mcp__shell__run mcp__anything__at_all SomethingNew"
).split()


@pytest.mark.parametrize("tool", SHELLS)
@pytest.mark.parametrize("command", ["rm -rf /", ["rm", "-rf", "/"], ["bash", "-lc", "rm -rf /"]])
def test_a_shell_by_any_name_is_a_shell(tool: str, command: object) -> None:
    assert judged(call(tool, command=command)).rule == "filesystem.delete-root"


@pytest.mark.parametrize("tool", ["Bash", "Monitor", "mcp__a__b", "PowerShell"])
@pytest.mark.parametrize("key", ["command", "cmd", "script"])
def test_of_several_commands_the_strictest_counts(tool: str, key: str) -> None:
    given: dict[str, object] = {"command": "ls", "cmd": "echo '", "script": "cat <<EOF"}
    assert judged(call(tool, **(given | {key: "rm -rf /"}))).rule == "filesystem.delete-root"


@pytest.mark.parametrize("args", [["-rf", "/"], ["-r", "-f", "/"]])
def test_words_that_are_given_by_themselves_belong_to_the_command(args: list[str]) -> None:
    assert judged(call("mcp__a__run", command="rm", args=args)).rule == "filesystem.delete-root"


@pytest.mark.parametrize("tool", ["Bash", "Monitor", "PowerShell", "REPL", "mcp__a__run_command"])
@pytest.mark.parametrize("command", [3, {"x": "ls"}, [["ls"]], ["ls", None]])
def test_a_shell_without_a_text_is_asked_about(tool: str, command: object) -> None:
    found = judged(call(tool, command=command, code=command))
    assert (found.verdict, found.rule) == ("ask", "context.no-command")


def test_what_can_be_read_counts_also_where_not_everything_can() -> None:
    found = judged(call("Bash", command="rm -rf /", script={"a": 1}))
    assert (found.verdict, found.rule) == ("deny", "filesystem.delete-root")
    assert "context.no-command" in said(call("Bash", command="ls", script={"a": 1}))
    assert judged(call("Bash")).verdict == "ask"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__editor__apply", {"command": {"name": "save"}}),
        ("Workflow", {"script": "rm -rf /"}),
        ("Skill", {"command": "rm -rf /"}),
        ("apply_patch", {"command": "*** Begin Patch\n*** Add File: a.txt\n+rm -rf /\n*** End Patch"}),
    ],
)
def test_a_command_that_is_none(tool: str, given: dict[str, object]) -> None:
    assert judged(call(tool, **given)).verdict == "none"


def test_a_tool_that_runs_something_is_also_judged_by_its_name() -> None:
    assert "services.delete-by-tool" in said(call("mcp__github__delete_repository", command="x"))


def test_code_is_judged_as_that() -> None:
    assert judged(call("mcp__ide__executeCode", code="import shutil; shutil.rmtree('/')")).verdict == "deny"
    assert judged(call("mcp__ide__executeCode", code="print(1)")).verdict == "none"


@pytest.mark.parametrize(
    ("tool", "key"),
    [
        ("read", "filePath"),
        ("view", "path"),
        ("read_file", "absolute_path"),
        ("fs_read", "path"),
        ("grep_search", "path"),
        ("ReadSomething", "path"),
    ],
)
def test_files_of_other_agents_tools(tool: str, key: str) -> None:
    assert judged(call(tool, **{key: ".env"})).verdict == "deny"
    assert judged(call(tool, **{key: "src/a.c"})).verdict == "none"


@pytest.mark.parametrize("tool", ["Delete", "delete_file"])
def test_a_tool_that_deletes(tool: str) -> None:
    assert judged(call(tool, path=f"{HOME}/elsewhere/a")).verdict != "none"


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("mcp__a__read_file", "read"),
        ("mcp__a__deleteFile", "delete"),
        ("mcp__a__move", "move"),
        ("mcp__a__list", None),
    ],
)
def test_an_mcp_tools_verb(tool: str, kind: str | None) -> None:
    assert verb_of(tool) == kind


@pytest.mark.parametrize(
    "value",
    [None, 3, True, {}, [], {"a": {"b": [1, None]}}, {"path": 3}, {"path": {"x": 1}}, "\ud800", "a\0b"],
)
def test_odd_input_is_no_reason_to_fail(value: object) -> None:
    assert isinstance(text_of(value), str)
    for tool in ("Write", "Read", "mcp__a__write", "apply_patch", "Bash", "WebFetch"):
        judged(call(tool, file_path=value, path=value, command=value, input=value))


def test_text_is_taken_from_anywhere_but_not_from_any_depth() -> None:
    deep: object = "far"
    for _ in range(50):
        deep = {"x": deep}
    assert text_of({"a": ["one", {"b": "two"}], "c": deep}) == "one\ntwo"
