""".NET in PowerShell: methods of objects that delete, move, fetch, send or run something.

A small table, as for other languages: what is not in it is not known to do anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hookd.shell.powershell import actions
from hookd.shell.powershell.values import NOTHING, UNKNOWN, Value, literal, quoted, tainted, together, words

if TYPE_CHECKING:
    from hookd.shell.powershell.reader import Reader

_PASSING = frozenset(
    "tostring getstring getbytes toarray tolist getresult readasstringasync getawaiter normalize clone "
    "tolower tolowerinvariant toupper readtoend getenumerator".split()
)
"""Methods that give back what they are given, or what they are asked of."""
_SAME = frozenset("trim trimend trimstart".split())


class Call(NamedTuple):
    """A method and what it is given."""

    reader: Reader
    value: Value
    given: Sequence[Value]

    def words(self, start: int = 0, end: int | None = None, *, files: bool = True) -> str:
        """Some of the arguments as words of a shell."""
        return " ".join(word for value in self.given[start:end] for word in words(value, files=files))

    def has(self, count: int) -> bool:
        """Whether it is given so much, and something to begin with."""
        return len(self.given) >= count and bool(self.given[0].texts)

    def emit(self, line: str) -> Value:
        """A line of shell that does what the call does, and gives back nothing."""
        self.reader.state.emit(line)
        return NOTHING

    def printed(self, line: str) -> Value:
        """A line of shell that prints what the call gives back."""
        return self.reader.state.printed(line)


Method = Callable[[Call], Value]


def call(reader: Reader, value: Value, name: str, given: Sequence[Value]) -> Value:
    """value.Name(...)."""
    if name in _PASSING:
        return together(given) if given else value
    if name in _SAME:
        return value
    made = Call(reader, value, given)
    if (of_kind := _OF_KIND.get(value.kind)) is not None and (found := of_kind(made, name)) is not None:
        return found
    if (method := _METHODS.get(name)) is not None:
        return method(made)
    for each in given:
        if each.block is not None:  # .ForEach({ ... }), and whatever else calls it
            reader.block(each.block, value)
    return tainted(value, *given)


def _of_shell(made: Call, name: str) -> Value | None:
    """A COM object that starts programs; the first of them and its arguments may stand in one text."""
    if name not in ("run", "exec", "shellexecute") or not made.has(1):
        return None
    first, _, rest = made.given[0].text.strip().partition(" ")
    line = actions.command_line(literal(first), together((literal(rest), *made.given[1:2])))
    return made.emit(" ".join(line))


def _of_wmi(made: Call, name: str) -> Value:
    """A method of the system's own objects."""
    given = words(made.value)
    return made.emit(f"Invoke-Wmimethod {quoted(name)} {' '.join(given)} {made.words(files=False)}")


def _of_mail(made: Call, name: str) -> Value | None:
    return made.emit(f"Send-Mailmessage {made.words(files=False)}") if name.startswith("send") else None


_OF_KIND: dict[str, Callable[[Call, str], Value | None]] = {
    "com": _of_shell,
    "wmi": _of_wmi,
    "mail": _of_mail,
}


def _delete(made: Call) -> Value:
    recursive = bool(made.given) and made.given[0].text.lower() != "false"
    actions.delete(made.reader, made.value, recursive=recursive, force=True)
    return NOTHING


def _kill(made: Call) -> Value:
    actions.kill(made.reader, made.value, force=True)
    return NOTHING


def _move(command: str) -> Method:
    def method(made: Call) -> Value:
        sources = " ".join(words(made.value, files=True))
        return made.emit(f"{command} {sources} {made.words(0, 1)}") if sources and made.given else NOTHING

    return method


def _fetch(made: Call) -> Value:
    return made.printed(f"curl {made.words(0, 1, files=False)}") if made.has(1) else UNKNOWN


def _fetch_file(made: Call) -> Value:
    return (
        made.emit(f"curl -o {made.words(1, 2)} {made.words(0, 1, files=False)}") if made.has(2) else UNKNOWN
    )


def _send(option: str) -> Method:
    def method(made: Call) -> Value:
        if not made.has(2):
            return tainted(made.value, *made.given)
        sent = " ".join(f"{option} {word}" for word in words(made.given[-1], files=option == "-T"))
        return made.printed(f"curl {sent or '-d x'} {made.words(0, 1, files=False)}")

    return method


def _run(made: Call) -> Value:
    """Invoke() of a block or of code in a text; AddScript, InvokeScript of what they are given."""
    is_code = made.value.block is not None or made.value.kind == "code"
    actions.execute(made.reader, made.value if is_code else together(made.given))
    return UNKNOWN


def _replace(made: Call) -> Value:
    value, given = made.value, made.given
    if len(given) == 2 and given[0].known and given[0].text and len(given[1].texts) <= 1:
        old, new = given[0].text, given[1].text
        return value._replace(texts=tuple(text.replace(old, new) for text in value.texts))
    return tainted(value, *given)


def _named(names: str, method: Method) -> dict[str, Method]:
    return dict.fromkeys(names.split(), method)


_METHODS: dict[str, Method] = {
    "delete": _delete,
    "kill": _kill,
    "moveto": _move("mv"),
    "copyto": _move("cp"),
    "replace": _replace,
    **_named("downloadstring downloaddata downloadstringtaskasync getstringasync getbytearrayasync", _fetch),
    **_named("getasync openread getstreamasync", _fetch),
    **_named("downloadfile downloadfileasync downloadfiletaskasync", _fetch_file),
    **_named("uploadstring uploaddata uploadvalues postasync putasync uploadstringasync", _send("-d")),
    **_named("uploadfile uploadfileasync uploadfiletaskasync", _send("-T")),
    **_named("invoke invokereturnasis begininvoke addscript invokescript invokewithcontext", _run),
}
