"""The model's answer: taken from what it said, and believed only in exactly the agreed form."""

import json
import math
import re
from typing import Any, Literal, NamedTuple, cast, get_args

from hookd.errors import ModelError
from hookd.llm.provider import Form
from hookd.printable import printable

Verdict = Literal["allow", "ask", "deny"]

FORM = Form.of(
    "give_verdict",
    "Gives the verdict on the tool call.",
    verdict={"type": "string", "enum": list(get_args(Verdict))},
    confidence={"type": "number", "description": "how sure you are, from 0 to 1"},
    reason={"type": "string", "description": "one sentence for the person"},
)
LONGEST_REASON = 400
_FENCED = re.compile(r"```(?:json|JSON)?[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)


class ModelAnswer(NamedTuple):
    """What the model says about a call."""

    verdict: Verdict
    confidence: float
    reason: str


def read_answer(text: str) -> ModelAnswer:
    """The answer in a model's text; raises ModelError for everything that is not exactly one."""
    try:
        found = json.loads(_json_part(text), object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"the model's answer is no JSON object: {error}") from None
    if not isinstance(found, dict) or found.keys() != FORM.schema["properties"].keys():
        raise ModelError("the model's answer has not exactly the keys verdict, confidence and reason")
    verdict, confidence, reason = found["verdict"], found["confidence"], found["reason"]
    if verdict not in get_args(Verdict):
        raise ModelError("the model's verdict is none of allow, ask and deny")
    if type(confidence) not in (int, float) or not math.isfinite(confidence) or not 0 <= confidence <= 1:
        raise ModelError("the model's confidence is no number from 0 to 1")
    if not isinstance(reason, str) or not (said := _one_line(reason)):
        raise ModelError("the model gave no reason")
    return ModelAnswer(cast(Verdict, verdict), float(confidence), said)


def _json_part(text: str) -> str:
    """All of the text, or its only code block if what stands around it could be no answer."""
    # Models that think aloud do so first; what is after the last mark is what they say.
    said = text.rpartition("</think>")[2].strip()
    if said.startswith("{"):
        return said
    blocks = _FENCED.findall(said)
    if len(blocks) != 1 or "{" in _FENCED.sub("", said):
        raise ValueError("it is neither an object nor one code block with an object")
    return str(blocks[0])


def loose_object(text: str) -> dict[str, Any]:
    """The object in a text, where little hangs on how it stands there; empty if there is none."""
    said = text.rpartition("</think>")[2].strip()
    said = said.removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _one_line(text: str) -> str:
    """What can be shown anywhere: no control characters, no marks that turn the direction of writing."""
    line = " ".join(printable(text).split())
    return line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]}..."
