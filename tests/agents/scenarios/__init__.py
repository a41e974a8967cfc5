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
