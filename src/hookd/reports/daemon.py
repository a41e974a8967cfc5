"""A project's daemon, as it tells of itself over its socket."""

from typing import TYPE_CHECKING

import msgspec

from hookd import __version__, client
from hookd.paths import RuntimeFiles
from hookd.wire import Answer, Request

if TYPE_CHECKING:
    from hookd.daemon.report import DaemonStatus


def control(files: RuntimeFiles, what: str) -> Answer:
    """Asks a running daemon for something; raises a DaemonError that says why it did not answer."""
    return client.call(files, Request("hookd", what, b"", version=__version__))


def daemon_status(files: RuntimeFiles) -> "DaemonStatus | None":
    """The daemon's own report, or None if none is running; raises if it is there and does not react."""
    try:
        answer = control(files, "status")
    except (client.NotRunningError, client.LeavingError, client.GoneError):
        return None
    status: DaemonStatus = msgspec.json.decode(answer.stdout)
    return status
