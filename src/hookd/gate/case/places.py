"""Where a path lies: what the rules call the root, the home, the project, a build product, a secret file."""

from __future__ import annotations

import os.path
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from hookd.gate.case.agent_files import NESTED_HOOK_FILES, is_own_document
from hookd.gate.case.agent_files import SETTINGS as AGENT_SETTINGS
from hookd.patterns import late
from hookd.redact.files import is_named, is_secret_file
from hookd.shell.model import UNKNOWN, Word
from hookd.shell.programs import names

NAMES = frozenset(
    "root system top home home-config in-home other-home startup ssh project-root above project git "
    "git-hooks git-lock build temp temp-root null network device outside secret secret-folder certificate "
    "hookd agent-settings agent-notes unknown maybe-root glob".split()
)
"""Every place a rule may name; a path can be in several at once."""

_SYSTEM = frozenset(
    "etc usr bin sbin lib lib32 lib64 libx32 boot var opt root sys proc run srv home Users System Library "
    "Applications private cores nix snap efi lost+found Windows".split()
)
_BUILD = frozenset(
    "node_modules bower_components dist build target out .next .nuxt .output .svelte-kit .astro .turbo "
    ".parcel-cache .vite .angular .expo __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox "
    ".hypothesis .eggs .venv venv .virtualenv coverage htmlcov .nyc_output .cache .gradle .terraform "
    ".serverless .aws-sam cdk.out .dart_tool Pods DerivedData .build obj bin-debug cmake-build-debug "
    "cmake-build-release CMakeFiles _build .bloop .metals storybook-static site-packages tmp temp logs "
    ".tmp .temp test-results playwright-report .ipynb_checkpoints .coverage *.egg-info *.pyc *.pyo *.o "
    "*.class *.log *.tmp *.swp *.bak .DS_Store *.tsbuildinfo .eslintcache".split()
)
_LEAVINGS = names("leavings")
"""Names that nobody gives by hand, whatever folder of the project they are found in."""
_BUILD_NAMES = frozenset(name for name in _BUILD if "*" not in name)
_BUILD_ENDINGS = tuple(name[1:] for name in _BUILD if name.startswith("*"))
_STARTUP = late(
    r"\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|"
    r"login|xprofile|xinitrc|xsessionrc|pam_environment|gitconfig|vimrc|inputrc)|\.config/(?:fish/.*|autostart/.*|systemd/.*|git/config|nvim/.*)|"
    r"\.config/powershell/.*|Documents/(?:Windows)?PowerShell/.*profile\.ps1|"
    r"AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup(?:/.*)?|"
    r"\.zsh/.*|\.bashrc\.d/.*|\.oh-my-zsh/.*|Library/Launch(?:Agents|Daemons)/.*|\.local/share/systemd/.*"
)
_SECRET_FOLDERS = late(
    r"(?:^|/)(?:\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.password-store|\.config/gcloud|\.local/share/keyrings|Library/Keychains)$"
)
_CERTIFICATE = late(
    r".*\.(?:pem|key|asc|gpg|crt|tfvars|tfstate|ovpn|p8|keystore|jks)|\.?(?:npmrc|yarnrc|yarnrc\.yml)|auth\.json|cookies|"
    r"credentials\.(?:py|ts|js|rb|go)|shadow|config",
    re.IGNORECASE,
)
_TEST_ENVIRONMENT = late(
    r"(?:.*/)?(?:\.env\.(?:test|tests|testing|e2e|ci|sandbox|docker|defaults?|schema)|(?:tests?|__tests__|spec|specs|e2e|fixtures|testdata|examples?|samples?|"
    r"demo)(?:/.*)?/\.env(?:\.\w+)?|(?:tests?|e2e)\.env)"
)
"""Environments that are made for tests and demonstrations, from the project's root on."""
_SECRET_SAMPLES = (
    ".env", ".env.local", ".env.production", "id_rsa", "id_ed25519", "id_ecdsa", "credentials", ".netrc",
    ".npmrc", ".pgpass", ".git-credentials", "server.key", "shadow",
)  # fmt: skip
_WHOLE = late(r"(?:[*?.]|\{,\.\}|\[!?\.?\])*[*?](?:[*?.]|\{,\.\})*")
_GLOB = re.compile(r"[*?\[]")
_DRIVE = late(r"[A-Za-z]:(?=[\\/]|$)")
TEMP = tuple("/tmp /var/tmp /private/tmp /private/var/tmp /dev/shm /var/folders /private/var/folders".split())
_WINDOWS_TEMP = "/AppData/Local/Temp"
_NULL = frozenset(
    "/dev/null /dev/stdout /dev/stderr /dev/stdin /dev/tty /dev/zero /dev/random /dev/urandom "
    "/dev/full".split()
)
UNKNOWN_PLACE = frozenset({"unknown"})
MOST_KNOWN = 1_000


class Places:
    """Tells where paths lie, seen from one project of one person."""

    def __init__(
        self,
        root: str,
        home: str,
        alias: str = "",
        own: Sequence[str] = (),
        registered: Sequence[str] = (),
        temp: Sequence[str] = (),
        secret: Sequence[str] = (),
        not_secret: Sequence[str] = (),
        trees: Sequence[str] = (),
    ) -> None:
        self.root = _plain(root)
        self.home = _plain(home)
        self._alias = _plain(alias) if alias else ""
        self._own = tuple(_plain(folder) for folder in own)
        self._registered = frozenset(registered)
        self._temp = (*TEMP, *(_plain(folder) for folder in temp if folder))
        self._secret = secret
        self._not_secret = not_secret
        self._trees = tuple(f"{_plain(tree)}/" for tree in trees)
        self._known: dict[tuple[str, bool, str | None], frozenset[str]] = {}

    def of(self, word: Word, cwd: str | None) -> frozenset[str]:
        """The places of what a word names when it is used in a folder."""
        key = (word.text, word.glob, cwd)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            found = self._known[key] = self._find(word.text, cwd, glob=word.glob)
        return found

    def of_path(self, path: str, cwd: str | None = None) -> frozenset[str]:
        """The places of a path that is given literally."""
        return self._find(path, cwd, glob=False)

    def _find(self, text: str, cwd: str | None, *, glob: bool) -> frozenset[str]:
        if UNKNOWN in text:
            return self._partly_known(text, cwd, glob=glob)
        if glob and _GLOB.search(text):
            return self._globbed(text, cwd)
        path = self.absolute(text, cwd)
        if path is not None:
            return self._classified(path)
        if is_secret_file(text, self._secret, self._not_secret) and not _CERTIFICATE.fullmatch(text):
            return frozenset({"unknown", "secret"})
        return UNKNOWN_PLACE

    def absolute(self, text: str, cwd: str | None) -> str | None:
        """The path as one from the root, without dots; None if the folder it starts from is not known."""
        if text.startswith("file://"):
            text = text[7:]
        if text.startswith("~"):
            name, _, rest = text[1:].partition("/")
            text = f"{self.home}/{rest}" if not name else f"{os.path.dirname(self.home)}/{name}/{rest}"
        if text.startswith("/"):
            return _plain(text)
        if drive := _DRIVE.match(text):
            return _plain("/" + text[drive.end() :].replace("\\", "/"))
        if cwd is None:
            return None
        return _plain(f"{cwd}/{text}")

    def _partly_known(self, text: str, cwd: str | None, *, glob: bool) -> frozenset[str]:
        """By the folder in front of what is not known, and by what is left if that turns out to be empty."""
        found = {"unknown"}
        if text.strip(UNKNOWN):
            empty = self._find(text.replace(UNKNOWN, ""), cwd, glob=glob)
            if empty & {"root", "system", "home"} and text[0] in (UNKNOWN, "/"):
                found.add("maybe-root")
        known = text[: text.index(UNKNOWN)]
        folder = known.rpartition("/")[0]
        if folder and "/.." not in text[len(known) :]:
            inside = self._find(f"{folder}/x", cwd, glob=glob)
            found |= inside - {"secret", "certificate"}
        last = text.rpartition("/")[2]
        if last in _LEAVINGS and "project" in found:
            found.add("build")
        if not self._secret_name(last.replace(UNKNOWN, "x")) and text[-1] == UNKNOWN:
            return frozenset(found)
        if self._secret_name(last) or is_secret_file(
            text.replace(UNKNOWN, "x"), self._secret, self._not_secret
        ):
            found.add("secret")
        return frozenset(found)

    def _globbed(self, text: str, cwd: str | None) -> frozenset[str]:
        parts = text.split("/")
        position = next(number for number, part in enumerate(parts) if _GLOB.search(part))
        folder = "/".join(parts[:position]) or ("/" if position else ".")
        part, rest = parts[position], parts[position + 1 :]
        if _WHOLE.fullmatch(part) and all(not name or _WHOLE.fullmatch(name) for name in rest):
            found = set(self._find(folder, cwd, glob=False))
            if is_secret_file(f"{folder}/x", self._secret, self._not_secret):
                found.add("secret")
            return frozenset({*found, "glob"})
        stand_in = _GLOB.sub("", part).strip("]") or "x"
        found = set(self._find("/".join([folder, stand_in, *rest]), cwd, glob=False))
        if not rest and self._secret_name(part):
            found |= {"secret"}
        if "outside" in found and folder == "/":
            found |= {"system"} if rest else {"system", "top"}
        return frozenset({*found, "glob"})

    def _secret_name(self, pattern: str) -> bool:
        return not _WHOLE.fullmatch(pattern) and any(fnmatchcase(name, pattern) for name in _SECRET_SAMPLES)

    def _classified(self, path: str) -> frozenset[str]:
        if self._alias and (path == self._alias or path.startswith(f"{self._alias}/")):
            path = self.root + path[len(self._alias) :]
        for tree in self._trees:
            if path.startswith(tree) and not path.startswith(f"{self.root}/"):
                path = f"{self.root}/{path[len(tree) :]}"
                break
        found = self._located(path)
        if "null" in found:
            return found
        if path in self._registered or path.endswith(NESTED_HOOK_FILES):
            found |= {"agent-settings"}
        if is_secret_file(path, self._secret, self._not_secret) and not self._is_for_tests(path):
            name = path.rpartition("/")[2]
            weak = _CERTIFICATE.fullmatch(name) and not path.startswith(("/etc/", f"{self.home}/."))
            found |= {"secret", "certificate"} if weak else {"secret"}
        elif _SECRET_FOLDERS.search(path):
            found |= {"secret-folder"}
        return found

    def _is_for_tests(self, path: str) -> bool:
        """Whether an environment of the project is for its tests, and not secret by the person's word."""
        inside = path.removeprefix(f"{self.root}/")
        return (
            inside != path
            and ".env" in inside
            and _TEST_ENVIRONMENT.fullmatch(inside) is not None
            and not is_named(path, self._secret)
        )

    def _located(self, path: str) -> frozenset[str]:
        if path.startswith("/dev/"):
            return _device(path)
        if path.startswith("/proc/self/fd"):
            return frozenset({"null"})
        if _WINDOWS_TEMP in path:
            inside = path.partition(_WINDOWS_TEMP)[2]
            return frozenset({"temp"} if inside[:1] == "/" else {"temp-root", "outside"})
        if any(path == own or path.startswith(f"{own}/") for own in self._own):
            return frozenset({"hookd", "outside"})
        if path == "/":
            return frozenset({"root", "outside"})
        if path == self.root:
            return frozenset({"project-root"})
        if path.startswith(f"{self.root}/"):
            return self._in_project(path[len(self.root) + 1 :])
        above = {"above"} if self.root.startswith(f"{path}/") else set()
        if path == self.home:
            return frozenset({"home", "outside", *above})
        if path.startswith(f"{self.home}/"):
            return frozenset({"outside", *above, *self._in_home(path[len(self.home) + 1 :])})
        for temp in self._temp:
            if path == temp:
                return frozenset({"temp-root", "outside", *above})
            if path.startswith(f"{temp}/"):
                return frozenset({"temp", *above, *_git_parts(path.split("/"))})
        first = path.split("/", 2)[1]
        if first in ("home", "Users") and path.count("/") > 1:
            return frozenset({"other-home", "outside", *above, *_git_parts(path.split("/"))})
        if first in _SYSTEM:
            return frozenset({"system", "outside", *above, *(() if path.count("/") > 1 else ("top",))})
        return frozenset({"outside", *above, *_git_parts(path.split("/"))})

    def _in_project(self, inside: str) -> frozenset[str]:
        parts = inside.split("/")
        found = {"project", *_git_parts(parts)}
        if parts[0] == ".hookd":
            found.add("hookd")
        if AGENT_SETTINGS.fullmatch(inside):
            found.add("agent-settings")
        if not _BUILD_NAMES.isdisjoint(parts) or parts[-1].endswith(_BUILD_ENDINGS):
            found.add("build")
        return frozenset(found)

    def _in_home(self, inside: str) -> set[str]:
        parts = inside.split("/")
        found = {
            "home-config" if inside.startswith(".") or parts[0] == "Library" else "in-home",
            *_git_parts(parts),
        }
        if _STARTUP.fullmatch(inside):
            found.add("startup")
        if parts[0] == ".ssh":
            found.add("ssh")
        if AGENT_SETTINGS.fullmatch(inside):
            found.add("agent-settings")
        if parts[0] == ".cache" and len(parts) > 1:
            found |= {"build"}
            found.discard("home-config")
        elif "home-config" in found and is_own_document(inside):
            found |= {"agent-notes"}
            found.discard("home-config")
        return found


places_of = lru_cache(8)(Places)
"""The same for every call of one project: where a path lies does not depend on the disk."""


def _git_parts(parts: list[str]) -> set[str]:
    if ".git" not in parts:
        return set()
    inside = parts[parts.index(".git") + 1 :]
    if inside and inside[-1].endswith(".lock"):
        return {"git-lock"}
    return {"git", "git-hooks"} if inside[:1] == ["hooks"] or inside[:1] == ["config"] else {"git"}


def _device(path: str) -> frozenset[str]:
    if path in _NULL or path.startswith(("/dev/fd", "/dev/pts/", "/dev/tty")):
        return frozenset({"null"})
    if path.startswith(("/dev/tcp/", "/dev/udp/")):
        return frozenset({"network", "outside"})
    if path.startswith("/dev/shm/"):
        return frozenset({"temp"})
    return frozenset({"device", "outside"})


def _plain(path: str) -> str:
    """Without dots, doubled slashes and a slash at the end."""
    if "/." in path or "//" in path or path[-1:] == "/":
        path = os.path.normpath(path)
        return path[1:] if path.startswith("//") else path
    return path
