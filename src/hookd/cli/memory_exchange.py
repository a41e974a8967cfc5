"""`hookd memory import|export|forget|join|leave`: what goes in and out of memory, and who shares it."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import click
import msgspec

from hookd.cli.common import (
    counted,
    json_option,
    print_json,
    project_option,
    require_person,
    require_yes,
    warn,
)
from hookd.cli.completions import observation_ids
from hookd.cli.daemon import stop_daemon
from hookd.cli.memory_options import filter_options, filters_of, named, opened, reading
from hookd.daemon.recorder import Recorder, put_on_record, recording
from hookd.errors import UsageError
from hookd.identity import clones
from hookd.journal.entries import Joined
from hookd.journal.recovery import Keeper
from hookd.memory.forget import forget as forget_for_good
from hookd.memory.import_export import ImportReader, exported, import_lines
from hookd.memory.observations import place_of, shown_id
from hookd.memory.sharing import join_command
from hookd.paths import Project, project_at, project_root
from hookd.printable import one_line
from hookd.reports.memory import observation_count, observation_numbers
from hookd.reports.record import bring_in_all
from hookd.store.cancellation import Cancellation

WORTH_A_BAR = 2_000


@click.command("import")
@click.argument("file", type=click.Path(allow_dash=True, dir_okay=False))
@click.option(
    "--keep-provenance", is_flag=True, help="Believe the file where it says that you wrote a text; needs you."
)
@project_option
@json_option
def import_file(file: str, keep_provenance: bool, here: Project, as_json: bool) -> int:
    """Remember what FILE has, or with - standard input.

    One JSON object per line with "text" and, if you like, "id", "kind", "tool", "path", "session", "time"
    and more; `hookd memory export` writes the same. Lines that cannot be used are skipped and named. A row
    whose id is there already is left as it is.
    """
    if keep_provenance:
        require_person("memory import --keep-provenance")
    at_hand = opened(here)
    store = at_hand.memory.store
    reader = ImportReader(at_hand.redactor.text, keep_provenance=keep_provenance)
    place = place_of(here.folders, here.root)
    with _source(file) as (source, size):
        shown = size if size and sys.stderr.isatty() and not as_json else 0
        with _bar("Importing", shown) as step, _resumable() as tell:
            lines = _told(source, step) if shown else source
            recorder = Recorder(here.root, here.folders, lambda: at_hand.config)
            found = import_lines(store, place, lines, reader, recorder.bring_in, tell)
    recorder.close()
    store.close()
    with_vectors = bool(at_hand.memory.vectors_in_use)
    with store.reading() as db, _bar("Vectors", found.added if shown and with_vectors else 0) as step:
        at_hand.memory.catch_up(db, step)
    if as_json:
        bad = [{"line": each.number, "why": each.why} for each in found.first_bad]
        print_json({"added": found.added, "known": found.known, "bad": found.bad, "first_bad": bad})
    else:
        known = f", {found.known:,} {'was' if found.known == 1 else 'were'} known" if found.known else ""
        click.echo(f"{counted(found.added, 'observation')} added{known}.")
    warn(f"line {each.number} skipped: {each.why}" for each in found.first_bad)
    if found.bad > len(found.first_bad):
        warn([f"{found.bad - len(found.first_bad):,} more lines skipped"])
    return 1 if found.bad and not found.added and not found.known else 0


@contextmanager
def _resumable() -> Iterator[Callable[[int], None]]:
    """Counts the rows that are in; a person who interrupts is told of them."""
    rows = 0

    def count(more: int) -> None:
        nonlocal rows
        rows += more

    try:
        yield count
    except KeyboardInterrupt:
        kept = f"{rows:,} lines of the file are in" if rows else "nothing was taken in"
        click.echo(f"\nhookd: {kept}; the same command takes in the rest", err=True)
        raise


@contextmanager
def _source(file: str) -> Iterator[tuple[IO[bytes], int]]:
    if file == "-":
        yield sys.stdin.buffer, 0
        return
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    try:
        with path.open("rb") as source:
            yield source, path.stat().st_size
    except PermissionError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


@contextmanager
def _bar(label: str, length: int) -> Iterator[Callable[[int], None]]:
    """What is told of each step; a bar is shown where there is a length and somebody looks."""
    if not length or not sys.stderr.isatty():
        yield lambda _steps: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update


def _told(source: IO[bytes], step: Callable[[int], None]) -> Iterator[bytes]:
    """The lines; the bar hears of them now and then."""
    size = 0
    for line in source:
        size += len(line)
        if size > 262_144:
            step(size)
            size = 0
        yield line
    step(size)


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False))
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@project_option
def export(file: str | None, everywhere: bool, here: Project) -> None:
    """Write every observation as a JSON line, to FILE or standard output (`-`)."""
    file = None if file == "-" else file
    count = 0
    with ExitStack() as held:
        _, db = held.enter_context(reading(here))
        place = None if everywhere else place_of(here.folders, here.root)
        target: IO[bytes] = sys.stdout.buffer
        if file is not None:
            path = Path(file)
            if path.exists():
                raise UsageError(f"{path} is there already", hint="name a file that is not")
            path.touch(mode=0o600)
            target = held.enter_context(path.open("wb"))
        step = held.enter_context(_bar("Exporting", observation_count(db, place) if file else 0))
        for row in exported(db, place):
            target.write(msgspec.json.encode(row) + b"\n")
            count += 1
            if count % 1_000 == 0:
                step(1_000)
        target.flush()
    if file is not None:
        click.echo(f"{counted(count, 'observation')} written to {file}.")


@click.command()
@click.argument("names", metavar="[ID]...", nargs=-1, shell_complete=observation_ids)
@filter_options
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_option
@json_option
def forget(names: tuple[str, ...], yes: bool, here: Project, as_json: bool, **given: Any) -> int:
    """Forget observations for good, by their ids or by what they are.

    They and the record of the events that they were made from leave the database, its full-text index, its
    log, the journal, run folders and the vectors before the command returns, and so does what the record has
    of sessions that were told of them; the backups are replaced by one made afterwards.
    """
    filters = filters_of(given, here)
    chosen_by = [value for key, value in given.items() if key != "everywhere" and value is not None]
    if not names and not chosen_by:
        raise UsageError(
            "what should be forgotten?", hint="give ids, or say which: --session, --path, --until, ..."
        )
    bring_in_all(here.folders)
    with reading(here) as (at_hand, db):
        numbers = [named(db, name, filters.place).seq for name in names]
        if chosen_by:
            numbers += observation_numbers(db, filters)
    numbers = sorted(set(numbers))
    what = counted(len(numbers), "observation")
    require_yes(f"Forget {what} for good?", yes=yes or not numbers)
    keeper = Keeper(at_hand.memory.store, here.folders.journals)
    shown = len(numbers) if len(numbers) >= WORTH_A_BAR and not as_json else 0
    with _stopped_by_signals() as stop, _bar("Forgetting", shown) as step:
        gone = forget_for_good(
            keeper,
            numbers,
            here.root,
            partial(recording, here.folders),
            here.folders.spools(),
            stop=stop,
            tell=step,
        )
    if as_json:
        print_json({"forgotten": gone.observations, "records": gone.records, "alike": gone.alike})
    elif gone.observations < len(numbers):
        click.echo(f"Stopped: {gone.observations:,} of {what} forgotten, the others are as they were.")
    else:
        click.echo(f"{what} forgotten{f', and {gone.repeated} that repeated it' if gone.repeated else ''}.")
        if gone.alike:
            alike = " ".join(map(shown_id, gone.alike))
            click.echo(f"Others that say the same are still there: hookd memory forget {alike}")
    return 130 if gone.observations < len(numbers) else 0


@contextmanager
def _stopped_by_signals() -> Iterator[Cancellation]:
    """A signal ends the command between two steps and not in the middle of one."""
    stop = Cancellation()
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(each, lambda *_: stop.tell()) for each in signals]
    try:
        yield stop
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)


@click.command()
@click.argument("clone", required=False, type=click.Path(exists=True, file_okay=False))
@project_option
def join(clone: str | None, here: Project) -> None:
    """Share one memory with CLONE, another clone of the same remote.

    What was decided and noted in either is then known in both. Where work stands and what is open stay apart,
    and so do trust and what the gate was taught. Without CLONE it says which there are.
    """
    if clone is None:
        _show_clones(here)
        return
    require_person("memory join")
    other = project_root(os.path.realpath(clone))
    require_yes(f"Share one memory between {here.root} and {one_line(other)}?")
    clones.join(here.folders, here.root, other)
    _put_on_record(here, other)
    click.echo(f"{here.root} and {one_line(other)} share their memory; `hookd memory leave` ends it.")


@click.command()
@project_option
def leave(here: Project) -> None:
    """Have this clone's memory be its own again, with what was written in it."""
    require_person("memory leave")
    if not clones.leave(here.folders, here.root):
        raise UsageError(f"{here.root} shares its memory with no other clone")
    _put_on_record(here, "")
    click.echo(f"What is remembered in {here.root} is its own again.")


def _show_clones(here: Project) -> None:
    found = clones.joinable(here.folders, here.root)
    if not found:
        click.echo("There is no other clone of its remote that hookd has worked in.")
    for root in found:
        click.echo(join_command(root))


def _put_on_record(here: Project, clone: str) -> None:
    """Daemons that run would go on writing for what it belonged to: each event starts one that knows."""
    for root in clones.checkouts(here.folders, here.root):
        stop_daemon(project_at(root))
        put_on_record(project_at(root), Joined(id=os.urandom(16).hex(), at=time.time(), clone=clone))
