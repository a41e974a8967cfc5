"""HTTP on loopback: the same answers as the socket, and nobody in without the token."""

import http.client
import json
import os
import re
import socket
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hookd.daemon.http_socket import PORT_CANDIDATES
from hookd.paths import derived_port, project_key
from worlds import GUARD, World, wait_until


class Page:
    """The daemon's HTTP side, as a program on this machine would use it."""

    def __init__(self, world: World) -> None:
        world.hookd("daemon", "start")
        wait_until(lambda: os.path.exists(world.files.port), "the port file is written")
        self.world = world
        self.port = int(Path(world.files.port).read_text())
        self.token = Path(world.files.token).read_text().strip()

    def ask(
        self, method: str, path: str, body: bytes = b"", **headers: str
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        sent = {
            "Authorization": f"Bearer {self.token}",
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        connection.request(method, path, body, {name: value for name, value in sent.items() if value})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, content, response.headers


@pytest.fixture
def page(world: World) -> Iterator[Page]:
    world.write_hook(GUARD)
    yield Page(world)


def test_an_event_gets_the_same_answer_as_over_the_socket(page: Page) -> None:
    tool = {"tool_name": "Bash", "tool_input": {"command": "acme deploy --now"}}
    payload = page.world.payload("PreToolUse", **tool)
    status, body, _ = page.ask("POST", "/hooks/PreToolUse", payload)
    assert status == 200
    assert json.loads(body) == page.world.send("PreToolUse", payload)
    status, body, _ = page.ask("POST", "/hooks/PreToolUse", page.world.payload("PreToolUse"))
    assert (status, body) == (200, b"")


def test_bad_input_over_http_is_answered_and_counted(page: Page) -> None:
    assert page.ask("POST", "/hooks/Stop", b"{nonsense")[:2] == (200, b"")
    assert page.ask("POST", "/hooks/Stop?agent=nobody", b"{}")[0] == 200
    problems = json.loads(page.ask("GET", "/health")[1])["problems"]
    assert len(problems) == 2


def test_health_has_what_scripts_rely_on(page: Page) -> None:
    page.ask("POST", "/hooks/Stop", page.world.payload("Stop"))
    health = json.loads(page.ask("GET", "/health")[1])
    assert {
        "status",
        "version",
        "pid",
        "uptime_s",
        "project",
        "port",
        "sessions",
        "evaluator",
        "store",
    } <= set(health)
    assert health["project"] == str(page.world.project)
    assert health["pid"] == page.world.daemon_pid()
    meter = health["hooks"]["Stop"]
    assert set(meter) == {"calls", "errors", "p50_ms", "p95_ms", "p99_ms", "last"}
    assert meter["calls"] == 1
    assert health["sessions"][0]["id"] == "s1"


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": ""},
        {"Authorization": "Bearer wrong"},
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Authorization": "", "Cookie": "hookd=guess"},
    ],
)
@pytest.mark.parametrize("path", ["/", "/dashboard", "/health"])
def test_no_token_a_foreign_host_or_a_foreign_origin_is_refused(
    page: Page, path: str, headers: dict[str, str]
) -> None:
    status, body, _ = page.ask("GET", path, **headers)
    assert status == 403
    assert b"hookd" in body


def test_a_browser_is_let_in_once_by_the_dashboard_command(page: Page) -> None:
    address = urlsplit(page.world.hookd("dashboard", "--no-open").strip())
    host = f"p-{project_key(str(page.world.project))[:16]}.localhost:{page.port}"
    assert address.netloc == host
    way_in = f"{address.path}?{address.query}"
    status, _, headers = page.ask("GET", way_in, Authorization="", Host=host)
    assert status == 303
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower() and "domain" not in cookie.lower()
    held = cookie.partition(";")[0]
    status, body, _ = page.ask("GET", "/", Authorization="", Host=host, Cookie=held)
    assert status == 200 and b"<title>hookd" in body
    # The code worked once, and what the browser holds is good for this project's own name only.
    assert page.ask("GET", way_in, Authorization="", Host=host)[0] == 403
    assert page.ask("GET", "/", Authorization="", Cookie=held)[0] == 403


def test_the_page_shows_text_from_outside_as_text(page: Page) -> None:
    page.ask(
        "POST", "/hooks/PreToolUse", page.world.payload("PreToolUse", tool_name="<script>alert(1)</script>")
    )
    body = page.ask("GET", "/")[1]
    assert b"<script>" not in body and b"&lt;script&gt;" in body


@pytest.mark.parametrize("path", ["/", "/dashboard", "/style.css", "/health", "/nowhere", "refused"])
def test_what_the_port_sends_is_framed_by_nobody_kept_nowhere_and_runs_no_script(
    page: Page, path: str
) -> None:
    refused = {"Authorization": ""} if path == "refused" else {}
    headers = page.ask("GET", "/" if refused else path, **refused)[2]
    policy = dict(part.strip().partition(" ")[::2] for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'" and "script-src" not in policy
    assert policy["frame-ancestors"] == "'none'" and headers["X-Frame-Options"] == "DENY"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers.get_all("Cache-Control") == ["no-store"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_the_page_keeps_to_its_own_policy(page: Page) -> None:
    """Without a browser: no style and no script in the page, and what it refers to is served."""
    body = page.ask("GET", "/")[1].decode()
    assert not re.search(r"<style|<script|\bstyle=|\bon[a-z]+=", body)
    [style] = re.findall(r'<link rel="stylesheet" href="([^"]+)">', body)
    status, content, headers = page.ask("GET", style)
    assert (status, headers.get_content_type()) == (200, "text/css") and b"font:" in content


def test_the_page_shows_what_hooks_did_before_the_daemon_was_started(page: Page) -> None:
    page.world.bash("acme deploy --now")
    page.world.hookd("daemon", "restart")
    shown = Page(page.world).ask("GET", "/")[1].decode()
    [row] = [line for line in shown.splitlines() if "<tr><td>guard.no_force_push" in line]
    assert '<td class="n">1</td><td class="n">0</td>' in row and "<td>1 deny</td>" in row


def test_files_are_private_and_the_port_is_derived(page: Page) -> None:
    assert stat.S_IMODE(os.stat(page.world.files.folder).st_mode) == 0o700
    for path in (
        page.world.files.token,
        page.world.files.port,
        page.world.files.socket,
        page.world.files.log,
    ):
        assert stat.S_IMODE(os.stat(path).st_mode) & 0o077 == 0
    first = derived_port(project_key(str(page.world.project)))
    assert first <= page.port < first + PORT_CANDIDATES


def test_a_taken_port_means_the_next_one_and_all_taken_means_socket_only(world: World) -> None:
    first = derived_port(project_key(str(world.project)))
    taken = []
    for port in range(first, first + PORT_CANDIDATES):
        holder = socket.socket()
        try:
            holder.bind(("127.0.0.1", port if port <= 65_000 else port - 55_001))
        except OSError:
            holder.close()  # somebody else holds it already, which is as good
            continue
        holder.listen()
        taken.append(holder)
    world.hookd("daemon", "start")
    assert world.bash("ls") is None
    done = world.run("dashboard", "--no-open", check=False)
    assert done.returncode == 1 and b"ports are taken" in done.stderr
    taken.pop(0).close()
    world.hookd("daemon", "restart")
    wait_until(lambda: world.status()["daemon"]["port"] == first, "the freed port is used")
    for holder in taken:
        holder.close()


def test_http_can_be_turned_off(world: World) -> None:
    (world.folders.config / "config.toml").write_text("[daemon]\nhttp = false\n")
    world.hookd("daemon", "start")
    assert world.bash("ls") is None
    assert world.status()["daemon"]["port"] is None
    assert not os.path.exists(world.files.token)


def test_what_serves_the_page_is_loaded_for_the_first_visitors_and_all_of_them_are_served(page: Page) -> None:
    maps = Path(f"/proc/{Path(page.world.files.pid).read_text().strip()}/maps")
    assert "httptools" not in maps.read_text()
    with ThreadPoolExecutor(8) as visitors:
        answers = list(visitors.map(lambda _: page.ask("GET", "/health")[0], range(8)))
    assert answers == [200] * 8
    assert "httptools" in maps.read_text()
