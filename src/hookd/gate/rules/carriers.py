"""What one command does with what it is given: whether it decodes, packs, searches or installs it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hookd.patterns import late
from hookd.shell.model import Command, Word

DECODERS = {
    "base64": ("d", "D", "decode"),
    "base32": ("d", "decode"),
    "xxd": ("r",),
    "openssl": ("d",),
    "uudecode": (),
}
ENVIRONMENT = frozenset({"env", "printenv", "set", "export", "declare", "typeset", "history"})
SEARCHERS = frozenset({"grep", "egrep", "rg"})
_SECRET_WORD = late(r"secret|token|passw|api.?key|credential|private.?key|access.?key", re.IGNORECASE)


def creates(command: Command) -> bool:
    """Whether an archive is made, not read."""
    first = command.args[0].text if command.args else ""
    if command.name in ("tar", "gtar", "bsdtar"):
        return "c" in first.lstrip("-")[:6] or any(
            w.text.startswith("--c") or w.text == "-c" for w in command.args
        )
    return first not in ("l", "x", "e", "t", "-l", "-i", "--list", "--extract")


def prints_variables(command: Command) -> bool:
    """Whether a command prints all variables of a shell, a service or a container, or what git is told."""
    texts = [word.text for word in command.args]
    if command.name in ENVIRONMENT:
        return not command.wraps and all(text[:1] == "-" for text in texts)
    if command.name in ("docker", "podman"):
        return "inspect" in texts[:2] and (".Env" in " ".join(texts) or not {"-f", "--format"} & set(texts))
    if command.name == "git":
        return texts[:1] == ["config"] and bool({"-l", "--list"} & set(texts))
    return command.name == "systemctl" and "show-environment" in texts


def prints_everything(command: Command) -> bool:
    """Whether a command packs a repository with its history, or an image."""
    words = [word.text for word in command.args]
    if command.name == "git":
        shows_changes = words[:1] == ["log"] and bool({"-p", "--patch", "-u"} & set(words))
        return words[:1] in (["bundle"], ["archive"], ["fast-export"]) or shows_changes
    return command.name in ("docker", "podman") and words[:1] in (["save"], ["export"])


def decodes(command: Command) -> bool:
    wanted = DECODERS[command.name]
    return not wanted or any(_is_option(word.text, wanted) for word in command.args)


def _is_option(text: str, names: Sequence[str]) -> bool:
    """Whether a word is one of these options, or the beginning of its name, or has its letter."""
    if text.startswith("--"):
        return any(text[2:] == name or (len(text) > 4 and name.startswith(text[2:])) for name in names)
    return text.startswith("-") and any(name in text[1:] for name in names if len(name) == 1)


def takes_quietly(command: Command, commands: Sequence[Command]) -> bool:
    """Whether something is carried into a command that has no effect of its own."""
    if command.name == "ssh":
        return True
    return command.name in SEARCHERS and any(
        commands[source].name in ENVIRONMENT for source in command.pipe_sources
    )


def looks_for_secrets(command: Command) -> bool:
    return any(_SECRET_WORD.search(word.text) for word in command.args) and not any(
        word.text in ("-c", "-q", "--count", "--quiet", "-qi", "-iq", "-ci", "-ic") for word in command.args
    )


def is_file(target: Word | None) -> bool:
    """Whether a package is one that lies here, not the name of one."""
    return target is not None and ("/" in target.text or target.text.endswith(_PACKAGE_FILES))


_PACKAGE_FILES = (".deb", ".rpm", ".whl", ".tgz", ".gz", ".zip", ".apk", ".pkg", ".gem", ".zst", ".snap")
