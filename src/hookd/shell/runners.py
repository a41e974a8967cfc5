"""Programs that run commands in a way of their own: find, xargs, ssh, git, editors, schedulers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from hookd.patterns import late
from hookd.shell.builders import BUILDERS
from hookd.shell.escapes import ESCAPES
from hookd.shell.model import UNKNOWN, Word
from hookd.shell.options import options
from hookd.shell.output import quoted
from hookd.shell.prefixes import prefixed
from hookd.shell.programs import GIT_CODE, GIT_CODE_ENDINGS, SHELLS, WRAPPING
from hookd.shell.quoting import NUL
from hookd.shell.repeats import MOST, followed
from hookd.shell.run import Run, joined
from hookd.shell.searches import ACTIONS, filled, found
from hookd.shell.shells import from_input, script_file, shell
from hookd.shell.simple import name_of
from hookd.shell.state import Scope

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
    args = [word.text for word in run.command.args if word.text != "--"]
    if len(args) > 1 and args[0] and not args[0].startswith("-"):
        run.code(args[0], "trap", run.within("trap", conditional=True))


def _su(run: Run) -> None:
    """su [-] [user] [-c code], runuser -u user -- words."""
    name = run.command.name
    parsed = options(run.command)
    operands = [word for word in parsed.operands if word.text != "-"]
    users = parsed.given("user")
    user = users[-1].text if users else operands[0].text if operands else "root"
    frame = run.within(name, as_root=user in ("root", "0") or UNKNOWN in user)
    run.codes(parsed.given("command", "session-command"), name, frame)
    if users and operands:
        run.words(operands, frame)


def _xargs(run: Run) -> None:
    parsed = options(run.command)
    words, flags, values = parsed.operands, parsed.flags, parsed.values
    if not words:
        return
    marker = values["I"][-1].text if "I" in values else "{}" if flags & {"replace", "J"} else None
    if "replace" in values:
        marker = values["replace"][-1].text
    unknown = Word(UNKNOWN, False, "", False, run.command.pipe_sources)
    given: list[tuple[Word, ...]] = [(unknown,)]
    text = run.command.stdin_text
    if text is None and len(run.command.pipe_sources) == 1 and "arg-file" not in values:
        given = _found_before(run) or given
    if text is not None and UNKNOWN not in text and "arg-file" not in values:
        items = text.split(NUL) if "null" in flags else text.splitlines() if marker else text.split()
        kept = followed([item for item in items if item], str, run.unread)
        words_in = tuple(Word(item, True, item) for item in kept)
        given = [(word,) for word in words_in] if marker else [words_in]
    if given and given[0] and given[0][0].known and _input_is_code(words, marker):
        given.append((unknown,))
    for items_given in given:
        run.words(filled(words, marker, items_given), run.within("xargs"), stdin="")


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
    parsed = options(run.command)
    words = parsed.operands
    border = next((number for number, word in enumerate(words) if word.text in (":::", ":::+", "::::")), None)
    items: list[str] = [UNKNOWN]
    if border is not None:
        if words[border].text != "::::":
            items = [word.text for word in words[border + 1 :] if not word.text.startswith(":::")]
        words = words[:border]
    elif run.command.stdin_text is not None:
        items = run.command.stdin_text.splitlines()
    elif not words and run.command.pipe_sources:
        run.unknown("parallel runs what it reads from a pipe")
    items = followed(items, str, run.unread)
    marker = parsed.values["I"][-1].text if "I" in parsed.values else "{}"
    if len(words) > 1 and _input_is_code(words, marker):
        items = [*items, UNKNOWN]
    for item in items:
        if len(words) > 1:
            marked = marker if any(marker in word.text for word in words) else None
            run.words(filled(words, marked, [Word(item, UNKNOWN not in item)]), run.within("parallel"))
        else:
            template = words[0].text if words else marker
            text = template.replace(marker, item) if marker in template else f"{template} {item}"
            run.code(text, "parallel")


def _find(run: Run) -> None:
    """-exec and its kin; the names it finds are unknown, but not the folders they are in."""
    args = run.command.args
    if not any(word.text in ACTIONS for word in args):
        return
    names = found(args)
    position = 0
    while position < len(args):
        action = args[position].text
        position += 1
        if action not in ACTIONS:
            continue
        end = position
        while end < len(args) and args[end].text not in (";", "+"):
            end += 1
        run.words(filled(args[position:end], "{}", names), run.within(f"find {action}"), stdin="")
        position = end + 1


def _ssh(run: Run) -> None:
    parsed = options(run.command)
    for word in parsed.given("o"):
        key, _, value = re.sub(r"[\s=]+", "=", word.text, count=1).partition("=")
        if key.lower() in ("proxycommand", "localcommand", "knownhostscommand") and value.lower() != "none":
            run.code(value, f"ssh {key}")
    if not parsed.operands:
        return
    host, *words = parsed.operands
    if words and words[0].text == "--":
        words.pop(0)
    frame = run.within("ssh", place="remote", as_root=host.text.startswith("root@"))
    if words:
        run.code(joined(words), "ssh", frame, Scope(None, "~", {}))
    elif run.command.stdin_text is not None:
        from_input(replace(run, frame=frame, scope=Scope(None, "~", {})), "ssh stdin")


def _flock(run: Run) -> None:
    parsed = options(run.command)
    words = parsed.operands[1:]
    if words and words[0].text in ("-c", "--command"):
        run.code(joined(words[1:]), "flock")
    elif "command" in parsed.values:
        run.code(parsed.values["command"][-1].text, "flock")
    else:
        run.words(words, run.within("flock"))


def _option_code(option: str) -> Callable[[Run], None]:
    """Programs of which the value of an option is shell code."""
    return lambda run: run.codes(options(run.command).given(option), f"{run.command.name} --{option}")


def _busybox(run: Run) -> None:
    words = [word for word in run.command.args if word.text != "--"]
    run.words(words, run.within(run.command.name))


def _git(run: Run) -> None:
    parsed = options(run.command)
    verb = parsed.subcommand[0] if parsed.subcommand else ""
    for setting in parsed.given("c"):
        key, _, value = setting.text.partition("=")
        key = key.lower()
        if key.startswith("alias.") and parsed.subcommand[:1] == (key[6:],):
            code = value[1:] if value.startswith("!") else f"git {value}"
            tail = " ".join(quoted(word) for word in parsed.operands)
            run.code(f"{code} {tail}", "git alias")
        elif key in GIT_CODE or key.endswith(GIT_CODE_ENDINGS):
            run.code(value.removeprefix("!"), f"git -c {key}")
    if verb == "rebase":
        run.codes(parsed.given("exec"), "git rebase --exec")
    elif verb in ("bisect", "submodule"):
        prefixed(run)
    elif verb == "filter-branch":
        for name, words in parsed.values.items():
            if name.endswith("-filter"):
                run.codes(words, f"git {name}")
    elif verb in ("difftool", "ls-remote", "fetch", "clone", "pull", "push", "archive"):
        for name in ("extcmd", "upload-pack", "receive-pack", "exec"):
            run.codes(parsed.given(name), f"git --{name}")
        for word in parsed.operands:
            if word.text.startswith("ext::"):
                run.code(word.text[5:], "git ext::")
    elif verb == "config" and len(parsed.operands) == 2:
        key, value = parsed.operands[0].text.lower(), parsed.operands[1].text
        called = key.startswith("alias.") and value.startswith("!")
        if called or key in GIT_CODE or key.endswith(GIT_CODE_ENDINGS):
            run.code(value.removeprefix("!"), f"git config {key}")


def _tar(run: Run) -> None:
    parsed = options(run.command)
    for word in parsed.given("checkpoint-action"):
        if word.text.startswith("exec="):
            run.code(word.text[5:], "tar --checkpoint-action")
    for name in ("to-command", "use-compress-program", "info-script", "rsh-command"):
        run.codes(parsed.given(name), f"tar --{name}")


def _rsync(run: Run) -> None:
    parsed = options(run.command)
    run.codes(parsed.given("rsh"), "rsync --rsh")
    label = "rsync --rsync-path"
    elsewhere = [word for word in parsed.given("rsync-path") if word.text != "rsync"]
    run.codes(elsewhere, label, run.within(label, place="remote"))


def _editor(run: Run) -> None:
    """vim -c '!cmd', ed < script, less '+!cmd'."""
    name = run.command.name
    lines = [word.text for word in options(run.command).given("c", "cmd")]
    lines += [word.text[1:] for word in run.command.args if word.text.startswith("+") and len(word.text) > 1]
    if run.command.stdin_text is not None and name in ("ed", "ex", "vi", "vim"):
        lines += run.command.stdin_text.splitlines()
    if len(lines) > MOST:
        run.unread(f"{name} is given more lines than are followed")
    for line in lines[:MOST]:
        if (match := _BANG.match(line)) is not None:
            run.code(match[1], f"{name} !")
        elif (call := _VIM_CALL.search(line)) is not None:
            run.code(call[2], f"{name} system()")


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
        run.code(text, name, run.within(name, background=True))
    elif run.command.pipe_sources:
        run.unknown(f"{name} runs what it reads from a pipe")


def _tmux(run: Run) -> None:
    parsed = options(run.command)
    if parsed.subcommand[:1] in (("send-keys",), ("send",)):
        run.code(joined(word for word in parsed.operands if word.text not in _KEYS), "tmux send-keys")
    else:
        prefixed(run)


_KEYS = frozenset({"Enter", "C-m", "Space", "C-c", "C-d", "Escape", "q"})


def _fd(run: Run) -> None:
    """fd -x and -X: what follows is a command; the names it finds stand at its end or for {}."""
    args = run.command.args
    for position, word in enumerate(args):
        if word.text in ("-x", "--exec", "-X", "--exec-batch"):
            words = args[position + 1 :]
            end = next((number for number, each in enumerate(words) if each.text == ";"), len(words))
            marked = "{}" if any("{" in each.text for each in words[:end]) else None
            operands = [each.text for each in args[:position] if each.text[:1] not in ("-", "")]
            folder = next((text for text in operands if text[0] in "/~"), [".", *operands[1:]][-1])
            name = Word(f"{folder.rstrip('/')}/{UNKNOWN}", False)
            run.words(filled(words[:end], marked, [name]), run.within("fd -x"), stdin="")
            return


def _awk(run: Run) -> None:
    from hookd.shell import scripting  # few lines have code in another language

    scripting.awk(run)


def _powershell(run: Run) -> None:
    from hookd.shell import windows  # few lines have another system's shell

    windows.run_powershell(run)


def _cmd(run: Run) -> None:
    from hookd.shell import windows  # few lines have another system's shell

    windows.run_batch(run)


RUNNERS: dict[str, Callable[[Run], None]] = {
    **dict.fromkeys(SHELLS, shell),
    **dict.fromkeys(WRAPPING, prefixed),
    "eval": _eval,
    **dict.fromkeys(("source", "."), _source),
    "trap": _trap,
    **dict.fromkeys(("su", "runuser"), _su),
    "xargs": _xargs,
    "parallel": _parallel,
    "find": _find,
    **dict.fromkeys(("ssh", "mosh", "autossh"), _ssh),
    "flock": _flock,
    "script": _option_code("command"),
    **dict.fromkeys(("busybox", "toybox"), _busybox),
    "git": _git,
    "tar": _tar,
    "rsync": _rsync,
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "ed", "view", "less", "more"), _editor),
    **dict.fromkeys(("at", "batch", "crontab"), _scheduled),
    **BUILDERS,
    "tmux": _tmux,
    "awk": _awk,
    **dict.fromkeys(("powershell", "pwsh", "powershell.exe"), _powershell),
    "cmd": _cmd,
    **dict.fromkeys(("fd", "fdfind"), _fd),
    "split": _option_code("filter"),
    "aria2c": _option_code("on-download-complete"),
    "zip": _option_code("unzip-command"),
    **ESCAPES,
}
