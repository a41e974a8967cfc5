"""What is done with records once they are in the store: a list of steps, in the order of the capabilities.

Each step goes by the records' ids and bears being told the same twice: a transaction may be undone after a
step has done its part, and records of another machine are read again from the start.
"""

from functools import partial

from hookd.capabilities import CAPABILITIES
from hookd.capability import Capability, Ingestion


def take(batch: Ingestion) -> None:
    """Has every capability take its part; what goes wrong in one is told, and nobody else's part suffers."""
    names = {entry.event for entry in batch.entries}
    tags = {record.__struct_config__.tag for record in batch.records}
    for capability in CAPABILITIES:
        takes = capability.takes
        if takes is not None and not (names.isdisjoint(takes.events) and tags.isdisjoint(takes.records)):
            batch.db.apart(partial(takes.take, batch), partial(_tell, batch, capability))


def _tell(batch: Ingestion, capability: Capability, where: str) -> None:
    batch.problem(capability.name, f"something was not taken in: hookd has a bug: {where}")
