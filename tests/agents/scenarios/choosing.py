"""Matchers, conditions, and handlers that are named twice."""

import json
from collections.abc import Sequence
from pathlib import Path

from scenario import DONE, Handler, Scenario, bash, note, on
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
# One per word: names, lists, expressions, and much that is neither.
MORE_MATCHERS = (
    r"Bash| |Bash Bash||Write Bash,,Write , Bash- B_sh Bash. bash|Bash BASH \bBash\b Ba{1}sh Ba{,2}sh "
    r"Ba{2,1}sh B(a|e)sh [Bb]ash ^Bash$ ^Bash$|^Write$ (Bash) Bash? Bash* *Bash ** !Bash Bash/ /Bash/ "
    r"/bash/i Bäsh 日本 Bash(ls) Bash(*) . $ ^ \ \S{4} (?:Bash) (?i:bash) (?-i:Bash) (?<=B)ash (?<!x)Bash "
    r"\p{L}+ \x42ash \u{42}ash B\ash [\w-]+ [z-a] Ba(sh Bash) { Bash{ Bash{2 + ? B++ (?P<x>B)ash (?P=x) "
    r"(B)\1 Ba\1sh (?<x>a)s\k<x>? \k<x> (?#c)Bash (?>Bash) Bash$^ [[:alpha:]]+ []Bash [^] [] \cJ \0 "
    r"\/Bash B.*?h B.{2}h mcp__.* mcp__srv mcp__srv__* mcp__* mcp__srv__say mcp__srv__.* mcp__SRV__.* "
    r"mcp__other__.* mcp__srv__say|Bash ^mcp__ mcp srv say$ mcp__.*__say mcp__srv__ mcp__srv__sa. "
    r".*say.* Task Agent Task|Bash Task.* Ag.nt Write|Edit Notebook.*|Write ^(?!.*Bash) "
    r"Edit|MultiEdit|Write Wr.*|Ba.* Read Bash;Write ~Bash @ #Bash Bash&&Write % 'Bash' <Bash> =Bash "
    r"Bash:* \d \D+ \W"
).split(" ")
WITH_BLANKS = (
    " ",
    "Bash Write",
    "Bash\n",
    "\nBash",
    "Write, Edit",
    "\tBash",
    "Bash\t|Write",
    "Bash | Write",
    "\u00a0Bash",
)
CALLS = (
    bash(id="t1"),
    [ToolUse("Write", {"file_path": "<project>/a.txt", "content": "x"}, "t2")],
    [ToolUse("mcp__srv__say", {"text": "hello"}, "t3")],
)
# A part of what tests/host compares with the agent's recorded answers is run by the agent each time.
RECORDED = json.loads((Path(__file__).parents[2] / "host/agent_conditions.json").read_bytes())
MENDED = {"if ls", "ls 'a", "echo 'unclosed", "{", "ls ==", "until", "while", "if", "X=$()"}
LINES = [line for part in RECORDED for line in part["lines"] if line not in MENDED][::12]
RULES = (
    *(
        "zzz *",
        "zzz x",
        "ls *",
        "ls",
        "**",
        "echo *",
        "ls a b",
        "cat *",
        "rm *",
        "git push:*",
        "[ *",
        "z*z *",
    ),
    *(" echo * ", "echo  one *", ":*", "echo one*", "*"),
)
NO_RULES = (
    " Bash(ls *) ",
    "Bash(",
    "Bash)",
    "(ls *)",
    "",
    "*",
    "bash(ls *)",
    "Write",
    "mcp__srv",
    "mcp__srv__say(x)",
)
PATHS = (
    "*  src/** src/* *.py **/*.py /src/** ./src/** src src/ a.py src/a.py ~/** //tmp/** //** lib/** ** "
    "**/a.py src/**/a.py src/sub sub/** /a.py ?.py [ab].py !a.py *.PY src/*.py /**/a.py */a.py ../** .* "
    "*.{py,txt} SRC/** a / . ./ src/*** *.p? **/src/** **/sub"
).split(" ")
FILES = ("a.py", "src/a.py", "src/sub/a.py", "src/sub/b.txt", ".env", "lib/src/a.py", "a b.py", "srcx/a.py")


def conditions(rules: Sequence[str]) -> list[Handler]:
    return [note(f"r{number}", **{"if": rule}) for number, rule in enumerate(rules)]


SCENARIOS = [
    Scenario("matchers", {PRE: [on(matcher, note(name)) for name, matcher in MATCHERS.items()]}),
    Scenario(
        "matchers where there are none",
        {event: [on("nothing", note(event))] for event in ("UserPromptSubmit", "PostToolBatch", "Stop")},
    ),
    Scenario(
        "more matchers",
        {
            PRE: [
                on(matcher, note(f"m{number}"))
                for number, matcher in enumerate((*MORE_MATCHERS, *WITH_BLANKS))
            ]
        },
        (*CALLS, DONE),
        mcp=True,
    ),
    Scenario(
        "sources",
        {
            "SessionStart": [
                on(matcher, note(f"s{number}"))
                for number, matcher in enumerate(
                    (
                        "STARTUP",
                        "startup,resume",
                        "start.*",
                        "^s",
                        "startup ",
                        "compact",
                        "resume|clear",
                        "up$",
                    )
                )
            ],
            "SessionEnd": [
                on(matcher, note(f"e{number}"))
                for number, matcher in enumerate(
                    ("OTHER", "other|clear", "o.*", "other,", "prompt_input_exit")
                )
            ],
            "Stop": [on("Bash", note("stop")), on("[", note("broken"))],
            "UserPromptSubmit": [on("nothing", note("prompt")), on("(", note("broken-prompt"))],
        },
        (DONE,),
    ),
    Scenario(
        "conditions on commands",
        {
            PRE: [
                on("*", note("all", "exit 2"), *conditions([*(f"Bash({rule})" for rule in RULES), *NO_RULES]))
            ]
        },
        (*(bash(line, f"t{number}") for number, line in enumerate(LINES)), DONE),
    ),
    Scenario(
        "conditions on files",
        {
            PRE: [
                on("*", *conditions([*(f"Write({rule})" for rule in PATHS), "Edit(src/**)", "Write( a.py )"]))
            ]
        },
        (
            *(
                [ToolUse("Write", {"file_path": f"<project>/{name}", "content": "x"}, f"t{number}")]
                for number, name in enumerate(FILES)
            ),
            DONE,
        ),
    ),
    Scenario(
        "conditions on tools of servers",
        {
            PRE: [
                on(
                    "*",
                    *conditions(
                        ["mcp__srv__say", "mcp__srv__say(*)", "mcp__srv", "mcp__srv__*", "mcp__*", "Bash"]
                    ),
                )
            ]
        },
        (CALLS[2], DONE),
        mcp=True,
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
