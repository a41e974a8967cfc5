"""Programs that run commands in a way of their own: find, xargs, ssh, git, editors, schedulers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from hookd.patterns import late
from hookd.shell.escapes import ESCAPES
from hookd.shell.model import UNKNOWN, Word
from hookd.shell.options import Table, read, split, table
from hookd.shell.output import quoted
from hookd.shell.prefixes import prefixed
from hookd.shell.programs import GIT_CODE, GIT_CODE_ENDINGS, SHELLS
from hookd.shell.run import Run, joined
from hookd.shell.searches import filled, found
from hookd.shell.shells import from_input, script_file
from hookd.shell.simple import name_of
from hookd.shell.state import Scope

MAX_TIMES = 8
"""How many lines of a known input a command is walked for."""

_STOPPING = Table({}, {}, stops=True)
_BANG = late(
    r"\s*:*\s*(?:[%0-9,.$'<>]*|silent!?\s+|exe\w*\s+|r\w*\s+|w\w*\s+|terminal\s+)*!+\s*(.+)", re.DOTALL
)
_VIM_CALL = late(r"(?:system|systemlist|os\.execute|termopen)\s*\(\s*(['\"])(.*?)\1")


def _eval(run: Run) -> None:
    run.code(joined([word for word in run.command.args if word.text != "--"]), "eval", scope=run.scope)


def _source(run: Run) -> None:
    if run.command.args:
        count = len(run.walker.commands)
        script_file(run, run.command.args[0], "source", run.command.args[1:])
        if len(run.walker.commands) == count:  # what it does is not known, nor what it sets
            run.scope.forget()


def _trap(run: Run) -> None:
    args = [word for word in run.command.args if word.text != "--"]
    if len(args) > 1 and args[0].text not in ("-", "") and not args[0].text.startswith("-"):
        run.code(args[0], "trap", run.within("trap", conditional=True))


def _su(run: Run) -> None:
    """su [-] [user] [-c code], runuser -u user -- words."""
    options = split(run.command.name, run.command.args)
    operands = [word for word in options.operands if word.text != "-"]
    users = options.values.get("user")
    user = users[-1].text if users else operands[0].text if operands else "root"
    frame = run.within(run.command.name, as_root=user in ("root", "0") or UNKNOWN in user)
    for word in (*options.values.get("command", ()), *options.values.get("session-command", ())):
        run.code(word, run.command.name, frame)
    if users and operands:
        run.words(operands, run.command.name, frame)


def _xargs(run: Run) -> None:
    flags: set[str] = set()
    values: dict[str, list[Word]] = {}
    operands: list[Word] = []
    rest = read(run.command.args, table("xargs") or _STOPPING, flags, values, operands)
    words = [*operands, *rest]
    if not words:
        return
    marker = values["I"][-1].text if "I" in values else "{}" if flags & {"replace", "J"} else None
    if "replace" in values:
        marker = values["replace"][-1].text
    given: list[tuple[Word, ...]] = [(Word(UNKNOWN, False, "", False, run.command.pipe_sources),)]
    text = run.command.stdin_text
    if text is None and len(run.command.pipe_sources) == 1 and "arg-file" not in values:
        given = _found_before(run) or given
    if text is not None and UNKNOWN not in text and "arg-file" not in values:
        items = text.split("\0") if "null" in flags else text.splitlines() if marker else text.split()
        words_in = [Word(item, True, item) for item in items if item][:256]
        given = [(word,) for word in words_in[:MAX_TIMES]] if marker else [tuple(words_in)]
    if len(given) and given[0][:1] and given[0][0].known and _input_is_code(words, marker):
        given.append((Word(UNKNOWN, False, "", False, run.command.pipe_sources),))
    for items_given in given:
        run.words(filled(words, marker, items_given), "xargs", stdin="")


def _found_before(run: Run) -> list[tuple[Word, ...]]:
    """What `find` pipes into a command: names in the folders it looks through."""
    source = run.command.pipe_sources[0]
    before = run.walker.commands[source]
    if before.name != "find":
        return []
    return [tuple(replace(word, sources=(source,)) for word in found(before.args))]


def _input_is_code(words: Sequence[Word], marker: str | None) -> bool:
    """bash -c with nothing of its own behind it: it is no matter what the input is this time."""
    texts = [word.text for word in words]
    return (texts[-1:] == ["-c"] or texts[-2:] == ["-c", marker or "{}"]) and name_of(words[0]) in SHELLS


def _parallel(run: Run) -> None:
    flags: set[str] = set()
    values: dict[str, list[Word]] = {}
    operands: list[Word] = []
    rest = read(run.command.args, table("parallel") or _STOPPING, flags, values, operands)
    words = [*operands, *rest]
    border = next((number for number, word in enumerate(words) if word.text in (":::", ":::+", "::::")), None)
    items: list[str] = [UNKNOWN]
    if border is not None:
        if words[border].text != "::::":
            items = [word.text for word in words[border + 1 :] if not word.text.startswith(":::")][:MAX_TIMES]
        words = words[:border]
    elif run.command.stdin_text is not None:
        items = run.command.stdin_text.splitlines()[:MAX_TIMES]
    marker = values["I"][-1].text if "I" in values else "{}"
    if len(words) > 1 and _input_is_code(words, marker):
        items = [*items, UNKNOWN]
    for item in items:
        if len(words) > 1:
            marked = marker if any(marker in word.text for word in words) else None
            run.words(filled(words, marked, [Word(item, UNKNOWN not in item)]), "parallel")
        else:
            template = words[0].text if words else marker
            text = template.replace(marker, item) if marker in template else f"{template} {item}"
            run.code(Word(text, UNKNOWN not in text), "parallel", replace(run.within("parallel"), stdin=None))


def _find(run: Run) -> None:
    """-exec and its kin; the names it finds are unknown, but not the folders they are in."""
    args = run.command.args
    if not any(word.text in _ACTIONS for word in args):
        return
    names = found(args)
    position = 0
    while position < len(args):
        action = args[position].text
        position += 1
        if action not in _ACTIONS:
            continue
        end = position
        while end < len(args) and args[end].text not in (";", "+"):
            end += 1
        words = list(args[position:end])
        run.words(filled(words, "{}", names), f"find {action}", stdin="")
        position = end + 1


_ACTIONS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


def _ssh(run: Run) -> None:
    name = run.command.name
    flags: set[str] = set()
    values: dict[str, list[Word]] = {}
    operands: list[Word] = []
    rest = read(run.command.args, table(name) or _STOPPING, flags, values, operands)
    for word in values.get("o", ()):
        key, _, value = re.sub(r"[\s=]+", "=", word.text, count=1).partition("=")
        if key.lower() in ("proxycommand", "localcommand", "knownhostscommand") and value.lower() != "none":
            run.code(Word(value, UNKNOWN not in value), f"ssh {key}")
    if not operands:
        return
    words = [word for number, word in enumerate(rest) if number or word.text != "--"]
    frame = run.within("ssh", place="remote", as_root=operands[0].text.startswith("root@"))
    if words:
        run.code(joined(words), "ssh", frame, Scope(None, "~", {}))
    elif run.command.stdin_text is not None:
        remote = Run(run.walker, run.command, run.index, frame, Scope(None, "~", {}))
        from_input(remote, "ssh stdin")


def _flock(run: Run) -> None:
    flags: set[str] = set()
    values: dict[str, list[Word]] = {}
    operands: list[Word] = []
    rest = read(run.command.args, table("flock") or _STOPPING, flags, values, operands)
    if rest and rest[0].text in ("-c", "--command"):
        run.code(joined(rest[1:]), "flock")
    elif "command" in values:
        run.code(values["command"][-1], "flock")
    else:
        run.words(rest, "flock")


def _option_code(*names: str) -> Callable[[Run], None]:
    """Programs of which the value of some option is shell code."""

    def walk(run: Run) -> None:
        options = split(run.command.name, run.command.args)
        for name in names:
            for word in options.values.get(name, ()):
                run.code(
                    word, f"{run.command.name} --{name}" if len(name) > 1 else f"{run.command.name} -{name}"
                )

    return walk


def _busybox(run: Run) -> None:
    run.words([word for word in run.command.args if word.text != "--"], run.command.name)


def _git(run: Run) -> None:
    options = split("git", run.command.args)
    for setting in options.values.get("c", ()):
        key, _, value = setting.text.partition("=")
        key = key.lower()
        if key.startswith("alias.") and options.subcommand[:1] == (key[6:],):
            code = value[1:] if value.startswith("!") else f"git {value}"
            tail = " ".join(quoted(word) for word in options.operands)
            run.code(Word(f"{code} {tail}", UNKNOWN not in code), "git alias")
        elif key in GIT_CODE or key.endswith(GIT_CODE_ENDINGS):
            run.code(Word(value.removeprefix("!"), UNKNOWN not in value), f"git -c {key}")
    if not options.subcommand:
        return
    verb = options.subcommand[0]
    if verb == "rebase":
        for word in options.values.get("exec", ()):
            run.code(word, "git rebase --exec")
    elif verb in ("bisect", "submodule"):
        prefixed(run)
    elif verb == "filter-branch":
        for name, words in options.values.items():
            if name.endswith("-filter"):
                for word in words:
                    run.code(word, f"git {name}")
    elif verb in ("difftool", "ls-remote", "fetch", "clone", "pull", "push", "archive"):
        for name in ("extcmd", "upload-pack", "receive-pack", "exec"):
            for word in options.values.get(name, ()):
                run.code(word, f"git --{name}")
        for word in options.operands:
            if word.text.startswith("ext::"):
                run.code(Word(word.text[5:], word.known), "git ext::")
    elif verb == "config" and len(options.operands) == 2:
        key, value = options.operands[0].text.lower(), options.operands[1].text
        if (
            (key.startswith("alias.") and value.startswith("!"))
            or key in GIT_CODE
            or key.endswith(GIT_CODE_ENDINGS)
        ):
            run.code(Word(value.removeprefix("!"), UNKNOWN not in value), f"git config {key}")


def _tar(run: Run) -> None:
    options = split("tar", run.command.args)
    for word in options.values.get("checkpoint-action", ()):
        if word.text.startswith("exec="):
            run.code(Word(word.text[5:], word.known), "tar --checkpoint-action")
    for name in ("to-command", "use-compress-program", "info-script", "rsh-command"):
        for word in options.values.get(name, ()):
            run.code(word, f"tar --{name}")


def _rsync(run: Run) -> None:
    options = split("rsync", run.command.args)
    for word in options.values.get("rsh", ()):
        run.code(word, "rsync --rsh")
    for word in options.values.get("rsync-path", ()):
        if word.text != "rsync":
            run.code(word, "rsync --rsync-path", run.within("rsync --rsync-path", place="remote"))


def _editor(run: Run) -> None:
    """vim -c '!cmd', ed < script, less '+!cmd'."""
    name = run.command.name
    options = split(name, run.command.args)
    lines = [
        word.text for option in ("c", "cmd", "S") for word in options.values.get(option, ()) if option != "S"
    ]
    lines += [word.text[1:] for word in run.command.args if word.text.startswith("+") and len(word.text) > 1]
    if run.command.stdin_text is not None and name in ("ed", "ex", "vi", "vim"):
        lines += run.command.stdin_text.splitlines()
    for line in lines[:64]:
        match = _BANG.match(line)
        if match:
            run.code(Word(match[1], UNKNOWN not in match[1]), f"{name} !")
        elif (call := _VIM_CALL.search(line)) is not None:
            run.code(Word(call[2], UNKNOWN not in call[2]), f"{name} system()")


def _scheduled(run: Run) -> None:
    """at and batch run their input, crontab what stands behind the times in its lines."""
    text = run.command.stdin_text
    name = run.command.name
    if name == "crontab":
        if not any(word.text == "-" for word in run.command.args):
            return
        if text is not None:
            lines = [line.split(None, 1 if line.startswith("@") else 5) for line in text.splitlines()]
            text = "\n".join(
                line[-1] for line in lines if len(line) in (2, 6) and not line[0].startswith("#")
            )
    if text is not None:
        run.code(Word(text, UNKNOWN not in text), name, replace(run.within(name), background=True))
    elif run.command.pipe_sources:
        run.unknown(f"{name} runs what it reads from a pipe")


def _make(run: Run) -> None:
    """Recipes given on the line: --eval, or a makefile on standard input."""
    options = split("make", run.command.args)
    texts = [word.text for word in options.values.get("eval", ())]
    if any(word.text in ("-", "/dev/stdin") for word in options.values.get("file", ())):
        if run.command.stdin_text is not None:
            texts.append(run.command.stdin_text)
        else:
            run.unknown("make runs what it reads from a pipe")
    for text in texts:
        for line in text.splitlines():
            recipe = line[1:] if line.startswith("\t") else line.partition(";")[2]
            if recipe.strip():
                run.code(Word(recipe.strip().lstrip("@-+").replace("$$", "$")), "make")
    for word in options.operands:
        if word.text.startswith("SHELL=") or ("=" in word.text and "$(shell" in word.text):
            run.unknown("make is given a shell to run")


def _tmux(run: Run) -> None:
    options = split("tmux", run.command.args)
    if options.subcommand[:1] in (("send-keys",), ("send",)):
        keys = [
            word
            for word in options.operands
            if word.text not in ("Enter", "C-m", "Space", "C-c", "C-d", "Escape", "q")
        ]
        run.code(joined(keys), "tmux send-keys")
    else:
        prefixed(run)


def _fd(run: Run) -> None:
    """fd -x and -X: what follows is a command; the names it finds stand at its end or for {}."""
    args = run.command.args
    for position, word in enumerate(args):
        if word.text in ("-x", "--exec", "-X", "--exec-batch"):
            words = list(args[position + 1 :])
            end = next((number for number, each in enumerate(words) if each.text == ";"), len(words))
            marked = "{}" if any("{" in each.text for each in words[:end]) else None
            operands = [each.text for each in args[:position] if each.text[:1] not in ("-", "")]
            folder = next((text for text in operands if text[0] in "/~"), [".", *operands[1:]][-1])
            name = Word(f"{folder.rstrip('/')}/{UNKNOWN}", False)
            run.words(filled(words[:end], marked, [name]), "fd -x", stdin="")
            return


def _awk(run: Run) -> None:
    from hookd.shell import scripting  # few lines have code in another language

    scripting.awk(run)


RUNNERS: dict[str, Callable[[Run], None]] = {
    "eval": _eval,
    "source": _source,
    ".": _source,
    "trap": _trap,
    "su": _su,
    "runuser": _su,
    "xargs": _xargs,
    "parallel": _parallel,
    "find": _find,
    "ssh": _ssh,
    "mosh": _ssh,
    "autossh": _ssh,
    "flock": _flock,
    "script": _option_code("command"),
    "busybox": _busybox,
    "toybox": _busybox,
    "git": _git,
    "tar": _tar,
    "rsync": _rsync,
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "ed", "view", "less", "more"), _editor),
    "at": _scheduled,
    "batch": _scheduled,
    "crontab": _scheduled,
    "make": _make,
    "tmux": _tmux,
    "awk": _awk,
    **dict.fromkeys(("fd", "fdfind"), _fd),
    "split": _option_code("filter"),
    "aria2c": _option_code("on-download-complete"),
    "zip": _option_code("unzip-command"),
    **ESCAPES,
}
