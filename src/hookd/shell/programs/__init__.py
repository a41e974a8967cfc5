"""What is known of programs, as tables: their options, and what their operands mean."""

from __future__ import annotations

from hookd.shell.programs import wrapping

ALIASES: dict[str, str] = {
    "podman": "docker", "nerdctl": "docker", "python3": "python", "python2": "python", "k": "kubectl", "tofu": "terraform",
    "gawk": "awk", "mawk": "awk", "nawk": "awk", "gmake": "make", "nodejs": "node", "oc": "kubectl", "gtimeout": "timeout",
}  # fmt: skip
"""Names that stand for another program's tables."""

OPTIONS: dict[str, str] = {**wrapping.OPTIONS, "base64": "decode,d,D ignore-garbage,i wrap,w="}
