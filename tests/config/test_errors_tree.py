"""The errors: one tree, drawn where they are defined, and each with a message of its own."""

import re
import subprocess
import sys

import pytest

from hookd import errors
from hookd.errors import HookdError

CLASSES = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type)}


def test_the_tree_that_is_drawn_is_the_tree_there_is() -> None:
    drawn = re.findall(r"^ *(?:[├└]── )?(\w+Error)\b", errors.__doc__ or "", re.MULTILINE)
    assert sorted(drawn) == sorted(CLASSES)
    assert all(issubclass(kind, HookdError) for kind in CLASSES.values())


@pytest.mark.parametrize("name", CLASSES)
def test_an_errors_docstring_is_its_message(name: str) -> None:
    kind = CLASSES[name]
    assert kind.__doc__
    assert str(kind()) == kind.__doc__
    error = kind("what happened", hint="what to do")
    assert (str(error), error.hint) == ("what happened", "what to do")
    assert kind().hint is None


def test_a_wrong_command_line_has_the_usual_exit_code() -> None:
    assert {name for name, kind in CLASSES.items() if kind.exit_code != 1} == {"UsageError"}
    assert errors.UsageError.exit_code == 2


def test_importing_hookd_costs_next_to_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import hookd; print(set(sys.modules) - before - {'typing'})"
    )
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert "msgspec" not in loaded
    assert "hookd." not in loaded


def test_a_name_that_hookd_does_not_have_is_an_attribute_error() -> None:
    import hookd

    with pytest.raises(AttributeError, match="module 'hookd' has no attribute 'nonsense'"):
        _ = hookd.nonsense
