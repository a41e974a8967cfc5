"""A failed call in hookd's own words, and by what it is known again when it succeeds."""

import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from hookd.memory.capture.calls import FinishedCall
from hookd.memory.capture.summaries import clean, given, head
from hookd.memory.may_be_told import is_fit, is_label, is_plain_name, reads_like_instruction
from hookd.patterns import late

LONGEST_COMMAND = 120
_EXIT = late(
    r"\bexit(?:ed)?(?: with)?(?: (?:code|status))?:?\s+(\d{1,3})\b|\"?(?:exit_?code|"
    r"returncode)\"?\s*[:=]\s*(\d{1,3})",
    re.I,
)
_CLASS = late(r"\b[A-Z][A-Za-z]{2,40}(?:Error|Exception|Failure|Panic|Fault|Timeout|Interrupt)\b")
_CODE = late(
    r"\b(?:E[A-Z]{4,15}|E\d{3,5}|TS\d{4,5}|CS\d{4}|ERR_[A-Z_]{3,40}|SIG(?:KILL|SEGV|ABRT|TERM|BUS|"
    r"ILL)|SQLSTATE\[\w{5}\]|HTTP \d{3})\b"
)
_NAME = r"[A-Za-z_][\w.:/\[\]-]{2,120}"
_FAILED_TESTS = (
    late(rf"^(?:FAILED|ERROR)\s+({_NAME})", re.M),
    late(rf"^({_NAME}::{_NAME})\s+(?:FAILED|ERROR)\b", re.M),
    late(r"^\s*--- FAIL: (\w[\w/]{2,120})", re.M),
    late(rf"^test ({_NAME}) \.\.\. FAILED", re.M),
    late(r"^(?:FAIL|ERROR): (\w{3,100}) \(", re.M),
    late(r"^(?:FAIL)\s+([\w./-]+\.(?:test|spec)\.[jt]sx?)", re.M),
    late(r"^\[ERROR\]\s+([A-Z]\w{2,80}\.\w{2,80}):\d", re.M),
)
_PASSED_TESTS = (
    late(rf"^({_NAME}::{_NAME})\s+PASSED\b", re.M),
    late(r"^\s*--- PASS: (\w[\w/]{2,120})", re.M),
    late(rf"^test ({_NAME}) \.\.\. ok", re.M),
    late(r"^(?:PASS)\s+([\w./-]+\.(?:test|spec)\.[jt]sx?)", re.M),
    late(r"^(\w{3,100}) \([\w.]+\) \.\.\. ok", re.M),
)
_PHRASES = late(
    r"connection (?:refused|reset|timed out)|permission denied|no such file or directory|command not found|"
    r"timed? ?out|out of memory|address already in use|no space left on device|syntax error|segmentation "
    r"fault|merge conflict|authentication failed|undefined reference|cannot find module|module not found|no "
    r"module named|type mismatch|could not resolve host|certificate (?:verify failed|has expired)|deadlock|"
    r"assertion failed|access denied|not a git repository|unique constraint|foreign key constraint|division "
    r"by zero|index out of (?:range|bounds)|null pointer|stack overflow|undefined is not a function|cannot "
    r"find symbol|unresolved import|string to replace not found|file does not exist|file has not been read|"
    r"rate limit|unauthorized|forbidden|internal server error|bad gateway|could not compile|build failed|"
    r"tests? failed|version conflict",
    re.IGNORECASE,
)
# The way runners, compilers and shells say that it went wrong, where the exit code was lost in a pipe.
_FAILED = late(
    r"^(?:=+ )?(?:[^\n]{0,80}\D)?[1-9]\d* (?:failed|failures?|errors?)\b[^\n]{0,80}(?:passed|in [\d.]+ "
    r"?m?s)|^FAILED |^FAIL\b|^--- FAIL:|^\s*Tests?(?: Suites)?:\s+[1-9]\d* failed|^test result: FAILED|"
    r"^(?:\[\w+\] )?BUILD FAIL|^FAILURE: |^npm (?:ERR!|error) |^error\[E\d+\]: |^error: could not |"
    r"^make(?:\[\d+\])?: \*\*\* |^Traceback \(most recent call last\):|^panic: |^fatal: |^thread '[^']*' "
    r"panicked|: command not found$|^Exit code [1-9]|\"(?:exit_?code|returncode)\"\s*:\s*[1-9]|^FAILED \(|"
    r"^[\d,]+ tests?,[^\n]* [1-9]\d* failures?",
    re.MULTILINE,
)
_QUIET_FLAG = late(
    r"-{1,2}(?:q+|v+|x|s|ra|rA|quiet|verbose|silent|color(?:=.*)?|no-color|colou?r|tb(?:=.*)?|no-header|"
    r"durations(?:=.*)?|maxfail(?:=.*)?|ff|lf|last-failed|failed-first|n(?:\d+|auto)?|nocapture|-nocapture|"
    r"showlocals|l|reporter(?:=.*)?|count(?:=1)?)"
)
_NARROWS = late(
    r"-[kmtgwp]|-pl|-run|--?(?:run|skip|workspaces?|filter|grep|only|scope|package|project|projects|tests?|lib|bins?|"
    r"doc|examples?|testNamePattern|test-name-pattern|testPathPattern|changed|changedSince|onlyChanged|shard|"
    r"deselect|ignore|ignore-glob|exclude|collect-only|co|list|listTests|no-run|dry-run|help|version)(?:=.*)?"
)
_FILTERS = frozenset(
    "head tail grep rg tee sort uniq less cat sed awk wc echo cd export set sleep true source .".split()
)
_STRICT = late(r"[\w@%+=:,./~*?\[\]-]{1,80}")


class Key(NamedTuple):
    """By what a failure is found again; a scope says how much of a runner's work it was."""

    name: str
    scope: tuple[str, ...] = ()


def looks_failed(call: FinishedCall) -> bool:
    """Whether a call that is said to have succeeded says otherwise itself."""
    return (
        call.sort == "shell"
        and call.line.sort in ("test", "build", "work")
        and bool(_FAILED.search(clean(call.output)))
    )


def wording(call: FinishedCall) -> str:
    """What failed and how, in words that nobody else chose."""
    verb = "interrupted" if call.interrupted else "failed"
    how = "; ".join(_how(call))
    return f"{verb}: {what(call)}" + (f" ({how})" if how else "")


def what(call: FinishedCall) -> str:
    """The call by a name that may be repeated."""
    if call.sort == "shell":
        shown = _shown(call)
        return f"`{shown}`" if shown else f"a {_tool(call)} command"
    if call.path and _is_plain(call.path):
        return f"{_tool(call)} of {call.path}"
    return _tool(call)


def _is_plain(name: str) -> bool:
    return _STRICT.fullmatch(name) is not None and is_plain_name(name)


def _tool(call: FinishedCall) -> str:
    return call.asked.tool if re.fullmatch(r"\w{1,80}", call.asked.tool) else "a tool"


def _shown(call: FinishedCall) -> str:
    """The command's words, those left out that could be anybody's prose."""
    parts = [words for words in call.line.words if words[0] not in _FILTERS] or call.line.words
    said = " && ".join(
        " ".join(word if _is_plain(word) else "..." for word in words[:12] if word) for words in parts[:3]
    )[:LONGEST_COMMAND]
    bare = said.replace("&&", "")
    # The program and its verb are what they are; plain words after them could be a message.
    if not all(is_label([word.lower() for word in words[2:] if word.isalpha()]) for words in parts):
        return ""
    # A few names and options say nothing; the scanner is for what could be a sentence.
    is_sentence = sum(word.isalpha() for word in bare.split()) > 5
    may = said.strip(". ") and is_fit(bare) and not (is_sentence and reads_like_instruction(bare))
    return said if may else ""


def _how(call: FinishedCall) -> list[str]:
    """The exit code, and names that have the strict shape of a test, an error or its code."""
    said = clean(call.output)
    code = _EXIT.search(said)
    tests = [name.rpartition("::")[2] for name in failed_tests(said)]
    classes = [each[0] for each in _CLASS.finditer(said)]
    names = [*_few(tests, 3), *_few(classes, 3), *_few((each[0] for each in _CODE.finditer(said)), 2)]
    phrases = _few((each[0].lower() for each in _PHRASES.finditer(said)), 2)
    return [*([f"exit {code[1] or code[2]}"] if code else []), *filter(is_plain_name, names), *phrases]


def _few(names: Iterable[str], most: int) -> list[str]:
    return list(dict.fromkeys(names))[:most]


def detail(call: FinishedCall) -> str:
    """What was called and how its answer begins, for search; the lines that name the error too."""
    asked = clean(call.command)[:400] if call.sort == "shell" else given(call)
    said = clean(call.output)
    telling = [
        line.strip()[:160] for line in said.splitlines() if _CLASS.search(line) or _PHRASES.search(line)
    ]
    start = head(said)
    more = [line for line in dict.fromkeys(telling[:3]) if line and line not in start]
    return "\n".join(part for part in (asked, start, *more) if part)


def failed_tests(output: str) -> list[str]:
    return _named(output, _FAILED_TESTS)


def passed_tests(output: str) -> list[str]:
    return _named(output, _PASSED_TESTS)


def _named(output: str, patterns: tuple[re.Pattern[str], ...]) -> list[str]:
    return _few((each[1] for pattern in patterns for each in pattern.finditer(output)), 20)


def call_key(call: FinishedCall) -> Key:
    """The same call, apart from how much it is to print."""
    if call.sort != "shell":
        about = call.path or call.asked.url or call.asked.pattern
        about = about or msgspec.json.encode(given(call)).decode("utf-8", "replace")
        sort = "edit" if call.sort in ("edit", "write") else call.asked.tool
        return Key("c:" + _digest(f"{sort} {about}"))
    words = [_plain(each) for each in call.line.words if each[0] not in _FILTERS]
    return Key("c:" + _digest(f"{_folder(call)} {words or call.command!r}"))


def test_key(call: FinishedCall, name: str) -> Key:
    """A test by its name and where it was run: several projects in one repository have tests of one name."""
    return Key(f"t:{_placed(call, name)}")


def _folder(call: FinishedCall) -> str:
    """Where a shell line runs, from the project's root; nothing for the root itself."""
    folder = call.within(call.line.folder) if call.sort == "shell" else ""
    return "" if folder == "." else folder


def _placed(call: FinishedCall, name: str) -> str:
    folder = _folder(call)
    return f"{folder}/{name.removeprefix('./')}" if folder else name.removeprefix("./")


def runner_key(call: FinishedCall) -> Key | None:
    """The tests that were run, for a later run that covers them."""
    if call.sort != "shell" or call.line.sort != "test" or len(call.line.words) != 1:
        return None
    name, *rest = call.line.words[0]
    chosen = [
        _placed(call, word)
        for word in _plain((name, *rest))[1:]
        if not word.startswith("-") and word not in _EVERYTHING
    ]
    whole = [_folder(call)] if _folder(call) else []
    return Key(f"r:{name}", tuple(sorted(chosen or whole)))


def is_narrowed(call: FinishedCall) -> bool:
    """Whether an option has it run less than what it names, or nothing at all."""
    return any(_NARROWS.fullmatch(word) for words in call.line.words for word in words)


_EVERYTHING = frozenset({"test", "tests", "run", ".", "./...", "check", "t", "nextest", "unittest", "-m"})


def covers(run: tuple[str, ...], failed: tuple[str, ...]) -> bool:
    """Whether a run with this choice of tests ran those of the other."""
    if not run:
        return True
    return bool(failed) and all(any(_is_within(each, chosen) for chosen in run) for each in failed)


def _is_within(each: str, chosen: str) -> bool:
    return each == chosen or each.startswith((f"{chosen.rstrip('/')}/", f"{chosen}::", f"{chosen}["))


def _plain(words: tuple[str, ...]) -> list[str]:
    return [word for word in words if not _QUIET_FLAG.fullmatch(word)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
