"""Writes each capability's table of settings into its page, from the code and docs/configuration.md.

python tools/capability_pages.py
"""

import re
from pathlib import Path

import msgspec

from hookd.capabilities import CAPABILITIES
from hookd.capability import Capability

DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- made by tools/capability_pages.py -->", "<!-- end -->"


def settings(capability: Capability) -> str:
    """The rows of the configuration page that are this capability's, in the order of the code."""
    table = capability.table
    if table is None:
        return "None of its own."
    page = (DOCS / "configuration.md").read_text("utf-8")
    reference = page.partition("## What a fresh `hookd init` turns on")[0]  # which names some of them again
    rows = {row.split("`")[1]: row for row in re.findall(r"^\| `[^\n]+$", reference, re.MULTILINE)}
    own = [rows[f"{table.name}.{key.name}"] for key in msgspec.structs.fields(table.type)]
    # The page is in a folder below the one that the rows were written for.
    own = [re.sub(r"\]\((?!https?:)([^)]+)\)", r"](../\1)", row) for row in own]
    return "\n".join(["| key | default | meaning |", "|---|---|---|", *own])


def made(capability: Capability, page: str) -> str:
    """The page with its table of settings as it is to be."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{settings(capability)}\n\n{END}{after}"


def main() -> None:
    for capability in CAPABILITIES:
        path = DOCS / "capabilities" / f"{capability.name}.md"
        path.write_text(made(capability, path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
