"""Checks of personal numbers: what makes sixteen digits a card and not a counter."""

import ipaddress


def _digits(value: str) -> str:
    return "".join(filter(str.isdigit, value))


def luhn(value: str) -> bool:
    """The check digit of cards."""
    digits = [int(digit) for digit in reversed(_digits(value))]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return 12 <= len(digits) <= 19 and (sum(digits[::2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def iban(value: str) -> bool:
    """The two check digits of a bank account."""
    plain = value.replace(" ", "").upper()
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1


def ip(value: str) -> bool:
    """An address that is somebody's: not the machine itself, not a clock time."""
    try:
        address = ipaddress.ip_address(value.partition("%")[0])
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def ssn(value: str) -> bool:
    """A number that the United States give out, as social security or tax number."""
    digits = _digits(value)
    return digits[:3] not in ("000", "666") and digits[3:5] != "00" and digits[5:] != "0000"


def phone(value: str) -> bool:
    """As many digits as a telephone number has."""
    digits = _digits(value)
    return 8 <= len(digits) <= 15 and len(set(digits)) > 2


def number(value: str) -> bool:
    """As many digits as authorities use."""
    return 8 <= len(_digits(value)) <= 14
