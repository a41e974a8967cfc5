"""A small agent on hookd.host that goes through a scenario the way Claude Code does under `-p`."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scenario import LOG, Scenario, Seen, left_in, noted
from scripted_model import Text, ToolUse

from hookd import config
from hookd.events.outcome import Decision
from hookd.host import Fired, HookEngine, settings

CREATED = "File created successfully at: %s (file state is current in your context — no need to Read it back)"
EMPTY = "(Bash completed with no output)"


class Over(Exception):  # noqa: N818 - no error: the session ends here
    """A hook has ended the session's turn."""


class HostSession:
    """Runs one scenario; `told` has for each request what hooks put in front of the model."""

    def __init__(self, scenario: Scenario, project: Path, home: Path, server: str = "") -> None:
        self.scenario = scenario
        self.project = project
        self.home = home
        self.server = server or "<server>"
        self.log = scenario.lay_out(project, home, server)
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "TMPDIR": str(home),
            LOG: str(self.log),
        }
        settings.MANAGED_FOLDER = home / "etc/claude-code"
        self.engine = HookEngine.load(
            project,
            env={**env, **scenario.env},
            plugins=[project / name for name in scenario.plugins],
            model=_judge(scenario.judge),
            extra=[scenario.flag] if scenario.flag is not None else [],
            on_event=self._hear,
        )
        self.engine.session.permission_mode = "default" if scenario.asks else "acceptEdits"
        self.seen = Seen()
        self.stream: list[dict[str, Any]] = []
        self.notices: list[str] = []
        self.told: list[list[str]] = []
        self.waiting: list[str] = []
        self.told_inside: list[str] = []
        self.results: dict[str, str] = {}
        self.halted = False

    def _hear(self, line: dict[str, Any]) -> None:
        self.stream.append(line)

    async def run(self) -> Seen:
        async with self.engine:
            try:
                await self._session()
            except Over:
                pass
            await self.fire("SessionEnd", reason="other")
        self.seen.ran = noted(self.log, self.project)
        self.seen.files = left_in(self.project)
        return self.seen

    async def fire(self, event: str, **fields: Any) -> Fired:
        fired = await self.engine.fire(event, **fields)
        self.waiting += fired.for_model
        self.halted |= fired.halted
        self.notices += fired.for_person
        return fired

    async def _session(self) -> None:
        if self.scenario.agent:
            own, users = (
                folder / f".claude/agents/{self.scenario.agent}.md" for folder in (self.project, self.home)
            )
            self.engine.enter_agent(users if users.exists() else own)
        started = await self.fire("SessionStart", source="startup")
        first = started.outcome.fields.get("initialUserMessage")
        turns = self.scenario.turns_in(self.project)
        for prompt in (first, self.scenario.prompt):
            if prompt:
                await self._prompt(prompt, turns)

    async def _prompt(self, prompt: str, turns: list[Any]) -> None:
        submitted = await self.fire("UserPromptSubmit", prompt=prompt)
        if submitted.blocked or submitted.halted:
            raise Over
        while True:
            self._ask()
            turn = turns.pop(0) if turns else [Text("The script is over.")]
            calls = [block for block in turn if isinstance(block, ToolUse)]
            if calls:
                await self._batch(calls)
                continue
            text = [block.text for block in turn if isinstance(block, Text)][-1]
            stop = await self.fire("Stop", last_assistant_message=text)
            if not stop.goes_on:
                return

    def _ask(self) -> None:
        self.waiting += [late.text for late in self.engine.take_late()]
        self.seen.requests += 1
        self.told.append(self.waiting)
        self.seen.results |= self.results  # what no request follows, no model has seen
        self.waiting = []

    async def _batch(self, calls: list[ToolUse]) -> None:
        done = []
        for call in calls:
            text = await self._call(call)
            self.results[str(call.id)] = text.replace(str(self.project), "<project>").replace(
                self.server, "<server>"
            )
            done.append(
                {
                    "tool_name": call.name,
                    "tool_input": dict(call.input),
                    "tool_use_id": call.id,
                    "tool_response": text,
                }
            )
        if self.halted:
            raise Over
        batch = await self.fire("PostToolBatch", tool_calls=done)
        if batch.blocked or batch.halted:
            raise Over

    async def _subagent(self, given: Mapping[str, Any]) -> None:
        """A subagent's own turns: its hooks are the session's, and its front matter's."""
        who = {"agent_id": "sub", "agent_type": given["subagent_type"]}
        turns = next(
            list(turns) for mark, turns in self.scenario.subagents.items() if mark in given["prompt"]
        )
        definition = self.home / f".claude/agents/{given['subagent_type']}.md"
        if definition.exists():
            self.engine.enter_agent(definition, "sub")
        self._heard_inside(await self.engine.fire("SubagentStart", **who))
        while turns:
            turn = turns.pop(0)
            calls = [block for block in turn if isinstance(block, ToolUse)]
            for call in calls:
                await self._call(call, who)
            if calls:
                await self.engine.fire("PostToolBatch", tool_calls=[], **who)
                continue
            text = "".join(block.text for block in turn if isinstance(block, Text))
            stop = await self.engine.fire("SubagentStop", last_assistant_message=text, **who)
            self._heard_inside(stop)
            if not stop.goes_on:
                break
        self.engine.leave_agent("sub")

    def _heard_inside(self, fired: Fired) -> None:
        self.told_inside += fired.for_model

    async def _call(self, call: ToolUse, who: Mapping[str, str] | None = None) -> str:
        common: dict[str, Any] = {"tool_name": call.name, "tool_use_id": call.id, **(who or {})}
        if call.name.startswith("mcp__"):
            common["mcp_server"] = {"name": call.name.split("__")[1], "source": "dynamic"}
        given = dict(call.input)
        pre = await self.fire("PreToolUse", **common, tool_input=given)
        if pre.updated_input is not None:
            given = pre.updated_input
        match pre.decision:
            case Decision.DENY:
                return pre.refusal or ""
            case Decision.ASK:
                return pre.refusal or ""
            case Decision.DEFER:
                raise Over
        if self.scenario.asks and pre.decision is None and needs_approval(given):
            asked = await self.fire("PermissionRequest", tool_name=call.name, tool_input=given)
            if asked.blocked:
                if asked.outcome.fields.get("interrupt"):
                    raise Over
                return asked.refusal or ""
            if asked.decision is not Decision.ALLOW:
                return "(nobody approved it)"
            given = asked.updated_input or given
        return await self._run(call, common, given)

    async def _run(self, call: ToolUse, common: Mapping[str, Any], given: dict[str, Any]) -> str:
        if call.name == "Agent":
            await self._subagent(given)
            await self.fire("PostToolUse", **common, tool_input=given, tool_response={})
            return "(an agent's report)"
        if call.name.startswith("mcp__"):
            return await self._mcp_tool(common, given)
        if "command" not in given and call.name == "Bash":
            raise Over  # what no tool would take is the agent's business
        done = await asyncio.to_thread(self._tool, call.name, given)
        if done.returncode:
            error = f"Exit code {done.returncode}" + (
                f"\n{done.stdout}{done.stderr}" if done.stdout + done.stderr else ""
            )
            await self.fire(
                "PostToolUseFailure", **common, tool_input=given, error=error.strip(), is_interrupt=False
            )
            return error.strip()
        response = {
            "stdout": done.stdout.strip("\n"),
            "stderr": done.stderr.strip("\n"),
            "interrupted": False,
        }
        post = await self.fire("PostToolUse", **common, tool_input=given, tool_response=response)
        shown = post.updated_output
        if isinstance(shown, dict) and {"stdout", "stderr", "interrupted"} <= shown.keys():
            response = shown
        return "\n".join(part for part in (response["stdout"], response["stderr"]) if part) or EMPTY

    async def _mcp_tool(self, common: Mapping[str, Any], given: dict[str, Any]) -> str:
        text = str(given["text"])
        if text.startswith("fail"):
            await self.fire("PostToolUseFailure", **common, tool_input=given, error=text, is_interrupt=False)
            return text
        blocks = [{"type": "text", "text": text}]
        post = await self.fire("PostToolUse", **common, tool_input=given, tool_response=blocks)
        shown = post.updated_output if post.updated_output is not None else blocks
        return shown if isinstance(shown, str) else "".join(block["text"] for block in shown)

    def _tool(self, name: str, given: Mapping[str, Any]) -> subprocess.CompletedProcess[str]:
        if name == "Write":
            Path(given["file_path"]).parent.mkdir(parents=True, exist_ok=True)
            Path(given["file_path"]).write_text(given["content"], encoding="utf-8")
            line = f"printf '{CREATED}' {shlex.quote(given['file_path'])}"
        elif name == "Skill":
            plugin, _, skill = str(given["skill"]).rpartition(":")
            places = (self.project / ".claude", self.home / ".claude", self.project / plugin)
            files = [place / f"skills/{skill}/SKILL.md" for place in places]
            self.engine.use_skill(next(file for file in files if file.exists()))
            line = f"echo Launching skill: {given['skill']}"
        else:
            line = given["command"]
        return subprocess.run(
            ["bash", "-c", f"{self.engine.exports}\n{line}"],
            cwd=self.project,
            env={"PATH": os.defpath, "HOME": str(self.home)},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )


def _judge(answer: str) -> config.Model | None:
    """A model that is a program with one answer."""
    if not answer:
        return None
    line = f"cat > /dev/null; printf '%s' {shlex.quote(answer)}"
    return config.Model(provider="command", command=["/bin/sh", "-c", line])


def needs_approval(given: Mapping[str, Any]) -> bool:
    """Whether the real agent would ask: of the scenarios' commands only those that make a file."""
    return "touch" in str(given.get("command", ""))
