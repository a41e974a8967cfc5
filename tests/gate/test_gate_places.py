"""Where a path lies."""

import pytest

from hookd.gate.case.places import NAMES, Places
from hookd.shell.model import UNKNOWN, Word

PLACES = Places("/home/user/project", "/home/user", own=("/home/user/.config/hookd",), temp=("/scratch",))


def of(text: str, cwd: str | None = "/home/user/project") -> frozenset[str]:
    return PLACES.of(Word(text, UNKNOWN not in text, text, any(c in text for c in "*?[")), cwd)


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("/", "root outside"),
        ("/.", "root outside"),
        ("//", "root outside"),
        ("/tmp/../", "root outside"),
        ("/*", "root outside glob"),
        ("/etc", "system top outside"),
        ("/etc/nginx/a", "system outside"),
        ("/et?", "system top outside glob"),
        ("/home", "system top above outside"),
        ("/home/other/x", "other-home outside"),
        ("~", "home above outside"),
        ("~/", "home above outside"),
        ("~/.*", "home above outside glob"),
        ("~/notes.txt", "in-home outside"),
        ("~/.config/app", "home-config outside"),
        ("~/.bashrc", "home-config startup outside"),
        ("~/.ssh/authorized_keys", "home-config ssh outside"),
        ("~/.ssh/id_rsa", "home-config ssh secret outside"),
        ("~/.ssh", "home-config ssh secret-folder outside"),
        ("~/.cache/pip", "build outside"),
        ("~/.config/hookd/config.toml", "hookd outside"),
        ("~/.claude/settings.json", "home-config agent-settings outside"),
        (".", "project-root"),
        ("*", "project-root glob"),
        ("./*", "project-root glob"),
        ("..", "home above outside"),
        ("src/a.c", "project"),
        ("src/../src/a.c", "project"),
        ("../other/a.c", "in-home outside"),
        ("*.c", "project glob"),
        ("node_modules", "project build"),
        ("web/dist/x.js", "project build"),
        (".git", "project git"),
        (".git/hooks/pre-commit", "project git git-hooks"),
        (".hookd/config.toml", "project hookd"),
        (".claude/settings.local.json", "project agent-settings"),
        (".env", "project secret"),
        (".env.example", "project"),
        (".env*", "project secret glob"),
        ("server.key", "project secret certificate"),
        ("/tmp/x", "temp"),
        ("/tmp", "temp-root outside"),
        ("/tmp/*", "temp-root outside glob"),
        ("/scratch/x", "temp"),
        ("/dev/null", "null"),
        ("/dev/sda", "device outside"),
        ("/dev/tcp/host/80", "network outside"),
        ("/data/x", "outside"),
        (f"/tmp/{UNKNOWN}", "temp unknown"),
        (UNKNOWN, "unknown"),
        (f"{UNKNOWN}/*", "unknown maybe-root"),
        (f"{UNKNOWN}/etc", "unknown maybe-root"),
        (f"src/{UNKNOWN}.c", "project unknown"),
        (f"build/{UNKNOWN}", "project build unknown"),
    ],
)
def test_a_paths_places(path: str, places: str) -> None:
    assert of(path) == frozenset(places.split())
    assert of(path) <= NAMES


def test_without_a_folder_a_relative_path_is_unknown() -> None:
    assert of("a.c", cwd=None) == {"unknown"}
    assert of("/etc", cwd=None) == {"system", "top", "outside"}


def test_a_project_in_a_temporary_folder_is_the_project() -> None:
    places = Places("/tmp/p", "/tmp/home")
    assert places.of_path("/tmp/p/a") == {"project"}
    assert places.of_path("/tmp/home") == {"home", "outside"}
    assert places.of_path("/tmp/q") == {"temp"}


def test_what_the_person_calls_secret_is_secret() -> None:
    places = Places("/p", "/h", secret=("*.vault",), not_secret=(".env.test",))
    assert "secret" in places.of_path("/p/a.vault")
    assert "secret" not in places.of_path("/p/.env.test")
