"""Facts that a later one contradicts: a file gone, a name changed, a test passing, a decision reversed."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import msgspec

from hookd.memory.capture import failures
from hookd.memory.capture.calls import FinishedCall
from hookd.memory.capture.choices import choice_of, reverses, takes_again
from hookd.memory.capture.failures import Key, covers
from hookd.memory.capture.naming import is_plain_name
from hookd.memory.observations import Observation, Place, place_number, remember, supersede
from hookd.memory.observations import queries as memory_queries
from hookd.patterns import late
from hookd.store.database import Database, Row
from hookd.store.statements import load_statements

MOST_TRIED = 20
_SAID = frozenset({"decision", "note"})
_PLAIN_PATH = late(r"[\w@+=./-]{1,200}")


@cache
def queries() -> dict[str, str]:
    return load_statements("hookd.memory.capture", "superseding")


class Written(NamedTuple):
    """An observation that was just written."""

    seq: int
    made: Observation


class Superseding:
    """Looks, for each observation that is new, for what it takes the place of."""

    def __init__(self, db: Database, place: Place) -> None:
        self._db = db
        self._place = place
        self._number = place_number(db, place)

    def write(self, made: Observation) -> Written | None:
        """Writes an observation; None if it is there already, and then nothing follows from it either."""
        if not remember(self._db, self._place, [made]):
            return None
        sql = memory_queries()["seq_of"]
        return Written(self._db.value(sql, {"id": made.id, "place": self._number}), made)

    def seen_before(self, made: Observation, likeness: int) -> bool:
        """Whether its session has the same already."""
        values = {"likeness": likeness, "session": made.session, "place": self._number, "kind": made.kind}
        return self._db.row(queries()["seen_before"], values) is not None

    def decided(self, new: Written) -> None:
        """A decision takes the place of those that it reverses; an agent's never that of a person's."""
        later = choice_of(new.made.text)
        about = {later.scope} if later.is_other and later.scope else set()
        words = {max(term, key=len) for term in later.takes | later.leaves | about}
        older: dict[str, None] = {}
        for word in words:
            values = {"place": self._number, "seq": new.seq, "word": word}
            for row in self._rows("said_with", values):
                may = new.made.provenance == "person" or row["provenance"] == new.made.provenance
                if may and row["seq"] < new.seq and reverses(later, choice_of(row["text"])):
                    older[row["id"]] = None
            for row in self._rows("said_before", values):
                # What is taken again had been left for something: for what stands in its place.
                may = new.made.provenance == "person" or row["provenance"] == new.made.provenance
                if may and takes_again(later, choice_of(row["text"])):
                    older[row["newer"]] = None
        supersede(self._db, self._place, older, new.made.id)

    def gone(self, base: Observation, path: str) -> None:
        """What is known of a file that was deleted is true no more."""
        change = self.write(_change(base, f"deleted {path}", f"gone {path}", (path,)))
        if change is None:
            return
        rows = self._about(path, change.seq)
        stale = [row["id"] for row in rows if self._is_stale_without(row, path)]
        supersede(self._db, self._place, stale, change.made.id)

    def there_again(self, new: Written, paths: Iterable[str]) -> None:
        """A file that is written is no longer deleted, and what was said of it holds again."""
        for path in paths:
            rows = self._rows("gone_before", {"path": path, "place": self._number})
            for row in rows:
                self._db.run(queries()["said_again"], (row["seq"],))
            supersede(self._db, self._place, [row["id"] for row in rows], new.made.id)

    def moved(self, base: Observation, old: str, new: str) -> None:
        """What was said of a file is carried over to its new place, what was done there is not."""
        change = self.write(_change(base, f"moved {old} to {new}", f"moved {old}", (new, old)))
        if change is None:
            return
        stale = []
        for row in self._about(old, change.seq):
            if row["kind"] in _SAID:
                self._carry(row, change, _renamed(row["text"], old, new), (old, new))
            elif _is_at(row["path"], old):
                stale.append(row["id"])
        supersede(self._db, self._place, stale, change.made.id)

    def renamed(self, base: Observation, path: str, old: str, new: str, editing: int) -> None:
        """The same for a function: its name in what was said changes, what else names it is stale."""
        change = self.write(_change(base, f"renamed {old} to {new} in {path}", f"renamed {old}", (path,)))
        if change is None:
            return
        named = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
        values = {"place": self._number, "seq": change.seq, "word": old}
        stale = []
        for row in [*self._about(path, change.seq), *self._rows("naming", values)]:
            if row["seq"] == editing or not named.search(row["text"]):
                continue
            if row["kind"] in _SAID:
                self._carry(row, change, named.sub(new, row["text"]), None)
            else:
                stale.append(row["id"])
        supersede(self._db, self._place, stale, change.made.id)

    def failed(self, new: Written, keys: Iterable[Key]) -> None:
        """Notes by what the failure will be known; the same call's last failure in its session is over."""
        keys = list(keys)
        rows = self._rows("failures_by_key", self._key(keys[0], new.made))
        known = {row["id"]: row for row in rows if row["seq"] != new.seq}
        older = [name for name, row in known.items() if row["session"] == new.made.session]
        supersede(self._db, self._place, older, new.made.id)
        # And what passed since passes no more.
        passed: dict[str, Row] = {}
        for key in keys:
            passed |= {
                row["id"]: row for row in self._rows("failures_by_key", self._key(_passes(key), new.made))
            }
        supersede(self._db, self._place, passed, new.made.id)
        for row in [*(known[name] for name in older), *passed.values()]:
            self._db.run(queries()["drop_keys"], (row["seq"],))
        for key in keys:
            scope = msgspec.json.encode(key.scope).decode()
            self._db.run(queries()["add_key"], (self._number, key.name, new.seq, scope))

    def tried(self, new: Written) -> None:
        """Links what was done after a failure to it, while its task goes on."""
        made = new.made
        values = {"session": made.session, "place": self._number, "task": made.task, "seq": new.seq}
        for row in self._rows("open_failures", values):
            count = self._db.value(queries()["links_from"], (row["seq"], "tried"))
            if count < MOST_TRIED:
                self._db.run(queries()["link"], (row["seq"], new.seq, "tried"))

    def passed(self, base: Observation, call: FinishedCall) -> None:
        """What failed before and succeeds now has been mended, by what was edited in between."""
        found: dict[int, Row] = {}
        run = failures.runner_key(call)
        names = [
            failures.call_key(call),
            *(failures.test_key(call, test) for test in failures.passed_tests(call.output)),
        ]
        for key in names:
            found |= {row["seq"]: row for row in self._rows("failures_by_key", self._key(key, base))}
        if run is not None and not failures.is_narrowed(call):
            for row in self._rows("failures_by_key", self._key(run, base)):
                if covers(run.scope, tuple(msgspec.json.decode(row["scope"]))):
                    found[row["seq"]] = row
        for row in found.values():
            self._mended(base, row)

    def _mended(self, base: Observation, failure: Row) -> None:
        values = {"session": base.session, "place": self._number, "seq": failure["seq"]}
        edits = self._rows("edits_since", values)
        files = [path for path in dict.fromkeys(row["path"] for row in edits) if _is_plain(path)][:3]
        then = f"; then edited {', '.join(reversed(files))}" if files else ""
        text = f"{failure['text'].removesuffix('; passes since')}{then}; passes since"
        paths = (*files, *filter(None, [failure["path"]]))
        change = self.write(_change(base, text, f"passes {failure['id']}", tuple(dict.fromkeys(paths))))
        if change is None:
            return
        supersede(self._db, self._place, [failure["id"]], change.made.id)
        self._db.run(queries()["passes_by_key"], (change.seq, failure["seq"]))
        fixed_by = edits[0]["seq"] if edits else change.seq
        self._db.run(queries()["link"], (failure["seq"], fixed_by, "fixed_by"))

    def _carry(self, row: Row, change: Written, text: str, moved: tuple[str, str] | None) -> None:
        paths = [path[0] for path in self._db.rows(memory_queries()["paths_of"], (row["seq"],))]
        paths.sort(key=lambda path: path != row["path"])
        carried = Observation(
            text=text,
            id=derived(change.made.id, row["id"]),
            kind=row["kind"],
            provenance=row["provenance"],
            at=row["at"],
            tool=row["tool"],
            paths=tuple(_moved(path, *moved) if moved else path for path in paths),
            session=row["session"],
            task=row["task"],
            prompt=row["prompt"],
            event=row["event"],
            importance=row["importance"],
            repeatable=bool(row["repeatable"] and change.made.repeatable),
        )
        if self.write(carried) is not None:
            supersede(self._db, self._place, [row["id"]], carried.id)

    def _about(self, path: str, before: int) -> list[Row]:
        values = {
            "place": self._number,
            "seq": before,
            "path": path,
            "below": f"{path}/",
            "above": f"{path}0",
        }
        return self._rows("about_path", values)

    def _is_stale_without(self, row: Row, path: str) -> bool:
        """What was done to the file is, and what was said if it was said of no other."""
        if row["kind"] not in _SAID:
            return _is_at(row["path"], path)
        named = self._db.rows(memory_queries()["paths_of"], (row["seq"],))
        return all(_is_at(each[0], path) for each in named)

    def _key(self, key: Key, now: Observation) -> dict[str, Any]:
        return {"place": self._number, "key": key.name, "at": now.at}

    def _rows(self, name: str, values: dict[str, Any]) -> list[Row]:
        return self._db.rows(queries()[name], values)


def _passes(key: Key) -> Key:
    """By what a mended failure is known, should it come back."""
    return Key(f"passes {key.name}")


def derived(*parts: str) -> str:
    """An id that the same parts always give."""
    import hashlib

    return "o" + hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


def _change(base: Observation, text: str, part: str, paths: tuple[str, ...]) -> Observation:
    """A fact in hookd's words; one whose names could be anybody's sentence is not repeated unasked."""
    plain = all(map(_is_plain, paths))
    return msgspec.structs.replace(
        base,
        text=text,
        id=derived(base.event, part),
        kind="change",
        provenance="hookd",
        paths=paths,
        tool_use="",
        importance=0.6,
        detail="",
        repeatable=plain,
    )


def _is_plain(path: str) -> bool:
    return _PLAIN_PATH.fullmatch(path) is not None and is_plain_name(path)


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _moved(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if _is_at(path, old) else path


def _renamed(text: str, old: str, new: str) -> str:
    return text.replace(old, new) if old in text else text
