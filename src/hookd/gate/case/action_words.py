"""Words of command lines that name an action, and the programs whose words name none."""

from __future__ import annotations

import re
from collections.abc import Sequence

INERT_FLAGS = frozenset(
    {"help", "dry-run", "dryrun", "what-if", "whatif", "simulate", "dry_run", "check-only", "no-act"}
)
"""With one of these a vendor's tool shows what it would do."""

MOST_LEADING = 5
_WORD = re.compile(r"[a-z][a-z0-9]*(?:[-_:.][a-z0-9]+)*")

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


def takes_data(program: str) -> bool:
    """Whether a program's words are data, or verbs that rules of their own know better."""
    return program in _DATA or "/" in program


def leading_words(words: Sequence[str]) -> tuple[str, ...]:
    """The words in front that read like subcommands, without the values of options."""
    found: list[str] = []
    for word in words[:MOST_LEADING]:
        if len(word) <= 40 and _WORD.fullmatch(word):
            found.append(word)
        elif found and not _VALUE.search(word):
            break
    return tuple(found)
