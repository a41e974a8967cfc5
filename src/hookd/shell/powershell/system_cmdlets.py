"""Cmdlets that run code, start and stop things, and talk to the network."""

from __future__ import annotations

from hookd.shell.powershell import actions, compounds
from hookd.shell.powershell.use import Handler, Use
from hookd.shell.powershell.values import UNKNOWN, Value, quoted, tainted, words


def _run_code(use: Use) -> None:
    """Invoke-Expression."""
    code = use.get("command")
    use.gives(actions.execute(use.reader, code if code.block is not None else use.operands("command")))


def _run_block(use: Use) -> None:
    """Invoke-Command, Start-Job, Measure-Command: the block, with its arguments for its parameters."""
    given = use.get("argumentlist")
    variables = use.state.variables
    variables["args"] = given
    for value in (*use.bound.values.values(), *use.bound.rest):
        if (block := value.block) is None:
            continue
        _, parameters = compounds.parameters(use.reader.of(block), block.start, block.end)
        each = len(given.texts) == len(parameters)
        for position, (name, _) in enumerate(parameters):
            variables[name] = Value(given.texts[position : position + 1]) if each else given
        use.reader.block(block)
    for text in use.get("filepath").texts:
        use.emit(f"pwsh -File {quoted(text)}")
    use.gives(UNKNOWN)


def _start(use: Use) -> None:
    """Start-Process, Invoke-Item."""
    if use.text("verb") == "runas":
        use.emit("Start-Process -Verb RunAs")
    line = " ".join(actions.command_line(use.get("filepath"), use.all("argumentlist")))
    for word in words(use.get("redirectstandardoutput", "redirectstandarderror"), files=True):
        line += f" > {word}"
    folder = words(use.get("workingdirectory"), files=True)
    if line:
        use.emit(f"(cd {folder[0]} && {line})" if folder else line)
    use.gives(UNKNOWN)


def _processes(use: Use) -> None:
    """Get-Process: by name, or all."""
    numbers = use.get("id")
    use.gives(numbers if numbers.texts else Value(use.get("name").texts or ("*",), "process"))


def _stop_process(use: Use) -> None:
    """Stop-Process."""
    names = use.get("name")
    given = Value(names.texts, "process") if names.texts else use.operands("id", "inputobject")
    actions.kill(use.reader, given, force=use.has("force"))
    use.gives()


def _service(verb: str) -> Handler:
    """Stop-Service and its like."""

    def handler(use: Use) -> None:
        use.emit(f"systemctl {verb} {' '.join(words(use.operands('name', 'displayname'))) or 'unknown'}")
        use.gives()

    return handler


def _services(use: Use) -> None:
    """Get-Service."""
    use.gives(Value(use.get("name", "displayname").texts or ("*",), "service"))


def _power(command: str) -> Handler:
    """Stop-Computer, Restart-Computer."""

    def handler(use: Use) -> None:
        use.emit(command)
        use.gives()

    return handler


def _request(use: Use) -> None:
    """Invoke-WebRequest, Invoke-RestMethod: curl, with what is sent and where it is kept."""
    flow, body = use.flow, use.get("body")
    made = ["curl"]
    if method := use.text("method", "custommethod"):
        made += ["-X", quoted(method.upper())]
    for name, value in (use.get("headers").table or {}).items():
        made += ["-H", quoted(f"{name}: {value.text}")]
    for name, value in (body.table or {}).items():
        made += ["-d", quoted(f"{name}={value.text}")]
    if body.texts and body.table is None:
        made += ["-d", quoted(body.text)]
    for name, value in (use.get("form").table or {}).items():
        made += ["-F", quoted(f"{name}={'@' if value.kind == 'file' else ''}{value.text}")]
    for option, parameter in (("-T", "infile"), ("-o", "outfile")):
        made += [f"{option} {word}" for word in words(use.get(parameter), files=True)[:1]]
    if use.has("skipcertificatecheck"):
        made.append("-k")
    made += words(use.get("uri")) or [quoted(UNKNOWN.text)]
    if not body.texts and (flow.segments or (flow.value is not None and flow.value.texts)):
        use.reader.as_segments(flow)
        flow.segments.append(" ".join((*made, "-d", "@-")))
    else:
        use.prints(" ".join(made))
    if use.get("outfile").texts:
        use.state.finish(flow)
        use.gives()


def _transfer(use: Use) -> None:
    """Start-BitsTransfer."""
    source, target = use.get("source"), use.get("destination")
    if use.text("transfertype").startswith("upload"):
        use.emit(f"curl -T {' '.join(words(source, files=True)[:1])} {' '.join(words(target)[:1])}")
    else:
        kept = words(target, files=True)[:1] or ["file"]
        use.emit(f"curl -o {kept[0]} {' '.join(words(source)[:1])}")
    use.gives()


def _look_up(use: Use) -> None:
    """Resolve-DnsName: a name that leaves the machine."""
    use.prints(f"nslookup {' '.join(words(use.get('name')))}")


def _new_object(use: Use) -> None:
    """New-Object: what it is made of is kept, and whether it can start programs or send mail."""
    if "shell" in use.text("comobject"):
        use.gives(Value(kind="com"))
    elif use.text("typename").endswith("smtpclient"):
        use.gives(Value(kind="mail"))
    else:
        texts = tainted(use.all("argumentlist")).texts
        use.gives(Value(texts, "", dict(use.get("property").table or {})))


def _instances(use: Use) -> None:
    """Get-WmiObject, Get-CimInstance: what is done with it is told by its class."""
    use.gives(Value(use.get("classname").texts or UNKNOWN.texts, "wmi"))


def _query(use: Use) -> None:
    """Invoke-Sqlcmd."""
    options = (("-S", "serverinstance"), ("-d", "database"), ("-Q", "query"))
    made = [f"{option} {word}" for option, name in options for word in words(use.get(name))]
    made += [f"-i {word}" for word in words(use.get("inputfile"), files=True)]
    use.prints(f"sqlcmd {' '.join(made)}")


def _add_type(use: Use) -> None:
    """Add-Type: source in another language."""
    source = use.get("typedefinition", "memberdefinition")
    if source.texts:
        use.emit(f"Add-Type {' '.join(words(source))}")
    use.gives()


def _policy(use: Use) -> None:
    """Set-ExecutionPolicy: for this process it is gone with it."""
    if use.text("scope") != "process":
        use.emit(f"Set-Executionpolicy {' '.join(words(use.get('executionpolicy', 'scope')))}")
    use.gives()


HANDLERS: dict[str, Handler] = {
    "run-code": _run_code,
    "run-block": _run_block,
    "start": _start,
    "processes": _processes,
    "stop-process": _stop_process,
    "stop-service": _service("stop"),
    "restart-service": _service("restart"),
    "start-service": _service("start"),
    "services": _services,
    "power-off": _power("poweroff"),
    "reboot": _power("reboot"),
    "request": _request,
    "transfer": _transfer,
    "look-up": _look_up,
    "new-object": _new_object,
    "instances": _instances,
    "query": _query,
    "add-type": _add_type,
    "policy": _policy,
}
