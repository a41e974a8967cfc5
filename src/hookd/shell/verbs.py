"""Verbs in the words of a service's command line: whether it takes away, changes or only looks."""

from __future__ import annotations

import re
from collections.abc import Iterable

DELETES = frozenset(
    "delete del rm remove destroy terminate purge drop rb unpublish revoke deregister empty flush truncate clear wipe "
    "uninstall erase reset rollback cancel archive detach disassociate invalidate prune dismantle nuke unset expire evict "
    "shutdown stop kill disable deactivate suspend disconnect force-unlock abort decommission forget obliterate".split()
)
CHANGES = frozenset(
    "create put update set apply add edit modify start restart reboot run invoke execute exec deploy push publish upload copy cp mv move sync "
    "import attach associate enable activate scale resize patch replace restore promote upgrade migrate register tag untag label assign "
    "grant authorize rotate send merge close reopen comment review approve lock unlock transfer rename fork sign rerun trigger dispatch "
    "subscribe unsubscribe bind unbind link unlink install provision release redeploy failover write issue renew init new login logout "
    "configure config connect open dump mb insert save refresh submit cordon ready checkout ship post generate disable-rule".split()
)
READS = frozenset(
    "get list ls describe show view status info logs log tail version help search query ps top head cat diff whoami check validate verify inspect "
    "export download read count stat stats history events watch wait print current env which outdated tree scan lookup browse preview plan "
    "synth template lint test explain estimate fetch pull doctor ping health metrics usage summary filter select completion docs schema batch-get select-object-content lists mget".split()
)
_PARTS = re.compile(r"[:_\-/.]")


def told(words: Iterable[str]) -> str:
    """ "delete", "change", "read", or "" when no word says so. The last verb among them decides; a reading one yields."""
    verdict = ""
    for word in words:
        lowered = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", word).lower()
        for part in (lowered, *_PARTS.split(lowered)[:3]):
            kind = (
                "delete"
                if part in DELETES
                else "change"
                if part in CHANGES
                else "read"
                if part in READS
                else ""
            )
            if kind:
                verdict = kind
                break
    return verdict
