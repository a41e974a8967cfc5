"""Colour where it helps to find something; click takes it out where there is no terminal, or NO_COLOR."""

import click

_VERDICTS = {"deny": "red", "ask": "yellow", "allow": "green", "off": "yellow", "audit": "cyan"}


def verdict_style(text: str, verdict: str | None) -> str:
    """A text in the colour of a verdict; as it is where there is none."""
    return click.style(text, fg=_VERDICTS[verdict]) if verdict in _VERDICTS else text


def heading(text: str) -> str:
    return click.style(text, bold=True)


def faint(text: str) -> str:
    return click.style(text, dim=True)
