"""Effects of programs whose words mean more than a table can say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hookd.shell.effects import DETAILS, apply, lookup, origins
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import Options, options, split
from hookd.shell.sql import statements

if TYPE_CHECKING:
    from hookd.shell.effects import Finder


def _dd(command: Command, finder: Finder) -> None:
    for word in command.args:
        key, _, value = word.text.partition("=")
        target = Word(value, UNKNOWN not in value, word.raw, False, word.sources)
        if key == "if":
            finder.add("read", target)
        elif key == "of" and value != "/dev/null":
            finder.add("format" if value.startswith("/dev/") else "overwrite", target, ("raw",))


def _mkfs(command: Command, finder: Finder) -> None:
    finder.add_all("format", options(command).operands)


def _find(command: Command, finder: Finder) -> None:
    roots: list[Word] = []
    actions = False
    for word in command.args:
        if word.text[:1] in ("-", "(", "!"):
            if word.text in ("-L", "-H", "-P"):
                continue
            break
        roots.append(word)
    details = frozenset({"recursive"})
    texts = [word.text for word in command.args]
    narrowed = any(text in _TESTS for text in texts)
    for position, text in enumerate(texts):
        following = command.args[position + 1 : position + 2]
        if text == "-delete":
            finder.add_all("delete", roots or [Word(".")], details | ({"filtered"} if narrowed else set()))
            actions = True
        elif text in ("-fprint", "-fprint0", "-fls", "-fprintf"):
            finder.add_all("overwrite", following)
    if not actions:
        finder.add_all("read", roots, ("names",))


_TESTS = frozenset(
    "-name -iname -path -ipath -regex -type -mtime -mmin -size -empty -newer -atime -ctime -user -perm -maxdepth".split()
)


def _tar(command: Command, finder: Finder) -> None:
    args = list(command.args)
    if args and args[0].text[:1] != "-" and args[0].text.isalpha():  # the old style: tar xzf
        args[0] = Word("-" + args[0].text)
        letters = args[0].text[1:]
        args[1:1] = []
        if letters and letters[-1] != "f" and "f" in letters:
            args[0] = Word("-" + letters.replace("f", "") + "f")
    parsed = split("tar", args)
    shared = parsed.flags & DETAILS
    archives = [word for word in parsed.values.get("file", ()) if word.text != "-"]
    folders = parsed.values.get("directory", ())
    if parsed.flags & {"extract"}:
        finder.add_all("read", archives)
        finder.add_all("write", folders or (Word("."),), {"extract", *shared})
    elif parsed.flags & {"create", "append", "update"}:
        finder.add_all("read", parsed.operands, {"recursive"})
        finder.add_all("overwrite" if "create" in parsed.flags else "append", archives)
        if "remove-files" in parsed.flags:
            finder.add_all("delete", parsed.operands, {"recursive"})
    else:
        finder.add_all("read", archives)


def _remote_path(word: Word) -> bool:
    head, colon, _ = word.text.partition(":")
    return bool(colon) and "/" not in head


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


_SENDING = (
    "data",
    "data-ascii",
    "data-binary",
    "data-raw",
    "data-urlencode",
    "form",
    "form-string",
    "json",
    "upload-file",
    "url-query",
)


def _curl(command: Command, finder: Finder) -> None:
    parsed = options(command)
    urls = [*parsed.operands, *parsed.values.get("url", ())]
    method = parsed.values["request"][-1].text.upper() if "request" in parsed.values else ""
    sends = [word for name in _SENDING for word in parsed.values.get(name, ())]
    writes = bool(sends and "get" not in parsed.flags) or method in ("POST", "PUT", "PATCH", "DELETE")
    details = {method.lower()} if method else set()
    if parsed.flags & {"insecure"}:
        details.add("insecure")
    for url in urls:
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
                word.text.find("@")
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
    for name in ("config", "netrc-file", "key", "cert", "cookie"):
        for word in parsed.values.get(name, ()):
            if name != "cookie" or "=" not in word.text:
                finder.add("read", word)
    for name in ("output", "dump-header", "cookie-jar", "trace", "trace-ascii", "stderr"):
        for word in parsed.values.get(name, ()):
            if word.text not in ("-", "/dev/null"):
                finder.add("overwrite", word, ("from-network",))
    if "remote-name" in parsed.flags or "remote-name-all" in parsed.flags:
        finder.add("write", Word(".", True, ""), ("from-network",))


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
    if not parsed.values.get("output-document") and parsed.operands and "spider" not in parsed.flags:
        finder.add(
            "write", (parsed.values.get("directory-prefix") or (Word(".", True, ""),))[-1], ("from-network",)
        )


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


def _git(command: Command, finder: Finder) -> None:
    parsed = options(command)
    verb = parsed.subcommand[0] if parsed.subcommand else ""
    special = _GIT.get(verb)
    if special is not None:
        special(command, parsed, finder)
        return
    found = lookup("git", parsed)
    if found:
        apply(found, parsed, finder)


def _git_push(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    shared = set(parsed.flags & DETAILS)
    refs = parsed.operands[1:]
    remote = parsed.operands[0] if parsed.operands else parsed.values.get("repo", (None,))[-1]
    finder.add("send", remote, {"git"})
    if not refs:
        finder.add("remote", None, {"git", *shared})
    for ref in refs:
        details = {"git", *shared}
        name = ref.text
        if name.startswith("+"):
            details.add("force")
        if name.startswith(":"):
            details.add("delete")
        name = name.lstrip("+").rpartition(":")[2]
        finder.add("remote", Word(name, ref.known, ref.raw, ref.glob), details)


def _after_dashes(command: Command) -> tuple[Word, ...] | None:
    for position, word in enumerate(command.args):
        if word.text == "--":
            return command.args[position + 1 :]
    return None


def _git_checkout(command: Command, parsed: Options, finder: Finder) -> None:
    """A branch is only entered; paths lose their changes."""
    paths = _after_dashes(command)
    creates = parsed.flags & {"b", "orphan"}
    if paths is None:
        looks = [
            word
            for word in parsed.operands
            if word.text in (".", "*") or word.text.startswith(("./", ":/", ":(")) or word.glob
        ]
        paths = tuple(looks or (parsed.operands[1:] if len(parsed.operands) > 1 and not creates else ()))
    if paths or parsed.flags & {"pathspec-from-file", "ours", "theirs"}:
        finder.add_all("history", paths or (Word("."),), {"discards", "paths", *(parsed.flags & DETAILS)})
    elif parsed.flags & {"force", "B"}:
        finder.add(
            "history",
            parsed.operands[0] if parsed.operands else None,
            {"discards", *(parsed.flags & DETAILS)},
        )
    else:
        finder.add("history", parsed.operands[0] if parsed.operands else None, {"adds"})


def _git_restore(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    index_only = "staged" in parsed.flags and "worktree" not in parsed.flags
    details = {"adds"} if index_only else {"discards", "paths", *(parsed.flags & DETAILS)}
    finder.add_all("history", parsed.operands or (Word("."),), details)


def _git_reset(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    shared = parsed.flags & DETAILS
    target = parsed.operands[0] if parsed.operands else None
    if parsed.flags & {"hard", "merge", "keep"}:
        finder.add(
            "history",
            target,
            {"discards", *shared}
            if "hard" in parsed.flags
            else {"moves", *(parsed.flags & {"merge", "keep"})},
        )
    else:
        finder.add("history", target, {"moves" if target is not None else "adds", *shared})


def _git_clean(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    unasked = any(
        word.text.replace(" ", "").lower()
        in ("clean.requireforce=false", "clean.requireforce=no", "clean.requireforce=0")
        for word in parsed.values.get("c", ())
    )
    if not unasked and not parsed.flags & {"force", "interactive", "dry-run"}:
        return  # it refuses
    details = {"untracked", "discards", *(parsed.flags & DETAILS)}
    if "d" in parsed.flags:
        details.add("recursive")
    if parsed.flags & {"x", "X"}:
        details.add("ignored")
    finder.add_all("delete", parsed.operands or (Word("."),), details)


def _git_branch(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    flags = parsed.flags
    if flags & {"delete", "D"}:
        forced = "D" in flags or "force" in flags
        finder.add_all("history", parsed.operands, {"delete", "branch", *({"force"} if forced else ())})
    elif flags & {"M", "C", "force"} and parsed.operands:
        finder.add_all("history", parsed.operands, {"rewrites", "branch", "force"})
    elif parsed.operands and not flags & {
        "list",
        "contains",
        "merged",
        "no-merged",
        "points-at",
        "show-current",
        "all",
        "remotes",
    }:
        finder.add_all("history", parsed.operands, {"adds", "branch"})


def _git_config(command: Command, parsed: Options, finder: Finder) -> None:  # noqa: ARG001
    changes = len(parsed.operands) > 1 or parsed.flags & {
        "unset",
        "unset-all",
        "replace-all",
        "remove-section",
        "rename-section",
        "edit",
    }
    if (
        changes
        and not parsed.flags & {"get", "get-all", "get-regexp", "get-urlmatch", "list"}
        and parsed.operands[:1] != (Word("get", True, "get"),)
    ):
        finder.add(
            "environment", parsed.operands[0] if parsed.operands else None, {"git", *(parsed.flags & DETAILS)}
        )


_GIT: dict[str, Callable[[Command, Options, Finder], None]] = {
    "push": _git_push, "checkout": _git_checkout, "restore": _git_restore, "reset": _git_reset, "clean": _git_clean, "branch": _git_branch, "config": _git_config,
}  # fmt: skip


def _gh(command: Command, finder: Finder) -> None:
    from hookd.shell.effects import _vendor

    parsed = options(command)
    if parsed.subcommand[:1] != ("api",):
        _vendor(command, finder)
        return
    method = (
        parsed.values["method"][-1].text.upper()
        if "method" in parsed.values
        else "POST"
        if parsed.flags & {"field", "raw-field", "input"}
        else "GET"
    )
    graphql = bool(parsed.operands) and parsed.operands[0].text == "graphql"
    if graphql:
        query = " ".join(word.text for name in ("field", "raw-field") for word in parsed.values.get(name, ()))
        method = "POST" if "mutation" in query else "GET"
    target = parsed.operands[0] if parsed.operands else None
    if method == "GET":
        finder.add("fetch", target, {"query"})
    else:
        finder.add("remote", target, {"delete"} if method == "DELETE" else {method.lower()})


def _sql_client(
    texts: Callable[[Command, Options], list[Word]], files: str
) -> Callable[[Command, Finder], None]:
    """psql, mysql, sqlite3 ...: effects by the statements they are given."""

    def run(command: Command, finder: Finder) -> None:
        parsed = options(command)
        given = texts(command, parsed)
        for word in parsed.values.get(files, ()):
            finder.add("database", word, ("file",))
        if not given and command.stdin_text is not None:
            given = [Word(command.stdin_text, UNKNOWN not in command.stdin_text)]
        elif not given and (command.pipe_sources or any(item.operator == "<" for item in command.redirects)):
            finder.add("database", None, ("unknown-sql",))
        for word in given:
            sql_effects(word, finder)

    return run


def sql_effects(word: Word, finder: Finder) -> None:
    """The effects of SQL text."""
    if not word.text.strip(UNKNOWN + " \n"):
        finder.add("database", None, ("unknown-sql",))
        return
    for statement in statements(word.text):
        details = {statement.verb}
        if statement.object and statement.verb in ("drop", "alter", "truncate"):
            details.add(statement.object)
        if statement.unbounded:
            details.add("all")
        finder.add(
            "database",
            Word(statement.name, UNKNOWN not in statement.name) if statement.name else None,
            details,
        )


def _values(*names: str) -> Callable[[Command, Options], list[Word]]:
    return lambda command, parsed: [word for name in names for word in parsed.values.get(name, ())]  # noqa: ARG005


def _sqlite_texts(command: Command, parsed: Options) -> list[Word]:  # noqa: ARG001
    return [*parsed.operands[1:], *parsed.values.get("cmd", ())]


def _duckdb_texts(command: Command, parsed: Options) -> list[Word]:  # noqa: ARG001
    return [
        *parsed.values.get("command", ()),
        *parsed.values.get("s", ()),
        *parsed.operands[1:],
        *parsed.values.get("cmd", ()),
    ]


_REDIS_DELETES = frozenset(
    "flushall flushdb del unlink getdel hdel ltrim expire shutdown rename script config debug swapdb migrate zremrangebyrank zremrangebyscore xtrim".split()
)
_REDIS_READS = frozenset(
    "get mget keys scan info ping ttl pttl type exists hget hgetall hmget hkeys hvals llen lrange lindex scard smembers sismember zrange zscore zcard dbsize time monitor slowlog client cluster memory strlen object echo command lastsave latency xlen xrange xread xinfo randomkey hscan sscan zscan role hlen zcount bitcount getrange dump".split()
)


def _redis(command: Command, finder: Finder) -> None:
    parsed = options(command)
    lines = [[word.text for word in parsed.operands]] if parsed.operands else []
    if not lines and command.stdin_text is not None:
        lines = [line.split() for line in command.stdin_text.splitlines() if line.strip()]
    elif not lines and command.pipe_sources:
        finder.add("database", None, ("unknown-sql",))
    for words in lines[:64]:
        verb = words[0].lower() if words else ""
        if verb in ("flushall", "flushdb"):
            finder.add("database", None, {"drop", "all"})
        elif verb == "config" and len(words) > 1 and words[1].lower() in ("get",):
            finder.add("database", None, {"select"})
        elif verb in _REDIS_DELETES:
            finder.add("database", Word(words[1]) if len(words) > 1 else None, {"delete"})
        else:
            finder.add("database", None, {"select"} if verb in _REDIS_READS else {"insert"})


_MONGO = {
    "dropDatabase": {"drop", "database"}, "drop": {"drop", "collection"}, "deleteMany": {"delete"}, "deleteOne": {"delete"}, "remove": {"delete"}, "updateMany": {"update"},
    "updateOne": {"update"}, "insertOne": {"insert"}, "insertMany": {"insert"}, "dropIndexes": {"drop", "index"}, "dropIndex": {"drop", "index"}, "dropUser": {"drop", "user"},
    "renameCollection": {"alter"}, "shutdownServer": {"drop"}, "bulkWrite": {"update"}, "findOneAndDelete": {"delete"}, "replaceOne": {"update"}, "createIndex": {"alter"},
}  # fmt: skip


def _mongo(command: Command, finder: Finder) -> None:
    parsed = options(command)
    code = [*parsed.values.get("eval", ())]
    if not code and command.stdin_text is not None:
        code = [Word(command.stdin_text)]
    elif not code and (command.pipe_sources or "file" in parsed.values):
        finder.add("database", None, ("unknown-sql",))
    for word in code:
        compact = word.text.replace(" ", "")
        found = [details for name, details in _MONGO.items() if f".{name}(" in compact]
        for details in found or [{"select"}]:
            everything = (
                {"all"}
                if ".deleteMany({})" in compact or ".remove({})" in compact or ".deleteMany()" in compact
                else set()
            )
            finder.add("database", None, {*details, *(everything if "delete" in details else ())})


def _mysqladmin(command: Command, finder: Finder) -> None:
    operands = options(command).operands
    verb = operands[0].text if operands else ""
    if verb == "drop":
        finder.add("database", operands[1] if len(operands) > 1 else None, {"drop", "database"})
    elif verb in ("shutdown", "kill", "stop-slave"):
        finder.add("service", None, {"stop"})
    elif verb in ("create", "password", "flush-privileges", "reload"):
        finder.add("database", None, {"alter"})


def _kill(command: Command, finder: Finder) -> None:
    words = [word for word in command.args if word.text[:1] != "-" or word.text == "-1"]
    if any(word.text in ("-l", "-L", "--list") for word in command.args) or (
        command.name == "kill" and any(word.text == "-0" for word in command.args)
    ):
        return
    forced = any(word.text in ("-9", "-KILL", "-SIGKILL", "-s9") for word in command.args)
    details = {"force"} if forced else set()
    if command.name == "kill" and any(word.text == "-1" for word in command.args[1:]):
        details.add("all")
    finder.add_all("process", words or (), details)


def _null(command: Command, finder: Finder) -> None:
    """A function that calls itself twice over, in a pipe and in the background."""
    if command.in_function == command.name and (command.writes_pipe is not None or command.background):
        finder.add("process", None, ("fork-bomb",))


def _export(command: Command, finder: Finder) -> None:  # noqa: ARG001
    """Assignments are told apart for every command."""


def _docker(command: Command, finder: Finder) -> None:
    parsed = options(command)
    name = "docker-compose" if command.name.endswith("compose") else "docker"
    found = lookup(name, parsed)
    if found:
        apply(found, parsed, finder)
    if parsed.subcommand[-1:] in (("run",), ("create",)):
        for volume in (*parsed.values.get("volume", ()), *parsed.values.get("mount", ())):
            finder.add("mount", volume, {"container"})
        risky = parsed.flags & {"privileged", "cap-add", "device", "pid", "security-opt"}
        if risky:
            finder.add("service", None, {"container", *risky})


def _systemless(command: Command, finder: Finder) -> None:
    parsed = options(command)
    verb = next((word.text for word in parsed.operands[1:2]), "")
    if verb and verb != "status":
        finder.add("service", parsed.operands[0], {verb} if verb in ("stop", "start", "restart") else set())


SPECIAL: dict[str, Callable[[Command, Finder], None]] = {
    "dd": _dd, "mkfs": _mkfs, "find": _find, "tar": _tar, "rsync": _rsync, "scp": _scp, "curl": _curl, "wget": _wget, "http": _http, "nc": _nc, "openssl": _openssl, "git": _git,
    "gh": _gh, "psql": _sql_client(_values("command"), "file"), "mysql": _sql_client(_values("execute", "init-command"), "no-file"), "sqlite3": _sql_client(_sqlite_texts, "init"),
    "duckdb": _sql_client(_duckdb_texts, "f"), "clickhouse-client": _sql_client(_values("query"), "queries-file"), "cqlsh": _sql_client(_values("execute"), "file"),
    "sqlcmd": _sql_client(_values("Q", "q"), "i"), "snowsql": _sql_client(_values("query"), "filename"), "sqlplus": _sql_client(_values("no-text"), "no-file"),
    "redis-cli": _redis, "mongosh": _mongo, "mysqladmin": _mysqladmin, "kill": _kill, ":": _null, "docker": _docker, "docker-compose": _docker, "service": _systemless,
    "export": _export, "declare": _export, "local": _export, "readonly": _export, "typeset": _export,
}  # fmt: skip
