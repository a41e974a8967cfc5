"""Handlers that send themselves away, and the front matter of skills."""

from scenario import DONE, Scenario, bash, note, on, says, tells
from scripted_model import ToolUse

from scenarios.parts import BODY, PRE, PROMPT, SKILL, SLOW, START, USE, hooks

OTHER_EVENTS = """  PostToolUse:
    - hooks: [{type: command, command: 'echo {} >> "$HOOK_LOG/post"'}]
  Stop:
    - hooks:
        - {"type": "command", "command": "echo {} >> $HOOK_LOG/stop"}
  UserPromptSubmit:
    - hooks:
        - type: command
          command: |
            echo {} >> "$HOOK_LOG/prompt"
  SessionEnd:
    - hooks:
        - type: command
          command: >-
            echo {} >>
            "$HOOK_LOG/end"
"""

SCENARIOS = [
    Scenario(
        "async variants 1", {PRE: [on("*", note("a", "printf '{\"async\": true}'; sleep 0.3; exit 2"))]}, SLOW
    ),
    Scenario(
        "async variants 2",
        {
            PRE: [
                on(
                    "*",
                    note(
                        "a",
                        'echo \'{"async":true,"asyncTimeout":500}\'; sleep 0.3;'
                        ' echo \'{"systemMessage":"later"}\'',
                    ),
                )
            ]
        },
        SLOW,
    ),
    Scenario(
        "async variants 3",
        {PRE: [on("*", note("a", "echo '  {\"async\": true}  '; sleep 0.3; exit 2"))]},
        SLOW,
    ),
    Scenario(
        "async variants 4", {PRE: [on("*", note("a", "echo '{\"async\": false}'; sleep 0.3; exit 2"))]}, SLOW
    ),
    Scenario(
        "async variants 5", {PRE: [on("*", note("a", "echo hello; echo '{\"async\": true}'; exit 2"))]}, SLOW
    ),
    Scenario(
        "async on several events",
        {
            START: [on("*", says("s", "plain start", **{"async": True}))],
            PROMPT: [
                on(
                    None,
                    says("p", "plain prompt", **{"async": True}),
                    {**tells("pc", PROMPT, additionalContext="async context"), "async": True},
                )
            ],
        },
        SLOW,
    ),
    Scenario(
        "asyncRewake with words",
        {
            PRE: [
                on("*", {**tells("a", PRE, additionalContext="said"), "asyncRewake": True}),
                on("*", note("b", "sleep 9", asyncRewake=True, timeout=0.4)),
            ]
        },
        SLOW,
    ),
    Scenario(
        "off with a plugin and a skill",
        hooks(note("p")),
        (USE, bash(id="t2"), DONE),
        settings={"disableAllHooks": True},
        files={".claude/skills/sk/SKILL.md": SKILL + BODY},
    ),
    Scenario(
        "skill of the user",
        {},
        (USE, bash(id="t2"), DONE),
        home_files={".claude/skills/sk/SKILL.md": SKILL + BODY},
    ),
    Scenario(
        "skill with a wrong handler",
        {},
        (USE, bash(id="t2"), DONE),
        files={".claude/skills/sk/SKILL.md": SKILL + "        - type: nonsense\n" + BODY},
    ),
    Scenario(
        "skill with other events",
        {},
        (USE, bash(id="t2"), DONE, DONE),
        files={".claude/skills/sk/SKILL.md": SKILL + OTHER_EVENTS + BODY},
    ),
    Scenario(
        "skill used twice",
        {},
        (USE, [ToolUse("Skill", {"skill": "sk"}, "k2")], bash(id="t2"), DONE),
        files={".claude/skills/sk/SKILL.md": SKILL + BODY},
    ),
    Scenario(
        "skill beside settings",
        hooks({"type": "command", "command": 'echo {} >> "$HOOK_LOG/front"'}),
        (USE, bash(id="t2"), DONE),
        files={".claude/skills/sk/SKILL.md": SKILL + BODY},
    ),
]
