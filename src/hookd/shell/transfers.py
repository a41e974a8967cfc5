"""Effects of programs that carry data to or from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from hookd.shell.finder import Finder, origins, vendor
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import Options, options

_SENDING = (
    "data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "form", "form-string", "json",
    "upload-file", "url-query",
)  # fmt: skip
_SENDING_METHODS = ("POST", "PUT", "PATCH", "DELETE")


def _remote_path(word: Word) -> bool:
    head, colon, _ = word.text.partition(":")
    return bool(colon) and "/" not in head


def _rsync(command: Command, finder: Finder) -> None:
    parsed = options(command)
    if len(parsed.operands) < 2:
        finder.add_all("read", parsed.operands)
        return
    *sources, target = parsed.operands
    deletes = any(flag.startswith("delete") for flag in parsed.flags)
    away = _remote_path(target)
    for source in sources:
        finder.add("fetch" if _remote_path(source) else "read", source, {"recursive"})
        if away:
            finder.add("send", source, {"recursive"})
    finder.add("remote" if away else "write", target, {*parsed.details, *(["deletes"] if deletes else ())})
    if deletes:
        details = {"recursive", "extraneous", "delete", *parsed.details}
        finder.add("remote" if away else "delete", target, details)
    if "remove-source-files" in parsed.flags:
        finder.add_all("delete", sources)


def _scp(command: Command, finder: Finder) -> None:
    parsed = options(command)
    if len(parsed.operands) < 2:
        return
    *sources, target = parsed.operands
    away = _remote_path(target) or target.text.startswith("scp://")
    for source in sources:
        if _remote_path(source) or source.text.startswith("scp://"):
            finder.add("fetch", source)
        elif away:
            finder.add("send", source, parsed.details)
        else:
            finder.add("read", source)
    finder.add("remote" if away else "write", target)


def _curl(command: Command, finder: Finder) -> None:
    parsed = options(command)
    urls = [*parsed.operands, *parsed.given("url")]
    method = parsed.values["request"][-1].text.upper() if "request" in parsed.values else ""
    headers = [word for word in parsed.given("header") if word.text.startswith("@")]
    sends = parsed.given(*_SENDING) or headers or method in _SENDING_METHODS
    details = {method.lower()} if method else set()
    details |= parsed.flags & {"insecure"}
    for url in urls:
        if url.text.startswith("file://"):
            finder.add("read", url)
            continue
        finder.add("fetch", url, details)
        if sends:
            finder.add("send", url, details | origins(command, finder.script))
        if method == "DELETE":
            finder.add("remote", url, {"delete"})
    for name in _SENDING:
        for word in parsed.given(name):
            if (file := _sent(name, word)) is not None:
                finder.add("read", file, ("sent",))
    for word in headers:
        finder.add("read", Word(word.text[1:], word.known, word.raw), ("sent",))
    finder.add_all("read", parsed.given("config", "netrc-file", "key", "cert"))
    finder.add_all("read", [word for word in parsed.given("cookie") if "=" not in word.text])
    outputs = parsed.given("output", "dump-header", "cookie-jar", "trace", "trace-ascii", "stderr")
    _save(outputs, finder)
    if "remote-name" in parsed.flags or "remote-name-all" in parsed.flags:
        _save_as_named(parsed, "output-dir", urls, finder)


def _sent(option: str, word: Word) -> Word | None:
    """The file that an option of curl has it send."""
    text = word.text
    if option == "upload-file":
        return word
    if option in ("data-raw", "form-string"):
        return None
    if option == "form" and "=<" in text:
        at = max(text.find("@"), text.find("=<") + 1)
    elif option in ("form", "data-urlencode"):
        at = text.find("@")
    else:
        at = 0 if text.startswith("@") else -1
    if at < 0 or text[at + 1 :] in ("-", ""):
        return None
    file = text[at + 1 :].partition(";")[0]
    return Word(file, UNKNOWN not in file, word.raw)


def _save(outputs: list[Word], finder: Finder) -> None:
    files = [word for word in outputs if word.text not in ("-", "/dev/null")]
    finder.add_all("overwrite", files, ("from-network",))


def _save_as_named(parsed: Options, option: str, urls: Iterable[Word], finder: Finder) -> None:
    """The files that downloads make when none is named, in the folder that an option says."""
    folder = parsed.values.get(option, (Word(".", True, ""),))[-1]
    for url in urls:
        path = url.text.partition("?")[0].partition("://")[2] or url.text
        text = f"{folder.text}/{path.rpartition('/')[2] or 'index.html'}"
        file = Word(text, folder.known and UNKNOWN not in text, "", False, folder.sources)
        finder.add("write", file, ("from-network",))


def _wget(command: Command, finder: Finder) -> None:
    parsed = options(command)
    unchecked = {"insecure"} if "no-check-certificate" in parsed.flags else set()
    for url in parsed.operands:
        finder.add("fetch", url, parsed.details | unchecked)
        if parsed.given("post-data", "post-file", "body-data", "body-file"):
            finder.add("send", url, origins(command, finder.script))
    finder.add_all("read", parsed.given("post-file", "body-file"), ("sent",))
    finder.add_all("read", parsed.given("input-file"))
    _save(parsed.given("output-document"), finder)
    if not parsed.given("output-document") and "spider" not in parsed.flags:
        _save_as_named(parsed, "directory-prefix", parsed.operands, finder)


def _http(command: Command, finder: Finder) -> None:
    parsed = options(command)
    words = list(parsed.operands)
    method = words.pop(0).text if words and words[0].text.isupper() and words[0].text.isalpha() else ""
    if not words:
        return
    details = {method.lower()} if method else set()
    finder.add("fetch", words[0], details)
    fields = any("=" in word.text for word in words[1:])
    if fields or method in _SENDING_METHODS or command.pipe_sources:
        finder.add("send", words[0], details | origins(command, finder.script))
    if method == "DELETE":
        finder.add("remote", words[0], {"delete"})
    for word in words[1:]:
        if "@" in word.text and ":" not in word.text:
            finder.add("read", Word(word.text.partition("@")[2], word.known), ("sent",))


def _nc(command: Command, finder: Finder) -> None:
    parsed = options(command)
    finder.add_all("execute", parsed.given("exec", "sh-exec"), ("socket", "shell"))
    if "listen" in parsed.flags:
        finder.add("listen", parsed.operands[-1] if parsed.operands else None, {"socket"})
    elif "z" not in parsed.flags and parsed.operands:
        finder.add("send", parsed.operands[0], {"socket", *origins(command, finder.script)})


_OPENSSL = {
    "-connect": ("send", {"socket"}),
    **dict.fromkeys(("-in", "-inkey", "-key", "-CAkey"), ("read", set())),
    **dict.fromkeys(("-out", "-keyout"), ("overwrite", set())),
}


def _openssl(command: Command, finder: Finder) -> None:
    for option, value in pairwise(command.args):
        if option.text in _OPENSSL:
            kind, details = _OPENSSL[option.text]
            finder.add(kind, value, details)


_BUCKETS = ("s3://", "gs://", "az://", "r2://", "b2://")


def _aws(command: Command, finder: Finder) -> None:
    """`aws s3 cp` carries in both directions; what else it does its verb tells."""
    parsed = options(command)
    words = parsed.operands
    if parsed.subcommand[:1] == ("s3",) and parsed.subcommand[1:2] in (("cp",), ("mv",), ("sync",)):
        away = len(words) > 1 and words[-1].text.startswith(_BUCKETS)
        details = {"recursive"} if "sync" in parsed.subcommand else parsed.details & {"recursive"}
        for source in words[:-1]:
            if away and not source.text.startswith(_BUCKETS):
                finder.add("send", source, details)
    vendor(command, finder)


SPECIAL: dict[str, Callable[[Command, Finder], None]] = {
    "aws": _aws,
    "rsync": _rsync,
    "scp": _scp,
    "curl": _curl,
    "wget": _wget,
    "http": _http,
    "nc": _nc,
    "openssl": _openssl,
}
