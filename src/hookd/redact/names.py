"""What a name says about the value it is given: `dbPassword`, `API_KEY`, but not `token_type`."""

import re
from functools import lru_cache

from hookd.patterns import late
from hookd.redact import checks

_PASSWORD = late(
    r"(?:passw(?:or)?[dt]|passwd|passphrase|passcode|pwd|psw|kennwort|passwort|contrase\w*|senha|parola|"
    r"(?:^|[^a-z])(?:pass|pw)|(?-i:[a-z]P(?:ass|wd)))s?[\d_]*$",
    re.IGNORECASE,
)
_STRONG = late(
    r"secrete?s?|(?:api|access|private|priv|auth|account|service|client|db|database|master|encryption|signing|"
    r"shared|storage|admin)[_\-. ]?key|(?:auth|access)[_\-. ]?token|credentials?|"
    r"(?:key|db|database)[_\-]?pass|passw",
    re.IGNORECASE,
)
_TELLING_END = late(
    r"(?:^|[^a-z:])(?:[a-z]+[_\-.])*[a-z]*(?:key|token|tkn|secret|auth|pass|pwd|access|private)\d*$",
    re.IGNORECASE,
)
_HARMLESS = late(
    r"(?:public|pub|primary|foreign|sort|partition|cache)[_\-]?key|^data-key$|csrf|idempotency|"
    r"key[_\-]?(?:id|name|alias|ring|board|code|down|up|press|frame|store|space|map|bind|chain|point|note)|keyword|author|token_type|"
    r"tokeniz|session_?id$|accessib|accessor|passed|passing|passive|compass|bypass|passenger|credit|monkey|hotkey",
    re.IGNORECASE,
)
_TYPE_NAME = late(r"(?:[A-Z]+[a-z]+)*(?:Auth|Access|Login|Private|Keychain)(?:[A-Z][a-z]+)*(?:/\w+)?")
_SETTING = late(r"^[a-z]+(?:[._][a-z]+)*[._]password$")  # db_password, spring.datasource.password
_SPECIAL = late(r"[^\w\-./ ]")
_WORDS = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CALL = late(r"[A-Za-z_][\w.]*\(")
_CONSTANT = late(r"[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:[_.][a-z]+)+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+")


@lru_cache(8192)
def assigned_kind(name: str, separator: str, quoted: bool, value: str, is_data: bool = False) -> str | None:
    """What a value is that is assigned to a name, None if there is nothing to hide.

    `is_data` says that the place is no program's: a setting, a form's field, a line of a log.
    """
    value = value[: checks.LONGEST_PROBE]
    if " " in value.strip():
        return "assigned-pass" if says_password(name) and checks.is_passphrase(value, quoted) else None
    if len(value) < 4:
        return None
    if value.isalpha() and len(value) < 12 and not _PASSWORD.search(name):
        return None  # a word, most often
    if checks.is_placeholder(value) or checks.is_location(value) or checks.is_generated(value):
        return None
    if _TYPE_NAME.fullmatch(name) and not quoted and checks.is_hex(value):
        return None  # a module and its checksum
    if _is_harmless(name) or (not quoted and _is_expression(separator, value)):
        return None
    assigns = separator.endswith(("=", ":", ">", "-"))
    if (name == "PASS" and separator == ":") or (name in ("pass", "Pass") and not assigns):
        return None  # a test's result; a verb
    digits = any(map(str.isdigit, value))
    special = len(_SPECIAL.findall(value))
    if _PASSWORD.search(name):
        if quoted:
            return "assigned-pass" if (assigns and _is_password(value)) or special >= 2 else None
        is_variable = _is_variable(name, separator, value) and not (is_data and value.isalnum())
        chosen = len(value) >= 6 and (digits or special) and not is_variable
        # PASSWORD=letmein in an environment
        setting = is_data or (separator == "=" and (name.isupper() or _SETTING.search(name) is not None))
        letters = setting and value.isalpha() and len(value) > 5 and _is_password(value)
        return "assigned-pass" if assigns and (chosen or letters) else None
    random = checks.looks_random(value, 10)
    if not quoted and not random and _is_variable(name, separator, value):
        return None
    if _STRONG.search(name) and (quoted or assigns) and len(value) >= 8:
        mixed = digits and any(map(str.isalpha, value))
        if (
            (mixed or special >= 2)
            and checks.entropy(value) > 2.5
            and (quoted or checks.word_share(value) < 0.6)
        ):
            return "assigned-credential"
    if assigns and random and (len(value) >= 20 or _TELLING_END.search(name)):
        return "assigned-credential"
    return None


def says_password(name: str) -> bool:
    """Whether a name is a password's."""
    return _PASSWORD.search(name) is not None and not _is_harmless(name)


def says_many_passwords(name: str) -> bool:
    """Whether a name is that of several passwords."""
    return name[-1:] in "sS" and says_password(name) and not name.lower().endswith("pass")


@lru_cache(4096)
def _is_harmless(name: str) -> bool:
    if _HARMLESS.search(name):
        return True
    parts = _WORDS.findall(name)
    return bool(parts) and parts[-1].lower() in checks.words("harmless")


def _is_expression(separator: str, value: str) -> bool:
    """Whether a value without quotes is certainly code: compared, a call, a dotted name of words."""
    if separator.endswith("==") or "!=" in separator or value[0] in "([{*&" or _CALL.match(value):
        return True
    return "." in value and checks.is_code(value) and checks.word_share(value) > 0.3


def _is_variable(name: str, separator: str, value: str) -> bool:
    """Whether a value without quotes is the name of a variable rather than data."""
    value = value.rstrip("!?") or value
    if not checks.is_code(value):
        return False
    # `DB_PASSWORD=hunter2`, `password: hunter2`: a setting, no variable has such a name beside such a value.
    drawn = value.isalnum() and any(map(str.isdigit, value)) and checks.word_share(value) < 0.9
    setting = separator in ("=", ":") and drawn
    return not (setting and (name.isupper() or separator == ":"))


def _is_password(value: str) -> bool:
    """A value in quotes under a name that says password."""
    if _CONSTANT.fullmatch(value) or _PASSWORD.search(value.replace("sse", "ss")):
        return not value.replace("_", "").isalpha()
    if value.isalpha() and not value.isascii():
        return False  # the word in another language
    if value.isalpha() and (value.islower() or value.istitle()):
        return len(value) >= 6 and "pass" not in value.lower()
    return True
