"""The `hookd` command: the few ways in that must be quick, and the command line for people."""

import sys

# Started by agents and clients, not by people: these skip the command-line library's import.
_QUICK = {
    ("hook",): "hookd.cli.hook",
    ("statusline",): "hookd.cli.statusline",
    ("daemon", "run"): "hookd.cli.daemon_run",
}


def main() -> int:
    arguments = sys.argv[1:]
    if not {"-h", "--help"} & set(arguments):
        for words, module in _QUICK.items():
            if tuple(arguments[: len(words)]) == words:
                from importlib import import_module

                code: int = import_module(module).main(arguments[len(words) :])
                return code
    from hookd.cli.app import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
