"""Shells: code given with -c, on standard input, or printed by another command."""

from __future__ import annotations

from collections.abc import Sequence

from hookd.shell.model import UNKNOWN, Word
from hookd.shell.run import Run


def shell(run: Run) -> None:
    """bash -c CODE, bash FILE, bash with code on its standard input."""
    command = run.command
    args = command.args
    label = command.name
    coded = reads = False
    position = 0
    while position < len(args):
        text = args[position].text
        if len(text) < 2 or text[0] not in "-+" or text == "--":
            break
        position += 1
        if text.startswith("--"):
            if text in ("--rcfile", "--init-file"):
                if position < len(args):
                    script_file(run, args[position], label, ())
                position += 1
            elif text.startswith("--command"):
                coded = True
            elif text in ("--version", "--help"):
                return
        else:
            coded = coded or (text[0] == "-" and "c" in text)
            reads = reads or (text[0] == "-" and "s" in text)
            if text[-1] in "oO":
                position += 1
    if position < len(args) and args[position].text in ("--", "-"):
        position += 1
        reads = reads or (not coded and position == len(args))
    rest = args[position:]
    if coded:
        if rest:
            scope = run.scope.copy(rest[2:])
            if len(rest) > 1:
                scope.variables["0"] = rest[1]
            run.code(rest[0].text, f"{label} -c", scope=scope)
        return
    if rest and not reads:
        script_file(run, rest[0], label, rest[1:])
        return
    from_input(run, label)


def script_file(run: Run, file: Word, label: str, arguments: Sequence[Word]) -> None:
    if file.text in ("/dev/stdin", "/proc/self/fd/0", "/dev/fd/0", "-"):
        from_input(run, label)
    elif file.sources:
        said = run.walker.said.get(file.sources)
        if said is not None and UNKNOWN not in said:
            run.code(said, label, scope=run.scope.copy(tuple(arguments)))
        else:
            run.unknown(f"{label} runs what another command prints")


def from_input(run: Run, label: str) -> None:
    command = run.command
    if command.stdin_text is not None:
        frame = run.within(label, pipe=(), stdin=None)
        if command.stdin_text.strip(UNKNOWN + " \t\n"):
            run.walker.mark(run.index, wraps=True)
            run.walker.code(command.stdin_text, frame, run.scope.copy())
        elif UNKNOWN in command.stdin_text:
            run.unknown(f"{label} runs what it reads, which is not known")
    elif (said := _redirected(run)) is not None:
        run.code(said, label, run.within(label, pipe=(), stdin=None))
    elif command.pipe_sources:
        run.unknown(f"{label} runs what it reads from a pipe")
    elif any(item.operator == "<&" or item.target.sources for item in command.redirects):
        run.unknown(f"{label} runs what it reads, which is not known")


def _redirected(run: Run) -> str | None:
    """What `sh < <(...)` reads, where that is known."""
    for item in run.command.redirects:
        if item.operator == "<" and item.target.sources:
            return run.walker.said.get(item.target.sources)
    return None
