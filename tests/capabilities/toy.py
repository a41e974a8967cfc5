"""A capability with every part there is, in one module. The test copies it into the package."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import click

from hookd.capability import (
    Capability,
    CheckResult,
    CliCommand,
    EndedSession,
    FileKind,
    Forgets,
    Ingestion,
    Page,
    QuietMoment,
    RunFiles,
    SessionEnd,
    Status,
    StatusLine,
    Takes,
    Tool,
    ToolInput,
    Visit,
)
from hookd.config import Config, Section, Table
from hookd.events.outcome import Fact, Outcome
from hookd.hooks.api import HookAPI
from hookd.journal.ingest import open_store
from hookd.paths import Project, project_at
from hookd.store.database import Database
from hookd.store.migrations import Migration


class Toy(Section, frozen=True, kw_only=True):
    """How to play."""

    greeting: str = "hello"
    most: int = 5
    """A project may lower it without trust."""


def register(hookd: HookAPI) -> None:
    settings = hookd.services.config.of(Toy)
    written = hookd.services.files("toys")
    toys = []
    for file in written.files:
        text = file.text
        if b"broken" in text:
            written.problems.append(f"{file.path} is broken")
            text = file.last_good or b""
        else:
            written.good.append(file)
        toys.append(text.decode().strip())

    @hookd.on("UserPromptSubmit")
    def greet(event: Any, ctx: Any) -> Outcome:  # noqa: ARG001
        told = f"{settings.greeting}, at most {settings.most}: {' '.join(toys)}"
        return Outcome(context=(told,), facts=(Fact(kind="toy-note", data={"said": told}),))


def take(batch: Ingestion) -> None:
    for entry in batch.entries:
        if entry.event == "PostToolUse":
            values = (entry.id, batch.key, entry.session, entry.tool)
            batch.db.run("INSERT OR IGNORE INTO toy VALUES (?, ?, ?, ?)", values)


def add(db: Database, key: str, what: str) -> None:
    db.run("INSERT OR IGNORE INTO toy VALUES (?, ?, '', ?)", (what, key, what))


async def session_end(ended: EndedSession) -> None:
    assert ended.services.store is not None
    ended.services.store.submit(lambda db: add(db, ended.key, "ended")).result()


def quiet(moment: QuietMoment) -> None:
    moment.keeper.store.submit(lambda db: add(db, "", "quiet")).result()


def forget_events(db: Database, events: Sequence[str]) -> None:
    db.run_many("DELETE FROM toy WHERE event = ?", [(event,) for event in events])


def forget_session(db: Database, key: str, session: str) -> None:
    db.run("DELETE FROM toy WHERE project = ? AND session = ?", (key, session))


def forget_project(db: Database, project: Project) -> None:
    db.run("DELETE FROM toy WHERE project = ?", (project.key,))


def forget_files(project: Project) -> None:
    (project.hookd / "TOY.md").unlink(missing_ok=True)


def played(project: Project) -> list[str]:
    with open_store(project.folders.database).reading() as db:
        rows = db.rows("SELECT what FROM toy WHERE project = ? ORDER BY what", (project.key,))
        return [row[0] for row in rows]


def check(project: Project) -> CheckResult:
    return CheckResult("toy", Path(project.root).is_dir(), "plays")


def report(project: Project, config: Config) -> dict[str, Any]:
    return {"greeting": config.of(Toy).greeting, "root": project.root}


@click.command()
def toy() -> int:
    """Tell what was played with."""
    click.echo(" ".join(played(project_at(str(Path.cwd())))))
    return 0


class Play(ToolInput, frozen=True, kw_only=True):
    times: int = 1


def play(here: Any, given: Play) -> str:
    return " ".join(played(project_at(here.root)) * given.times)


def page(visit: Visit) -> str:
    return f"<p>{escape(visit.config.of(Toy).greeting)}: {escape(' '.join(played(visit.project)))}</p>"


CAPABILITY = Capability(
    name="toy",
    about="Plays.",
    table=Table("toy", Toy, {"most": min}),
    migrations=lambda: [
        Migration(
            "toy",
            1,
            "toy",
            "CREATE TABLE toy (event TEXT PRIMARY KEY, project TEXT, session TEXT, what TEXT)",
        )
    ],
    register=register,
    files=(FileKind("toys", ("*.txt",), "toy"),),
    takes=Takes(frozenset({"PostToolUse"}), take),
    session_end=SessionEnd(lambda config: config.of(Toy).most > 0, session_end),
    quiet=quiet,
    forgets=Forgets(forget_events, forget_session, forget_project, forget_files),
    checks=(check,),
    status=Status(
        report,
        lambda found: [StatusLine(found["greeting"])],
        lambda found: [StatusLine("TOY LOUD", "bad")] if found["greeting"].isupper() else [],
    ),
    commands=(CliCommand("toy", "hookd.toy:toy", "Tell what was played with."),),
    tools=(Tool("play", "Play.", "hookd.toy:Play", "hookd.toy:play"),),
    pages=(Page("/toy", "Toy", "hookd.toy:page"),),
    run_files=RunFiles(lines={"toy-note": "toys.jsonl"}, project_files=("TOY.md",)),
)
