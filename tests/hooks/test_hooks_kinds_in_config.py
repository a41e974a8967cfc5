"""Kinds of secret in config: what nobody knows is said, and no project makes a secret pass."""

from pathlib import Path

import pytest

from hookd import config
from hookd.capabilities import sources
from hookd.config import Config
from hookd.hooks.hook_sources import Found
from hookd.output.settings import Output
from hookd.paths import UserFolders
from hookd.redact.redactor import Redactor
from secrets_made_up import GITHUB_TOKEN


class Person:
    def __init__(self, base: Path) -> None:
        self.folders = UserFolders(base / "config", base / "data")
        self.project = base / "project"
        for folder in (self.folders.config, self.project / ".hookd"):
            folder.mkdir(parents=True)

    def own(self, text: str) -> None:
        (self.folders.config / "config.toml").write_text(text)

    def repository(self, text: str) -> None:
        (self.project / ".hookd" / "config.toml").write_text(text)

    def read(self) -> Found:
        """As a new daemon would."""
        return sources(str(self.project), self.folders).read()


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    monkeypatch.setattr(config, "MANAGED_CONFIG", str(tmp_path / "none.toml"))
    return Person(tmp_path)


def redacts(settings: Config) -> bool:
    text = f"use {GITHUB_TOKEN} now"
    return all(
        GITHUB_TOKEN not in Redactor(each).text(text) for each in (settings.redact, settings.redact_outputs)
    )


@pytest.mark.parametrize("own", ['[redact]\noff = ["crypt-hash"]', '[output]\nkeep_kinds = ["crypt-hash"]'])
def test_a_project_cannot_hide_everything_behind_a_kind_that_is_let_through(person: Person, own: str) -> None:
    person.own(own)
    person.repository("[redact.kinds]\ncrypt-hash = '.+'")
    found = person.read()
    assert redacts(found.config)
    assert found.config.redact.kinds == {}
    assert found.config.redact_outputs.kinds == {"project-kind-1": ".+"}


def test_nor_may_a_person_name_a_kind_as_hookd_does(person: Person) -> None:
    person.own("[redact.kinds]\ncrypt-hash = 'mine-[0-9]+'")
    assert any("crypt-hash is one of hookd's own kinds" in problem for problem in person.read().problems)
    person.own("[redact.kinds]\nproject-kind-1 = 'mine-[0-9]+'")
    assert any("project-kind-N is hookd's name" in problem for problem in person.read().problems)


def test_nor_behind_a_name_that_the_person_lets_through_by_mistake(person: Person) -> None:
    person.own('[redact]\noff = ["mine"]')
    person.repository("[redact.kinds]\nmine = '.+'")
    found = person.read()
    assert redacts(found.config)
    assert "redact.off: there is no kind mine" in found.problems


def test_names_that_nobody_knows_are_said(person: Person) -> None:
    person.own('[redact]\noff = ["githubtoken"]\n[output]\nkeep_kinds = ["nonsense", "jwt"]')
    found = person.read()
    assert set(found.problems) == {
        "redact.off: there is no kind githubtoken",
        "output.keep_kinds: there is no kind nonsense",
    }
    assert found.config.of(Output).keep_kinds == ["jwt"]


def test_the_persons_own_kind_can_be_let_through_to_the_model(person: Person) -> None:
    person.own("[redact.kinds]\nacme = 'acme-[0-9]+'\n[output]\nkeep_kinds = ['acme']")
    found = person.read()
    assert found.problems == () and found.config.of(Output).keep_kinds == ["acme"]


def test_a_broken_file_keeps_its_last_good_version_for_the_next_daemon_too(person: Person) -> None:
    person.own("[redact.kinds]\nacme = 'acme-[0-9]+'")
    assert person.read().config.redact.kinds == {"acme": "acme-[0-9]+"}
    person.own("[redact.kinds]\nacme = 'acme-[0-9]+'\nb = '['")
    found = person.read()
    assert found.config.redact.kinds == {"acme": "acme-[0-9]+"}
    assert "its last good version stays in force" in found.problems[0]
    person.own("")
    assert person.read().config.redact.kinds == {}
