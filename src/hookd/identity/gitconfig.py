"""The settings in a repository's own config file, as git reads them; includes are not followed.

And a remote's address in one spelling, so that two clones of one repository can be recognised as such.
"""

from collections.abc import Iterable, Iterator

_BLANK = " \t\r"
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}
_TRUE = frozenset({None, "true", "yes", "on", "1"})
_PORTS = {"https": "443", "http": "80", "ssh": "22", "git+ssh": "22", "ssh+git": "22", "git": "9418"}
_LONGEST = 2000
_HOST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_")
_ADDRESS = frozenset("0123456789abcdef:.")


Setting = tuple[str, str, str, str | None]
"""Section, sub-section, key and value; None is a key without an equals sign, which means true."""


def settings(text: str) -> Iterator[Setting]:
    """The settings in their order; raises ValueError where git would refuse the file.

    They come as they are read, so a reader who has found his setting pays for nothing behind it.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n") + "\n"
    if "\0" in text:
        raise ValueError("a config file has no zero byte")
    section, subsection = "", ""
    at = 0
    while at < len(text):
        character = text[at]
        if character in _BLANK or character == "\n":
            at += 1
        elif character in "#;":
            at = text.index("\n", at)
        elif character == "[":
            section, subsection, at = _header(text, at + 1)
        else:
            end = text.index("\n", at)
            name, equals, _ = text[at:end].partition("=")
            key = name.rstrip(" \t")
            if not _is_name(key.replace("-", "")) or not key[0].isalpha():
                raise ValueError(f"no setting: {key[:80]}")
            value: str | None = None
            if equals:
                value, end = _value(text, at + len(name) + 1)
            yield section, subsection, key.lower(), value
            at = end


def _is_name(text: str) -> bool:
    return text.isascii() and text.isalnum()


def _header(text: str, at: int) -> tuple[str, str, int]:
    """Section and sub-section of a header, and where it ends; `at` is behind its bracket."""
    end = at
    while text[end] not in "] \t\r\n":
        end += 1
    name = text[at:end].lower()
    if not _is_name(name.replace("-", "").replace(".", "")):
        raise ValueError(f"no section: {name[:80]}")
    if text[end] == "]":
        section, _, subsection = name.partition(".")  # an older way to write a sub-section
        return section, subsection, end + 1
    while text[end] in _BLANK:
        end += 1
    if text[end] == '"':
        subsection, end = _quoted(text, end + 1)
        if text[end] == "]":
            return name, subsection, end + 1
    raise ValueError(f"the header of {name[:80]} does not end")


def _quoted(text: str, at: int) -> tuple[str, int]:
    """A sub-section's name, and where its quotes end; a backslash takes any character as it is."""
    characters: list[str] = []
    while text[at] != '"':
        if text[at] == "\\":
            at += 1
        if text[at] == "\n":
            raise ValueError("a sub-section does not end")
        characters.append(text[at])
        at += 1
    return "".join(characters), at + 1


def _value(text: str, at: int) -> tuple[str, int]:
    """A value, and the end of its last line: quotes, comments, escapes and lines that go on."""
    end = text.index("\n", at)
    line = text[at:end]
    if not any(special in line for special in '"\\#;'):
        return line.strip(_BLANK), end
    kept: list[str] = []
    blanks = ""
    quoted = False
    while (character := text[at]) != "\n":
        at += 1
        if character in _BLANK and not quoted:
            blanks += character if kept else ""
            continue
        if character in "#;" and not quoted:
            at = text.index("\n", at)
            break
        if blanks:
            kept.append(blanks)
            blanks = ""
        if character == '"':
            quoted = not quoted
        elif character != "\\":
            kept.append(character)
        elif text[at] == "\n":
            at += 1
            if at == len(text):  # the file's last line goes on, and nothing comes
                at -= 1
        elif (escaped := _ESCAPED.get(text[at])) is not None:
            kept.append(escaped)
            at += 1
        else:
            raise ValueError("a value has an escape that git does not know")
    if quoted:
        raise ValueError("a value's quotes do not end")
    return "".join(kept), at


def remote_url(text: str) -> str:
    """Where `origin` is, or the only remote there is; empty if there is none, or the file is broken."""
    urls: dict[str, str] = {}
    try:
        for section, name, key, value in settings(text):
            if section != "remote" or not name:
                continue
            urls.setdefault(name, "")
            if key == "url" and value and not urls[name]:
                urls[name] = value
                if name == "origin":
                    return value
    except ValueError:
        return ""
    return next(iter(urls.values())) if len(urls) == 1 and "origin" not in urls else ""


def work_tree(texts: Iterable[str]) -> str:
    """Where a git folder says that its work tree is; `texts` are its config and its `config.worktree`."""
    found = ""
    own = False
    try:
        for number, text in enumerate(texts):
            if number and not own:
                break
            for *name, value in settings(text):
                if name == ["core", "", "worktree"]:
                    found = value or ""
                elif name == ["extensions", "", "worktreeconfig"]:
                    own = (value.lower() if value else value) in _TRUE
    except ValueError:
        return ""
    return found


def normalised_remote(url: str) -> str:
    """`host/path` without scheme, user, password, usual port and `.git`.

    Empty for a folder, which is of one machine only, and for whatever is not surely an address.
    """
    if len(url) > _LONGEST or not url.isprintable() or " " in url or "\\" in url:
        return ""
    scheme, separator, rest = url.partition("://")
    if separator:
        authority, _, path = rest.partition("/")
        usual = _PORTS.get(scheme.lower())
    else:
        authority, path = _short_form(url)
        usual = ""  # there is no port in this form
    host = _host(authority, usual) if usual is not None else ""
    path = _path(path)
    return f"{host}/{path}" if host and path else ""


def _short_form(url: str) -> tuple[str, str]:
    """Host and path of `user@host:path`; git takes it for a folder if a slash comes before the colon."""
    before, colon, path = url.partition(":")
    if "[" in before:  # an address of version 6 has colons of its own
        before, colon, path = url.partition("]:")
        before += "]"
    is_drive = len(before) == 1
    is_helper = path.startswith(":")  # `ext::program` and its like
    if not colon or "/" in before or is_drive or is_helper:
        return "", ""
    return before, path


def _host(authority: str, usual_port: str) -> str:
    """Host, and port if it is not the usual one; empty if it is neither a name nor an address."""
    place = authority.rpartition("@")[2].lower()
    if place.startswith("["):
        address, bracket, rest = place[1:].partition("]")
        host, colon, port = f"[{address}]", rest[:1], rest[1:]
        is_host = bool(bracket) and colon in ("", ":") and _ADDRESS.issuperset(address) and ":" in address
    else:
        host, colon, port = place.partition(":")
        host = host.removesuffix(".")
        is_host = _HOST.issuperset(host) and host.strip(".-_") == host != ""
    if not is_host or (colon and not usual_port):
        return ""
    if port in ("", usual_port):
        return host
    is_port = port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) < 65536
    return f"{host}:{int(port)}" if is_port else ""


def _path(path: str) -> str:
    """The path from the host's top, as every form of address would have it."""
    path = path.strip("/").removesuffix(".git").rstrip("/")
    parts = path.split("/")
    is_odd = any(part in ("", ".", "..") for part in parts) or any(mark in path for mark in "?#")
    return "" if is_odd else path
