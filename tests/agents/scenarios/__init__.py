"""The scenarios that real Claude Code and hookd.host both go through, by theme."""

import os

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
    *(before_tools, around_tools, forms, prompts, stopping, subagents, choosing, settings, files),
    *(managed, in_background, elsewhere, remote),
)
# More of the same kinds; they take minutes, so they are run on request: `make test-agents WIDE=1`. So is
# every other session of the long themes.
MORE_THEMES = (tools_more, prompts_more, stopping_more, plugins_more, in_background_more)
ALL: list[Scenario] = [scenario for theme in (*THEMES, *MORE_THEMES) for scenario in theme.SCENARIOS]
LONG = 25
USUAL = [
    scenario for theme in THEMES for scenario in theme.SCENARIOS[:: 2 if len(theme.SCENARIOS) > LONG else 1]
]
RUN = ALL if os.environ.get("WIDE") else USUAL
# Both do the same, and tell it in different words: the agent does not wait for a handler that nobody needs,
# says of types that an event does not take that they are not supported, and has its libraries' words for
# addresses and programs that are none.
IN_OTHER_WORDS = frozenset(
    {
        "post halt beside a block",
        "start http and prompt are not for it",
        "files fields 2",
        "files fields 8",
        "http to nobody",
        "http lines",
        "mcp tool at a prompt",
        "async variants 1",
    }
)
