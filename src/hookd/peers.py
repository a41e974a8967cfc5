"""Who is at the other end of a Unix socket, by the kernel's word. It imports little: clients ask too."""

import os
import socket
import struct
import sys


def peer_pid(sock: socket.socket) -> int | None:
    """The process at the other end, if it is one of this user's; a pid that the kernel cannot tell is 0."""
    try:
        if sys.platform == "darwin":
            # SOL_LOCAL with LOCAL_PEERCRED (struct xucred: version, uid, ...) and LOCAL_PEERPID.
            uid = struct.unpack_from("II", sock.getsockopt(0, 1, 128))[1]
            pid = sock.getsockopt(0, 2) if uid == os.geteuid() else 0
        else:
            pid, uid, _ = struct.unpack("iII", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    except OSError:
        return None
    return pid if uid == os.geteuid() else None
