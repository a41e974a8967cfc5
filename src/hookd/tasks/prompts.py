"""What a prompt is: a new task, or something said about the one under way."""

import re
from typing import Any, Literal

from hookd.patterns import late

Kind = Literal["task", "correction", "direction", "approval", "question"]

# What agents put into a prompt themselves: reminders, command output, files.
_TAG = late(r"<([a-z][\w-]{0,40})(?:\s[^<>]{0,400})?>")
# What tools, pages and other agents said stands in these, and could say that it ends there.
_OTHERS = late(r"[\w-]*(?:notification|stdout|stderr|output|result|results|message|contents?|document)")
_FENCE = late(r"```.*?(?:```|\Z)", re.DOTALL)
_WORD = late(r"[^\W_]+(?:['\u2019-][^\W_]+)*")

_YES = frozenset(
    "y yes yep yeah yup ok okay k sure fine right correct exactly agreed approved approve lgtm "
    "perfect great good nice awesome excellent cool thanks thank thx ty please go ahead continue "
    "proceed carry on do it that's thats that this looks sounds works for me you ship accept "
    "accepted confirmed confirm all well done keep going 1 up to so absolutely definitely of course "
    "by means let's lets the plan then now merge is i like".split()
)
# At least one of these makes it an approval; the words above only do not spoil it.
_CONSENT = frozenset(
    "y yes yep yeah yup ok okay k sure fine correct exactly agreed approved approve lgtm perfect "
    "great good nice awesome excellent cool thanks thank thx ty ahead continue proceed carry ship "
    "accept accepted confirmed confirm going absolutely definitely course 1 go right".split()
)
_OPENING = late(
    r"(?:(?:yes|yep|yeah|ok|okay|sure|great|good|nice|perfect|thanks|thank you|cool|fine|right|alright|well|"
    r"hi|hello|hey|so|please|sorry|one more thing|looks good|sounds good|good job|well done)\b[\s,.!:;-]*)+",
    re.IGNORECASE,
)
_LINK = late(r"(?:now|then|next|and|also|finally|plus|additionally|after that|first)\b[\s,:]*", re.IGNORECASE)
_MORE = late(r"(?:also|and|plus|additionally)\b", re.IGNORECASE)
_POLITE = late(
    r"(?:please\s+|kindly\s+|(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:also\s+)?|i(?:'d| "
    r"would)\s+like\s+(?:you\s+)?to\s+|i\s+(?:want|need)\s+(?:you\s+)?to\s+|we\s+(?:need|want|have|"
    r"should)\s+(?:to\s+)?|you\s+(?:should|need\s+to|must)\s+|let'?s\s+|let\s+us\s+|go\s+ahead\s+and\s+|"
    r"help\s+me\s+(?:to\s+)?|try\s+to\s+|your\s+task\s+is\s+to\s+)+",
    re.IGNORECASE,
)
_CORRECTS = late(
    r"(?:no|nope|nah|wrong|wait|stop|hold on|hmm|actually|not|don'?t|do not|never mind|nevermind|undo|"
    r"revert (?:that|this|it)|that(?:'s| is| was)? (?:not|wrong|broken|incorrect)|that (?:doesn'?t|does not|"
    r"didn'?t|broke)|this (?:is|was) (?:not|wrong|broken)|it(?:'s| is)? (?:still|not|wrong|broken)|it "
    r"(?:doesn'?t|does not|didn'?t)|still|you (?:forgot|missed|broke|misunderstood|didn'?t|did not|should "
    r"have|were supposed|removed|deleted|changed)|i (?:said|meant|asked|told|wanted|didn'?t))\b",
    re.IGNORECASE,
)
_CORRECTS_INSIDE = late(
    r"\b(?:instead|not what i|still (?:fail|fails|failing|broken|wrong|crash\w*|not)|same error|rather than "
    r"that|wrong (?:file|function|place|approach|one|branch))\b",
    re.IGNORECASE,
)
_ASKS = frozenset(
    "what what's whats why how where when who whose which is are was were does did do can could "
    "would should has have will any isn't aren't doesn't didn't shouldn't can't am".split()
)
_ASKS_TO_TELL = late(
    r"(?:explain|tell me|describe to me|walk me through|what do you think|i wonder|wondering|any "
    r"idea|remind me)\b",
    re.I,
)
# What one says to steer work that is under way.
_STEERS = frozenset(
    "run rerun re-run test retest commit push pull show print try retry check verify format lint "
    "stop continue merge rebase restart open read look list use keep leave skip pick choose prefer "
    "wait repeat redo resume proceed start save apply ignore squash amend stage deploy remember note "
    "go give put take call see go compile execute".split()
)
_WORKS = frozenset(
    "add fix implement write create build make refactor remove delete rename update change migrate "
    "move port support improve optimize optimise document investigate debug find figure replace "
    "convert extract split introduce set configure upgrade bump clean rewrite redesign design review "
    "translate generate integrate handle ensure develop wire hook enable disable simplify speed "
    "reduce reproduce research analyze analyse audit benchmark plan prepare profile draft scaffold "
    "bootstrap restructure reorganize reorganise rework expose cache validate sanitize log track "
    "measure parse render paginate sort filter import export deprecate drop secure encrypt finish "
    "complete solve resolve address correct allow prevent block switch turn extend adapt align merge "
    "unify deduplicate wrap mock cover install publish release package dockerize".split()
)
_POINTS_BACK = frozenset("it that this these those them same too again one ones there".split())
LONGEST = 50_000
_SHORT, _LONG = 9, 25


def words_of(prompt: Any) -> str:
    """What the person typed of a prompt, without the blocks that programs put into it."""
    if not isinstance(prompt, str):
        return ""
    text = prompt[:LONGEST]
    kept, at = [], 0
    open_for_ever: set[str] = set()
    for tag in _TAG.finditer(text):
        if tag.start() < at or tag[1] in open_for_ever:
            continue
        find = text.rfind if _OTHERS.fullmatch(tag[1]) else text.find
        end = find(f"</{tag[1]}>", tag.end())
        if end < 0:
            open_for_ever.add(tag[1])  # looked for once: a prompt of nothing but tags must not take long
            continue
        kept.append(text[at : tag.start()])
        at = end + len(tag[1]) + 3
    return " ".join([*kept, text[at:]]).strip()


def kind_of(prompt: str, *, in_task: bool) -> Kind:
    """What the prompt is; `in_task` says whether its session has a task already."""
    text = _FENCE.sub(" ", prompt).strip()
    if not text or text[0] in "/!#":
        # A command of the agent's own, or nothing but pasted code.
        return "direction" if in_task or not prompt.strip() or prompt.lstrip()[0] in "/!#" else "task"
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]
    if not words:
        return "approval" if in_task and any(sign in text for sign in "👍✅👌+") else "direction"
    if len(words) <= 8 and _YES.issuperset(words) and not _CONSENT.isdisjoint(words):
        return "approval"
    if in_task and (_CORRECTS.match(text) or (len(words) <= _LONG and _CORRECTS_INSIDE.search(text))):
        return "correction"
    return _of_the_rest(_OPENING.sub("", text, count=1).strip() or text, in_task=in_task)


def _of_the_rest(text: str, *, in_task: bool) -> Kind:
    if in_task and _CORRECTS.match(text):
        return "correction"
    adds = bool(_MORE.match(text))
    text = _LINK.sub("", text, count=1)
    asked = _POLITE.sub("", text, count=1)
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(asked)]
    if not words:
        return "direction"
    verb = words[0]
    is_question = text.rstrip(" \"')").endswith("?") and len(words) <= 60
    if verb in _WORKS:
        points_back = len(words) <= _SHORT and not _POINTS_BACK.isdisjoint(words[1:])
        return "direction" if in_task and (points_back or (adds and len(words) <= _LONG)) else "task"
    if _ASKS_TO_TELL.match(asked) or (verb in _ASKS and (is_question or len(words) <= _LONG)):
        return "question"
    if verb in _STEERS and len(words) <= _LONG:
        return "direction"
    if is_question and len(words) <= _LONG:
        return "question"
    if in_task:
        return "task" if len(words) > _LONG else "direction"
    return "task" if len(words) >= 3 else "direction"
