"""hookd's own commands as data: names, where they are, what they do, and whether an agent may call them.

Capabilities bring theirs (`hookd.capabilities.commands` has all). A command that does not say so is not for
agents: the gate stops it.
"""

from hookd.capability import FIRST_PAGE, Caller, CliCommand

_SETUP, _RECORD, _DAEMON = "Setting up", "The record", "The daemon"
_TRYING, _PROGRAMS = "Trying things out", "For agents and shells"


def _own(
    name: str, about: str, agent: Caller = "no", *, module: str = "", group: str = FIRST_PAGE
) -> CliCommand:
    """A command that is in a module of its own name, unless another one is named."""
    return CliCommand(name, f"hookd.cli.{module or name}:{name}", about, agent, group)


FIRST = (
    _own("init", "Register hookd with the coding agents of this project.", ("--dry-run",), module="install"),
    _own("uninstall", "Take hookd out of agents' settings again.", module="install", group=_SETUP),
    _own("status", "Show what hookd does in this project and what needs a look.", "yes"),
    _own("doctor", "Check the installation from end to end; --fix mends what it can.", "yes"),
    _own("trust", "Let this project's own hooks, rules and config take effect.", ("--check",)),
    _own("config", "Show the settings, or change one in your config file.", ("get", "list")),
    _own("new", "Write a hook and its test to begin with.", "yes", group=_SETUP),
    _own("runs", "List past sessions and tell one's story.", ("list", "show", "export")),
)
"""What a person needs first."""

_ANALYZE = "Show the record in figures: the gate's decisions, the model's evaluations, what hooks did."
_STORE = "Check, back up, restore or tidy the database of all your projects' records."
_HELP = "Show a command's help, or with --all what every command does."
_FIRE = "Run the hooks that settings name for one event, and show what came of it."
REST = (
    _own("mcp", "Serve this project's memory to an agent that speaks MCP.", "yes", group=_PROGRAMS),
    _own("dashboard", "Open the project's live page in a browser.", module="daemon", group=_DAEMON),
    _own("daemon", "Run, start, stop or restart the project's daemon.", ("start",), group=_DAEMON),
    _own("ps", "List the daemons that are running.", "yes", module="daemon", group=_DAEMON),
    _own("logs", "Show the daemon's log.", "yes", module="daemon", group=_DAEMON),
    _own("analyze", _ANALYZE, "yes", group=_RECORD),
    _own("fire", _FIRE, "yes", group=_TRYING),
    _own("send", "Put a text in front of the agent's model at its next turn.", group=_TRYING),
    _own("scan", "Tell whether a text holds instructions aimed at a model.", "yes", group=_TRYING),
    _own("store", _STORE, ("check", "backup", "stats"), group=_RECORD),
    _own("redact", "Copy text without its secrets.", "yes", group=_TRYING),
    _own("purge", "Forget a project entirely.", group=_RECORD),
    _own(
        "hook",
        "Answer one event in this process, without a daemon.",
        module="fast_help",
        group=_PROGRAMS,
    ),
    _own("statusline", "One line for the agent's status bar.", "yes", module="fast_help", group=_PROGRAMS),
    _own("completion", "Print the completion script for your shell.", "yes", module="app", group=_PROGRAMS),
    CliCommand("help", "hookd.cli.app:help_command", _HELP, "yes", _SETUP),
)
