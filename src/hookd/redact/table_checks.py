"""The checks that rows of the tables name: what a pattern found is one of these or left alone."""

import re
from collections.abc import Callable

from hookd.patterns import late
from hookd.redact.checks import is_drawn, is_location, is_placeholder, is_value, looks_random, words


def _digits(value: str) -> str:
    return "".join(filter(str.isdigit, value))


def _luhn(value: str) -> bool:
    """The check digit of cards."""
    digits = [int(digit) for digit in reversed(_digits(value))]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return 12 <= len(digits) <= 19 and (sum(digits[::2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def _iban(value: str) -> bool:
    """The two check digits of a bank account."""
    plain = value.replace(" ", "").upper()
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1


def _ip(value: str) -> bool:
    """An address that is somebody's: not the machine itself, not a clock time."""
    import ipaddress  # few people ask for it

    try:
        address = ipaddress.ip_address(value.partition("%")[0])
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _ssn(value: str) -> bool:
    """A number that the United States give out, as social security or tax number."""
    digits = _digits(value)
    return digits[:3] not in ("000", "666") and digits[3:5] != "00" and digits[5:] != "0000"


def _phone(value: str) -> bool:
    """As many digits as a telephone number has."""
    digits = _digits(value)
    return 8 <= len(digits) <= 15 and len(set(digits)) > 2


def _number(value: str) -> bool:
    """As many digits as authorities use."""
    return 8 <= len(_digits(value)) <= 14


_COOKIE_PARTS = late(r"[.:|&=!%]+")
_PAIRS = late(r"[;,\s\"'`]+")
_COOKIE_NAME = late(
    r"sess|sid$|^id$|auth|token|jwt|remember|csrf|xsrf|secret|login|ident|pass|pwd?$", re.IGNORECASE
)


def _is_cookie(value: str) -> bool:
    """Whether one of `a=1; b=2` lets somebody in, or tells who it is."""
    return any(_lets_in(*pair.partition("=")[::2]) for pair in _PAIRS.split(value))


def _is_session(value: str) -> bool:
    """Whether one of `a=1; b=2`, which may be no cookies, has a session's name and a random value."""
    pairs = (pair.partition("=") for pair in _PAIRS.split(value))
    return any(_COOKIE_NAME.search(name) and looks_random(given, 10) for name, _, given in pairs)


def _lets_in(name: str, value: str) -> bool:
    if is_placeholder(value) or is_location(value) or (value.isdigit() and len(value) < 12):
        return False
    if len(value) >= 6 and _COOKIE_NAME.search(name):
        return True
    return any(looks_random(part, 8) for part in _COOKIE_PARTS.split(value))


# What the tables call them.
CHECKS: dict[str, Callable[[str], bool]] = {
    "value": is_value,
    "real": lambda value: not is_placeholder(value),
    "url": lambda value: value != "pass" and (value.isalnum() or not is_placeholder(value)),
    "random": lambda value: any(looks_random(run, 10) for run in re.split(r"[;=,\s]+", value)),
    "digits": lambda value: any(map(str.isdigit, value)),
    "mixed": lambda value: any(map(str.isdigit, value)) and any(map(str.isalpha, value)),
    "drawn": is_drawn,
    "hexed": lambda value: re.split("[_-]", value)[0].lower() not in words("counters"),
    "cookie": _is_cookie,
    "session": _is_session,
    "pair": lambda value: not is_placeholder((value.partition(":")[2] or value).strip("\"'`,.)")),
    "flagged": lambda value: value.rstrip(".,;:)").lower() not in words("about_flags"),
    "place": lambda value: not is_location(value),
    "tail": lambda value: not is_placeholder(value.rstrip("/.").rpartition("/")[2]),
    "strong": lambda value: any(not c.isalpha() for c in value),
    **{check.__name__[1:]: check for check in (_luhn, _iban, _ip, _ssn, _phone, _number)},
}
