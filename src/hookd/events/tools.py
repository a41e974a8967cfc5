"""What the tools of agents do, by the names that agents give them: the one table of tools.

A tool's kind is what a hook, the gate and memory ask for; its form tells apart what only one of them treats
in another way. A tool that is not named here is taken by what it is given and by the verb in its name.
"""

from typing import Literal, NamedTuple, get_args

from hookd.patterns import late

Kind = Literal["shell", "read", "write", "edit", "delete", "search", "fetch", "mcp", "agent", "other"]
KINDS: frozenset[str] = frozenset(get_args(Kind))

Form = Literal[
    "",
    "powershell",
    "javascript",
    "python",
    "stdin",
    "monitor",
    "names",
    "list",
    "editor",
    "patch",
    "query",
    "question",
    "todos",
    "task",
    "task-change",
    "chore",
]


class Tool(NamedTuple):
    """What a tool does."""

    kind: Kind
    form: Form = ""


_NAMES: dict[Tool, str] = {
    # Claude Code; Codex; Gemini and Qwen; Cursor; Copilot; Kiro; Droid; Cline; goose; OpenHands
    Tool("shell"): "Bash bash shell local_shell exec_command run_shell_command Shell run_terminal_cmd "
    "run_in_terminal execute_bash execute_shell Execute execute_command run_command developer__shell "
    "terminal",
    Tool("shell", "powershell"): "PowerShell powershell pwsh",
    Tool("shell", "javascript"): "REPL",
    Tool("shell", "stdin"): "write_stdin",
    Tool("shell", "monitor"): "Monitor",
    Tool("read"): "Read NotebookRead read_file read_many_files view_image view read fs_read",
    Tool("write"): "Write write_file create_file create write Create write_to_file",
    Tool("edit"): "Edit MultiEdit NotebookEdit edit_file replace StrReplace edit replace_in_file str_replace",
    # Its command says whether it shows, creates or changes a file.
    Tool("edit", "editor"): "str_replace_based_edit_tool fs_write",
    Tool("edit", "patch"): "apply_patch ApplyPatch patch",
    Tool("delete"): "Delete delete_file",
    Tool("search"): "Grep grep grep_files grep_search search_file_content",
    Tool("search", "names"): "Glob glob find",
    Tool("search", "list"): "LS ls list list_dir list_directory",
    Tool("fetch"): "WebFetch web_fetch fetch webfetch FetchUrl",
    Tool("fetch", "query"): "WebSearch",
    Tool("mcp", "python"): "mcp__ide__executeCode",
    # What a workflow, a skill or another agent does comes as calls of their own.
    Tool("agent"): "Task Agent Workflow Skill SlashCommand",
    # The agent's own housekeeping; what such a tool is given still counts.
    Tool("other", "question"): "AskUserQuestion",
    Tool("other", "todos"): "TodoWrite",
    Tool("other", "task"): "TaskCreate",
    Tool("other", "task-change"): "TaskUpdate",
    Tool("other", "chore"): "TodoRead TaskList TaskGet TaskOutput BashOutput KillShell KillBash ToolSearch "
    "ListMcpResourcesTool EnterPlanMode Sleep",
}
TOOLS: dict[str, Tool] = {name: tool for tool, names in _NAMES.items() for name in names.split()}

SHELL = "Bash"
"""The canonical name of the tool that runs a shell command."""

COMMAND_KEYS = ("command", "cmd", "script", "command_line", "commandLine")
"""Where any tool has what it would run."""
CODE_KEYS = ("code", "script")
TYPED_KEYS = ("chars",)
"""What is typed into a shell that is running."""
BESIDE_A_COMMAND = frozenset({"description", "timeout", "run_in_background"})
"""What a shell tool is given besides its command: it changes nothing about what would be done."""
PATH_KEYS = ("file_path", "notebook_path", "absolute_path", "path", "filePath", "dir_path", "target_file")
"""Where the tools above have the file that they are about, the one that counts most first."""
OTHERS_PATH_KEYS = ("file_path", "notebook_path", "absolute_path", "path", "filename", "file", "filepath")
"""The same for a tool that is not known."""
SEVERAL_PATHS_KEY = "paths"
ANY_PATH_KEYS = (
    *dict.fromkeys((*PATH_KEYS, *OTHERS_PATH_KEYS, SEVERAL_PATHS_KEY)),
    *("source", "destination", "target", "uri", "from", "to", "directory"),
)
"""Every key that may hold a path, for those who would rather look at a text too many."""
DESTINATION_KEYS = frozenset({"destination", "target", "to"})
URL_KEYS = ("url", "uri")
SEARCH_KEYS = ("pattern", "query", "regex", "glob")
CONTENT_KEYS = ("content", "contents", "file_text", "text")
"""Where a tool has the whole of what it writes."""
OLD_KEYS = ("old_string", "old_str", "oldString", "oldText")
NEW_KEYS = ("new_string", "new_str", "newString", "newText", "new_source", "insert_text")
EVERYWHERE_KEYS = ("replace_all", "replaceAll")
PATCH_KEYS = ("input", "patch", *COMMAND_KEYS)

EDITOR_COMMANDS: dict[str, Kind] = {
    "view": "read",
    "create": "write",
    "insert": "edit",
    "append": "edit",
    "str_replace": "edit",
    "undo_edit": "edit",
}
"""What an editor may be told to do."""

Verb = Literal["read", "write", "create", "append", "delete", "move"]
_VERBS: dict[Verb, str] = {
    "read": "read get cat open copy",
    "write": "write edit save update patch",
    "create": "create",
    "append": "append",
    "delete": "delete remove rm unlink",
    "move": "move rename",
}
_BY_VERB: dict[str, Verb] = {word: verb for verb, words in _VERBS.items() for word in words.split()}
_NAME_PARTS = late(r"[_\-.]|(?<=[a-z])(?=[A-Z])")
_RUNS = late(r"(?:^|_)(?:run|exec|execute|shell|bash|terminal|command)(?:_|$)")


def is_mcp(name: str) -> bool:
    """Whether a tool is an MCP server's, by its canonical name."""
    return name.startswith("mcp__")


def verb_of(name: str) -> Verb | None:
    """What a tool that is not known does to the paths it is given, by the verb in its name."""
    for part in _NAME_PARTS.split(name.rpartition("__")[2]):
        verb = _BY_VERB.get(part.lower())
        if verb is not None:
            return verb
    return None


def runs_something(name: str) -> bool:
    """Whether a tool that is not known says by its name that it runs what it is given."""
    return _RUNS.search(name) is not None
