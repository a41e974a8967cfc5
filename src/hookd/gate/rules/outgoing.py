"""What leaves with a command: secrets in variables, what programs print that hold them, rows of databases.

Whether a secret that is sent is a leak depends on where it goes: to the service it is for it goes every day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hookd.gate.case.hosts import kind_of, kinds, of_command
from hookd.gate.case.model import Case
from hookd.gate.noticed.belongings import belongs, expanded_names, sounds_secret
from hookd.patterns import late
from hookd.shell.effects import Effect
from hookd.shell.model import UNKNOWN, Command, Word
from hookd.shell.options import options
from hookd.shell.programs import ALIASES

Labels = frozenset[str]
_NOTHING: Labels = frozenset()

COPIERS = frozenset({"scp", "rsync", "rclone", "sftp", "git", "kubectl", "docker", "gsutil", "aws"})
"""Programs that are there to copy files to another machine."""
_NEVER_SENT = frozenset({"secret", "key", "environment", "hookd"})
"""What is for no other program either, wherever that runs."""
IN_AN_ADDRESS = _NEVER_SENT | {"dump"}
"""What has no place in an address or a header either."""
RESOLVERS = frozenset(
    "dig nslookup host ping ping6 getent drill kdig delv resolvectl traceroute fping hping3".split()
)
"""Programs that ask name servers, which hear every part of the name."""
_ENCODERS = frozenset("base64 base32 xxd od hexdump basenc uuencode openssl".split())
_DUMPERS = frozenset("pg_dump pg_dumpall mysqldump mongodump mongoexport bq influxd cqlsh".split())
_DUMP_FILE = late(
    r"(?i)[^/]*(?:\.(?:sql|dump|bak|sqlite3?|mdb|rdb|pgdump|bson)|(?:^|[._-])(?:backup|dump)s?[._-][^/]*)(?:\.(?:gz|xz|zst|bz2|zip|7z))?$"
)
_PRINTERS: Mapping[str, Mapping[str, str]] = {
    "gh": {"auth token": "GITHUB_TOKEN"},
    "glab": {"auth token": "GITLAB_TOKEN"},
    "gcloud": {
        "auth print-access-token": "GOOGLE_TOKEN",
        "auth print-identity-token": "GOOGLE_TOKEN",
        "auth application-default print-access-token": "GOOGLE_TOKEN",
        "secrets versions access": "SECRET",
    },
    "az": {"account get-access-token": "AZURE_TOKEN", "keyvault secret show": "SECRET"},
    "aws": {
        "secretsmanager get-secret-value": "SECRET",
        "ssm get-parameter": "SECRET",
        "ssm get-parameters": "SECRET",
        "configure export-credentials": "AWS_SECRET",
        "configure get": "AWS_SECRET",
    },
    "heroku": {"auth:token": "HEROKU_TOKEN", "config": "SECRET"},
    "npm": {"token": "NPM_TOKEN"},
    "security": {"find-generic-password": "PASSWORD", "find-internet-password": "PASSWORD"},
    "secret-tool": {"lookup": "PASSWORD"},
    "pass": {"": "PASSWORD", "show": "PASSWORD"},
    "op": {"read": "PASSWORD", "item get": "PASSWORD"},
    "bw": {"get": "PASSWORD"},
    "vault": {"kv get": "SECRET", "read": "SECRET"},
    "doppler": {"secrets": "SECRET"},
    "kubectl": {},
    "git": {"credential fill": "PASSWORD"},
}
"""Programs that print a secret, by their first words, and a variable's name that says what it is for."""
_AUTH_OPTIONS = frozenset(
    "-H --header -u --user --oauth2-bearer -b --cookie -U --proxy-user -a --auth --password --http-password "
    "--http-user -E --cert --pass --key --aws-sigv4".split()
)
_AUTH_BEFORE = late(
    r"(?:key|token|auth\w*|secret|pass\w*|pwd|appid|sig\w*|session|credential\w*|jwt)[\\\"'\s]*(?:[:=]|%3D)[\\\"'\s]*"
    r"(?:(?:bearer|basic|token|key)\s)?[\\\"']*$|(?:bearer|basic)\s[\\\"']*$|://[^/?#]*$",
    re.IGNORECASE,
)
"""What stands in front of a value that says who asks."""
_SENDING_VERBS = frozenset(
    "send post publish upload comment share message notify tweet reply paste submit".split()
)


def is_out(effect: Effect) -> bool:
    """Whether an effect carries words of the command to another machine."""
    return effect.kind in ("send", "fetch") and not effect.details & {"query", "git", "image", "index"}


def publishes(command: Command, effects: Iterable[Effect]) -> bool:
    """Whether a program that nobody knows says that it sends what it is given."""
    if not any(effect.details & {"unknown-program", "unknown-verb"} for effect in effects):
        return False
    words = [word.text.lower() for word in command.args[:4] if word.text.isascii() and word.text[:1] != "-"]
    return any(part in _SENDING_VERBS for word in words for part in (word, *word.split("-")))


def may_leak(case: Case) -> bool:
    """A cheap look: something goes out, and something in the line is only known when it runs."""
    return ("$" in case.command or "`" in case.command or "|" in case.command) and (
        any(map(is_out, case.effects)) or any(command.name in RESOLVERS for command in case.script.commands)
    )


class Outgoing:
    """Follows secrets in variables from command to command."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._set: dict[str, Labels] = {}

    def brought(self, command: Command, effects: Iterable[Effect]) -> Labels:
        """The labels of what a command brings in: `$NAME` for the secret of that name, `dump`, `encoded`."""
        labels = set(self._named(command))
        name = ALIASES.get(command.name, command.name)
        known = _PRINTERS.get(name)
        if known is not None and (found := _printed(command, known)):
            labels.add(f"${found}")
        if name == "printenv":
            labels |= {f"${word.text}" for word in command.args if sounds_secret(word.text)}
        if name in _DUMPERS or any(_is_dump(effect) for effect in effects):
            labels.add("dump")
        if name in _ENCODERS and "d" not in {
            flag for word in command.args for flag in word.text.lstrip("-")[:1]
        }:
            labels.add("encoded")
        return frozenset(labels)

    def notice_set(self, command: Command, taken: Labels) -> None:
        """Remembers what the variables carry that a command sets."""
        for variable, value in command.assignments:
            self._set[variable] = frozenset(self._of_word(value)) | (taken if value.sources else _NOTHING)

    def _named(self, command: Command) -> Iterator[str]:
        for word in (*command.args, *(redirect.target for redirect in command.redirects)):
            yield from self._of_word(word)
        if any(r.operator == "<<" and not r.target.known for r in command.redirects):
            yield from self._of_raw(self._case.command)  # a document is not kept as it is written

    def _of_word(self, word: Word) -> Iterator[str]:
        return self._of_raw(word.raw) if "$" in word.raw else iter(())

    def _of_raw(self, raw: str) -> Iterator[str]:
        for name, _ in expanded_names(raw):
            if (known := self._set.get(name)) is not None:
                yield from known
            elif sounds_secret(name):
                yield f"${name}"

    def of_file(self, path: str) -> Labels:
        """What a file carries by its name."""
        return frozenset({"dump"}) if _DUMP_FILE.fullmatch(path.rpartition("/")[2]) else _NOTHING

    def whole(self, command: Command, effect: Effect) -> Labels:
        """What is more than a file among what a program copies: folders of the home, the whole project."""
        if effect.kind != "send" or effect.target is None or command.name not in COPIERS:
            return _NOTHING
        if "recursive" not in effect.details and command.name != "rclone":
            return _NOTHING
        places = self._case.places.of(effect.target, command.cwd)
        if places & {"home", "in-home", "other-home"} and not places & {"project", "project-root", "temp"}:
            return frozenset({"outside"})
        return frozenset({"project"}) if "project-root" in places else _NOTHING

    def hosts(self, command: Command) -> Labels:
        """What the hosts are that a command names."""
        return _NOTHING.union(*(kinds(self._case, host) for host in of_command(command)))

    def sent(self, command: Command, effect: Effect, labels: Labels, made: Labels) -> Iterator[str]:
        """The flows into what is sent; `made` are the labels of what other commands made for it."""
        # Copying is what some programs are for; only what others made for it is bulk.
        own = {"archive", "outside", "dump"} if command.name in COPIERS else {"archive"}
        own = {"archive", "outside"} if "publish" in effect.details else own
        yield from self.carried_away(command, labels - own | made | self.whole(command, effect))
        if "socket" in effect.details and "file" in labels and "foreign" in self.hosts(command):
            yield "file into socket"

    def carried_away(self, command: Command, labels: Labels) -> Iterator[str]:
        """The gravest flow into a command that sends what it is given."""
        hosts = self.hosts(command)
        away = not hosts or not hosts <= {"local", "private", "own"}
        for label in ("secret", "key", "environment", "hookd", "dump", "archive", "outside", "project"):
            if label in labels and (away or label in _NEVER_SENT):
                yield f"{label} into send"
                return

    def leaks(self, command: Command, effects: Iterable[Effect], labels: Labels) -> Iterator[tuple[str, str]]:
        """What leaves with a command that should not: the kind of flow, and what a person is told of it."""
        if command.name in RESOLVERS:
            yield from self._looked_up(command, labels)
            return
        secrets = sorted(label[1:] for label in labels if label[0] == "$")
        if not secrets or command.name == "git":
            return
        if publishes(command, effects) or any("publish" in e.details for e in effects):
            yield "variable into send", f"the value of {secrets[0]} to {command.name}"
        elif any(map(is_out, effects)):
            hosts = of_command(command)
            for name in secrets:
                if (host := self._leaks_to(name, hosts, command)) is not None:
                    yield "variable into send", f"the value of {name} to {host.replace(UNKNOWN, '?')}"

    def _leaks_to(self, name: str, hosts: tuple[str, ...], command: Command) -> str | None:
        """The host that has no business with a secret; None if there is none."""
        for host in hosts:
            kind = kind_of(host)
            whose = belongs(name, host)
            if whose == "here" or kind in ("local", "private"):
                continue
            odd = kind in ("collector", "address") or not self._says_who_asks(name, command)
            if kind == "unknown":
                leaks = whose == "elsewhere" and odd
            else:
                leaks = (whose == "elsewhere" or odd) and "foreign" in kinds(self._case, host)
            if leaks:
                return host
        return None

    def _says_who_asks(self, name: str, command: Command) -> bool:
        """Whether a secret stands where a request has its key or password, and nowhere else."""
        given = False
        for number, word in enumerate(command.args):
            places = [
                at
                for found, at in expanded_names(word.raw)
                if found == name or f"${name}" in self._set.get(found, ())
            ]
            if not places and word.sources and word.raw:
                places = [max(word.raw.find("$("), word.raw.find("`"))]
            before = command.args[number - 1].text if number else ""
            for at in places:
                option = before in _AUTH_OPTIONS or word.raw.startswith(("-H", "--header", "-u", "--user"))
                if not option and not _AUTH_BEFORE.search(word.raw[:at]):
                    return False
                given = True
        return given

    def _looked_up(self, command: Command, labels: Labels) -> Iterator[tuple[str, str]]:
        """A name that is put together from something else than names."""
        told = sorted(label for label in labels if label in _TELLING or label[0] == "$")
        for word in command.args if told else ():
            _, unknown, rest = word.text.rpartition(UNKNOWN)
            if unknown and rest[:1] in (".", "-"):
                yield (
                    "data into lookup",
                    f"{_WORDS.get(told[0], told[0].strip('$'))} in a name below {rest[1:]}",
                )
                return


_WORDS = {
    "secret": "a secret file",
    "key": "a key",
    "environment": "the environment",
    "archive": "packed files",
    "outside": "a file from outside the project",
    "dump": "rows of a database",
    "encoded": "encoded data",
}
_TELLING = frozenset(_WORDS)


def _printed(command: Command, known: Mapping[str, str]) -> str | None:
    parsed = options(command)
    words = [*parsed.subcommand, *(word.text for word in parsed.operands)]
    if command.name in ("kubectl", "k", "oc"):
        shown = "output" in parsed.values  # without that it is a list of names
        kinds = {kind for word in words[1:] for kind in word.partition("/")[0].split(",")}
        return "CLUSTER_SECRET" if shown and words[:1] == ["get"] and kinds & {"secret", "secrets"} else None
    return next((what for first, what in known.items() if words[: len(first.split())] == first.split()), None)


def _is_dump(effect: Effect) -> bool:
    return effect.kind == "database" and bool(effect.details & {"dump", "select", "copy", "unload"})
