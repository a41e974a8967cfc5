"""One command as rules look at it: options, words that name an action, places.

All is worked out once, and only when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from hookd.events.lazy import lazy
from hookd.gate.case.hosts import kinds, of_command
from hookd.gate.case.model import Case
from hookd.shell.model import Command, Word
from hookd.shell.options import Options, options

PARTS = re.compile(r"[-:_.]")
"""What joins the parts of a word such as `delete-stack` or `apps:destroy`."""
INERT_FLAGS = frozenset(
    {"help", "dry-run", "dryrun", "what-if", "whatif", "simulate", "dry_run", "check-only", "no-act"}
)
"""With one of these a vendor's tool shows what it would do."""

EXPORTS = frozenset({"export", "declare", "typeset", "readonly", "setenv", "setx"})
MOST_LEADING = 5
_WORD = re.compile(r"[a-z][a-z0-9]*(?:[-_:.][a-z0-9]+)*")

_CMDLET = re.compile(r"[A-Z][a-z]+-[A-Z]")
_VALUE = re.compile(r"[/=@,]|^\d|^[A-Z_]+$")
"""What the value of an option looks like; the table of a program that is not known does not tell."""

_DATA = frozenset(
    # text and files
    "echo printf cat bat less more head tail tac nl grep egrep fgrep zgrep rg ag ack sed awk gawk "
    "mawk perl cut tr sort uniq wc tee diff cmp comm join paste fold fmt column expand rev look "
    "strings od xxd hexdump file stat ls ll la exa eza lsd tree du df find fd fdfind locate which "
    "whereis type whatis apropos man info tldr cheat help basename dirname realpath readlink pwd cd "
    "pushd popd touch mkdir rmdir cp mv ln rm install chmod chown chgrp umask tar zip unzip gzip "
    "gunzip bzip2 xz zstd 7z rsync scp dd truncate split csplit shred md5sum sha256sum sha1sum "
    "b2sum cksum base64 jq yq xq dasel gron mlr csvkit xsv date cal seq yes true false test [ [[ "
    "expr bc let read export declare local set unset alias source . eval exec wait sleep trap "
    "return exit env printenv id whoami who w uname hostname uptime ps pgrep top htop free vmstat "
    "iostat lsof kill pkill killall jobs fg bg nohup time timeout watch xargs parallel tput clear "
    "history "
    # editors, compilers, runners
    "vim vi nvim emacs nano ed code open xdg-open python python2 python3 node ruby php lua Rscript "
    "javac gcc g++ clang cc make cmake ninja just task rake mage bazel cargo go rustc tsc eslint "
    "prettier jest vitest mocha pytest tox nox ruff black mypy pylint flake8 npm npx pnpm yarn bun "
    "deno uv uvx pip pip3 pipenv rails bower flutter dart ng nx pipx poetry pdm bundle gem composer "
    "mvn gradle gradlew sbt lein mix dotnet swift xcodebuild "
    # data goes over the wire, not verbs
    "curl wget http https ssh sftp ftp nc ncat telnet ping dig nslookup host whois traceroute mail "
    "sendmail psql mysql sqlite3 mongosh mongo redis-cli git gh-dash tig sudo doas su bash sh zsh "
    "dash fish tmux screen crontab systemctl journalctl service brew apt apt-get apt-cache aptitude "
    "dpkg dnf yum rpm pacman zypper apk snap flatpak port conda mamba nix nix-env docker podman "
    "kubectl helm terraform tofu pulumi ansible claude codex gemini aider hookd pre-commit say "
    "osascript defaults".split()
)


class Seen:
    """One command of a case, with what rules ask about it worked out once."""

    def __init__(self, case: Case, command: Command, index: int) -> None:
        self.case = case
        self.command = command
        self.index = index

    @lazy
    def options(self) -> Options:
        return options(self.command)

    @lazy
    def words(self) -> tuple[str, ...]:
        """The subcommand and the operands after it."""
        return (*self.options.subcommand, *(word.text for word in self.options.operands))

    @lazy
    def leading(self) -> tuple[str, ...]:
        """The words at the front that can be subcommands."""
        return leading_words(self.words)

    @lazy
    def verbs(self) -> frozenset[str]:
        """The leading words, and their first and last parts."""
        found: set[str] = set()
        for word in self.leading:
            parts = PARTS.split(word)
            found |= {word, parts[0], parts[-1]}
        return frozenset(found)

    @lazy
    def text(self) -> str:
        """The arguments and what is known of standard input, on one line: patterns do not cross lines."""
        given = " ".join(word.text for word in self.command.args)
        if self.command.stdin_text:
            given += " " + self.command.stdin_text[:100_000]
        return given.replace("\n", " ")

    @lazy
    def hosts(self) -> frozenset[str]:
        """What the hosts are that the command names, all together."""
        return frozenset(chain.from_iterable(kinds(self.case, host) for host in of_command(self.command)))

    @lazy
    def written(self) -> str:
        """What the command or the tool puts into files, without the lines that it found there."""
        call = self.case.call
        if not self.case.is_shell:
            found = {line for edit in call.edits for line in edit.old.splitlines()}
            return "\n".join(line for line in call.text.splitlines() if line not in found)
        from hookd.shell import output  # few rules ask for it

        return output.of(self.command) or self.command.stdin_text or ""

    @lazy
    def assigned(self) -> tuple[str, ...]:
        """Every `NAME=value` that the command, or from there on the shell, gets as a variable."""
        found = [f"{name}={value.text}" for name, value in self.command.assignments]
        if self.command.name in EXPORTS:
            found += (word.text for word in self.command.args if "=" in word.text)
        return tuple(found)

    @lazy
    def is_shown(self) -> bool:
        """Whether what the command prints gets out of the line, as it is or through programs for text."""
        return _is_shown(self.case.script.commands, self.index)

    @lazy
    def is_scratch(self) -> bool:
        """Whether the database that is named is one that tests make again."""
        from hookd.shell.scratch_databases import is_scratch  # few commands are about a database

        return is_scratch(self.command)

    @lazy
    def places(self) -> frozenset[str]:
        """Where the operands lie, all together."""
        return self._places_of(self.options.operands)

    @lazy
    def mentioned(self) -> frozenset[str]:
        """Where the arguments lie, options' values among them."""
        words = (*self.command.args, *chain.from_iterable(self.options.values.values()))
        return self._places_of(word for word in words if not word.text.startswith("-"))

    def _places_of(self, words: Iterable[Word]) -> frozenset[str]:
        return frozenset(chain.from_iterable(self.case.places.of(word, self.command.cwd) for word in words))


_PASSES_ON = frozenset(
    "cat tee jq yq cut awk gawk sed grep rg tr head tail sort uniq rev fold base64 base32 xxd od xargs echo "
    "printf less more column tac nl paste strings python python3 node perl".split()
)
"""Programs that print what they are given, or a part of it."""


def _is_shown(commands: Sequence[Command], index: int, depth: int = 0) -> bool:
    command = commands[index]
    if depth > 20:
        return True
    if command.writes_pipe is not None:
        following = commands[command.writes_pipe]
        return following.name in _PASSES_ON and _is_shown(commands, command.writes_pipe, depth + 1)
    if not command.in_substitution:
        return True
    takers = (n for n, each in enumerate(commands) if any(index in word.sources for word in each.args))
    return any(commands[n].name in _PASSES_ON and _is_shown(commands, n, depth + 1) for n in takers)


def takes_data(program: str) -> bool:
    """Whether a program's words are data, or verbs that rules of their own know better.

    A cmdlet's verb is in its name, and its words are values.
    """
    return (
        program in _DATA or "/" in program or (program[:1].isupper() and _CMDLET.match(program) is not None)
    )


def leading_words(words: Sequence[str]) -> tuple[str, ...]:
    """The words in front that read like subcommands, without the values of options."""
    found: list[str] = []
    for word in words[:MOST_LEADING]:
        if len(word) <= 40 and _WORD.fullmatch(word):
            found.append(word)
        elif found and not _VALUE.search(word):
            break
    return tuple(found)
