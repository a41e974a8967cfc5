"""The `hookd` command: the few ways in that must be quick, and the command line for people."""

import gc
import os
import sys

# Started by agents and clients, not by people: these skip the command-line library's import.
_QUICK = {
    ("hook",): "hookd.cli.hook",
    ("statusline",): "hookd.cli.statusline",
    ("daemon", "run"): "hookd.cli.daemon_run",
}


def main() -> int:
    if sys.argv[1:2] == ["--debug"]:
        from hookd.daemon import log

        log.ask_for_debug()
        del sys.argv[1]  # the quick ways in read their words themselves
    arguments = sys.argv[1:]
    if not {"-h", "--help"} & set(arguments):
        for words, module in _QUICK.items():
            if tuple(arguments[: len(words)]) == words:
                _run_quickly(module, arguments[len(words) :])
    from hookd.cli.app import run

    return run(arguments)


def _run_quickly(module: str, arguments: list[str]) -> None:
    """Runs a command and ends the process.

    What imports make stays, so looking for garbage among it is lost time; the daemon turns that on again.
    And nobody needs the interpreter to be taken apart at the end: an agent may be waiting for it.
    """
    gc.disable()
    from importlib import import_module

    from hookd.cli.lean_imports import import_hashlib, import_late

    import_late()
    import_hashlib()
    code: int = import_module(module).main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
