"""Private keys as tools show them: a number, a name or a time before each line, or only a part of the key."""

import base64
from collections.abc import Callable

import pytest
from samples import filled

from hookd.redact.redactor import Redactor

DASHES = "-" * 5
redactor = Redactor()


def key_of(label: str, lines: list[str]) -> list[str]:
    return [f"{DASHES}BEGIN {label}{DASHES}", *lines, f"{DASHES}END {label}{DASHES}"]


def body(name: str, width: int, count: int, last: int) -> list[str]:
    return [
        *(filled(f"{{base64:{width}}}", f"{name}{n}") for n in range(count)),
        filled(f"{{base64:{last}}}=", name),
    ]


KEYS = {
    "rsa": key_of("RSA PRIVATE KEY", body("rsa", 64, 12, 39)),
    "openssh": key_of("OPENSSH PRIVATE KEY", body("ssh", 70, 5, 13)),
    "encrypted": key_of(
        "RSA PRIVATE KEY",
        ["Proc-Type: 4,ENCRYPTED", filled("DEK-Info: AES-128-CBC,{HEX:32}"), "", *body("enc", 64, 10, 21)],
    ),
    "pgp": key_of("PGP PRIVATE KEY BLOCK", ["Version: 2", "", *body("pgp", 64, 9, 31), "=Ab3d"]),
}
Prefix = Callable[[int], str]
PREFIXES: dict[str, Prefix] = {
    "cat -n": lambda n: f"{n:6}\t",
    "nl": lambda n: f"{n:6}  ",
    "bat": lambda n: f"{n:4}   │ ",
    "less -N": lambda n: f"{n:7} ",
    "an agent's read": lambda n: f"{n:6}→",
    "grep -n": lambda n: f"{n}:",
    "grep -n -A": lambda n: f"{n}:" if n == 8 else f"{n}-",
    "grep -rn": lambda n: f"deploy/keys/staging.txt:{n}:",
    "grep -rn -A": lambda n: f"keys/a-1.pem:{n}:" if n == 8 else f"keys/a-1.pem-{n}-",
    "compose": lambda _: "web-1      | ",
    "compose in colour": lambda _: "\x1b[36mweb-1  | \x1b[0m",
    "compose -t": lambda n: f"web-1  | 2025-02-11T08:00:{n:02}.482{n * 7919 % 1000:03}Z ",
    "kubectl --prefix": lambda _: "[pod/auth-api-7d9f8b6c5d-x2x4z/app] ",
    "kubectl --timestamps": lambda n: f"2025-02-11T08:00:14.{str(n * 7919)[::-1]}Z ",
    "stern": lambda _: "auth-api-7d9f8b6c5d-x2x4z app ",
    "blame": lambda n: (
        f"{'^' if n % 3 else ''}{n * 7919:08x} "[:9]
        + f"({'Ann Lee' if n % 2 else 'Bo':10} 2024-11-02 09:14:01 +0100 {n:3}) "
    ),
    "blame -s": lambda n: f"{n * 104_729:08x} {n:3}) ",
    "added": lambda _: "+",
    "removed": lambda _: "-",
    "context": lambda _: " ",
    "combined diff": lambda _: "++",
    "quoted once": lambda _: "> ",
    "quoted twice": lambda _: ">> > ",
    "a comment": lambda _: "# ",
    "a block comment": lambda _: " * ",
    "syslog": lambda n: f"Feb 11 08:00:{n:02} host app[{4821 + n}]: ",
    "journal": lambda n: f"Feb 11 08:00:{n:02} host systemd-app[71]: key line: ",
    "a logger": lambda n: f"2025-02-11 08:00:14,{n:03} INFO  [exec-{n % 4}] c.a.KeyLoader - ",
    "a time": lambda n: f"[08:00:{n:02}] ",
    "ci": lambda n: f"2025-02-11T08:00:14.{n * 7919:07}Z ##[debug] ",
    "an indented list": lambda _: "    - ",
    "ed": lambda n: f"{n}\t",
    "address": lambda n: f"0x{n * 64:08x}: ",
    "diff -y": lambda _: "plain text here".ljust(40) + " | ",
}


def shown(key: list[str], prefix: Prefix) -> list[str]:
    return [f"{prefix(n)}{line}" for n, line in enumerate(key, 8)]


def parts_left(key: list[str], text: str) -> list[str]:
    """What is still there of a key's lines: eight characters in a row, all of a shorter one."""
    lines = [line for line in key if DASHES not in line and ":" not in line and line]
    runs = (line[i : i + 8] for line in lines for i in range(max(1, len(line) - 7)))
    return [run for run in runs if run in text]


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("prefix", PREFIXES)
def test_no_part_of_a_key_is_left_whatever_is_before_its_lines(prefix: str, name: str) -> None:
    lines = shown(KEYS[name], PREFIXES[prefix])
    done = redactor.text("\n".join(["$ show it", *lines, "and that was the key", ""]))
    assert not parts_left(KEYS[name], done)
    assert done.startswith("$ show it\n") and done.endswith("\nand that was the key\n")
    assert redactor.text(done) == done


@pytest.mark.parametrize("end", ["\n", "\r\n", "$\n", " |\n", '\\n" +\n', "\x1b[0m\n", ",\n"])
@pytest.mark.parametrize("prefix", ["cat -n", "compose", "grep -rn"])
def test_nor_what_is_after_them(prefix: str, end: str) -> None:
    lines = shown(KEYS["rsa"], PREFIXES[prefix])
    assert not parts_left(KEYS["rsa"], redactor.text("".join(line + end for line in lines)))


@pytest.mark.parametrize("prefix", ["", *PREFIXES])
def test_a_key_without_its_end(prefix: str) -> None:
    lines = shown(KEYS["rsa"], PREFIXES.get(prefix, lambda _: ""))
    for count in (3, 9, len(lines) - 1):
        done = redactor.text("\n".join([*lines[:count], "", "the rest was cut off here", ""]))
        assert not parts_left(KEYS["rsa"], done)
        assert done.endswith("\nthe rest was cut off here\n")


@pytest.mark.parametrize("prefix", ["", *PREFIXES])
def test_a_key_without_its_beginning(prefix: str) -> None:
    lines = shown(KEYS["rsa"], PREFIXES.get(prefix, lambda _: ""))
    for first in (1, 5, len(lines) - 3, len(lines) - 2):
        done = redactor.text("\n".join(["the last lines of it", "", *lines[first:], "after it"]))
        assert not parts_left(KEYS["rsa"], done)
        assert done.startswith("the last lines of it\n") and done.endswith("\nafter it")


def test_a_key_between_the_lines_of_another_service() -> None:
    prefix = PREFIXES["compose"]
    lines = [
        other
        for n, line in enumerate(shown(KEYS["rsa"], prefix))
        for other in ([line, f"db-1       | checkpoint complete: wrote {n} buffers"] if n % 2 else [line])
    ]
    assert not parts_left(KEYS["rsa"], redactor.text("\n".join(lines)))


def test_a_key_as_a_list_of_lines() -> None:
    """As editing tools tell what they changed."""
    lines = shown(KEYS["rsa"], PREFIXES["added"])
    patch = {"structuredPatch": [{"oldStart": 1, "lines": [" first", *lines, " last"]}]}
    counting = Redactor()
    done = counting.value(patch)
    assert counting.counts == {"private-key": 1}
    kept = done["structuredPatch"][0]["lines"]
    assert not parts_left(KEYS["rsa"], "\n".join(kept))
    assert len(kept) == len(lines) + 2 and kept[0] == " first" and kept[-1] == " last"
    assert redactor.value(done) == done


@pytest.mark.parametrize("size", [100, 700, 3000])
@pytest.mark.parametrize("cut", [0, 1])
@pytest.mark.parametrize("prefix", ["cat -n", "compose", "added"])
def test_a_key_across_segments(prefix: str, cut: int, size: int) -> None:
    small = Redactor()
    small._size, small._largest = size, 4 * 4096
    lines = shown(KEYS["rsa"], PREFIXES[prefix])[cut:]
    text = "\n".join([*(f"line {n}" for n in range(90)), *lines, *(f"line {n}" for n in range(50)), ""])
    done = small.text(text)
    assert not parts_left(KEYS["rsa"], done)
    assert "line 89" in done and "line 0" in done


LABELS = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "PGP "]


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(
    "form", ["data: {}\nkind: Secret\n", '{{"k": "{}", "n": 1}}', "$ base64 k\n{}\ndone\n"]
)
def test_a_key_that_is_encoded_once_more(label: str, form: str) -> None:
    key = "\n".join(key_of(f"{label}PRIVATE KEY", body(label, 64, 9, 20))).encode()
    encoded = base64.b64encode(key).decode() if "$" not in form else base64.encodebytes(key).decode().strip()
    done = redactor.text(form.format(encoded))
    assert not parts_left(encoded.split(), done)
    assert done == form.format("[REDACTED:private-key]")
