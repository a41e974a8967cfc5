"""What a failing command, a decision and an edit look like when they are worth remembering."""

from hookd.memory.observations import Observation

_FAILURE = """
pytest tests/test_ledger.py -x failed with exit code 1. test_rounding_of_refunds: AssertionError: assert
Decimal('10.01') == Decimal('10.00'). The refund was split over three lines and each was rounded up by
itself, so that the sum was a cent too high. Tried next: rounding after the sum (broke test_line_totals),
then largest remainder in src/shop/ledger.py, which passed. The same test had failed in March for another
reason, see the note on currencies without minor units; JPY and KRW must not be divided. Traceback:
src/shop/ledger.py:118 in split, src/shop/ledger.py:64 in refund, tests/test_ledger.py:212 in
test_rounding_of_refunds. Run again with --seed 4 to see it.
"""

_DECISION = """
Amounts are kept as integers of the currency's minor unit, because floats lose cents and Decimal made the
import of statements eleven times slower. Considered instead: Decimal with a context per currency
(rejected: slow, and every caller must remember the context), strings (rejected: sorting). What follows:
the API gives amounts as integers with a currency beside them, the database column is BIGINT, display is
the template's business, and a currency without minor units has a factor of one. Migration 0042 converts
what is there; it can be run twice. Reports that sum over currencies convert first and say at which rate.
Asked for by the person on the second of March, after the third report of a cent that was missing in the
yearly statement.
"""

_EDIT = """
src/shop/ledger.py: split() distributes a remainder over the lines with the largest fractions first,
where it used to round every line by itself. refund() calls it once for the whole refund and no longer
per line. New: minor_units(currency) with the table of currencies that have none. Removed: round_half_up,
which nobody else used. tests/test_ledger.py: three cases for refunds over several lines, one for JPY,
one for an amount of zero; the property test checks that the parts always add up to the whole and differ
by one unit at most. All 214 tests pass. docs/ledger.md says now how a remainder is distributed and why,
with the example of ten in three parts, and names the two reports that depend on the order of lines.
"""

USUAL = [
    Observation(
        id=f"o{number:010x}",
        kind=kind,
        paths=("src/shop/ledger.py", "tests/test_ledger.py"),
        session="5cc63915-16ba-4d2c-ad1e-125a3c7f91f9",
        tool=tool,
        text=" ".join(text.split()),
    )
    for number, (kind, tool, text) in enumerate(
        [("failure", "Bash", _FAILURE), ("decision", "", _DECISION), ("edit", "Edit", _EDIT)]
    )
]
