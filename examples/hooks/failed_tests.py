"""Notices a test run that failed and tells the person, once per session."""

import re

from hookd import HookAPI, notify

told: set[str] = set()


def register(hookd: HookAPI) -> None:
    @hookd.on("tool_result", tool="Bash")
    def failed_tests(event, ctx):
        failed = re.search(r"(\d+) failed", event.content)
        if failed and ctx.session_id not in told:
            told.add(ctx.session_id)
            ctx.log(f"{failed[1]} tests failed")
            return notify(f"{failed[1]} tests failed in this session")
