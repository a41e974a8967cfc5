"""From the journal's entries to observations, each event once."""

from collections.abc import Callable

import msgspec

from hookd.journal.entries import Entry, recorded_call
from hookd.journal.repository import Events
from hookd.memory.capture import failures, summaries
from hookd.memory.capture.admission import is_own, judge
from hookd.memory.capture.calls import FinishedCall, renames, said_back
from hookd.memory.capture.decisions import said
from hookd.memory.capture.superseding import Superseding, Written, derived
from hookd.memory.may_be_told import is_typed, may_be_repeated_from
from hookd.memory.observations import Observation, Place
from hookd.memory.words import likeness
from hookd.paths import as_text
from hookd.store.database import Database
from hookd.tasks.repository import Tasks, said_by_person

_CALLS = frozenset({"PostToolUse", "PostToolUseFailure"})
_ANSWERS = frozenset({"Stop", "SubagentStop"})


class Capture:
    """Takes a batch of one project's entries, in order, within one transaction."""

    def __init__(
        self, db: Database, place: Place, tasks: Tasks, skipped: Callable[[Entry, str], None]
    ) -> None:
        """`skipped` is told of every event that is not written down, with the class of reason."""
        self._db = db
        self._place = place
        self._tasks = tasks
        self._skipped = skipped
        self._facts = Superseding(db, place)

    def take(self, entry: Entry) -> None:
        """Writes down what the event is worth."""
        if entry.event in _CALLS:
            self._call(entry)
        elif entry.event == "UserPromptSubmit":
            self._words(entry, said_by_person(entry), by_person=True)
        elif entry.event in _ANSWERS:
            answer = entry.input.get("last_assistant_message")
            self._words(entry, answer if isinstance(answer, str) else "", by_person=False)

    def _call(self, entry: Entry) -> None:
        call = self._read(entry)
        if not call.failed and failures.looks_failed(call) and not is_own(call):
            call = msgspec.structs.replace(call, failed=True)
        judged = judge(call)
        if not judged.admitted:
            self._skipped(entry, judged.why)
        base = self._base(entry, tool=entry.tool, importance=judged.importance)
        if call.failed:
            if judged.admitted:
                self._failure(base, call)
            return
        row: Written | None = None
        if judged.admitted:
            made = msgspec.structs.replace(
                base,
                id=derived(entry.id),
                text=summaries.summary(call),
                kind=summaries.kind_of(call),
                provenance=summaries.written_by(call),
                paths=summaries.paths(call),
                tool_use=entry.tool_use,
                repeatable=False,
            )
            if made.kind != "read" or not self._facts.seen_before(made, likeness(made.text)):
                row = self._facts.write(made)
            else:
                self._skipped(entry, "read before")
        self._consequences(base, call, row)

    def _failure(self, base: Observation, call: FinishedCall) -> None:
        made = msgspec.structs.replace(
            base,
            id=derived(base.event),
            text=failures.wording(call),
            kind="failure",
            provenance="hookd",
            paths=summaries.paths(call),
            detail=failures.detail(call),
        )
        row = self._facts.write(made)
        if row is not None and not call.interrupted:
            run = failures.runner_key(call)
            tests = [failures.test_key(call, name) for name in failures.failed_tests(call.output)]
            self._facts.failed(row, [failures.call_key(call), *tests, *filter(None, [run])])

    def _consequences(self, base: Observation, call: FinishedCall, row: Written | None) -> None:
        """What the success of a call says about what was known before."""
        base = msgspec.structs.replace(base, tool_use="")
        if row is not None and row.made.kind in ("edit", "command"):
            self._facts.tried(row)
            shell = [*call.line.writes, *call.line.restores] if row.made.kind == "command" else ()
            self._facts.there_again(row, [*map(call.within, shell)] or row.made.paths)
        if row is not None and row.made.kind == "edit" and call.path:
            for old, new in renames(call):
                self._facts.renamed(base, call.path, old, new, row.seq)
        if not is_own(call):
            self._facts.passed(base, call)
        if row is None:
            return
        for old, new in call.moves:
            self._facts.moved(base, call.within(old), call.within(new))
        for path in call.deletes:
            self._facts.gone(base, call.within(path))

    def _words(self, entry: Entry, text: str, *, by_person: bool) -> None:
        of = (self._db, self._place.key, entry.session)
        sentences = said(text, by_person=by_person)
        if not sentences:
            self._skipped(entry, "no decision and nothing to note in it")
        for number, sentence in enumerate(sentences):
            made = msgspec.structs.replace(
                self._base(entry, tool="", importance=0.8 if by_person else 0.65),
                id=derived(entry.id, str(number)),
                text=sentence.text,
                kind=sentence.kind,
                provenance="person" if by_person else "agent",
                paths=tuple(summaries.paths_in(sentence.text)),
                repeatable=is_typed(*of, sentence.text, text, until=entry.id)
                if by_person
                else may_be_repeated_from(*of, sentence.text, until=entry.id),
                tool_use="",
            )
            row = self._facts.write(made)
            if row is not None:
                self._facts.decided(row)

    def _base(self, entry: Entry, *, tool: str, importance: float) -> Observation:
        standing = self._tasks.standing(entry.session)
        return Observation(
            text="",
            at=entry.at,
            tool=tool,
            session=entry.session,
            task=standing.task,
            prompt=standing.prompt,
            event=entry.id,
            tool_use=entry.tool_use,
            importance=importance,
        )

    def _read(self, entry: Entry) -> FinishedCall:
        given = entry.input
        if not isinstance(given.get("tool_input"), dict) and entry.tool_use:
            events = Events(self._db, self._place.key)
            began = events.began(as_text(entry.session), as_text(entry.tool_use))
            if began is not None:
                given = {**began[1], **entry.input}
        cwd = given.get("cwd")
        return FinishedCall(
            asked=recorded_call(entry.tool, given, entry.kind),
            output=said_back(entry.output),
            failed=entry.event == "PostToolUseFailure",
            interrupted=given.get("is_interrupt") is True,
            root=self._place.root,
            cwd=cwd if isinstance(cwd, str) else "",
        )
