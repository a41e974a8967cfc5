"""What tells of an agent on a machine, and which files are its own."""

from typing import NamedTuple


class Footprint(NamedTuple):
    """An agent as others see it: the commands it starts, the files it obeys and those it writes."""

    programs: tuple[str, ...] = ()
    """Its programs, by the names of their files."""
    child_variables: tuple[str, ...] = ()
    """What it sets for the commands that it runs: with one of these nobody is at the keyboard."""
    instructions: tuple[str, ...] = ()
    """Names of the files that it takes instructions from."""
    hook_files: tuple[str, ...] = ()
    """The settings files that hooks are registered in, from the project's root and from the home alike."""
    unmistakable: tuple[str, ...] = ()
    """Those of their names that no other program has."""
    settings: tuple[str, ...] = ()
    """More files and folders that decide what it may do, as globs from the same two; `*` crosses folders."""
    written: tuple[str, ...] = ()
    """What it writes by design (plans, memory, skills, notes), as such globs from the home."""
    obeyed: tuple[str, ...] = ()
    """What of that it takes orders from in every session: instructions, commands, other agents."""


OTHERS = (
    Footprint(child_variables=("AI_AGENT",), instructions=("AGENTS.md",)),  # what several have agreed on
    Footprint(
        programs=("codex",),
        settings=(".codex", ".codex/config.toml", ".codex/hooks*"),
        written=(".codex/*.md", ".codex/skills/*", ".codex/memories/*"),
        obeyed=(".codex/AGENTS*.md", ".codex/prompts/*", ".codex/rules/*"),
    ),
    Footprint(
        programs=("gemini",),
        instructions=("GEMINI.md",),
        settings=(".gemini", ".gemini/settings.json"),
        written=(".gemini/tmp/*", ".gemini/antigravity/brain/*"),
    ),
    Footprint(
        programs=("cursor-agent",),
        instructions=(".cursorrules",),
        settings=(".cursor", ".cursor/hooks*", ".cursor/cli*", ".cursor/permissions*", ".cursor/mcp*"),
    ),
    Footprint(programs=("opencode",), settings=(".config/opencode", ".config/opencode/*")),
)
