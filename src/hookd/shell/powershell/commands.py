"""One PowerShell command: a function of the script, a cmdlet or its alias, or a program as in any shell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hookd.shell.powershell import actions, cmdlets, compounds, value_cmdlets
from hookd.shell.powershell.flow import Flow, Function
from hookd.shell.powershell.parameters import bind, dashed, specification
from hookd.shell.powershell.use import Use
from hookd.shell.powershell.values import NOTHING, Value, path, quoted, together

if TYPE_CHECKING:
    from hookd.shell.powershell.arguments import Argument, Redirect
    from hookd.shell.powershell.reader import Reader

_CMDLET = re.compile(r"(?:[\w.]+\\)?([A-Za-z]+-\w+)")
_PATH = re.compile(r"(?:[\w-]+=@?|@)?(?:[A-Za-z]:|\.{1,2}|~|\x01\w*\x02|[\w.-]+)\\[^\n\"'|<>]*")
"""What is a path even between quotes."""
_WHAT_IF = re.compile(r"wi|wh(?:a(?:t(?:i(?:f)?)?)?)?", re.IGNORECASE)
_SERVICE_CONTROL = frozenset(
    "query queryex start stop delete config create failure sdset description qc".split()
)


def run(
    reader: Reader, name: Value, arguments: Sequence[Argument], redirects: Sequence[Redirect], flow: Flow
) -> None:
    """A command in its place in a pipeline."""
    if (block := name.block) is not None:
        start, parameters = compounds.parameters(reader.of(block), block.start, block.end)
        _call(reader, Function(parameters, block._replace(start=start)), arguments, flow)
        return
    if name.kind == "code":
        flow.segments, flow.value = [], actions.execute(reader, name)
        return
    for text in name.texts[:4] or ("",):
        _named(reader, text, arguments, flow)
    reader.redirected(redirects, flow)


def _named(reader: Reader, text: str, arguments: Sequence[Argument], flow: Flow) -> None:
    state = reader.state
    found = _CMDLET.fullmatch(text)
    name = (found[1] if found else text).lower()
    name = state.aliases.get(name, name)
    if (function := state.functions.get(name)) is not None:
        _call(reader, function, arguments, flow)
        return
    meant = cmdlets.ALIASES.get(name, name)
    switches = {item.value.text.lower() for item in arguments if meant == "remove-item"} & {"/s", "/q", "/f"}
    if switches:  # as another command processor has them; PowerShell would take them for files
        files = together(item.value for item in arguments if item.value.text.lower() not in switches)
        actions.delete(reader, files, recursive="/s" in switches, force=len(switches) > 1)
        return
    known = cmdlets.CMDLETS.get(meant)
    if known is not None and name != meant and _is_program(name, arguments, known[0]):
        _program(reader, text, arguments, flow)
    elif known is not None:
        bound = bind(arguments, known[0])
        if "whatif" not in bound.switches:
            known[1](Use(reader, bound, flow))
        elif flow.value is None:
            flow.value = NOTHING
    elif _CMDLET.fullmatch(meant) and not text.lower().endswith((".exe", ".ps1", ".cmd", ".bat")):
        _unknown(reader, meant, arguments, flow)
    else:
        _program(reader, text, arguments, flow)


def _is_program(name: str, arguments: Sequence[Argument], known: str) -> bool:
    """Whether a name that is an alias as well as a program's is used as the program."""
    if name == "sc":
        return bool(arguments) and arguments[0].value.text.lower() in _SERVICE_CONTROL
    if name not in cmdlets.PROGRAMS_TOO:
        return False
    names = specification(known)
    written = [argument.value.text for argument in arguments if argument.dashed]
    parameters = [found["name"] for argument in arguments if (found := dashed(argument)) is not None]
    if name in ("curl", "wget"):
        return bool(written) and not any(len(each) > 2 and names.named(each) for each in parameters)
    return len(parameters) < len(written) or any(names.named(each) is None for each in parameters)


def _call(reader: Reader, function: Function, arguments: Sequence[Argument], flow: Flow) -> None:
    """A function of the script, with its parameters set."""
    state = reader.state
    names = [name for name, _ in function.parameters]
    bound = bind(arguments, f"{' '.join(names)} /")
    before = dict(state.variables)
    for name, default in function.parameters:
        state.variables[name] = bound.values.get(name, default)
    state.variables["args"] = together(bound.rest)
    state.variables["_"] = state.variables["input"] = state.taken(flow)
    flow.value = reader.block(function.body, wanted=True)
    changed = {name: value for name, value in state.variables.items() if name not in before}
    state.variables = {**changed, **before}


def _unknown(reader: Reader, name: str, arguments: Sequence[Argument], flow: Flow) -> None:
    """A cmdlet that no table has: what it is given is run if it is a block; rules know it by its name."""
    for argument in arguments:
        if argument.value.block is not None:
            reader.block(argument.value.block, reader.state.taken(flow))
    if cmdlets.is_harmless(name):
        value_cmdlets.pass_on(Use(reader, bind(arguments, "value* /"), flow))
        return
    if any(found and _WHAT_IF.fullmatch(found["name"]) for found in map(dashed, arguments)):
        return
    reader.as_segments(flow)
    verb, _, noun = name.partition("-")
    flow.segments.append(" ".join((f"{verb.capitalize()}-{noun.capitalize()}", *_given(arguments))))


def _program(reader: Reader, text: str, arguments: Sequence[Argument], flow: Flow) -> None:
    """A program, as in any shell; known input is printed for it."""
    if not text:
        return
    for argument in arguments:
        if argument.value.block is not None:
            reader.block(argument.value.block)
    reader.as_segments(flow)
    flow.segments.append(" ".join((quoted(path(text), program=True), *_given(arguments))))


def _given(arguments: Sequence[Argument]) -> list[str]:
    """Arguments as words, a path as the shell writes it, without blocks, which are read already."""
    made: list[str] = []
    for argument in arguments:
        value = argument.value
        if argument.splatted and value.table is not None:
            value = together(value.table.values())
        for text in value.texts:
            is_path = "\\" in text and (argument.bare or _PATH.fullmatch(text) is not None)
            made.append(quoted(path(text) if is_path else text, glob=argument.bare))
    return made
