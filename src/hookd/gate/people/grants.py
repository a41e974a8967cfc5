"""What a person has granted in a project: a pause, a call let through once, rules learned from approvals.

One file per project in the user's data folder, sealed with a key that lies beside it: a file that is damaged,
copied from another project or brought by a repository grants nothing. A process of the same user could still
forge one (docs/security.md says so); an agent's attempt to is stopped by the rules on hookd's own files.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from hookd.errors import TrustError
from hookd.events.tools import BESIDE_A_COMMAND
from hookd.paths import UserFolders, as_text, project_key
from hookd.private_files import alone_in, write_private

ONCE_SECONDS = 600.0
PAUSE_SECONDS = 3600.0
"""The longest that a pause may last."""
LOOK_SECONDS = 1.0
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


class Once(msgspec.Struct, frozen=True, kw_only=True):
    """One call that may pass once."""

    code: str
    call: str
    """The call's seal."""
    until: float
    used: tuple[str, ...] = ()
    """The events that let it pass: before the call, and in the agent's own dialog about it."""


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """A rule's question that is not asked any more for calls of one shape, since its answer is known.

    Nothing of a call stands here: the store has that by the id, and can forget it.
    """

    id: int
    rule: str
    shape: str
    since: float
    until: float | None
    by: Literal["person", "count"]
    verdict: Literal["allow", "deny"] = "allow"
    """Whether the question is answered with yes from now on, or with no."""


class Grants(msgspec.Struct, frozen=True, kw_only=True):
    """All that is granted in one project."""

    root: str
    paused_until: float = 0.0
    once: tuple[Once, ...] = ()
    learned: tuple[Learned, ...] = ()


class _Sealed(msgspec.Struct, frozen=True):
    seal: bytes
    grants: bytes


class GrantBook:
    """Reads and changes one project's grants; every reader sees a change at once."""

    def __init__(self, folders: UserFolders, root: str, clock: Callable[[], float] = time.time) -> None:
        self._folder = folders.data / "grants"
        self._path = self._folder / f"{project_key(root)[:16]}.grants"
        self._root = as_text(root)
        self._clock = clock
        self._known: tuple[object, Grants] | None = None
        self._key: bytes | None = None

    def read(self) -> Grants:
        """What is granted now, without what has expired."""
        return self._standing(self._written())

    def learned_ever(self) -> tuple[Learned, ...]:
        """Every learned rule, those that have expired among them."""
        return self._written().learned

    def _written(self) -> Grants:
        mark = _mark(self._path)
        if mark is None:
            return Grants(root=self._root)
        known = self._known  # another thread may be changing it
        if known is None or known[0] != mark:
            known = self._known = (mark, self._load())
        return known[1]

    def _standing(self, grants: Grants) -> Grants:
        now = self._clock()
        return replace(
            grants,
            # A clock that was set back does not make a grant last longer, nor does one that was made up.
            paused_until=grants.paused_until if now < grants.paused_until <= now + PAUSE_SECONDS else 0.0,
            once=tuple(each for each in grants.once if now < each.until <= now + ONCE_SECONDS),
            learned=tuple(each for each in grants.learned if each.until is None or each.until > now),
        )

    def _load(self) -> Grants:
        try:
            sealed = msgspec.msgpack.decode(self._path.read_bytes(), type=_Sealed)
            genuine = hmac.compare_digest(sealed.seal, self._seal(sealed.grants))
            grants = msgspec.msgpack.decode(sealed.grants, type=Grants) if genuine else None
        except (OSError, msgspec.DecodeError, TrustError):
            grants = None
        return grants if grants is not None and grants.root == self._root else Grants(root=self._root)

    def change(self, how: Callable[[Grants], Grants]) -> Grants:
        """Replaces what is granted, one process at a time.

        What was learned stays when it has expired: a clock that jumped may be all there is to it.
        """
        with alone_in(self._folder):
            self._known = None
            written = self._written()
            changed = how(replace(self._standing(written), learned=written.learned))
            encoded = msgspec.msgpack.encode(changed)
            write_private(self._path, msgspec.msgpack.encode(_Sealed(self._seal(encoded), encoded)))
            self._known = None
        return changed

    def pause(self, seconds: float) -> float:
        """Has the gate only audit for so long; returns when that ends."""
        until = self._clock() + seconds
        self.change(lambda grants: replace(grants, paused_until=until))
        return until

    def end_pause(self) -> bool:
        """Has the gate enforce again; False if it did."""
        was = self.read().paused_until > 0
        if was:
            self.change(lambda grants: replace(grants, paused_until=0.0))
        return was

    def allow_once(self, code: str, call: str) -> float:
        """Lets that very call pass once; returns until when."""
        once = Once(code=code, call=call, until=self._clock() + ONCE_SECONDS)
        self.change(lambda grants: replace(grants, once=(*(o for o in grants.once if o.call != call), once)))
        return once.until

    def use(self, call: str, event: str) -> Once | None:
        """The grant that lets this call pass at this event; it does so only once."""
        used: list[Once] = []

        def fits(once: Once) -> bool:
            return once.call == call and event not in once.used

        def mark(grants: Grants) -> Grants:
            used.extend(replace(o, used=(*o.used, event)) for o in grants.once if fits(o))
            return replace(grants, once=(*(o for o in grants.once if not fits(o)), *used))

        if any(map(fits, self.read().once)):
            self.change(mark)
        return used[0] if used else None

    def learn(self, rule: Learned) -> None:
        """Puts a learned rule in force, in place of one for the same question and shape."""

        def put(grants: Grants) -> Grants:
            others = (o for o in grants.learned if (o.rule, o.shape) != (rule.rule, rule.shape))
            return replace(grants, learned=(*others, rule))

        self.change(put)

    def unlearn(self, number: int) -> bool:
        """Takes a learned rule out of force; False if it was not."""
        was = any(each.id == number for each in self.read().learned)
        self._drop(lambda each: each.id == number)
        return was

    def forget_expired(self, before: float) -> None:
        """Drops the learned rules that expired before a moment."""
        self._drop(lambda each: each.until is not None and each.until < before)

    def _drop(self, which: Callable[[Learned], bool]) -> None:
        if any(map(which, self._written().learned)):
            self.change(lambda g: replace(g, learned=tuple(o for o in g.learned if not which(o))))

    def trouble(self) -> str:
        """Why nothing can be granted or learned here; "" if it can, or nothing has been so far."""
        if not os.path.lexists(self._folder):
            return ""
        self._key = None
        try:
            with alone_in(self._folder, LOOK_SECONDS):
                if os.path.lexists(self._folder / "key"):  # it is made when it is first needed
                    self._secret()
        except (OSError, TrustError) as error:
            return str(error)
        return ""

    def forget(self) -> None:
        """Deletes everything that was granted in the project."""
        self._path.unlink(missing_ok=True)

    def call(self, tool: str, tool_input: dict[str, Any], cwd: str) -> str:
        """A call's seal: the same for the same call in the same place, and it gives away nothing of it."""
        kept = {key: value for key, value in tool_input.items() if key not in BESIDE_A_COMMAND}
        return self.digest([self._root, tool, kept, cwd])

    def digest(self, value: Any) -> str:
        """A keyed hash: nobody who reads the record can try out what the value was."""
        encoded = msgspec.json.encode(value, enc_hook=repr, order="deterministic")
        # In groups, so that nothing takes it for a secret.
        text = hmac.new(self._secret(), encoded, hashlib.sha256).hexdigest()
        return "-".join(text[at : at + 4] for at in range(0, 32, 4))

    def _seal(self, text: bytes) -> bytes:
        return hmac.new(self._secret(), self._path.name.encode() + b"\0" + text, hashlib.sha256).digest()

    def _secret(self) -> bytes:
        """The user's key, made when it is first needed."""
        if self._key is None:
            path = self._folder / "key"
            try:
                if _mark(path) is None:
                    self._make_key(path)
                key = path.read_bytes() if _mark(path) is not None else b""
            except OSError as error:
                raise TrustError(f"{path} cannot be used: {error.strerror}") from None
            if len(key) != 32:
                raise TrustError(
                    f"{path} is not hookd's own key", hint="remove it: what was granted so far is void then"
                )
            self._key = key
        return self._key

    def _make_key(self, path: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_suffix(f".{os.getpid()}-{secrets.token_hex(4)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(32))
            os.link(draft, path)
        except FileExistsError:
            pass  # the second process has the first one's
        finally:
            draft.unlink(missing_ok=True)


def new_code() -> str:
    """A code that a person can type; what it stands for is on the record."""
    return "".join(secrets.choice(_LETTERS) for _ in range(6))


def _mark(path: Path) -> object | None:
    """What changes with a file; None if it is not there or others could have written it."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
