"""What is carried from one command into another: fetched text that is run, a secret that is sent.

Every command is given the labels of what it reads (from a pipe, from words that hold another's output, from
files that an earlier command wrote), adds those of what it brings in itself, and passes them on in its
output and in the files it writes. Labels: `fetched` from the network, `decoded` from an encoding, `secret`
and `key` from files of that kind, `environment`, `archive` of folders, `outside` the project, `hookd` from
hookd's own files or processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hookd.gate.case.model import Case
from hookd.gate.rules.carriers import (
    DECODERS,
    SEARCHERS,
    creates,
    decodes,
    is_file,
    looks_for_secrets,
    prints_everything,
    prints_variables,
    takes_quietly,
)
from hookd.gate.rules.outgoing import IN_AN_ADDRESS, Outgoing, is_out, may_leak, publishes
from hookd.shell.effects import Effect
from hookd.shell.model import UNKNOWN, Command, Word

Labels = frozenset[str]
_NOTHING: Labels = frozenset()

_SINKS = frozenset({"execute", "send", "process", "unknown", "remote"})
_WRITES = frozenset({"overwrite", "append", "write"})
_READS = frozenset({"read", "move", "send"})
_DIGESTS = frozenset("sha1sum sha256sum sha512sum md5sum md5 shasum b2sum cksum wc test [ [[ stat".split())
"""Programs whose output tells next to nothing of what they read."""
_ARCHIVERS = frozenset("tar zip 7z 7za cpio gtar bsdtar".split())
_PRINTS_CODE = frozenset(
    "ssh-agent gpg-agent brew pyenv rbenv nodenv jenv goenv direnv starship zoxide opam docker-machine "
    "minikube keychain dircolors fnm mise rtx asdf conda mamba micromamba lesspipe lesspipe.sh "
    "register-python-argcomplete kubectl helm npm fzf atuin thefuck luarocks perl resize tset which "
    "command type realpath readlink dirname nodeenv nvm basename pipenv poetry rustup docker gh podman "
    "eksctl hub mcfly navi sheldon antibody antidote vault-env podman-machine colima cargo envchain where "
    "vswhere".split()
)
"""Programs whose output is meant to be run by a shell, or is one name."""
_CODE_WORDS = frozenset(
    {"completion", "completions", "shellenv", "shell-init", "hook", "activate", "init", "env"}
)
_KEY_FOLDERS = frozenset(
    "certs certificates secrets credentials keys private-keys private_keys keystore".split()
)
"""Folders that, sent as a whole, take keys along."""
_PROCESS_FINDERS = frozenset({"pgrep", "pidof", "ps", "lsof", "ss", "grep"})
_FORCEFUL = frozenset({"-rf", "-fr", "-Rf", "-fR", "--hard"})
_NETWORK_DETAILS = frozenset({"query", "git", "image", "index"})
_COMPRESSORS = frozenset({"gzip", "xz", "bzip2", "zstd"})
_SHELLS = frozenset("bash sh zsh dash ksh mksh ash fish rbash csh tcsh".split())


class Flow(NamedTuple):
    """Something that got from where it came from into a command."""

    kind: str
    command: int
    shown: str = ""
    """What it is and where it goes, where the kind does not tell."""


def flows(case: Case) -> Iterator[Flow]:
    """The flows of a case, by the command they end in."""
    commands = case.script.commands
    if (
        not case.script.unknowns
        and not any(
            effect.kind in _SINKS
            or "insecure" in effect.details
            or (effect.kind == "package" and is_file(effect.target))
            for effect in case.effects
        )
        and not any((c.pipe_sources or c.redirects) and takes_quietly(c, commands) for c in commands)
        and not may_leak(case)
    ):
        return
    by_command: dict[int, list[Effect]] = {}
    for effect in case.effects:
        by_command.setdefault(effect.command, []).append(effect)
    tracer = _Tracer(case)
    for index, command in enumerate(commands):
        yield from tracer.step(index, command, by_command.get(index, ()))


class _Tracer:
    """Walks the commands in order and remembers what each one and each file carries."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._outgoing = Outgoing(case)
        self._output: dict[int, Labels] = {}
        self._files: dict[str, Labels] = {}
        # What `exec` has opened for later commands that write to a descriptor.
        self._socket_open = self._shell_open = False
        self._open_files: list[str] = []
        self._read_later: dict[str, int] = {}  # by a sender in the background, which may wait for it

    def step(self, index: int, command: Command, effects: Iterable[Effect]) -> Iterator[Flow]:
        taken = self._taken(command)
        own = self._own(command, effects)
        self._outgoing.notice_set(command, taken)
        # A later command of a pipe is walked after the ones it reads, so their labels are there.
        labels = taken | own
        if command.wrapped_by is not None:
            labels |= self._output.get(command.wrapped_by, _NOTHING) & {"fetched", "decoded", "secret"}
        self._output[index] = _NOTHING if command.name in _DIGESTS else labels
        for effect in effects:
            if effect.kind in _WRITES and effect.target is not None:
                if "unchecked" in labels:
                    yield Flow("unchecked into files", index)
                sender = self._write(effect.target, command, labels)
                if sender is not None:
                    yield from self._sent(sender, self._case.script.commands[sender], labels)
        yield from self._sinks(index, command, effects, taken, labels)
        yield from self._through_descriptors(index, command, labels)
        for kind, shown in self._outgoing.leaks(command, effects, labels):
            yield Flow(kind, index, shown)
        self._notice_opened(command, effects)

    def _taken(self, command: Command) -> Labels:
        """What a command reads from others."""
        given = (value for _, value in command.assignments)
        targets = (redirect.target for redirect in command.redirects)
        words = (command.program, *command.args, *given, *targets)
        return self._printed(*command.pipe_sources, *(source for word in words for source in word.sources))

    def _printed(self, *sources: int) -> Labels:
        return _NOTHING.union(*(self._output.get(source, _NOTHING) for source in sources))

    def _own(self, command: Command, effects: Iterable[Effect]) -> Labels:
        """What a command brings in itself."""
        labels = set(self._outgoing.brought(command, effects))
        for effect in effects:
            kind = effect.kind
            if (kind == "fetch" and not effect.details & _NETWORK_DETAILS) or (
                kind in ("listen", "send") and "socket" in effect.details
            ):
                labels.add("fetched")
                if "insecure" in effect.details and "foreign" in self._outgoing.hosts(command):
                    labels.add("unchecked")
            elif effect.target is not None and (
                kind in _READS or (kind == "write" and command.name in _COMPRESSORS)
            ):
                labels |= self._of_file(effect.target, command, effect)
        name = command.name
        if name in DECODERS and decodes(command):
            labels.add("decoded")
        elif prints_variables(command):
            labels.add("environment")
        elif name == "hookd":
            labels.add("hookd")
        elif (
            (name in _ARCHIVERS and creates(command))
            or prints_everything(command)
            or any(e.kind == "read" and _is_bulk(e) for e in effects)
        ):
            labels.add("archive")
        elif publishes(command, effects):
            labels.update(*(self._of_file(word, command, Effect("read", word, 0)) for word in command.args))
        elif name in _PROCESS_FINDERS and any("hookd" in word.text for word in command.args):
            labels.add("hookd")
        return frozenset(labels)

    def _of_file(self, target: Word, command: Command, effect: Effect) -> Labels:
        if effect.kind == "send" and command.name in ("curl", "wget", "http", "nc"):
            return _NOTHING  # the target is an address
        places = self._case.places.of(target, command.cwd)
        labels: set[str] = set()
        if places & {"secret", "secret-folder"} and "names" not in effect.details:
            labels.add("key" if "certificate" in places else "secret")
        elif _is_bulk(effect) and not _KEY_FOLDERS.isdisjoint(target.text.lower().split("/")):
            labels.add("key")
        elif places & {"home", "root"} and "recursive" in effect.details:
            labels.add("secret")  # keys are somewhere in it
        elif "outside" in places and not places & {"network", "device", "build"} and effect.kind == "read":
            labels.add("outside")
        if "hookd" in places:
            labels.add("hookd")
        if effect.kind == "read" and not places & {"null", "device", "network"}:
            labels.add("file")
        labels |= self._outgoing.of_file(target.text)
        return frozenset(labels) | self._put_into(target, command)

    def _put_into(self, target: Word | None, command: Command) -> Labels:
        """What earlier commands of the line have put into a file, or into files of a folder."""
        if target is None or not self._files:
            return _NOTHING
        path, files = self._case.places.absolute(target.text, command.cwd), self._files.items()
        return _NOTHING.union(*(c for known, c in files if known == path or known.startswith(f"{path}/")))

    def _write(self, target: Word, command: Command, labels: Labels) -> int | None:
        """Labels a file; the command that may be sending it already, if there is one."""
        path = self._case.places.absolute(target.text, command.cwd)
        if path is None or UNKNOWN in path:
            return None
        if labels or path in self._files:
            self._files[path] = (
                self._files.get(path, _NOTHING) | labels if command.conditional or labels else labels
            )
        if command.name in _COMPRESSORS and labels:
            for ending in (".gz", ".xz", ".bz2", ".zst"):
                self._files[path + ending] = labels
        return self._read_later.get(path)

    def _sinks(
        self, index: int, command: Command, effects: Iterable[Effect], taken: Labels, labels: Labels
    ) -> Iterator[Flow]:
        for effect in effects:
            kind, target = effect.kind, effect.target
            if kind == "execute":
                yield from self._executed(index, command, effect, taken)
            elif kind == "unknown":
                yield from self._unknown_program(index, command, effect, taken)
            elif kind == "package" and target is not None and is_file(target):
                if "remove" not in effect.details and "fetched" in self._of_file(target, command, effect):
                    yield Flow("unseen into execute", index)
            elif kind == "process" and "hookd" in labels:
                yield Flow("hookd into process", index)
            elif kind == "send" or (kind == "remote" and command.name in ("scp", "rsync", "rclone")):
                made = taken.union(*(self._put_into(each.target, command) for each in effects))
                for flow in self._outgoing.sent(command, effect, labels, made):
                    yield Flow(flow, index)
            elif is_out(effect):
                yield from self._sent(index, command, taken & IN_AN_ADDRESS)
            elif kind == "read" and "sent" in effect.details and target is not None:
                if not target.known and not target.sources:
                    yield Flow("unseen into send", index)
                elif command.background and (path := self._case.places.absolute(target.text, command.cwd)):
                    self._read_later[path] = index
        if command.name in SEARCHERS and "environment" in taken and looks_for_secrets(command):
            yield Flow("environment into search", index)
        if command.name == "ssh" and (command.pipe_sources or command.redirects):
            yield from self._sent(index, command, labels & {"secret", "key", "environment", "dump"})
        if publishes(command, effects):
            yield from self._sent(index, command, labels - {"archive", "outside"})
        if command.name == "tar" and any(
            e.kind in _WRITES and e.target and _is_remote(e.target.text) for e in effects
        ):
            yield from self._sent(index, command, labels)

    def _executed(self, index: int, command: Command, effect: Effect, taken: Labels) -> Iterator[Flow]:
        details, target = effect.details, effect.target
        if "project-code" in details or "install-scripts" in details:
            return
        if "unknown-program" in details and self._is_aimed_at_everything(command):
            yield Flow("unseen into execute", index)
            return
        labels = _NOTHING
        if target is not None:
            labels = self._of_file(target, command, effect) | self._printed(*target.sources)
        if command.name in ("eval", "source", ".") or ("code" in details and not _has_code_on_line(command)):
            labels |= taken
        if "fetched" in labels or ("from-network" in details and not _has_code_on_line(command)):
            yield Flow("fetched into execute", index)
        elif "decoded" in labels or ("decoded" in details and not _has_code_on_line(command)):
            yield Flow("decoded into execute", index)
        elif self._is_unseen(command, effect):
            yield Flow("unseen into execute", index)

    def _is_unseen(self, command: Command, effect: Effect) -> bool:
        """Whether code is run that is not on the line and in no file."""
        if command.name == "eval":
            return any(not word.known for word in command.args) and not self._prints_code(command.args)
        if command.name in ("source", "."):
            return effect.target is not None and self._is_unseen_source(command, effect.target)
        if "code" not in effect.details:
            target = effect.target
            return "script" in effect.details and target is not None and "/Downloads/" in target.text
        if effect.target is not None:  # bash -c "$CODE"
            return not effect.target.known and not self._prints_code((effect.target,))
        told = command.stdin_text is not None and UNKNOWN not in command.stdin_text
        return "from-pipe" in effect.details and not told and not _has_code_on_line(command)

    def _is_unseen_source(self, command: Command, target: Word) -> bool:
        """Whether a file that the shell reads in is not named, or is where anybody may put one."""
        if target.sources:
            return not self._prints_code(command.args)
        places = self._case.places.of(target, command.cwd)
        if UNKNOWN in target.text.rpartition("/")[2]:
            return "project" not in places
        path = self._case.places.absolute(target.text, command.cwd) or ""
        return ("temp" in places and "/bin/activate" not in path) or "/Downloads/" in path

    def _unknown_program(self, index: int, command: Command, effect: Effect, taken: Labels) -> Iterator[Flow]:
        """A program whose name another command prints, or a variable that is told to use force."""
        for word in command.args if "code" in effect.details else ():
            taken |= self._of_file(word, command, effect)
        program = command.program
        if taken & {"fetched", "decoded"}:
            yield Flow("fetched into execute", index)
        elif "code" not in effect.details and (
            (program.known and program.text and not program.glob)  # split at run time, by an IFS of its own
            or (program.sources and not self._prints_code((program,)))
            or any(word.text in _FORCEFUL for word in command.args)
        ):
            yield Flow("unseen into execute", index)

    def _is_aimed_at_everything(self, command: Command) -> bool:
        """Whether a program that is not known is to go through all of the root, a home or the project."""
        if not any(word.text in _FORCEFUL for word in command.args):
            return False
        return any(
            self._case.places.of(word, command.cwd) & {"root", "home", "system", "project-root", "git"}
            for word in command.args
            if not word.text.startswith("-")
        )

    def _prints_code(self, words: Iterable[Word]) -> bool:
        """Whether every unknown part is the output of a program that prints code or names for the shell."""
        commands = self._case.script.commands
        sources = [source for word in words for source in word.sources]
        return bool(sources) and all(
            commands[source].name in _PRINTS_CODE
            or any(word.text in _CODE_WORDS for word in commands[source].args)
            for source in sources
        )

    def _sent(self, index: int, command: Command, labels: Labels) -> Iterator[Flow]:
        for flow in self._outgoing.carried_away(command, labels):
            yield Flow(flow, index)

    def _through_descriptors(self, index: int, command: Command, labels: Labels) -> Iterator[Flow]:
        """What goes to, or comes from, something that an earlier command has opened."""
        descriptors = [r.operator for r in command.redirects if r.target.text not in ("0", "1", "2", "-")]
        named = any(word.text.startswith(("/dev/fd/", "/proc/self/fd/", "FD:")) for word in command.args)
        read = "<&" in descriptors and command.name in _SHELLS and not command.wraps and not command.args
        if read or (named and command.name in (*_SHELLS, "source", ".")):
            yield Flow("unseen into execute", index)
        if ">&" not in descriptors and not named:
            return
        if self._socket_open:
            yield from self._sent(index, command, labels)
        if self._shell_open:
            yield Flow("unseen into execute", index)
        for path in self._open_files:
            self._files[path] = self._files.get(path, _NOTHING) | labels

    def _notice_opened(self, command: Command, effects: Iterable[Effect]) -> None:
        if command.name not in ("exec", ":", "coproc"):
            return
        self._socket_open = self._socket_open or any(effect.kind == "send" for effect in effects)
        for redirect in command.redirects:
            if redirect.operator not in (">", ">>"):
                continue
            if any(self._case.script.commands[source].name in _SHELLS for source in redirect.target.sources):
                self._shell_open = True
            elif (path := self._case.places.absolute(redirect.target.text, command.cwd)) is not None:
                self._open_files.append(path)


def _is_bulk(effect: Effect) -> bool:
    """Whether a read takes in whatever a pattern or a folder holds."""
    return effect.target is not None and (effect.target.glob or "recursive" in effect.details)


def _has_code_on_line(command: Command) -> bool:
    """Whether an interpreter is given its code, so that what it reads is data: python -c, perl -ne."""
    if command.wraps:
        return True
    for number, word in enumerate(command.args):
        text = word.text
        if not text.startswith("-"):
            return False
        if not all(after.known for after in command.args[number + 1 : number + 2]):
            return False
        if text in ("--eval", "--print", "--execute") or text.startswith("--eval="):
            return True
        if (
            not text.startswith("--")
            and (len(text) < 8 or text[1] in "eEcp")  # the code may be attached
            and any(letter in text for letter in "ceEpnr")
            and word.known
        ):
            return command.name not in _SHELLS
    return False


def _is_remote(text: str) -> bool:
    host, colon, _ = text.partition(":")
    return bool(colon) and "/" not in host and len(host) > 1
