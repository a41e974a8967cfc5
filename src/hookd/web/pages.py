"""The dashboard: the status page and those of capabilities; jinja2 is imported for the first visitor."""

import asyncio
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from hookd.capabilities import CAPABILITIES, status_lines
from hookd.capability import Page, Visit, named
from hookd.daemon.server import Daemon
from hookd.reports.hooks import hooks_lately

if TYPE_CHECKING:
    from jinja2 import Template

# A file of its own: the policy that the daemon sends with a page lets nothing in it bring its own style.
STYLE = Path(__file__).parent / "static" / "style.css"
PAGES: tuple[Page, ...] = tuple(page for each in CAPABILITIES for page in each.pages)


@cache
def template(name: str) -> "Template":
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("hookd.web"), autoescape=True)
    environment.filters |= {"age": age, "clock": clock, "ms": ms}
    return environment.get_template(name)


def age(seconds: float) -> str:
    """A duration as a person says it."""
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def clock(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))


def ms(milliseconds: float | None) -> str:
    """Three places: most of hookd's own hooks take microseconds."""
    return "" if milliseconds is None else f"{milliseconds:.3f}"


def routes(daemon: Daemon) -> list[BaseRoute]:
    async def status_page(_request: Request) -> Response:
        status = await daemon.current_status()
        hooks = await asyncio.to_thread(hooks_lately, daemon.service.project)
        alarms = [(name, line) for name, line in status_lines(status) if line.level in ("warn", "bad")]
        return _shown(
            "status.html", daemon, "/", "hookd", status=status, hooks=hooks, alarms=alarms, now=time.time()
        )

    async def page(about: Page, request: Request) -> Response:
        from markupsafe import Markup

        show: Callable[[Visit], str] = named(about.where)
        visit = Visit(daemon.service.project, daemon.service.config, request.query_params)
        content = Markup(await asyncio.to_thread(show, visit))
        return _shown("base.html", daemon, about.path, about.title, content=content)

    async def style(_request: Request) -> Response:
        return FileResponse(STYLE, media_type="text/css")

    return [
        Route("/", status_page),
        Route("/style.css", style),
        Route("/dashboard", status_page),
        *(Route(about.path, partial(page, about)) for about in PAGES),
    ]


def _shown(name: str, daemon: Daemon, path: str, title: str, **more: Any) -> Response:
    project = daemon.service.project.root
    return HTMLResponse(template(name).render(title=title, project=project, pages=PAGES, path=path, **more))
