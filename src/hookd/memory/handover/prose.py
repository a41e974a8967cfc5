"""The hand-over in a model's words, where the person has asked for it: a paragraph beside hookd's own lists.

It is the model's, so it is kept as an agent's words that nobody repeats to a model unasked. If there is
none, hookd's own summary is all there is.
"""

import asyncio
import time
from typing import TYPE_CHECKING

from hookd.errors import HookdError
from hookd.llm.narrative import Retelling
from hookd.memory.handover.files import write_files
from hookd.memory.handover.render import DECIDED, FAILED, lines_of
from hookd.memory.handover.session_facts import gather
from hookd.memory.observations import Observation, Place, place_of, prose_id, summary_id
from hookd.memory.repository.forget import Forgetting
from hookd.memory.repository.handover import ProjectMemory
from hookd.memory.repository.observations import Observations
from hookd.printable import one_line
from hookd.store.database import Database

if TYPE_CHECKING:
    from hookd.capability import EndedSession

MOST_SAID = 8
IMPORTANCE = 0.4


async def add_prose(ended: "EndedSession") -> None:
    """Has the model tell an ended session's summary; what fails is told, and hookd's own summary stays."""
    services, session = ended.services, ended.session
    try:
        await asyncio.to_thread(ended.catch_up)
        if services.folders is None or services.store is None:
            return
        place = await asyncio.to_thread(place_of, services.folders, ended.root)
        facts = await asyncio.wrap_future(services.store.submit(lambda db: _facts(db, place, session)))
        if facts:
            told = await services.evaluator.retell(Retelling(facts, services.redactor), session=session)
            await asyncio.wrap_future(services.store.submit(lambda db: _keep(db, place, session, told)))
    except (HookdError, OSError) as error:
        ended.note("model", f"the hand-over is in hookd's words only: {error}")


def _facts(db: Database, place: Place, session: str) -> list[str]:
    """The summary's lines, with what was decided and failed in full."""
    memory = ProjectMemory(db, place)
    summary = memory.by_id(summary_id(session))
    if summary is None:
        return []
    facts = [f"{what}: {said}" for what, said in lines_of(summary.text) if what not in (DECIDED, FAILED)]
    for title, kind in ((DECIDED, "decision"), (FAILED, "failure")):
        said_in_full = memory.said(session, kind, MOST_SAID)
        facts += [f"{title}: {one_line(it.text)}" for it in said_in_full]
    return facts


def _keep(db: Database, place: Place, session: str, paragraph: str) -> None:
    last = ProjectMemory(db, place).by_id(prose_id(session))
    if last is not None:
        Forgetting(db).delete([last.seq])
    made = Observation(
        id=prose_id(session),
        text=paragraph,
        kind="summary",
        provenance="agent",
        repeatable=False,
        session=session,
        importance=IMPORTANCE,
    )
    Observations(db, place).add([made])
    story = gather(db, place, session)
    if story is not None:
        write_files(db, place, story, time.time())
