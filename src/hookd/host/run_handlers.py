"""Handlers of one event being run: all at once, in the background, or until one has decided."""

import asyncio
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from hookd.agents.claude_handlers import Command
from hookd.host.background import Background, Late
from hookd.host.call import HandlerCall, encoded
from hookd.host.classify import Ended, Reply, classify
from hookd.host.fired import Answered, Firing, HandlerRun, decides, is_first_come
from hookd.host.handlers import Registered
from hookd.host.limits import within_caps
from hookd.host.protocol import seconds_for
from hookd.host.registry import Registry
from hookd.host.runners.by_type import Runners
from hookd.host.session import Session, base_environment, session_end_seconds
from hookd.host.stream import Listener, Told, careful

NOT_WAITED_FOR = Reply(status="cancelled", problem="another handler had decided")


class Running:
    """Runs the handlers of one session's events."""

    def __init__(
        self,
        project: Path,
        session: Session,
        env: dict[str, str],
        registry: Registry,
        runners: Runners,
        background: Background,
        *,
        interactive: bool,
        compat: bool,
        listener: Listener | None,
    ) -> None:
        self._project = project
        self._session = session
        self._env = env
        self._registry = registry
        self._runners = runners
        self._background = background
        self._interactive = interactive
        self._compat = compat
        self._listener = None if listener is None else careful(listener, session.note)
        self._base = base_environment(env, project, session.id)
        self.settings_changed()

    def settings_changed(self) -> None:
        """What depends on the settings is made anew."""
        self._runners.forget()
        self._variables_set = self._base | self._registry.settings.variables

    async def run(self, entries: list[Registered], firing: Firing) -> None:
        """Runs these handlers and adds what came of them; where the first answer counts, others are ended."""
        if not entries:
            return
        event, calls = firing.event, self._calls(entries, firing.event, firing.payload)
        if len(calls) == 1:
            await self._one(calls[0], firing)
            return
        first_come = is_first_come(event)
        until = asyncio.FIRST_COMPLETED if first_come else asyncio.ALL_COMPLETED
        tasks = {asyncio.ensure_future(self._one(call, firing)): call for call in calls}
        waiting = set(tasks)
        try:
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=until)
                for task in done:
                    task.result()
                if first_come and any(decides(event, found.reply) for found in firing.answers):
                    break
        finally:  # the others are cut short, whether one has decided or the event itself is cancelled
            for task in waiting:
                task.cancel()
            if waiting:
                await asyncio.gather(*waiting, return_exceptions=True)
        firing.runs += [HandlerRun.of(tasks[task], firing.name, Ended(), NOT_WAITED_FOR) for task in waiting]

    def _calls(self, entries: list[Registered], event: str, payload: dict[str, Any]) -> list[HandlerCall]:
        data = encoded(payload)
        limits = [seconds_for(event, entry.handler.type, entry.handler.timeout) for entry in entries]
        if event == "SessionEnd":
            stated = [entry.handler.timeout or 0.0 for entry in entries if entry.source.scope != "plugin"]
            budget, default = session_end_seconds(self._env, stated)
            limits = [min(budget, entry.handler.timeout or default) for entry in entries]
        env = self._variables(payload)
        return [
            HandlerCall(
                registered=entry,
                event=event,
                payload=payload,
                input=data,
                project=self._project,
                env=env,
                seconds=limit,
                env_file=self._session.env_file(event, index) if isinstance(entry.handler, Command) else None,
                adopt=self._background.start,
            )
            for index, (entry, limit) in enumerate(zip(entries, limits, strict=True))
        ]

    def _variables(self, payload: dict[str, Any]) -> dict[str, str]:
        env = self._variables_set
        effort = payload.get("effort")
        level = effort.get("level") if isinstance(effort, dict) else None
        if isinstance(level, str):
            env = env | {"CLAUDE_EFFORT": level}
        if self._compat:
            env = env | {"TOOL_INPUT": encoded({"": payload.get("tool_input", {})})[4:-1].decode()}
        return env

    async def _one(self, call: HandlerCall, firing: Firing) -> None:
        """Runs one handler, or sends it to the background, and adds what came of it."""
        handler, name = call.registered.handler, firing.name
        background = isinstance(handler, Command) and (
            handler.is_async or (_rewakes(handler) and self._interactive)
        )
        told = None
        if self._listener is not None:
            told = Told(
                self._listener,
                call.event,
                name,
                self._session.id,
                str(uuid4()),
                handler.type,
                background,
                handler.status_message or "",
            )
            told.started()
            call = call._replace(heard=told.progress, over=told.detached)
        if background:
            self._background.start(self._in_background(call, told))
            await asyncio.sleep(0)  # it starts now, whatever comes next
            firing.runs.append(HandlerRun.of(call, name, Ended(detached=True), Reply()))
            return
        began = time.perf_counter()
        ended, reply = await self._answered(call)
        if reply.unusable and not self._session.is_news(call.registered.identity):
            reply = msgspec.structs.replace(reply, unusable=False)
        firing.runs.append(HandlerRun.of(call, name, ended, reply, (time.perf_counter() - began) * 1000))
        firing.answers.append(Answered(registered=call.registered, reply=reply, title=call.shown))
        if told is not None:
            told.response(ended, reply)
        if handler.once and reply.status == "success" and call.registered.source.scope == "skill":
            self._registry.done_once(call.registered)

    async def _answered(self, call: HandlerCall) -> tuple[Ended, Reply]:
        handler = call.registered.handler
        try:
            runner = self._runners.get(handler.type, self._registry.settings)
            if handler.type == "command":
                ended = await runner(call)  # keeps its own time, and ends its process with it
            else:
                async with asyncio.timeout(call.seconds):
                    ended = await runner(call)
            plugin = call.registered.source.scope == "plugin"
            reply = classify(call.event, handler, ended, compat=self._compat, plugin=plugin)
        except TimeoutError:
            ended = Ended(timed_out=True)
            reply = classify(call.event, handler, ended)
        except Exception as error:  # noqa: BLE001 - one handler's trouble is never the agent's or another's
            ended = Ended(exit_code=1, failed=f"{type(error).__name__}: {error}")
            reply = classify(call.event, handler, ended)
        if reply.notice and not self._interactive:  # the agent shows it at a terminal only; notes have it
            reply = msgspec.structs.replace(reply, notice="")
        return ended, within_caps(reply, self._session)

    async def _in_background(self, call: HandlerCall, told: Told | None) -> None:
        """What a handler says later is read leniently: there is nothing left that it could decide."""
        handler = call.registered.handler
        call = call._replace(seconds=call.seconds if _rewakes(handler) else float("inf"))
        try:
            ended, reply = await self._answered(call)
        except asyncio.CancelledError:
            if told is not None:
                told.response(Ended(exit_code=1), Reply(status="cancelled"))
            raise
        if told is not None:
            told.response(ended, reply)
        if _rewakes(handler) and ended.exit_code == 2:
            text = ended.stderr.strip() or ended.stdout.strip()
            self._background.say(Late(call.event, handler.title, text, wake=True))
            return
        for text in (*reply.answer.context, *reply.answer.messages):
            self._background.say(Late(call.event, handler.title, text))


def _rewakes(handler: Any) -> bool:
    return isinstance(handler, Command) and handler.async_rewake
