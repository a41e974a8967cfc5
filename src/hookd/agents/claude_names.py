"""By what Claude Code is known: its variables, its programs and its files."""

from hookd.agents.footprint import Footprint

NAME = "claude-code"
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
# Whether a person is there, and which agent it is that runs these settings.
VARIABLES = ("CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED", "COPILOT_CLI", "CURSOR_VERSION")
FOOTPRINT = Footprint(
    programs=("claude",),
    child_variables=("CLAUDECODE",),
    instructions=("CLAUDE.md", "CLAUDE.local.md"),
    hook_files=(".claude/settings.local.json", ".claude/settings.json"),
    unmistakable=("settings.local.json",),
    settings=(
        ".claude",
        ".claude/managed-settings*",
        ".claude/hooks",
        ".claude/hooks/*",
        ".claude/plugins",
        ".claude/plugins/*",
        ".claude.json",
        ".mcp.json",
    ),
    written=(
        ".claude/*.md",
        ".claude/*.txt",
        ".claude/plans/*",
        ".claude/projects/*/memory/*",
        ".claude/skills/*",
        ".claude/jobs/*",
        ".claude/tasks/*",
        ".claude/todos/*",
    ),
    obeyed=(
        ".claude/CLAUDE*.md",
        ".claude/commands/*",
        ".claude/agents/*",
        ".claude/rules/*",
        ".claude/output-styles/*",
    ),
)
