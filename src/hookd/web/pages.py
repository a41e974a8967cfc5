"""The status page; jinja2 is imported when somebody looks."""

import time
from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from hookd.daemon.server import Daemon

if TYPE_CHECKING:
    from jinja2 import Template


@cache
def template(name: str) -> "Template":
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("hookd.web"), autoescape=True)
    environment.filters |= {"age": age, "clock": clock}
    return environment.get_template(name)


def age(seconds: float) -> str:
    """A duration as a person says it."""
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def clock(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))


def routes(daemon: Daemon) -> list[BaseRoute]:
    async def status_page(_request: Request) -> Response:
        status: dict[str, Any] = daemon.status()
        return HTMLResponse(template("status.html").render(status=status, now=time.time()))

    return [Route("/", status_page), Route("/dashboard", status_page)]
