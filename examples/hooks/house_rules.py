"""Puts the team's rules in front of the model when they matter: at the prompt, and before an edit."""

from hookd import HookAPI, context


def register(hookd: HookAPI) -> None:
    @hookd.on("UserPromptSubmit")
    def freeze(event, ctx):
        return context("Deploys are frozen until Friday; do not touch infra/.")

    @hookd.on("tool_call", tool="Edit|Write", path="*/migrations/*.sql")
    def migrations(event, ctx):
        return context("A migration that has run anywhere is never edited: write a new one.")
