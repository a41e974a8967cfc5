"""Commands inside a call that the shell layer does not list, because it cannot know that they run.

A script that is written on the line and run on the same line is read. A program that nobody knows may be a
wrapper: if a word after it names a program that can do harm, the words from there on are judged as a
command, and what would be denied is asked.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from msgspec.structs import replace

from hookd.gate.case.model import Case, Layer, Opinion
from hookd.gate.rules.command_view import takes_data
from hookd.patterns import late
from hookd.shell import output
from hookd.shell.effects import Effect
from hookd.shell.model import UNKNOWN, Command, Word

MOST_TEXTS = 8
_CAN_DO_HARM = frozenset(
    "rm git dd mkfs shred find chmod chown bash sh zsh eval curl wget kubectl docker terraform helm aws "
    "gcloud az psql mysql redis-cli mongosh sudo doas systemctl kill pkill rsync mv truncate unlink "
    "rmdir".split()
)
_DISASTER = late(
    r"(?:sudo )?(?:rm -[a-zA-Z]*[rR][a-zA-Z]* |mkfs|dd if=|wipefs|curl [^|]*\| ?(?:sudo )?(?:ba)?sh)"
)
"""What a word may begin with so that it is taken for a command and not for a text about one."""


def opinions(layer: Layer, case: Case) -> Iterator[Opinion]:
    """What another layer says of the commands inside a call."""
    for text, certain, command in _texts(case) if case.is_shell else ():
        inside = case.inside(text, command.cwd)
        for opinion in layer(inside):
            softer = "ask" if opinion.verdict == "deny" and not certain else opinion.verdict
            # About no part of the line as it is written, so that no rule that allows one lifts it.
            yield replace(opinion, verdict=softer, span=(command.start, command.end), part=None)
        if inside.looked_at_disk:
            case.look_at_disk()


def _texts(case: Case) -> Iterator[tuple[str, bool, Command]]:
    """Texts that would run, whether that is certain, and the command that runs them."""
    commands = case.script.commands
    written: dict[str, str] = {}
    count = 0
    for effect in case.effects:
        command = commands[effect.command]
        if effect.kind in ("overwrite", "append") and effect.target is not None:
            path = case.places.absolute(effect.target.text, command.cwd)
            text = output.of(command)
            if path is not None and text is not None and text.strip():
                written[path] = written.get(path, "") + text if effect.kind == "append" else text
        elif count >= MOST_TEXTS:
            return
        elif written and (found := _run_later(case, written, effect, command)):
            count += 1
            yield found, True, command
        elif (
            effect.kind == "execute"
            and "unknown-program" in effect.details
            and not takes_data(command.name)
            and (tail := _wrapped(command)) is not None
        ):
            count += 1
            yield tail, False, command


def _run_later(case: Case, written: dict[str, str], effect: Effect, command: Command) -> str | None:
    """What a command runs of the files that were written before it."""
    if effect.kind == "execute" and command.name == "make":
        text = written.get(f"{command.cwd}/Makefile") or written.get(f"{command.cwd}/makefile") or ""
        recipes = [line[1:].lstrip("@-+") for line in text.splitlines() if line.startswith("\t")]
        return "\n".join(recipes).replace("$$", "$") or None
    if effect.target is None:
        return None
    if effect.kind == "execute":
        return _written(case, written, effect.target, command)
    if effect.kind in ("read", "database") and command.name in _CLIENTS:
        text = written.get(case.places.absolute(effect.target.text, command.cwd) or "") or ""
        return f"{command.name} <<< {shlex.quote(text)}" if text else None
    return None


_CLIENTS = frozenset("psql mysql mariadb sqlite3 duckdb redis-cli mongosh mongo sqlcmd".split())


def _written(case: Case, written: dict[str, str], target: Word, command: Command) -> str | None:
    path = case.places.absolute(target.text, command.cwd)
    text = written.get(path) if path is not None else None
    if text is None or text == case.command:
        return None
    first = text.partition("\n")[0] if text.startswith("#!") else ""
    language = next((name for name in _CODE_OPTIONS if command.name.startswith(name) or name in first), None)
    if language is None and path is not None and path.endswith(".ps1"):
        language = "pwsh"
    if language is not None:
        return f"{language} {_CODE_OPTIONS[language]} {shlex.quote(text)}"
    return text if not first or "sh" in first else None


_CODE_OPTIONS = {
    "python": "-c", "node": "-e", "ruby": "-e", "perl": "-e", "php": "-r", "pwsh": "-c", "powershell": "-c",
}  # fmt: skip


def _wrapped(command: Command) -> str | None:
    """The words from the first that names a program which can do harm, or a word that is such a command."""
    for number, word in enumerate(command.args[:8]):
        if word.text in _CAN_DO_HARM and number + 1 < len(command.args):
            return " ".join(_quoted(word) for word in command.args[number:])
        if word.known and _DISASTER.match(word.text):
            return word.text
    return None


def _quoted(word: Word) -> str:
    if word.glob:
        return word.text
    return shlex.quote(word.text) if UNKNOWN not in word.text else '"${unknown}"'
