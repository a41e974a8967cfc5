"""The hook of README.md: a house rule that the agent forgets."""

from hookd import HookAPI, block


def register(hookd: HookAPI) -> None:
    @hookd.on("tool_call", tool="Bash")
    async def use_pnpm(event, ctx):
        if event.command.startswith("npm "):
            return block("this repository uses pnpm")
