"""The rules that are code and not data: what a layer notices by itself, under the name that it says it with.

No override reaches them. A test looks through the gate's source for names that are not here.
"""

from __future__ import annotations

from typing import Literal

from hookd.gate.case.model import Severity
from hookd.gate.rules.format import Rule
from hookd.gate.rules.library import LOCKED, NamedRule

ORIGIN = "hookd's code"
SWITCHES = {
    "context.dependents": "gate.deletions",
    "context.features": "gate.deletions",
    "context.mix": "gate.mix",
    "context.read-only": "gate.auto_allow",
    "context.project": "gate.auto_allow",
    **dict.fromkeys(("model.allow", "model.ask", "model.deny", "model.failed", "model.unsure"), "gate.model"),
}
"""The key of the config that turns such a rule on and off, where there is one."""


def _rule(
    name: str,
    verdict: Literal["deny", "ask", "allow"],
    reason: str,
    instead: str = "",
    severity: Severity = "medium",
) -> NamedRule:
    rule = Rule(
        id=name.partition(".")[2],
        reason=reason,
        when=[],
        verdict=verdict,
        severity=severity,
        instead=instead,
    )
    return NamedRule(name, rule, ORIGIN, locked=name.partition(".")[0] in LOCKED)


CODE_RULES = (
    _rule(
        "context.no-command",
        "ask",
        "What the call would run cannot be told from its input.",
        "give the command as one text",
    ),
    _rule(
        "context.unread", "ask", "A part of the command was not read.", "write it as several short commands"
    ),
    _rule(
        "context.unreadable",
        "ask",
        "A part of the command is not valid shell, so what it would do cannot be told.",
        "check the quotes and brackets",
    ),
    _rule(
        "context.endless",
        "ask",
        "The command starts processes without end until the machine stops answering.",
        "put a limit on the loop, or wait for each process",
        "high",
    ),
    _rule(
        "context.uncommitted",
        "ask",
        "The command deletes a folder of the project with files that git does not have as they are now.",
        "commit or stash first; then deleting it can be undone",
    ),
    _rule(
        "context.dependents",
        "ask",
        "Other files of the repository import, name or test what the command deletes.",
        "change or delete those first, or in the same step",
    ),
    _rule(
        "context.features",
        "ask",
        "Files of a registered feature are deleted while the rest of it stays.",
        "take out the whole of it, and its entry in .hookd/features.toml",
    ),
    _rule(
        "context.mix",
        "ask",
        "The session has read text that others wrote, and a secret, and now sends something to somebody new.",
        "say what goes there and why; a host named in the prompt or in gate.hosts is not new",
        "high",
    ),
    _rule(
        "context.workflow-secrets",
        "ask",
        "A step of the workflow prints or sends secrets, where others can read them.",
        "hand the secret to the one program that needs it",
        "high",
    ),
    _rule(
        "context.python-start",
        "ask",
        "A line of a .pth file is run by every start of Python.",
        "put the code into a module that is imported",
        "high",
    ),
    _rule("context.read-only", "allow", "The call only reads.", severity="low"),
    _rule("context.project", "allow", "The call changes only files of the project.", severity="low"),
    _rule(
        "self-protection.own-files",
        "deny",
        "The call reaches hookd's own files by a way that no rule over one effect can tell.",
        "ask the person to change it",
        "critical",
    ),
    _rule(
        "self-protection.named-files",
        "deny",
        "The call gives hookd's own files to a program that may do more than read, or asks hookd's page.",
        "read it with cat, or ask the person to change it",
        "critical",
    ),
    _rule(
        "self-protection.own-process",
        "deny",
        "The call ends or holds up hookd's daemon, or a process of its hooks.",
        "ask the person",
        "critical",
    ),
    _rule(
        "self-protection.own-entry",
        "deny",
        "After the call the agent would, or could, send hookd fewer events than before.",
        "ask the person to change the settings",
        "critical",
    ),
    _rule("model.deny", "deny", "The configured model said no to what the rules left open.", severity="high"),
    _rule("model.ask", "ask", "The configured model left the question to the person."),
    _rule("model.unsure", "ask", "The configured model would allow it, but is less sure than it must be."),
    _rule("model.failed", "ask", "The configured model was asked and was of no help."),
    _rule("model.allow", "allow", "The configured model is sure enough that a question need not be asked."),
)
