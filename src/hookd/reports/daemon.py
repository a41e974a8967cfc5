"""A project's daemon, as it tells of itself over its socket."""

from typing import TYPE_CHECKING

import msgspec

from hookd import __version__, client
from hookd.paths import RuntimeFiles
from hookd.wire import Request

if TYPE_CHECKING:
    from hookd.daemon.report import DaemonStatus


def daemon_status(files: RuntimeFiles) -> "DaemonStatus | None":
    """The daemon's own report, or None if none is running; raises if it is there and does not react."""
    try:
        answer = client.call(files, Request("hookd", "status", b"", version=__version__))
    except (client.NotRunningError, client.LeavingError, client.GoneError):
        return None
    status: DaemonStatus = msgspec.json.decode(answer.stdout)
    return status
