"""A rest after repeated failures: nobody waits again and again for a model that does not answer."""

import time
from collections.abc import Callable

from hookd.errors import ModelError

FAILURES = 3
FIRST_REST, LONGEST_REST = 30.0, 300.0


class Breaker:
    """Counts failures in a row; after a few of them only one try is let through now and then."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._until = 0.0

    @property
    def resting(self) -> float:
        """For how many more seconds nobody is asked."""
        return max(0.0, self._until - self._clock()) if self._failures >= FAILURES else 0.0

    def check(self) -> None:
        """Raises ModelError during a rest. Whoever gets through after one is the only one to try."""
        if left := self.resting:
            raise ModelError(
                f"the model failed {self._failures} times in a row and is asked again in {left:.0f} s",
                hint="`hookd status` has the last failure",
            )
        if self._failures >= FAILURES:
            self._rest()

    def failed(self) -> None:
        self._failures += 1
        if self._failures >= FAILURES:
            self._rest()

    def succeeded(self) -> None:
        self._failures = 0

    def _rest(self) -> None:
        rest = FIRST_REST * 2.0 ** min(self._failures - FAILURES, 10)
        self._until = self._clock() + min(rest, LONGEST_REST)
