"""git's config file as git reads it, and remotes in one spelling."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookd.identity.gitconfig import Setting, normalised_remote, remote_url, work_tree
from hookd.identity.gitconfig import settings as read

CONFIG = """\ufeff# made by hand
[core] bare = false ; not here
\tworkTree = "../a b"\\
/c   # goes on
[Remote "or\\"ig\\\\in"]\r
\turl = first\r
[remote.OLD]
  fetch
  url=  https://x/y;z
  pushurl = "a#b" "c;d" \\t\\"e\\"
[a][b "]"] c = [d]
"""


def git_reads(text: str) -> list[Setting] | None:
    """What git itself reads in a config file; None if it refuses it."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(text.encode())
        command = ["git", "config", "--null", "--list", "--no-includes", "--file", file.name]
        done = subprocess.run(command, env=env, capture_output=True, check=False)
    if done.returncode:
        return None
    found: list[Setting] = []
    for entry in done.stdout.decode().split("\0")[:-1]:
        name, is_set, value = entry.partition("\n")
        name, _, key = name.rpartition(".")
        section, _, subsection = name.partition(".")
        found.append((section, subsection, key, value if is_set else None))
    return found


def test_a_config_with_everything_in_it() -> None:
    assert list(read(CONFIG)) == [
        ("core", "", "bare", "false"),
        ("core", "", "worktree", "../a b/c"),
        ("remote", 'or"ig\\in', "url", "first"),
        ("remote", "old", "fetch", None),
        ("remote", "old", "url", "https://x/y"),
        ("remote", "old", "pushurl", 'a#b c;d \t"e"'),
        ("b", "]", "c", "[d]"),
    ]
    assert git_reads(CONFIG) == list(read(CONFIG))


# Pieces that mean something to git, and in what order they come is not ours to say. Blanks inside a value are
# left out: versions of git differ in what they make of them.
PIECES = st.sampled_from(
    [
        *("[core]", '[remote "origin"]', "[a.B]", '[a "x\\"]"]', "[", "]", "\n", "\r\n", "\n\t", "key", "="),
        *(
            " = ",
            "value",
            '"',
            '"q;#"',
            "\\\n",
            "\\n",
            "\\\\",
            '\\"',
            "\\x",
            "#",
            "; no",
            "url = u\n",
            "k-1=v\n",
            "é",
        ),
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=200)
def test_what_git_reads_is_read_alike(text: str) -> None:
    expected = git_reads(text)
    if expected is not None:
        assert list(read(text)) == expected


@given(st.text(max_size=200) | st.text(alphabet='[]"\\=#; \t\r\n\0ab.-', max_size=60))
def test_any_text_is_settings_or_a_value_error(text: str) -> None:
    try:
        found = list(read(text))
    except ValueError:
        found = []
    assert all(key for _, _, key, _ in found)
    assert isinstance(remote_url(text), str)
    assert isinstance(work_tree([text, text]), str)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ('[remote "origin"]\nurl = a\nurl = b\n[remote "x"]\nurl = c\n', "a"),
        ('[remote "x"]\nurl = c\n[remote "origin"]\nurl = a\n', "a"),
        ('[remote "x"]\nurl = c\n', "c"),
        ('[remote "x"]\nurl = c\n[remote "y"]\nfetch = d\n', ""),
        ('[remote "x"]\nfetch = c\n', ""),
        ('[remote "origin"]\nfetch = c\n[remote "x"]\nurl = c\n', ""),
        ('[remote "Origin"]\nurl = c\n[remote "x"]\nurl = d\n', ""),
        ("[remote]\npushDefault = x\nurl = y\n", ""),
        ('[branch "origin"]\nurl = y\n', ""),
        ('[remote "origin"]\nurl = a\nbroken = "\n', "a"),
        ('[remote "origin"]\nbroken = "\nurl = a\n', ""),
        ('[include]\npath = other\n[url "x"]\ninsteadOf = a\n[remote "origin"]\nurl = a\n', "a"),
    ],
)
def test_which_remote_counts(text: str, url: str) -> None:
    assert remote_url(text) == url


@pytest.mark.parametrize(
    ("texts", "folder"),
    [
        (["[core]\nworktree = a\nworktree = b\n"], "b"),
        (['[core "x"]\nworktree = a\n'], ""),
        (["[core]\nworktree\n"], ""),
        (["[core]\nworktree = a\n", "[core]\nworktree = b\n"], "a"),
        (["[core]\nworktree = a\n[extensions]\nworktreeConfig = true\n", "[core]\nworktree = b\n"], "b"),
        (["[extensions]\nworktreeConfig\n", "[core]\nworktree = b\n"], "b"),
        (["[core]\nworktree = a\nbroken = \\x\n"], ""),
        ([], ""),
    ],
)
def test_where_the_work_tree_is(texts: list[str], folder: str) -> None:
    assert work_tree(texts) == folder


@pytest.mark.parametrize(
    "url",
    """https://example.com/acme/app https://example.com/acme/app.git https://example.com/acme/app.git/
    https://example.com/acme/app/ https://EXAMPLE.com/acme/app HTTPS://example.com:443/acme/app.git
    https://user@example.com/acme/app https://user:p%40ss@example.com/acme/app https://a:b@c@example.com/acme/app
    http://example.com/acme/app http://example.com:80/acme/app http://example.com./acme/app
    git@example.com:acme/app.git example.com:acme/app git@example.com:/acme/app git@Example.Com:acme/app.git/
    ssh://git@example.com/acme/app.git ssh://git@example.com:22/acme/app ssh://example.com:/acme/app
    git+ssh://git@example.com/acme/app git://example.com/acme/app.git git://example.com:9418/acme/app""".split(),
)
def test_spellings_of_one_remote(url: str) -> None:
    assert normalised_remote(url) == "example.com/acme/app"


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("ssh://git@example.com:2222/acme/app", "example.com:2222/acme/app"),
        ("https://example.com:8443/acme/app", "example.com:8443/acme/app"),
        ("https://example.com/Acme/App", "example.com/Acme/App"),
        ("git@example.com:~me/app", "example.com/~me/app"),
        ("https://example.com/a/@b/c", "example.com/a/@b/c"),
        ("ssh://git@[2001:DB8::1]:22/app", "[2001:db8::1]/app"),
        ("git@[::1]:app.git", "[::1]/app"),
        ("my-host:app", "my-host/app"),
    ],
)
def test_what_stays_of_an_address(url: str, remote: str) -> None:
    assert normalised_remote(url) == remote


ODD = """
    /srv/app.git ./app ../app app file:///srv/app file://example.com/srv/app ./a:b /a:b a/b:c C:\\app C:/app
    c:app ext::ssh host::path https:///app https://example.com https://example.com/ https://example.com/.git
    https://example.com/../app https://example.com/a//b https://example.com/a?b https://example.com/a#b
    https://exa%6dple.com/a https://example.com:0/a https://example.com:99999/a https://example.com:x/a
    https://example.com:٣/a https://[::1/a https://[zz]/a https://[::1]x/a https://-x/a https://./a
    ssh://git@/a @:a host: :path [git@host:22]:a ftp://example.com/a foo://example.com/a ://a
    """.split()
BLANK = ["", " ", "https://example.com/a b", "https://example.com/a\nb", "\0"]


@pytest.mark.parametrize("url", [*ODD, *BLANK, "https://example.com/" + "x" * 5000])
def test_folders_and_odd_things_are_no_remote(url: str) -> None:
    assert normalised_remote(url) == ""


@given(st.text(max_size=100) | st.text(alphabet="ab.:/@[]%~\\-1٣ ", max_size=40).map("ssh://".__add__))
def test_any_text_has_a_remote_or_none(url: str) -> None:
    found = normalised_remote(url)
    host, slash, path = found.partition("/")
    assert bool(host) == bool(slash) == bool(path)
    assert "@" not in host
    if host:
        assert normalised_remote(f"ssh://{found}") == found


NAMES = st.text(alphabet="abcXYZ019-_.", min_size=1, max_size=12).filter(
    lambda name: name.strip(".-_") == name
)
PASSWORDS = st.text(alphabet="!$&'()*+,;=:@~", min_size=3, max_size=12)


@given(host=NAMES, path=NAMES, password=PASSWORDS)
def test_a_password_never_stays(host: str, path: str, password: str) -> None:
    path = path.removesuffix(".git") or "x"
    found = normalised_remote(f"https://me:{password}@{host}/{path}")
    assert found == normalised_remote(f"https://{host}/{path}") != ""
    assert password not in found
