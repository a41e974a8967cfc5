"""The scenarios that real Claude Code and hookd.host both go through, by theme."""

from scenario import Scenario

from scenarios import (
    around_tools,
    before_tools,
    choosing,
    elsewhere,
    files,
    forms,
    in_background,
    in_background_more,
    managed,
    plugins_more,
    prompts,
    prompts_more,
    remote,
    settings,
    stopping,
    stopping_more,
    subagents,
    tools_more,
)

THEMES = (
    *(
        before_tools,
        around_tools,
        tools_more,
        forms,
        prompts,
        prompts_more,
        stopping,
        stopping_more,
        subagents,
    ),
    *(choosing, settings, files, plugins_more, managed, in_background, in_background_more, elsewhere, remote),
)
ALL: list[Scenario] = [scenario for theme in THEMES for scenario in theme.SCENARIOS]
