"""Tables of programs, as data."""

from __future__ import annotations

ALIASES: dict[str, str] = {
    "podman": "docker",
    "nerdctl": "docker",
    "python3": "python",
    "k": "kubectl",
    "tofu": "terraform",
    "gawk": "awk",
    "mawk": "awk",
    "gmake": "make",
}

OPTIONS: dict[str, str] = {
    "base64": "decode,d,D ignore-garbage,i wrap,w=",
}
