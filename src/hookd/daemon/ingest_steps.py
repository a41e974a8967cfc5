"""What is done with records once they are in the store: a list of steps, in the order of the capabilities.

Each step goes by the records' ids and bears being told the same twice: a transaction may be undone after a
step has done its part, and records of another machine are read again from the start.
"""

from functools import partial

from hookd.capabilities import CAPABILITIES, forget_events
from hookd.capability import Capability, Ingestion
from hookd.journal.entries import Forgotten
from hookd.journal.repository import Tombstones


def take(batch: Ingestion) -> None:
    """Has every capability take its part; what goes wrong in one is told, and nobody else's part suffers."""
    _forget(batch)
    names = {entry.event for entry in batch.entries}
    tags = {record.__struct_config__.tag for record in batch.records}
    for capability in CAPABILITIES:
        takes = capability.takes
        if takes is not None and not (names.isdisjoint(takes.events) and tags.isdisjoint(takes.records)):
            batch.db.apart(partial(takes.take, batch), partial(_tell, batch, capability))


def _forget(batch: Ingestion) -> None:
    """What was made of forgotten events goes, and so do they; those of the batch itself were left out."""
    for record in batch.records:
        if isinstance(record, Forgotten):
            tombstones = Tombstones(batch.db, batch.machine or record.machine)
            events = tombstones.events(record.records)
            forget_events(batch.db, events)
            tombstones.delete_events(events)


def _tell(batch: Ingestion, capability: Capability, where: str) -> None:
    batch.problem("bug", f"{capability.name}: something was not taken in: {where}")
