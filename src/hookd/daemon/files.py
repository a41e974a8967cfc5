"""Small files that other processes look at."""

import os


def write_private(path: str, text: str) -> None:
    """Writes a file that only its owner can read, and of which nobody ever sees half."""
    draft = f"{path}.{os.getpid()}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text + "\n")
    os.replace(draft, path)
