"""`hookd hook AGENT EVENT`: the daemon's answer, computed in this process and on the same record."""

import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from hookd import __version__
from hookd.cli.lean_imports import import_asyncio, import_msgspec
from hookd.client_arguments import forwarded_names
from hookd.daemon import log
from hookd.errors import RuntimeFolderError, UsageError
from hookd.hooks import start_worker
from hookd.paths import as_text, ensure_runtime_folder, project_root, runtime_files, user_folders
from hookd.wire import MAX_PAYLOAD, Answer, Request

if TYPE_CHECKING:
    from hookd.daemon.service import Service

STORE_PATIENCE = 1.0
USAGE = "usage: hookd hook AGENT EVENT [--on-failure ask|deny|allow] [--hook FILE]... < event.json"


class Arguments(NamedTuple):
    agent: str
    event: str
    policy: str = "ask"
    nonce: str = ""
    oversize: bool = False
    echo: bool = False
    """Whether the answer begins with the nonce: a client takes no other program's silence for one."""
    forward: str | None = None
    project_variable: str | None = None
    hooks: tuple[str, ...] = ()


_WITH_VALUE = {
    "--on-failure": "policy",
    "--nonce": "nonce",
    "--forward": "forward",
    "--project-variable": "project_variable",
}


def parse(words: list[str]) -> Arguments:
    """The arguments, without the import of a library: this runs while an agent waits."""
    names: list[str] = []
    found: dict[str, Any] = {"hooks": ()}
    rest = iter(words)
    for word in rest:
        if word in ("--oversize", "--echo"):
            found[word[2:]] = True
        elif word in _WITH_VALUE:
            found[_WITH_VALUE[word]] = next(rest, "")
        elif word == "--hook":
            found["hooks"] += (os.path.abspath(next(rest, "")),)
        elif word.startswith("-"):
            raise UsageError(f"unknown option {word}\n{USAGE}")
        else:
            names.append(word)
    if len(names) != 2:
        raise UsageError(USAGE)
    return Arguments(names[0], names[1], **found)


def main(words: list[str]) -> int:
    try:
        arguments = parse(words)
    except UsageError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    payload = b"" if arguments.oversize else sys.stdin.buffer.read(MAX_PAYLOAD + 1)
    request = Request(
        agent=arguments.agent,
        event=arguments.event,
        payload=payload[:MAX_PAYLOAD],
        nonce=arguments.nonce,
        version=__version__,
        cwd=_cwd(),
        policy=arguments.policy,
        oversize=arguments.oversize or len(payload) > MAX_PAYLOAD,
        env={name: os.environ[name] for name in forwarded_names(arguments.forward) if name in os.environ},
    )
    root = project_root(variable=arguments.project_variable)
    # The hooks' process starts while this one still imports: an agent is waiting.
    head_start = start_worker.start(root) if start_worker.likely_needed(root, user_folders()) else None
    import_msgspec()
    import_asyncio()
    import asyncio

    echoed = f"{arguments.nonce}\n".encode() if arguments.echo else b""
    return asyncio.run(_answer(request, root, arguments.hooks, head_start, echoed))


async def _answer(
    request: Request,
    root: str,
    hooks: tuple[str, ...],
    head_start: start_worker.Started | None,
    echoed: bytes,
) -> int:
    from hookd.daemon.service import Service

    service = Service(root, extra_hooks=hooks, head_start=head_start)
    # The agent waits for this process: a store that is busy gets the event from the next process.
    service.recorder.store.patience = STORE_PATIENCE
    files = runtime_files(root)
    try:
        ensure_runtime_folder(files.folder)
        service.log = log.to_file(files.log)
    except RuntimeFolderError as error:
        service.note("runtime folder", str(error))
    answer = await service.answer(request, via="process")
    _print(answer, echoed)
    for problem in _unusable(service, hooks):
        print(f"hookd: {problem}", file=sys.stderr, flush=True)
    # The agent has its answer; the record can take its time.
    service.close()
    return answer.exit_code


def _unusable(service: "Service", hooks: tuple[str, ...]) -> list[str]:
    """What is wrong with the hooks that were named here: nobody would look for that in a log."""
    faults = service.hooks.users.faults if service.hooks.users is not None else []
    told = [*service.hooks.found.problems, *(f"{fault.path}: {fault.problem}" for fault in faults)]
    if service.hooks.broken is not None:
        told += [f"{hook}: {service.hooks.broken}" for hook in hooks]
    return [problem for problem in told if problem.startswith(tuple(map(as_text, hooks)))]


def _print(answer: Answer, echoed: bytes) -> None:
    sys.stdout.buffer.write(echoed + answer.stdout)
    sys.stdout.buffer.flush()
    sys.stderr.buffer.write(answer.stderr)
    sys.stderr.buffer.flush()


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:  # deleted under us
        return ""
