"""Blocks a force push and offers the safe form."""

from hookd import HookAPI, block


def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    async def no_force_push(event, ctx):
        if "push --force" in event.command and "--force-with-lease" not in event.command:
            return block("force push: use --force-with-lease")
