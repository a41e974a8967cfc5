"""The tables: every kind compiles, is found by its keyword, and finds what it is for."""

import re
from pathlib import Path

import pytest
from samples import filled, sample

from hookd import config
from hookd.redact import kinds
from hookd.redact.kinds import Kind
from hookd.redact.redactor import Redactor

KINDS = [kind for table in ("shapes", "contexts") for kind in kinds.load(table)]
SEEDS = range(8)
redactor = Redactor()


def by_name(kind: Kind) -> str:
    return kind.name


def secrets_of(kind: Kind, text: str) -> list[str]:
    data = text.encode("latin-1")
    groups = range(kind.pattern.groups, 0, -1)
    return [
        next(match.group(group) for group in groups if match.start(group) >= 0).decode("latin-1")
        for match in kind.matches(data, data.lower())
    ]


def survivors(secret: str, text: str) -> list[str]:
    size = min(8, len(secret))
    runs = (secret[start : start + size] for start in range(len(secret) - size + 1))
    return [run for run in runs if run in text]


def test_there_are_several_hundred() -> None:
    assert len(kinds.load_names()) > 500
    assert len(KINDS) > 300


def test_names_are_unique_and_fit_into_a_marker() -> None:
    names = [kind.name for kind in [*KINDS, *kinds.load("personal")]]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name) and len(name) <= 64 for name in names)


@pytest.mark.parametrize("kind", KINDS, ids=by_name)
def test_a_kind_is_found_by_its_trigger_and_its_pattern(kind: Kind) -> None:
    trigger = kinds.compiled(f"(?m){kind.trigger}")
    for seed in SEEDS:
        text = sample(kind, seed)
        assert trigger.search(text.encode("latin-1")), text
        assert secrets_of(kind, text), text


@pytest.mark.parametrize("kind", KINDS, ids=by_name)
def test_a_drawn_secret_of_a_kind_does_not_survive(kind: Kind) -> None:
    redacted = 0
    for seed in SEEDS:
        text = sample(kind, seed)
        done = redactor.redact(text)
        redacted += bool(done.findings)
        if done.findings:
            assert all(not survivors(secret, done.text) for secret in secrets_of(kind, text)[:1]), text
    assert redacted >= (0 if {"random", "cookie", "session"} & {*kind.checks} else 4), (
        "checks may refuse a drawn value now and then, not most of them"
    )


def examples(sign: str) -> list[tuple[str, str]]:
    rows = (Path(__file__).parent / "examples.txt").read_text("utf-8").splitlines()
    split = [row.split(None, 2) for row in rows if row and row[0] != "#"]
    return [(name, text) for mark, name, text in split if mark == sign]


@pytest.mark.parametrize(("name", "template"), examples("+"))
def test_the_examples_are_redacted_as_what_they_are(name: str, template: str) -> None:
    text = filled(template).replace("\\n", "\n")
    found = redactor.redact(text).findings
    assert name in {finding.kind for finding in found}, text
    off = Redactor(config.Redact(off=[name]))
    assert name not in {finding.kind for finding in off.redact(text).findings}


@pytest.mark.parametrize(("name", "template"), examples("-"))
def test_what_only_looks_like_it_stays(name: str, template: str) -> None:
    text = filled(template).replace("\\n", "\n")
    assert redactor.redact(text) == (text, ()), name


def test_all_names_are_known() -> None:
    names = kinds.known_names()
    assert {kind.name for kind in [*KINDS, *kinds.load("personal")]} < names
    found = {finding.kind for _, text in examples("+") for finding in redactor.redact(filled(text)).findings}
    assert found | {"private-key"} < names
    assert "no-such-kind" not in names
