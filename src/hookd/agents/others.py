"""Agents that hookd has no adapter for, whose files and programs it knows all the same."""

from hookd.agents.footprint import Footprint

OTHERS = (
    Footprint(child_variables=("AI_AGENT",), instructions=("AGENTS.md",)),  # what several have agreed on
    Footprint(programs=("codex",), settings=(".codex", ".codex/config.toml", ".codex/hooks*")),
    Footprint(
        programs=("gemini",), instructions=("GEMINI.md",), settings=(".gemini", ".gemini/settings.json")
    ),
    Footprint(
        programs=("cursor-agent",),
        instructions=(".cursorrules",),
        settings=(
            ".cursor",
            ".cursor/hooks*",
            ".cursor/cli*",
            ".cursor/permissions*",
            ".cursor/mcp*",
        ),
    ),
    Footprint(programs=("opencode",), settings=(".config/opencode", ".config/opencode/*")),
)
