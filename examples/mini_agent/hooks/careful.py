"""Asks before a command deletes something, hides passwords from the model, says how long the work took."""

import re

from hookd import HookAPI, block, replace


def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    async def ask_before_deleting(event, ctx):
        if re.search(r"\brm\b", event.command):
            if await ctx.ui.confirm("Delete this?", event.command):
                return None
            return block("the user does not want this deleted; ask what to do instead")

    @hookd.on("tool_result")
    def hide_passwords(event, ctx):
        hidden = re.sub(r"(?i)(password\s*[=:]\s*)\S+", r"\1[hidden]", event.content)
        if hidden != event.content:
            return replace(hidden)

    @hookd.on("agent_end")
    def count_turns(event, ctx):
        ctx.ui.notify(f"done after {ctx.turn_index + 1} turns")
