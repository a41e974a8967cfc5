"""The token for MCP over HTTP: in an agent's settings, so it outlives the daemon, and opens nothing else."""

import hmac
import os

from hookd.paths import RuntimeFiles
from hookd.private_files import read_private, write_private

_MOST_BYTES = 200


def read_mcp_token(files: RuntimeFiles) -> str:
    """The token, or nothing if none was made or its file is not ours alone."""
    try:
        return read_private(files.mcp_token, _MOST_BYTES).decode("ascii", "replace").strip()
    except OSError:
        return ""


def made_mcp_token(files: RuntimeFiles) -> str:
    """The token, made now if there is none; of two processes that make one, both get the same."""
    if not (token := read_mcp_token(files)):
        draft = f"{files.mcp_token}.{os.getpid()}"
        write_private(draft, os.urandom(32).hex())
        try:
            os.link(draft, files.mcp_token)
        except FileExistsError:
            pass  # another process was quicker, or the file is not ours alone, and then nothing is read
        finally:
            os.unlink(draft)
        token = read_mcp_token(files)
    return token


def is_mcp_bearer(files: RuntimeFiles, authorization: bytes) -> bool:
    """Whether a request's header holds the token; deleting the file shuts everybody out at once."""
    token = read_mcp_token(files)
    return bool(token) and hmac.compare_digest(authorization, f"Bearer {token}".encode())
