"""hookd's own commands as data: names, where they are, what they do, and whether an agent may call them.

Capabilities bring theirs (`hookd.capabilities.commands` has all). A command that does not say so is not for
agents: the gate stops it.
"""

from hookd.capability import Caller, CliCommand


def _own(name: str, about: str, agent: Caller = "no", *, module: str = "") -> CliCommand:
    """A command that is in a module of its own name, unless another one is named."""
    return CliCommand(name, f"hookd.cli.{module or name}:{name}", about, agent)


FIRST = (
    _own("init", "Register hookd with the coding agents of this project.", ("--dry-run",), module="install"),
    _own("uninstall", "Take hookd out of agents' settings again.", module="install"),
    _own("status", "Show what hookd does in this project and what needs a look.", "yes"),
    _own("doctor", "Check the installation from end to end; --fix mends what it can.", "yes"),
    _own("trust", "Let this project's own hooks, rules and config take effect.", ("--check",)),
    _own("new", "Write a hook and its test to begin with.", "yes"),
    _own("runs", "List past sessions and tell one's story.", ("list", "show", "export")),
)
"""What a person needs first."""

_ANALYZE = "Show the record in figures: the gate's decisions, the model's evaluations, what hooks did."
_STORE = "Check, back up, restore or tidy the database of all your projects' records."
REST = (
    _own("mcp", "Serve this project's memory to an agent that speaks MCP.", "yes"),
    _own("dashboard", "Open the project's live page in a browser.", "yes", module="daemon"),
    _own("daemon", "Run, start, stop or restart the project's daemon.", ("start",)),
    _own("ps", "List the daemons that are running.", "yes", module="daemon"),
    _own("logs", "Show the daemon's log.", "yes", module="daemon"),
    _own("analyze", _ANALYZE, "yes"),
    _own("fire", "Run the hooks that settings name for one event, and show what came of it.", "yes"),
    _own("scan", "Tell whether a text holds instructions aimed at a model.", "yes"),
    _own("store", _STORE, ("check", "backup", "stats")),
    _own("redact", "Copy text without its secrets.", "yes"),
    _own("purge", "Forget a project entirely."),
    _own("hook", "Answer one event in this process, without a daemon.", module="fast_help"),
    _own("statusline", "One line for the agent's status bar.", "yes", module="fast_help"),
    _own("completion", "Print the completion script for your shell.", "yes", module="app"),
)
