"""Files that run later: what a call writes into one is judged as the commands that it will run.

Nothing has run yet, and a person sees a change to a file: what a command would be denied for is a question
here, and what it would be asked about passes, apart from what is only harmful because it happens later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from hookd.events.patches import changes
from hookd.gate.case import run_later
from hookd.gate.case.model import Case, Layer, Opinion
from hookd.gate.case.run_later import Later
from hookd.gate.layers.context import ask
from hookd.gate.layers.files import tool_effects
from hookd.patterns import late
from hookd.shell.model import Place

_WRITES = frozenset({"overwrite", "append", "write"})
MOST_TEXTS = 400
LONGEST = 200_000
"""A file that runs later and is longer, or has more commands, is not read to its end."""
_HARM = frozenset({"execution", "exfiltration", "filesystem", "system", "self-protection"})
"""Packs whose denials hold for a file that runs later; the others are about the moment or the repository."""
_ALSO = frozenset({
    "execution.code-deletes", "execution.code-sends-secret", "execution.code-forks", "agents.unbound",
    "filesystem.startup-files", "exfiltration.catcher",
})  # fmt: skip
"""Questions that hold as well."""
_HARM_IN_CI = frozenset({"exfiltration"})
"""A workflow's machine is thrown away afterwards; what it is given is not."""
_PRINTS = late(
    r"\b(?:echo|printf|cat|print)\b[^\n|>]*(?:\$\{SECRET_\w+|\$\(printenv\))[^\n|>]*"
    r"(?:\|\s*(?:base64(?! +(?:-d|-D|--decode))|base32|xxd|od|rev|tr|fold|sed|hexdump)\b[^\n>]*)*$",
    re.MULTILINE,
)
_SENDS = late(
    r"\b(?:curl|wget|https?|xh|nc)\b[^\n]*?(?:-d|--data[\w-]*|-F|--form|--post-data|--json|-T|<<<)[ =]?"
    r"[^\n]*?(?:\$\{SECRET_\w+|\$\(printenv\))"
)
_HANDED_ON = late(r"::add-mask::|--password-stdin|--with-token")


def opinions(layer: Layer, case: Case) -> Iterator[Opinion]:
    """What another layer says of the commands in files that a tool writes; a shell's are its own matter."""
    if case.is_shell and case.call.is_known:
        return
    for path, text in _files(case):
        yield from of_file(layer, case, path, text)


def _files(case: Case) -> Iterator[tuple[str, str]]:
    call = case.call
    if call.patch.files:
        yield from changes(call.patch_text)
        return
    if text := call.text:
        for effect in tool_effects(case):
            if effect.kind in _WRITES and effect.target is not None:
                yield effect.target.text, text


def of_file(layer: Layer, case: Case, path: str, text: str) -> Iterator[Opinion]:
    """What it says of the commands in one file."""
    name = path.rpartition("/")[2]
    said: set[str] = set()
    for number, later in enumerate(run_later.found(path, text[:LONGEST])):
        if number >= MOST_TEXTS or (not number and len(text) > LONGEST):
            reason = f"{name} runs later, and it is longer than what is read."
            yield ask("unread", reason, "write it in several parts", evidence=path[:200])
            return
        what = f"{name}, {later.name}" if later.name else name
        for opinion in (*_of_text(layer, case, later), *_by_itself(later)):
            if opinion.rule not in said:
                said.add(opinion.rule)
                evidence = f"{name}: {opinion.evidence or later.text}"[:200]
                reason = f"When {what} runs: {opinion.reason}"
                yield replace(opinion, verdict="ask", reason=reason, span=None, part=None, evidence=evidence)


def _of_text(layer: Layer, case: Case, later: Later) -> Iterator[Opinion]:
    place: Place = "local" if later.where == "here" else "container"
    for opinion in layer(case.inside(later.text, language=later.language, place=place)):
        pack = opinion.rule.partition(".")[0]
        harm = _HARM if later.where != "ci" else _HARM_IN_CI
        if (opinion.verdict == "deny" and pack in harm) or (opinion.rule in _ALSO and later.where != "ci"):
            yield opinion


def _by_itself(later: Later) -> Iterator[Opinion]:
    """What is only harmful because it happens later."""
    text = later.text
    if later.where == "ci" and not _HANDED_ON.search(text) and (_PRINTS.search(text) or _SENDS.search(text)):
        reason = "it prints or sends secrets, where others can read them."
        instead = "hand the secret to the one program that needs it"
        yield ask("workflow-secrets", reason, instead, severity="high")
    elif later.name == "import":
        reason = "every start of Python runs this line."
        yield ask("python-start", reason, "put the code into a module that is imported", severity="high")
