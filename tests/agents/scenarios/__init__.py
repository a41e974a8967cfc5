"""The scenarios that real Claude Code and hookd.host both go through, by theme."""

from scenario import Scenario

from scenarios import (
    around_tools,
    before_tools,
    choosing,
    elsewhere,
    in_background,
    prompts,
    settings,
    stopping,
    subagents,
)

ALL: list[Scenario] = [
    *before_tools.SCENARIOS,
    *around_tools.SCENARIOS,
    *prompts.SCENARIOS,
    *stopping.SCENARIOS,
    *choosing.SCENARIOS,
    *settings.SCENARIOS,
    *in_background.SCENARIOS,
    *elsewhere.SCENARIOS,
    *subagents.SCENARIOS,
]
