"""remember and forget: what an agent may add, and the little that it may take away.

Forgetting takes the record of the event along that an observation was made from, and with it the trace of
what an agent did. So an agent may only forget what it has added here itself; the rest is the person's, unless
the configuration says otherwise.
"""

import time
from functools import partial

from hookd.daemon.recorder import Recorder, put_on_record, recording
from hookd.errors import TrustError, UsageError
from hookd.journal.entries import ObservationAdded
from hookd.journal.recovery import Keeper
from hookd.mcp.inputs import LONGEST_NOTE, Forget, Remember
from hookd.mcp.project import Here
from hookd.mcp.read_tools import not_there
from hookd.memory.forget import forget as forget_for_good
from hookd.memory.observations import SHOWN_ID, Provenance, new_observation_id, shown_id
from hookd.memory.repository.remembered import Remembered
from hookd.memory.settings import Memory
from hookd.printable import one_line
from hookd.reports.memory import find_observation
from hookd.reports.record import bring_in_all

# What marks a row as added here; events name the tool so as well.
OWN_TOOL = "mcp__hookd__remember"
# A model's words are not a person's, whatever it was told.
_AGENT: Provenance = "agent"


def remember(here: Here, given: Remember) -> str:
    """Keeps a text of the agent's, without its secrets."""
    text = given.text.strip()
    if not text:
        raise UsageError("there is nothing to remember", hint="give a text")
    if len(text) > LONGEST_NOTE:
        raise UsageError(
            f"the text has {len(text):,} characters, and at most {LONGEST_NOTE:,} are kept",
            hint="say it shorter",
        )
    at_hand = here.opened()
    made = ObservationAdded(
        id=new_observation_id(),
        at=time.time(),
        text=at_hand.redactor.text(text),
        kind=given.kind,
        provenance=_AGENT,
        tool=OWN_TOOL,
        paths=tuple(path for path in (one_line(each) for each in given.paths) if path),
        session=here.session,
    )
    put_on_record(here.project, made)
    redacted = " Secrets in it were replaced." if made.text != text else ""
    return f"Remembered as {shown_id(made.id)}.{redacted}"


def forget(here: Here, given: Forget) -> str:
    """Forgets exactly these observations of this project, all of them or none."""
    at_hand = here.opened()
    names = list(dict.fromkeys(given.ids))
    with at_hand.memory.store.reading() as db:
        # By as much of an id as is shown; less of it could come to mean another one.
        meant = {name: find_observation(db, name, here.place, shortest=SHOWN_ID).it for name in names}
    if missing := [name for name, it in meant.items() if it is None]:
        raise not_there(missing, everywhere=False)
    found = [it for it in meant.values() if it is not None]
    allowed = at_hand.config.of(Memory).agent_forgets
    if theirs := [it.id for it in found if not _may_forget(it, allowed)]:
        shown = " ".join(one_line(shown_id(each), 40) for each in theirs)
        raise TrustError(
            f"nothing was forgotten: {shown} is not yours to forget",
            hint=f"ask the person to run `hookd memory forget {shown}`",
        )
    # What the journal has of them comes into the store first, or it would come back.
    Recorder(here.root, here.folders, lambda: at_hand.config).close()
    bring_in_all(here.folders)
    keeper = Keeper(at_hand.memory.store, here.folders.journals)
    done = forget_for_good(
        keeper,
        [it.seq for it in found],
        here.root,
        partial(recording, here.folders),
        here.folders.spools(),
        by_agent=True,
    )
    return f"Forgotten for good: {done.observations}."


def _may_forget(it: Remembered, allowed: str) -> bool:
    own = it.tool == OWN_TOOL and it.provenance == _AGENT and not it.event
    return allowed == "all" or (allowed == "own" and own)
