"""Cases written down as text: a line after `$`, continued after `>`, and below it what is expected."""

from __future__ import annotations

from pathlib import Path

from hookd.shell.commands import script
from hookd.shell.effects import effects
from hookd.shell.model import Script, Word

FACTS = ("as_root", "background", "in_loop", "in_substitution")
HERE = Path(__file__).parent


def cases(name: str) -> list[tuple[str, list[str]]]:
    """The cases of a file: the line, and the lines expected."""
    found: list[tuple[str, list[str]]] = []
    for line in (HERE / name).read_text().splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> "):
            text, expected = found.pop()
            found.append((f"{text}\n{line[2:]}", expected))
        elif line and not line.startswith("#"):
            found[-1][1].append(line)
    return found


def read(text: str) -> Script:
    """A line as the cases read it."""
    return script(text, cwd="/work", home="/home/me", env={"USER": "me"})


def shown(word: Word) -> str:
    """A word, with <?> where it is not known."""
    text = word.text.replace("\0", "<?>")
    return text if text and " " not in text and "\n" not in text else repr(text)


def commands_of(text: str) -> list[str]:
    """The commands that do something themselves: name and words, then what they were found in."""
    read_in = read(text)
    lines = []
    for command in read_in.commands:
        if command.wraps:
            continue
        line = " ".join([command.name or "?", *(shown(word) for word in command.args)])
        facts = [*command.wrappers]
        facts += [command.place] if command.place != "local" else []
        facts += [
            fact for fact in ("as_root", "background", "in_loop", "in_substitution") if getattr(command, fact)
        ]
        lines.append(line + (f"  ({', '.join(facts)})" if facts else ""))
    return lines + [f"?? {unknown.why}" for unknown in read_in.unknowns]


def effects_of(text: str) -> list[str]:
    """The effects: kind, target, details."""
    read_in = read(text)
    lines = []
    for effect in effects(read_in):
        parts = [effect.kind, shown(effect.target) if effect.target is not None else "-"]
        details = " ".join(sorted(effect.details))
        lines.append(" ".join(parts) + (f" [{details}]" if details else ""))
    return lines + [f"?? {unknown.why}" for unknown in read_in.unknowns]
