"""hookd's own commands as data: names, where they are, what they do, and whether an agent may call them.

Capabilities bring theirs (`hookd.capabilities.commands` has all). A command that does not say so is not for
agents: the gate stops it.
"""

from hookd.capability import CliCommand

FIRST = (
    CliCommand(
        "init",
        "hookd.cli.install:init",
        "Register hookd with the coding agents of this project.",
        agent=("--dry-run",),
    ),
    CliCommand("uninstall", "hookd.cli.install:uninstall", "Take hookd out of agents' settings again."),
    CliCommand(
        "status",
        "hookd.cli.status:status",
        "Show what hookd does in this project and what needs a look.",
        agent="yes",
    ),
    CliCommand(
        "doctor",
        "hookd.cli.doctor:doctor",
        "Check the installation from end to end; --fix mends what it can.",
        agent="yes",
    ),
    CliCommand(
        "trust",
        "hookd.cli.trust:trust",
        "Let this project's own hooks, rules and config take effect.",
        agent=("--check",),
    ),
    CliCommand("new", "hookd.cli.new:new", "Write a hook and its test to begin with.", agent="yes"),
    CliCommand(
        "runs",
        "hookd.cli.runs:runs",
        "List past sessions and tell one's story.",
        agent=("list", "show", "export"),
    ),
)
"""What a person needs first."""

REST = (
    CliCommand(
        "mcp",
        "hookd.cli.mcp:mcp",
        "Serve this project's memory to an agent that speaks MCP.",
        agent="yes",
    ),
    CliCommand(
        "dashboard",
        "hookd.cli.daemon:dashboard",
        "Open the project's live page in a browser.",
        agent="yes",
    ),
    CliCommand(
        "daemon",
        "hookd.cli.daemon:daemon",
        "Run, start, stop or restart the project's daemon.",
        agent=("start",),
    ),
    CliCommand("ps", "hookd.cli.daemon:ps", "List the daemons that are running.", agent="yes"),
    CliCommand("logs", "hookd.cli.daemon:logs", "Show the daemon's log.", agent="yes"),
    CliCommand(
        "analyze",
        "hookd.cli.analyze:analyze",
        "Show the record in figures: the gate's decisions, the model's evaluations, what hooks did.",
        agent="yes",
    ),
    CliCommand(
        "fire",
        "hookd.cli.fire:fire",
        "Run the hooks that settings name for one event, and show what came of it.",
        agent="yes",
    ),
    CliCommand(
        "scan",
        "hookd.cli.scan:scan",
        "Tell whether a text holds instructions aimed at a model.",
        agent="yes",
    ),
    CliCommand(
        "store",
        "hookd.cli.store:store",
        "Check, back up, restore or tidy the database of all your projects' records.",
        agent=("check", "backup", "stats"),
    ),
    CliCommand("redact", "hookd.cli.redact:redact", "Copy text without its secrets.", agent="yes"),
    CliCommand("purge", "hookd.cli.purge:purge", "Forget a project entirely."),
    CliCommand("hook", "hookd.cli.fast_help:hook", "Answer one event in this process, without a daemon."),
    CliCommand(
        "statusline", "hookd.cli.fast_help:statusline", "One line for the agent's status bar.", agent="yes"
    ),
    CliCommand(
        "completion",
        "hookd.cli.app:completion",
        "Print the completion script for your shell.",
        agent="yes",
    ),
)
