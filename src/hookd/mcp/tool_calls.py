"""One call of a tool: checked, made and answered, whatever comes in."""

import sys
import traceback
from typing import Any, NamedTuple

import msgspec

from hookd.errors import HookdError, StoreError, TrustError, UsageError
from hookd.mcp.project import Here
from hookd.mcp.tools import TOOLS, function, schema, takes

_CODES: tuple[tuple[type[Exception], str], ...] = (
    (UsageError, "bad-request"),
    (TrustError, "not-allowed"),
    (StoreError, "store"),
    (HookdError, "failed"),
)


class ToolAnswer(NamedTuple):
    """What a tool says; with a code if it is an error."""

    text: str
    code: str = ""
    hint: str = ""

    @property
    def error(self) -> dict[str, str] | None:
        """The same for programs."""
        return {"code": self.code, "message": self.text, "hint": self.hint} if self.code else None


def answer(here: Here, name: str, arguments: dict[str, Any] | None) -> ToolAnswer:
    """What the tool says; an error is an answer too, for the model to read and do better."""
    tool = TOOLS.get(name)
    if tool is None:
        return ToolAnswer(f"there is no tool {name[:60]!r}", "bad-request", f"there are: {', '.join(TOOLS)}")
    try:
        given = msgspec.convert(arguments or {}, takes(tool), strict=False)
    except msgspec.ValidationError as error:
        return ToolAnswer(
            f"{name}: {error}", "bad-request", f"it takes: {', '.join(schema(tool)['properties'])}"
        )
    try:
        return ToolAnswer(function(tool)(here, given))
    except HookdError as error:
        code = next(code for kind, code in _CODES if isinstance(error, kind))
        return ToolAnswer(str(error), code, error.hint or "")
    except (StoreError, OSError) as error:
        return ToolAnswer(f"the store cannot be used: {error}", "store", "`hookd doctor` says more")
    except Exception as error:  # noqa: BLE001 - a bug in one call must not end the session's server
        from hookd.redact.redactor import Redactor

        print(Redactor().text(traceback.format_exc()), file=sys.stderr, flush=True)
        return ToolAnswer(
            f"hookd has a bug: {type(error).__name__}", "bug", "the server's log has the details"
        )
