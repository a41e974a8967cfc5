"""Facts that a later one contradicts: a file gone, a name changed, a test passing, a decision reversed."""

import re
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from hookd.memory.capture import failures
from hookd.memory.capture.calls import FinishedCall
from hookd.memory.capture.choices import choice_of, reverses, takes_again
from hookd.memory.capture.failures import Key, covers
from hookd.memory.may_be_told import is_plain_name
from hookd.memory.observations import Observation, Place, derived_id
from hookd.memory.repository.capture import CapturedFacts, OpenFailure
from hookd.memory.repository.memories import Memories
from hookd.memory.repository.observations import Observations
from hookd.memory.repository.remembered import Remembered
from hookd.patterns import late
from hookd.store.database import Database

MOST_TRIED = 20
_SAID = frozenset({"decision", "note"})
_PLAIN_PATH = late(r"[\w@+=./-]{1,200}")


class Written(NamedTuple):
    """An observation that was just written."""

    seq: int
    made: Observation


class Superseding:
    """Looks, for each observation that is new, for what it takes the place of."""

    def __init__(self, db: Database, place: Place) -> None:
        self._observations = Observations(db, place)
        self._known = CapturedFacts(db, self._observations.place_number)
        self._memories = Memories(db)

    def write(self, made: Observation) -> Written | None:
        """Writes an observation; None if it is there already, and then nothing follows from it either."""
        written = self._observations.add_numbered([made])
        return Written(written[0][1], made) if written else None

    def seen_before(self, made: Observation, likeness: int) -> bool:
        """Whether its session has the same already."""
        return self._known.has_alike(likeness, made.kind, made.session)

    def decided(self, new: Written) -> None:
        """A decision takes the place of those that it reverses; an agent's never that of a person's."""
        later = choice_of(new.made.text)
        about = {later.scope} if later.is_other and later.scope else set()
        words = {max(term, key=len) for term in later.takes | later.leaves | about}
        older: dict[str, None] = {}
        for word in words:
            # What is taken again had been left for something: for what stands in its place.
            for known, ends in ((self._known.said_with, reverses), (self._known.replaced_with, takes_again)):
                for said in known(word, new.seq):
                    may = new.made.provenance in ("person", said.provenance)
                    if may and ends(later, choice_of(said.text)):
                        older[said.id] = None
        self._observations.supersede(older, new.made.id)

    def gone(self, base: Observation, path: str) -> None:
        """What is known of a file that was deleted is true no more."""
        change = self._write_change(base, f"deleted {path}", f"gone {path}", (path,))
        if change is None:
            return
        known = self._known.about(path, change.seq)
        stale = [it.id for it in known if self._is_stale_without(it, path)]
        self._observations.supersede(stale, change.made.id)

    def there_again(self, new: Written, paths: Iterable[str]) -> None:
        """A file that is written is no longer deleted, and what was said of it holds again."""
        for path in paths:
            self._observations.supersede(self._known.restore(path), new.made.id)

    def moved(self, base: Observation, old: str, new: str) -> None:
        """What was said of a file is carried over to its new place, what was done there is not."""
        change = self._write_change(base, f"moved {old} to {new}", f"moved {old}", (new, old))
        if change is None:
            return
        stale = []
        for it in self._known.about(old, change.seq):
            if it.kind in _SAID:
                self._carry(it, change, it.text.replace(old, new), (old, new))
            elif _is_at(it.path, old):
                stale.append(it.id)
        self._observations.supersede(stale, change.made.id)

    def renamed(self, base: Observation, path: str, old: str, new: str, editing: int) -> None:
        """The same for a function: its name in what was said changes, what else names it is stale."""
        change = self._write_change(base, f"renamed {old} to {new} in {path}", f"renamed {old}", (path,))
        if change is None:
            return
        named = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
        stale = []
        for it in [*self._known.about(path, change.seq), *self._known.naming(old, change.seq)]:
            if it.seq == editing or not named.search(it.text):
                continue
            if it.kind in _SAID:
                self._carry(it, change, named.sub(new, it.text), None)
            else:
                stale.append(it.id)
        self._observations.supersede(stale, change.made.id)

    def failed(self, new: Written, keys: Iterable[Key]) -> None:
        """Notes by what the failure will be known; the same call's last failure in its session is over."""
        keys = list(keys)
        known = self._known.failures_known_by(keys[0].name, new.made.at)
        older = [it for it in known if it.seq != new.seq and it.session == new.made.session]
        self._observations.supersede([it.id for it in older], new.made.id)
        # And what passed since passes no more.
        passed = {
            it.id: it
            for key in keys
            # By what a mended failure is known, should it come back.
            for it in self._known.failures_known_by(f"passes {key.name}", new.made.at)
        }
        self._observations.supersede(passed, new.made.id)
        for it in [*older, *passed.values()]:
            self._known.drop_keys(it.seq)
        for key in keys:
            self._known.know_failure_by(new.seq, key.name, key.scope)

    def tried(self, new: Written) -> None:
        """Links what was done after a failure to it, while its task goes on."""
        for failure in self._known.open_failures(new.made.session, new.made.task, new.seq):
            self._known.link(failure, new.made.id, "tried", MOST_TRIED)

    def passed(self, base: Observation, call: FinishedCall) -> None:
        """What failed before and succeeds now has been mended, by what was edited in between."""
        found: dict[int, OpenFailure] = {}
        run = failures.runner_key(call)
        names = [
            failures.call_key(call),
            *(failures.test_key(call, test) for test in failures.passed_tests(call.output)),
        ]
        for key in names:
            found |= {it.seq: it for it in self._known.failures_known_by(key.name, base.at)}
        if run is not None and not failures.is_narrowed(call):
            for it in self._known.failures_known_by(run.name, base.at):
                if covers(run.scope, it.scope):
                    found[it.seq] = it
        for failure in found.values():
            self._mended(base, failure)

    def _mended(self, base: Observation, failure: OpenFailure) -> None:
        edits = self._known.edits_since(failure.seq, base.session)
        files = [path for path in dict.fromkeys(edit.path for edit in edits) if _is_plain(path)][:3]
        then = f"; then edited {', '.join(reversed(files))}" if files else ""
        text = f"{failure.text.removesuffix('; passes since')}{then}; passes since"
        paths = (*files, *filter(None, [failure.path]))
        change = self._write_change(base, text, f"passes {failure.id}", tuple(dict.fromkeys(paths)))
        if change is None:
            return
        self._observations.supersede([failure.id], change.made.id)
        self._known.pass_keys_on(failure.seq, change.seq)
        self._known.link(failure.id, edits[0].id if edits else change.made.id, "fixed_by")

    def _write_change(
        self, base: Observation, text: str, part: str, paths: tuple[str, ...]
    ) -> Written | None:
        """A fact in hookd's words; one whose names could be anybody's sentence is not repeated unasked."""
        made = msgspec.structs.replace(
            base,
            text=text,
            id=derived(base.event, part),
            kind="change",
            provenance="hookd",
            paths=paths,
            tool_use="",
            importance=0.6,
            detail="",
            repeatable=all(map(_is_plain, paths)),
        )
        return self.write(made)

    def _carry(self, it: Remembered, change: Written, text: str, moved: tuple[str, str] | None) -> None:
        paths = self._memories.paths_in_order(it.seq, it.path)
        carried = Observation(
            text=text,
            id=derived(change.made.id, it.id),
            kind=it.kind,
            provenance=it.provenance,
            at=it.at,
            tool=it.tool,
            paths=tuple(_moved(path, *moved) if moved else path for path in paths),
            session=it.session,
            task=it.task,
            prompt=it.prompt,
            event=it.event,
            importance=it.importance,
            repeatable=bool(it.repeatable and change.made.repeatable),
        )
        if self.write(carried) is not None:
            self._observations.supersede([it.id], carried.id)

    def _is_stale_without(self, it: Remembered, path: str) -> bool:
        """What was done to the file is, and what was said if it was said of no other."""
        if it.kind not in _SAID:
            return _is_at(it.path, path)
        return all(_is_at(each, path) for each in self._memories.paths(it.seq))


def derived(*parts: str) -> str:
    """The id of what is made from an event, or from another observation."""
    return derived_id("o", *parts)


def _is_plain(path: str) -> bool:
    return _PLAIN_PATH.fullmatch(path) is not None and is_plain_name(path)


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _moved(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if _is_at(path, old) else path
