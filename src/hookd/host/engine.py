"""The host engine: Claude Code's hook configuration, run for any Python agent."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import msgspec

from hookd import config
from hookd.errors import UsageError
from hookd.events import codec
from hookd.events.outcome import Decision
from hookd.events.types import GATE_EVENTS
from hookd.host.background import Background, Late
from hookd.host.call import encoded
from hookd.host.fired import Fired, Firing, assembled, in_shape, rewritten, stopped_anyway
from hookd.host.handlers import Python, Registered, Source
from hookd.host.protocol import STOPS, hook_name
from hookd.host.registry import Reader, Registry
from hookd.host.run_handlers import Running
from hookd.host.runners.by_type import Runners
from hookd.host.session import Session, is_set
from hookd.host.settings import SCOPES, Settings, SettingsInput, given_settings, settings_here
from hookd.host.stream import Listener
from hookd.threads import in_new_thread, run_and_leave
from hookd.wire import is_ci

if TYPE_CHECKING:
    from hookd.hooks.kit.ui import UI
    from hookd.host.hook_files import HookFiles, HookSource
    from hookd.host.own_hooks import OwnHooks

T = TypeVar("T")


class HookEngine:
    """Runs hooks the way Claude Code does. Make one per session with `HookEngine.load`.

    `await engine.fire("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})` runs all handlers that
    the settings name for this event, in parallel, and gives one answer. Whatever a handler does, `fire`
    raises nothing.
    """

    def __init__(
        self,
        settings: Settings | Reader | None = None,
        *,
        cwd: str | os.PathLike[str] = ".",
        env: Mapping[str, str] | None = None,
        session_id: str | None = None,
        plugins: Sequence[str | os.PathLike[str]] = (),
        interactive: bool = False,
        trusted: bool = True,
        compat: bool = False,
        on_event: Listener | None = None,
        model: config.Model | None = None,
        mcp_servers: Mapping[str, Any] | None = None,
        folder: str | os.PathLike[str] | None = None,
        hooks: "Iterable[HookSource]" = (),
        hook_seconds: float = 30,
        ui: "UI | None" = None,
        capabilities: Sequence[str] = (),
    ) -> None:
        """`capabilities` names those of hookd's own that run here too, such as `("gate", "output")`."""
        self.project = Path(cwd).resolve()
        self._env = dict(os.environ if env is None else env)
        self.session = Session(self.project, self._env, session_id, Path(folder) if folder else None)
        self._keeps_context = is_set(self._env.get("CLAUDE_CODE_SAVE_HOOK_ADDITIONAL_CONTEXT"))
        self.compat = compat
        self._background = Background()
        read = settings if callable(settings) else lambda: settings or Settings()
        self._registry = Registry(
            read,
            self.project,
            self._env,
            [Path(plugin) for plugin in plugins],
            trusted=trusted,
            compat=compat,
        )
        self._runners = Runners(self.project, model, mcp_servers)
        self._running = Running(
            self.project,
            self.session,
            self._env,
            self._registry,
            self._runners,
            self._background,
            interactive=interactive,
            compat=compat,
            listener=on_event,
        )
        self._hook_seconds = hook_seconds
        self._ui = ui
        self._agent_asks = False
        self._hooks: HookFiles | None = None
        self._own: OwnHooks | None = None
        self.use(*hooks)
        if capabilities:
            from hookd.host import own_hooks  # most of hookd is behind it

            self._own = own_hooks.OwnHooks(str(self.project), capabilities, self._env)
            self._hook_files().own = self._own

    @classmethod
    def load(
        cls,
        cwd: str | os.PathLike[str] = ".",
        *,
        settings: Iterable[SettingsInput] | None = None,
        extra: Iterable[SettingsInput] = (),
        sources: Sequence[str] = SCOPES,
        env: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Self:
        """An engine with the settings that Claude Code would read in this folder, or with those given.

        `extra` comes on top of either, like files that are named on the agent's command line.
        """
        folder, more = Path(cwd).resolve(), list(extra)
        if settings is None:
            variables = dict(os.environ if env is None else env)
            read = partial(settings_here, folder, variables, sources, more)
        else:
            read = partial(given_settings, [*settings, *more])
        return cls(read, cwd=folder, env=env, **options)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._registry.settings

    def handlers_of(self, event: str) -> list[Registered]:
        """All handlers that are registered for an event, whatever its input."""
        return self._registry.of(event)

    @property
    def problems(self) -> list[str]:
        """What is wrong with settings, hook files, and hookd's configuration and rules if they count here."""
        parts = (self._registry, self._hooks, self._own)
        return [problem for part in parts if part is not None for problem in part.problems]

    def on(
        self,
        event: str,
        function: Callable[..., Any] | None = None,
        *,
        matcher: str | None = None,
        condition: str | None = None,
        timeout: float | None = None,
        on_failure: Literal["block", "allow"] | None = None,
    ) -> Callable[..., Any]:
        """Registers a Python function beside the settings' handlers; also as a decorator.

        `on_failure` is what it means that the function raises, hangs or answers nonsense. By default that
        blocks in front of a tool and in place of a permission dialog, and means nothing elsewhere.
        """
        if on_failure not in (None, "block", "allow"):
            raise UsageError(f"on_failure is {on_failure!r}", hint='it is "block" or "allow"')
        if function is None:
            return partial(
                self.on, event, matcher=matcher, condition=condition, timeout=timeout, on_failure=on_failure
            )
        closed = event in GATE_EVENTS if on_failure is None else on_failure == "block"
        name = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', repr(function))}"
        handler = Python(
            call=name,
            function=function,
            condition=condition,
            timeout=timeout,
            on_failure="block" if closed else "continue",
        )
        entry = Registered(event=event, matcher=matcher, handler=handler, source=Source(scope="session"))
        self._registry.add(entry)
        return function

    def use(self, *hooks: "HookSource") -> None:
        """From now on these hook files or `register` functions run as well; raises what is wrong with one."""
        for hook in hooks:
            self._hook_files().add(hook)

    def _hook_files(self) -> "HookFiles":
        if self._hooks is None:
            from hookd.host.hook_files import HookFiles

            ci = is_ci(self._env)
            self._hooks = HookFiles(self.project, self.session, self._hook_seconds, self.ui, ci=ci)
            self._hooks.agent_asks = self._agent_asks
        return self._hooks

    @property
    def ui(self) -> "UI":
        """The way to the person, for hooks and for what they want a person to decide."""
        if self._ui is None:
            from hookd.hooks.kit.ui import HeadlessUI

            self._ui = HeadlessUI()
        return self._ui

    def let_agent_ask(self) -> None:
        """The agent has a permission dialog: hooks' questions in front of a tool call are for that."""
        self._agent_asks = self._ui is None or not self._ui.has_ui
        if self._hooks is not None and self._agent_asks:
            self._hooks.agent_asks = True

    def handles(self, event: str) -> bool:
        """Whether there is any handler for this event."""
        return self._registry.handles(event) or (self._hooks is not None and self._hooks.handles(event))

    def leave_out(self, *scopes: str) -> None:
        """From now on handlers of these scopes, such as `user` or `plugin`, are the agent's to run."""
        self._registry.leave_out(scopes)

    def use_skill(self, path: str | os.PathLike[str]) -> None:
        """From now on the hooks in this skill's front matter run as well."""
        self._registry.bring(Path(path).resolve(), "skill", None)

    def enter_agent(self, path: str | os.PathLike[str], agent_id: str | None = None) -> None:
        """The hooks in an agent's front matter run until `leave_agent`; without an id it is the main one."""
        if agent_id is None:
            self.session.agent_type = Path(path).stem
        self._registry.bring(Path(path).resolve(), "agent", agent_id)

    def leave_agent(self, agent_id: str | None = None) -> None:
        """The agent has ended, and its hooks with it."""
        self._registry.leave(agent_id)

    @property
    def exports(self) -> str:
        """A shell script with what hooks want in the environment of the agent's commands."""
        return self.session.exports()

    def take_late(self) -> list[Late]:
        """What handlers in the background have said since the last time; it is for the model's next turn."""
        sent = self._hooks.outbox.take() if self._hooks is not None else []
        return [*self._background.take(), *(Late("send", message.hook, message.text) for message in sent)]

    def tell_later(self, event: str, handler: str, text: str) -> None:
        """Keeps a text for the model's next turn; `take_late` gives it."""
        self._background.say(Late(event, handler, text))

    async def settle(self, seconds: float | None = None) -> None:
        """Waits for the handlers in the background."""
        await self._background.settle(seconds)

    async def fire(self, event: str, /, **fields: Any) -> Fired:
        """Runs the event's handlers and gives what came of it."""
        payload = self.session.payload(event, fields)
        self.session.before(event, payload)
        firing = Firing(event, payload, hook_name(event, payload))
        if self._registry.refresh():
            self._running.settings_changed()
        if self._own is not None:
            self._own.refresh()
        if self._hooks is not None:
            await asyncio.gather(self._configured(firing), self._hooks.run(firing))
        else:
            await self._configured(firing)
        notes = [
            *self._registry.kept,
            *(f"{run.name}: {run.problem}" for run in firing.runs if run.problem),
            *self.session.take_trouble(),
        ]
        fired = in_shape(assembled(firing, notes), payload)
        if self._own is not None and fired.outcome.result is not None:
            typed, _ = codec.decode(encoded(payload), event)
            fired = msgspec.structs.replace(fired, outcome=self._own.screen(typed, fired.outcome))
        if self._keeps_context and fired.context:
            trouble = self.session.keep_context(event, firing.name, fired.context)
            fired = msgspec.structs.replace(fired, notes=(*fired.notes, *trouble))
        if event in STOPS and (times := self.session.kept_going(payload, goes_on=fired.goes_on)):
            fired = stopped_anyway(fired, times)  # the loop is cut
        self.session.after(event, payload)
        return await self._hooks.after(fired, payload) if self._hooks is not None else fired

    def fire_sync(self, event: str, /, **fields: Any) -> Fired:
        """The same for an agent without an event loop; handlers in the background go on in a thread."""
        return self.run_sync(self.fire(event, **fields))

    def run_sync(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine of this engine to its end, also in a function that an event loop has called.

        What it has sent to the background goes on in a thread of its own, until it ends or `close` ends it.
        """

        async def run() -> T:
            awake = asyncio.create_task(_stay_awake())
            try:
                result = await work
                if not self._background.busy_in(asyncio.get_running_loop()):
                    await self._runners.close()
                return result
            finally:
                awake.cancel()

        async def rest() -> None:
            await self._background.settle_here()
            await self._runners.close()

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return run_and_leave(run(), rest, self._background.busy_in)
        return in_new_thread(lambda: run_and_leave(run(), rest, self._background.busy_in))

    async def close(self) -> None:
        """Ends what still runs in the background and removes this session's files."""
        await self._background.cancel()
        await self._runners.close()
        if self._hooks is not None:
            await self._hooks.close()
        self.session.remove_folder()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _configured(self, firing: Firing) -> None:
        """Runs the handlers from settings, plugins, front matter and `on`, one phase after the other."""
        ours = msgspec.structs.replace(firing, answers=[])
        for phase in self._registry.phases(firing.event):
            if any(found.reply.answer.decision is Decision.DENY for found in ours.answers):
                break
            ours.payload = rewritten(firing.payload, ours.answers)
            entries = self._registry.chosen(firing.event, ours.payload, phase)
            if firing.event == "UserPromptSubmit":
                done = {found.registered.identity for found in ours.answers}
                entries = [entry for entry in entries if entry.identity not in done]
            said = len(ours.answers)
            await self._running.run(entries, ours)
            firing.answers += ours.answers[said:]


async def _stay_awake() -> None:
    """Has the loop look up now and then: a Ctrl-C that reached another thread waits until it does."""
    while True:
        await asyncio.sleep(0.1)
