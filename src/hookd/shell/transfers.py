"""Effects of programs that carry data to or from elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from hookd.shell.finder import DETAILS, Finder, origins
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import Options, options

_SENDING = (
    "data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "form", "form-string", "json",
    "upload-file",
    "url-query",
)  # fmt: skip


def _remote_path(word: Word) -> bool:
    head, colon, _ = word.text.partition(":")
    return bool(colon) and "/" not in head


def _saved(folder: Word, url: Word) -> Word:
    """The file that a download makes when none is named."""
    path = url.text.partition("?")[0].partition("://")[2] or url.text
    name = path.rpartition("/")[2] or "index.html"
    text = f"{folder.text}/{name}"
    return Word(text, folder.known and UNKNOWN not in text, "", False, folder.sources)


def _rsync(command: Command, finder: Finder) -> None:
    parsed = options(command)
    if len(parsed.operands) < 2:
        finder.add_all("read", parsed.operands)
        return
    *sources, target = parsed.operands
    flags = parsed.flags & DETAILS
    deletes = any(flag.startswith("delete") for flag in parsed.flags)
    for source in sources:
        finder.add("fetch" if _remote_path(source) else "read", source, {"recursive"})
        if _remote_path(target):
            finder.add("send", source, {"recursive"})
    details = flags | ({"deletes"} if deletes else set())
    finder.add("remote" if _remote_path(target) else "write", target, details)
    if deletes:
        finder.add(
            "remote" if _remote_path(target) else "delete",
            target,
            {"recursive", "extraneous", "delete", *flags},
        )
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
            finder.add("send", source, parsed.flags & DETAILS)
        else:
            finder.add("read", source)
    finder.add("remote" if away else "write", target)


def _curl(command: Command, finder: Finder) -> None:
    parsed = options(command)
    urls = [*parsed.operands, *parsed.values.get("url", ())]
    method = parsed.values["request"][-1].text.upper() if "request" in parsed.values else ""
    sends = [word for name in _SENDING for word in parsed.values.get(name, ())]
    sends += [word for word in parsed.values.get("header", ()) if word.text.startswith("@")]
    writes = bool(sends and "get" not in parsed.flags) or method in ("POST", "PUT", "PATCH", "DELETE")
    details = {method.lower()} if method else set()
    if parsed.flags & {"insecure"}:
        details.add("insecure")
    for url in urls:
        if url.text.startswith("file://"):
            finder.add("read", url)
            continue
        finder.add("fetch", url, details)
        if writes or sends:
            finder.add("send", url, details | origins(command, finder.script))
        if method == "DELETE":
            finder.add("remote", url, {"delete"})
    _curl_files(parsed, finder)


def _curl_files(parsed: Options, finder: Finder) -> None:
    for name in _SENDING:
        for word in parsed.values.get(name, ()):
            at = (
                max(word.text.find("@"), word.text.find("=<") + 1)
                if name == "form" and "=<" in word.text
                else word.text.find("@")
                if name in ("form", "data-urlencode")
                else 0
                if word.text.startswith("@")
                else -1
            )
            if name == "upload-file":
                finder.add("read", word, ("sent",))
            elif at >= 0 and name not in ("data-raw", "form-string") and word.text[at + 1 :] not in ("-", ""):
                file = word.text[at + 1 :].partition(";")[0]
                finder.add("read", Word(file, UNKNOWN not in file, word.raw), ("sent",))
    for word in parsed.values.get("header", ()):
        if word.text.startswith("@"):
            finder.add("read", Word(word.text[1:], word.known, word.raw), ("sent",))
    for name in ("config", "netrc-file", "key", "cert", "cookie"):
        for word in parsed.values.get(name, ()):
            if name != "cookie" or "=" not in word.text:
                finder.add("read", word)
    for name in ("output", "dump-header", "cookie-jar", "trace", "trace-ascii", "stderr"):
        for word in parsed.values.get(name, ()):
            if word.text not in ("-", "/dev/null"):
                finder.add("overwrite", word, ("from-network",))
    if "remote-name" in parsed.flags or "remote-name-all" in parsed.flags:
        folder = parsed.values.get("output-dir", (Word(".", True, ""),))[-1]
        for url in (*parsed.operands, *parsed.values.get("url", ())):
            finder.add("write", _saved(folder, url), ("from-network",))


def _wget(command: Command, finder: Finder) -> None:
    parsed = options(command)
    sends = [
        *parsed.values.get("post-data", ()),
        *parsed.values.get("post-file", ()),
        *parsed.values.get("body-data", ()),
        *parsed.values.get("body-file", ()),
    ]
    for url in parsed.operands:
        finder.add("fetch", url, parsed.flags & DETAILS)
        if sends:
            finder.add("send", url, origins(command, finder.script))
    for name in ("post-file", "body-file", "input-file"):
        finder.add_all("read", parsed.values.get(name, ()), ("sent",) if name != "input-file" else ())
    outputs = [
        word for word in parsed.values.get("output-document", ()) if word.text not in ("-", "/dev/null")
    ]
    finder.add_all("overwrite", outputs, ("from-network",))
    if not parsed.values.get("output-document") and "spider" not in parsed.flags:
        folder = parsed.values.get("directory-prefix", (Word(".", True, ""),))[-1]
        for url in parsed.operands:
            finder.add("write", _saved(folder, url), ("from-network",))


def _http(command: Command, finder: Finder) -> None:
    parsed = options(command)
    words = list(parsed.operands)
    method = words.pop(0).text if words and words[0].text.isupper() and words[0].text.isalpha() else ""
    if not words:
        return
    details = {method.lower()} if method else set()
    finder.add("fetch", words[0], details)
    if (
        method in ("POST", "PUT", "PATCH", "DELETE")
        or any("=" in word.text for word in words[1:])
        or command.pipe_sources
    ):
        finder.add("send", words[0], details | origins(command, finder.script))
    if method == "DELETE":
        finder.add("remote", words[0], {"delete"})
    for word in words[1:]:
        if "@" in word.text and ":" not in word.text:
            finder.add("read", Word(word.text.partition("@")[2], word.known), ("sent",))


def _nc(command: Command, finder: Finder) -> None:
    parsed = options(command)
    executed = [*parsed.values.get("exec", ()), *parsed.values.get("sh-exec", ())]
    finder.add_all("execute", executed, ("socket", "shell"))
    if "listen" in parsed.flags:
        finder.add("listen", parsed.operands[-1] if parsed.operands else None, {"socket"})
    elif "z" not in parsed.flags and parsed.operands:
        finder.add("send", parsed.operands[0], {"socket", *origins(command, finder.script)})


def _openssl(command: Command, finder: Finder) -> None:
    texts = [word.text for word in command.args]
    for position, text in enumerate(texts[:-1]):
        if text in ("-connect",):
            finder.add("send", command.args[position + 1], {"socket"})
        elif text in ("-in", "-inkey", "-key", "-CAkey"):
            finder.add("read", command.args[position + 1])
        elif text in ("-out", "-keyout"):
            finder.add("overwrite", command.args[position + 1])


SPECIAL: dict[str, Callable[[Command, Finder], None]] = {
    "rsync": _rsync,
    "scp": _scp,
    "curl": _curl,
    "wget": _wget,
    "http": _http,
    "nc": _nc,
    "openssl": _openssl,
}
