"""A session's story in hookd's words: the summary that is kept, and what can be read out of it again.

The summary has a line per thing, with a word in front that says what it is. Decisions and failures are
observations of their own and only named: a person who forgets one finds it in no summary.
"""

from collections.abc import Callable, Iterable, Iterator

from hookd.memory.handover.session_facts import Story
from hookd.memory.observations import shown_id
from hookd.patterns import late

ASKED, DONE, TESTS, OPEN = "Asked for", "Done", "Tests", "Open"
DECIDED, FAILED, FILES = "Decided", "Failed", "Files"

CUT_OFF, UNFINISHED = "cut off", "not finished"

MOST_GOALS = 2
MOST_FILES = 6
MOST_CHECKS = 4
MOST_OPEN = 8
MOST_TODO = 3

MayRepeat = Callable[[str], bool]

_QUOTED = late(r"`(.+?)`|“(.+)”")
_OWN_WORDS = frozenset("changed and more file files committed once times".split())


def summary_of(story: Story, may_repeat: MayRepeat) -> str:
    """The summary, a line per thing; empty if there is nothing to tell."""
    if not story.is_worth_telling:
        return ""
    state = CUT_OFF if story.ended else UNFINISHED
    lines = [
        f"{ASKED}: “{goal}”{f' ({state})' if goal in story.unfinished else ''}"
        for goal in story.goals[:MOST_GOALS][::-1]
    ]
    lines += [f"{DONE}: {done}" for done in filter(None, [_done(story)])]
    lines += [f"{TESTS}: {check}" for check in _checks(story, passes=True)]
    lines += [f"{OPEN}: {item}" for item in _open(story, may_repeat)]
    if story.decisions:
        lines.append(f"{DECIDED}: {', '.join(shown_id(it.id) for it in story.decisions)}")
    if story.failures:
        lines.append(f"{FAILED}: {', '.join(shown_id(it.id) for it in story.failures)}")
    if len(story.changed) > MOST_FILES:
        lines.append(f"{FILES}: {', '.join(list(story.changed)[::-1])}")
    return "\n".join(lines)


def lines_of(summary: str) -> Iterator[tuple[str, str]]:
    """What each line of a summary is, and what it says."""
    for line in summary.splitlines():
        what, colon, said = line.partition(": ")
        if colon:
            yield what, said


def things_in(summary: str) -> list[str]:
    """What a summary repeats of the record: files, commands, what was asked for and what is not done."""
    found = []
    for what, said in lines_of(summary):
        if what in (DONE, FILES):
            words = said.replace(",", " ").replace(";", " ").split()
            found += [word for word in words if word not in _OWN_WORDS and not word.isdigit()]
        elif what not in (DECIDED, FAILED):
            found += [command or quoted for command, quoted in _QUOTED.findall(said)]
    return list(dict.fromkeys(found))


def headline(summary: str) -> str:
    """What was asked for and what came of it, on one line; empty where nothing came of it."""
    parts: dict[str, list[str]] = {}
    for what, said in lines_of(summary):
        parts.setdefault(what, []).append(said)
    asked = parts.get(ASKED, [])
    if not (parts.get(DONE) or parts.get(TESTS) or parts.get(OPEN) or any(map(is_unfinished, asked))):
        return ""
    told = [f"asked for {' and '.join(asked)}" if asked else "", *parts.get(DONE, ())]
    told += parts.get(TESTS, ())[:2]
    return "; ".join(filter(None, told))


def has_open(lines: Iterable[tuple[str, str]]) -> bool:
    """Whether the lines of a summary tell of something that is not done."""
    return any(what == OPEN or (what == ASKED and is_unfinished(said)) for what, said in lines)


def as_it_stands(summaries: Iterable[str]) -> Iterator[list[tuple[str, str]]]:
    """The lines of each summary, the newest first, but for a check that a later session has seen pass."""
    passed: set[str] = set()
    for summary in summaries:
        lines = list(lines_of(summary))
        yield [each for each in lines if each[0] != OPEN or _check_in(each[1]) not in passed]
        passed |= {_check_in(said) for what, said in lines if what == TESTS}


def _check_in(said: str) -> str:
    """The command that a line on a check begins with; nothing if it is on something else."""
    return said[1:].partition("`")[0] if said.startswith("`") else ""


def is_unfinished(asked: str) -> bool:
    """Whether what a line says was asked for has not come to its end."""
    return asked.endswith((f"({CUT_OFF})", f"({UNFINISHED})"))


def _done(story: Story) -> str:
    """Which files were changed, the last ones first, and how often it was committed."""
    names = list(story.changed)[::-1]
    more = len(names) - MOST_FILES + story.unnamed if len(names) > MOST_FILES else story.unnamed
    told = ", ".join(names[:MOST_FILES])
    if more:
        told += f"{' and ' if told else ''}{more} {'more ' if told else ''}{'file' if more == 1 else 'files'}"
    parts = [f"changed {told}" if told else ""]
    if story.commits:
        parts.append("committed once" if story.commits == 1 else f"committed {story.commits} times")
    return "; ".join(filter(None, parts))


def _checks(story: Story, *, passes: bool) -> list[str]:
    found = [(name, check) for name, check in story.checks.items() if check.passes is passes]
    return [
        f"`{name}` {'passed' if passes else 'failed'}{f' ({check.counts})' if check.counts else ''}"
        for name, check in found[::-1][:MOST_CHECKS]
    ]


def _open(story: Story, may_repeat: MayRepeat) -> list[str]:
    items = [f"{told} when last run" for told in _checks(story, passes=False)]
    told = [item for item in story.todo if may_repeat(item)][:MOST_TODO]
    items += [f"not done of the agent's list: “{item}”" for item in told]
    if rest := len(story.todo) - len(told):
        items.append(f"{rest} {'more ' if told else ''}of the agent's list not done")
    return items[:MOST_OPEN]
