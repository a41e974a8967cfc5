"""The settings in a repository's own config file, as git reads them; includes are not followed."""

from collections.abc import Iterable, Iterator

_BLANK = " \t\r"
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", "\\": "\\", '"': '"'}
_TRUE = frozenset({None, "true", "yes", "on", "1"})


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
    if text[end] != '"':
        raise ValueError(f"the header of {name[:80]} does not end")
    subsection, end = _quoted(text, end + 1)
    if text[end] != "]":
        raise ValueError(f"the header of {name[:80]} does not end")
    return name, subsection, end + 1


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
