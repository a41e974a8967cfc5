"""The tables of programs are well formed and agree with themselves."""

from __future__ import annotations

from collections import Counter

import pytest

from hookd.shell import programs
from hookd.shell.finder import items
from hookd.shell.options import table

ROOMS = ("files", "git", "network", "remote", "system", "wrapping")
KEYS = [key for room in ROOMS for key, _, _ in programs.entries(room)]
KINDS = frozenset({
    "read", "write", "overwrite", "append", "delete", "move", "permission", "owner", "execute", "fetch",
    "send", "listen",
    "process", "service", "package", "mount", "format", "history", "remote", "database", "environment",
    "power", "user",
    "unknown",
})  # fmt: skip


def test_no_program_is_told_twice() -> None:
    assert [key for key, count in Counter(KEYS).items() if count > 1] == []


def test_other_names_lead_to_programs_in_the_tables() -> None:
    assert [name for name in programs.ALIASES.values() if not programs.is_known(name)] == []


@pytest.mark.parametrize("room", [*ROOMS, "prefixes", "names", "calls"])
def test_every_line_is_an_entry(room: str) -> None:
    assert all(key and colon and key == key.strip() for key, colon, _ in programs.entries(room))


def test_effects_are_of_known_kinds_and_ask_for_options_that_exist() -> None:
    wrong = []
    for key in KEYS:
        for item in items(key) or ():
            if item.kind not in KINDS:
                wrong.append((key, item.kind))
            names = {name for group in (*item.needs, *item.without) for name in group}
            names |= {item.operands[1:]} if item.operands.startswith("=") else set()
            if not names:
                continue
            found = table(key)
            parent = table(key.rpartition(" ")[0])
            known = {
                entry[0]
                for source in (found, parent)
                if source
                for entry in (*source.short.values(), *source.long.values())
            }
            wrong.extend((key, name) for name in names - known)
    assert wrong == []


def test_prefixes_have_a_number_and_known_marks() -> None:
    marks = {"root", "env", "shell", "remote", "container", "dashes", "code"}
    for key, rest in programs.PREFIXES.items():
        count, *given = rest.split()
        assert count.isdigit(), key
        assert set(given) <= marks, key
