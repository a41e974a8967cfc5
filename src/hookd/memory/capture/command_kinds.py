"""Commands by what they are for: work worth remembering, or the chatter around it."""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path

from hookd.patterns import late
from hookd.shell.effects import Effect
from hookd.shell.model import Command

# The first of these that a line has is what the line is; `work` is whatever no other word fits.
SORTS = ("work", "test", "build", "lint", "install", "watch", "search", "read", "listing", "helper")

WRITES = frozenset({"write", "overwrite", "append"})
# What tools make by themselves and anybody may throw away.
MADE = late(
    r"(?:^|/)(?:node_modules|dist|build|target|out|\.?venv|env|__pycache__|\.(?:[\w-]*cache|next|"
    r"nuxt|tox|nox|gradle|turbo|"
    r"eggs|coverage)|coverage|htmlcov|[\w.-]+\.egg-info|tmp)(?:/|$)|\.(?:log|tmp|pyc|out|o)$|^/(?:dev|proc)/"
)
_PROBE = late(r"/(?:health\w*|ping|status|ready\w*|live\w*|version|metrics)/?$")
_SPLIT = late(r"[-_:./]+")


@cache
def _tables() -> dict[str, frozenset[str]]:
    text = (Path(__file__).parent / "programs.txt").read_text("utf-8").replace("\n  ", " ")
    lines = [line.partition(":") for line in text.splitlines() if line and line[0] != "#"]
    return {key: frozenset(words.split()) for key, _, words in lines}


def names(key: str) -> frozenset[str]:
    """A list of programs, or of words that they are given."""
    return _tables()[key]


def sort_of(command: Command, does: list[Effect]) -> str:
    """What a command is for, with its effects: one of `SORTS`."""
    name = command.name.lower().removesuffix(".exe").removesuffix(".cmd")
    words = [word.text for word in command.args]
    plain = [word for word in words if not word.startswith("-")]
    kinds = {effect.kind for effect in does}
    if _writes_file(does) and name in names("helpers") | names("filters"):
        return "work"
    if name == "git" and plain[:1] == ["add"]:
        return "helper"  # the commit that follows says it
    if name in names("helpers") or (
        command.reads_pipe is not None and name in names("filters") and not kinds & WRITES
    ):
        return "helper"
    if not plain and any(
        word in ("--version", "-V", "-v", "--help", "-h", "version", "-version") for word in words
    ):
        return "listing"
    if name.startswith("create-"):
        return "install"
    if _keeps_running(name, words, plain):
        return "watch"
    if name in ("curl", "http") and not {"-I", "--head"}.isdisjoint(words):
        return "listing"
    if "package" in kinds or name in names("installers") or any(_is_index(effect) for effect in does):
        return "install"
    if name in names("testers"):
        return "test"
    if name in names("linters") or name.endswith(("lint", "fmt", "-format")):
        return "lint"
    if plain[:1] in (["fmt"], ["lint"]) or any("format-source" in effect.details for effect in does):
        return "lint"
    if name in ("docker", "podman", "nerdctl", "docker-compose"):
        return _container(plain, kinds)
    if name in names("runners"):
        return _target(name, plain, words, kinds)
    if name in names("builders") or any("build-product" in effect.details for effect in does):
        return "build"
    return _by_verb(plain, does) or _by_effects(name, does)


def _keeps_running(name: str, words: list[str], plain: list[str]) -> bool:
    if name in names("watchers") or not names("serve-words").isdisjoint(plain[:2]):
        return True
    if name in names("servers") or (name == "rails" and plain == ["s"]):
        return "build" not in plain
    flags = {"--watch", "--watchAll", "--follow", *(["-f"] if name == "tail" else [])}
    return not flags.isdisjoint(words)


def _by_verb(plain: list[str], does: list[Effect]) -> str:
    """What a program that no table knows is told to do: many have the same few verbs."""
    if not plain or not all(
        "unknown-program" in effect.details or effect.kind == "execute" for effect in does
    ):
        return ""
    for sort, known in (
        ("test", names("test-words")),
        ("lint", names("lint-words")),
        ("build", {"build", "compile"}),
        ("install", {"install"}),
    ):
        if plain[0] in known:
            return sort
    return ""


def _is_index(effect: Effect) -> bool:
    return effect.kind == "fetch" and "index" in effect.details


def _container(plain: list[str], kinds: set[str]) -> str:
    verbs = [word for word in plain if word not in ("compose", "image", "container", "buildx")][:1]
    if not names("container-chores").isdisjoint(verbs):
        return "build"
    return "listing" if kinds <= {"fetch", "read"} and verbs not in (["run"], ["exec"]) else "work"


def _target(name: str, plain: list[str], words: list[str], kinds: set[str]) -> str:
    """What a task runner is told to do, by the words of its target's name."""
    if name in ("python", "node", "php", "deno", "bun") and plain and re.search(r"\.\w{1,4}$", plain[0]):
        if not plain[0].endswith("manage.py"):
            return "work"
        plain = plain[1:]
    if name == "node" and "--test" in words:
        return "test"
    left_out = {after for before, after in pairwise(words) if before in ("-x", "--exclude-task")}
    left_out |= {"run", "run-script", "exec", "x", "workspace", "--"}
    rest = [word for word in plain if word not in left_out]
    said = {part for word in rest[:3] for part in _SPLIT.split(word.lower())}
    said |= {part.lower() for word in rest[:2] for part in re.findall(r"[A-Z]?[a-z]+", word)}
    if said & names("test-words") or (name in ("npm", "pnpm", "yarn") and rest[:1] == ["t"]):
        return "test"
    if any(part.endswith(("lint", "fmt")) for part in said):
        return "lint"
    checks = name in ("make", "gmake", "just", "gradle", "gradlew") and "check" in said
    if checks and not said & names("lint-words"):
        return "test"
    for sort in ("lint", "build", "install", "watch", "listing"):
        if said & names(f"{sort}-words"):
            return sort
    if not rest and name in ("yarn", "pnpm", "bundle"):
        return "install"
    if not rest:
        return "build" if name in names("builders") else "work"
    tells = name in ("npm", "pnpm", "yarn", "poetry", "uv", "hatch", "cargo", "go")
    return "listing" if tells and not kinds else "work"


def _by_effects(name: str, does: list[Effect]) -> str:
    kinds = {effect.kind for effect in does}
    if name in names("searchers"):
        return "search"
    if not kinds or (name in names("counters") and kinds <= {"read", "execute", "environment"}):
        return "listing"
    if kinds == {"read"}:
        return "listing" if all(effect.target is None for effect in does) else "read"
    if kinds == {"fetch"} and all("query" in effect.details or _is_probe(effect) for effect in does):
        return "listing"
    if kinds == {"fetch"} and all(effect.details & {"git", "image"} for effect in does):
        return "install"
    if kinds <= {"delete", "write", "overwrite"} and all(is_made(effect) for effect in does):
        return "build"
    return "work"


def _is_probe(effect: Effect) -> bool:
    return effect.target is not None and _PROBE.search(effect.target.text) is not None


def is_made(effect: Effect) -> bool:
    """Whether it is about something that a tool makes by itself."""
    return effect.target is not None and MADE.search(effect.target.text) is not None


def _writes_file(does: Iterable[Effect]) -> bool:
    return any(
        effect.kind in WRITES
        and effect.details.isdisjoint(("folder", "touch"))
        and effect.target is not None
        and not is_made(effect)
        for effect in does
    )
