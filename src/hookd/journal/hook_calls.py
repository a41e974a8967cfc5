"""What hooks did with an event, as its row has it: `1:149 4:20:deny`, by number, microseconds and outcome.

Only a report that goes through all of them reads it: so it is short, and no part of it can be asked for.
"""

from collections.abc import Callable, Mapping, Sequence

from hookd.journal.entries import HookCall


class HookNumbers:
    """The numbers that stand for a project's hooks; a hook that is new gets the next one."""

    def __init__(self, known: Mapping[str, int], add: Callable[[str, int], object]) -> None:
        """`add` puts a new name and its number into the store."""
        self._numbers = dict(known)
        self._add = add

    def column(self, calls: Sequence[HookCall]) -> str:
        words = []
        for call in calls:
            number = self._numbers.get(call.hook) or self._numbered(call.hook)
            outcome = f":{_word(call.outcome)}" if call.outcome else ""
            words.append(f"{number}:{call.microseconds}{outcome}")
        return " ".join(words)

    def _numbered(self, hook: str) -> int:
        number = len(self._numbers) + 1
        self._add(hook, number)
        self._numbers[hook] = number
        return number


def _word(outcome: str) -> str:
    """An outcome that is no word was not written by hookd, and would be read as something else."""
    return outcome if outcome.isalpha() else "unknown"


def hook_calls(column: str, hooks: Mapping[int, str]) -> list[HookCall]:
    """What a column says, with the hooks' names."""
    return [hook_call(word, hooks) for word in column.split()]


def hook_call(word: str, hooks: Mapping[int, str]) -> HookCall:
    """One word of a column."""
    number, microseconds, *outcome = word.split(":")
    return HookCall(hooks[int(number)], int(microseconds), *outcome)
