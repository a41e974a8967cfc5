"""Matchers, conditions, and handlers that are named twice."""

from scenario import DONE, Scenario, bash, note, on
from scripted_model import ToolUse

PRE = "PreToolUse"
MATCHERS = {
    "none": None,
    "empty": "",
    "star": "*",
    "name": "Bash",
    "other-case": "bash",
    "part": "Bas",
    "list": "Write|Bash",
    "commas": "Write, Bash",
    "blanks": " Bash ",
    "bar-only": "|",
    "expression": "Ba.h",
    "anchored": "^Ba",
    "end": "ash$",
    "all": ".*",
    "class": "[A-C]ash",
    "escape": "\\w+",
    "any-class": "[^]ash",
    "look-ahead": "Ba(?=sh)",
    "not": "^(?!Write)",
    "named-group": "(?<first>B)ash",
    "python-group": "(?P<first>B)ash",
    "flags": "(?i)bash",
    "possessive": "Ba++sh",
    "broken": "B[",
    "star-in-list": "*|Bash",
    "no-word-class": "\\Aash",
    "unicode": "\\u0042ash",
    "mcp": "mcp__.*",
    "end-of-text": "Bash\\Z",
}
LINES = {
    "plain": "echo one two",
    "assigned": "X=1 echo one two",
    "after-another": "true && echo one two",
    "in-pipe": "true | echo one two",
    "substituted": "true $(echo one two)",
    "backticks": "true `echo one two`",
    "unknown": "true $UNSET",
    "quoted": "true 'echo one two'",
    "wrapped": "env X=1 echo one two",
    "in-loop": "for i in 1; do echo one two; done",
    "in-subshell": "(echo one two)",
    "redirected": "echo one two > /dev/null",
    "blanks": "echo   one   two",
    "path": "/bin/echo one two",
    "xargs": "xargs echo one two",
    "conditional": "if true; then echo one two; fi",
}
RULES = {
    "name": "Bash(echo *)",
    "prefix": "Bash(echo:*)",
    "glued": "Bash(echo*)",
    "two-words": "Bash(echo one *)",
    "exact": "Bash(echo one two)",
    "exact-short": "Bash(echo)",
    "anywhere": "Bash(*two*)",
    "end": "Bash(* two)",
    "other": "Bash(ls *)",
    "other-longer": "Bash(ls one *)",
    "bare": "Bash",
    "empty": "Bash()",
    "star": "Bash(*)",
    "tool": "Write(*)",
    "half-name": "Bash(ec:*)",
    "nonsense": "Bash(",
    "case": "bash(echo *)",
}
PATHS = {
    "any": "Write(*)",
    "bare": "Write",
    "folder": "Write(src/**)",
    "star": "Write(src/*)",
    "suffix": "Write(*.py)",
    "deep-suffix": "Write(**/*.py)",
    "from-project": "Write(/src/**)",
    "from-here": "Write(./src/**)",
    "folder-name": "Write(src)",
    "file-name": "Write(a.py)",
    "whole": "Write(src/a.py)",
    "home": "Write(~/**)",
    "root": "Write(//usr/**)",
    "other-tool": "Edit(src/**)",
    "other-folder": "Write(lib/**)",
}


def path_scenario(name: str) -> Scenario:
    return Scenario(
        f"if path {name}",
        {PRE: [on("Write", *(note(key, "exit 2", **{"if": rule}) for key, rule in PATHS.items()))]},
        ([ToolUse("Write", {"file_path": f"/<project>/{name}", "content": "x"}, "t1")], DONE),
    )


SCENARIOS = [
    Scenario("matchers", {PRE: [on(matcher, note(name)) for name, matcher in MATCHERS.items()]}),
    Scenario(
        "matchers where there are none",
        {event: [on("nothing", note(event))] for event in ("UserPromptSubmit", "PostToolBatch", "Stop")},
    ),
    *(
        Scenario(
            f"if {name}",
            {PRE: [on("Bash", *(note(key, **{"if": rule}) for key, rule in RULES.items()))]},
            (bash(line), DONE),
        )
        for name, line in LINES.items()
    ),
    Scenario(
        "named twice",
        {
            PRE: [
                on("*", note("a"), note("a")),
                on("Bash", note("a", timeout=7)),
                on("*", note("b", **{"if": "Bash(echo *)"}), note("b")),
                on("*", {"type": "command", "command": "sh", "args": ["-c", "echo {} >> $HOOK_LOG/c"]}),
                on("B.*", {"type": "command", "command": "sh", "args": ["-c", "echo {} >> $HOOK_LOG/c"]}),
            ]
        },
    ),
    Scenario(
        "once is for skills only",
        {PRE: [on("*", note("a", once=True))]},
        (bash(id="t1"), bash(id="t2"), DONE),
    ),
]
