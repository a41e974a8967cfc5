"""Ids that no other machine gives, shown short everywhere and found by what is shown."""

import re

import pytest
from memory_world import HERE, new_store, put

from hookd.memory.capture.superseding import derived
from hookd.memory.observations import (
    SHOWN_ID,
    Observation,
    new_observation_id,
    prose_id,
    shown_id,
    summary_id,
)
from hookd.memory.repository.memories import Memories
from hookd.redact.redactor import Redactor
from hookd.reports.memory import find_observation
from mcp_world import here_of, refused, said
from worlds import World

LONG_ID = re.compile(r"\b[osp][0-9a-f]{12,}")


@pytest.mark.parametrize(
    "name", [new_observation_id(), derived("event"), summary_id("s1"), prose_id("s1")], ids="onsp"
)
def test_an_id_has_128_bits_and_is_no_secret(name: str) -> None:
    assert re.fullmatch(r"[osp][0-9a-f]{32}", name)
    assert len(shown_id(name)) == SHOWN_ID and name.startswith(shown_id(name))
    for text in (name, f'{{"id": "{name}"}}', f"superseded_by: {name}"):
        assert Redactor().text(text) == text


def test_what_is_derived_is_the_same_everywhere_and_begins_as_it_did() -> None:
    assert derived("e1", "gone a.py") == derived("e1", "gone a.py") != derived("e1", "gone b.py")
    assert derived("e1").startswith("o8b5cc4df7eec") and summary_id("s1").startswith("se8bc163c82")


@pytest.mark.parametrize(
    "name", ["o0123456789", "o0123456789ab", "7", "x" * 33, "session-0123456789abcdef0123456789"]
)
def test_an_id_of_before_or_of_others_is_shown_as_it_is(name: str) -> None:
    assert shown_id(name) == name


def test_a_beginning_is_found_and_an_ambiguous_one_is_told() -> None:
    store = new_store()
    first, second = "o" + "a" * 32, "o" + "a" * 31 + "b"
    put(store, Observation(id=first, text="one"), Observation(id=second, text="two"))
    with store.reading() as db:
        assert find_observation(db, shown_id(first), HERE).candidates == (first, second)
        found = find_observation(db, second, HERE).it
        assert found is not None and found.text == "two"
        assert Memories(db, HERE).ids_beginning_with("oa") == (first, second)
    store.close()


def test_a_person_sees_short_ids_and_may_use_them(world: World) -> None:
    (world.folders.config / "config.toml").write_text('[memory]\nvectors = "off"\n')
    shown = re.findall(r"o[0-9a-f]+", world.hookd("memory", "add", "The parser keeps comments"))
    assert [len(each) for each in shown] == [SHOWN_ID]
    whole = world.json("memory", "add", "The parser drops them")["id"]
    lines = world.hookd("memory", "search", "parser")
    assert shown[0] in lines and whole[:SHOWN_ID] in lines and not LONG_ID.search(lines)
    one = world.hookd("memory", "show", shown[0])
    assert "keeps comments" in one and not LONG_ID.search(one)
    assert world.json("memory", "show", whole[:SHOWN_ID])["id"] == whole
    world.run("memory", "forget", shown[0], "--yes")
    assert [each["id"] for each in world.json("memory", "search", "parser")["results"]] == [whole]


def test_an_agent_sees_short_ids_and_may_use_them(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (world.folders.config / "config.toml").write_text('[memory]\nvectors = "off"\n')
    here = here_of(world, monkeypatch)
    [name] = re.findall(r"o[0-9a-f]+", said(here, "remember", text="The queue is Postgres"))
    assert len(name) == SHOWN_ID
    for told in (
        said(here, "search", query="queue"),
        said(here, "timeline", id=name),
        said(here, "get", ids=[name]),
    ):
        assert name in told and not LONG_ID.search(told)
    refused(here, "forget", ids=[name[:-1]])
    assert said(here, "forget", ids=[name]) == "Forgotten for good: 1."
