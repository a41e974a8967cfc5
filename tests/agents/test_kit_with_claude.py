"""Hooks that ask and send, with real Claude Code."""

from claude import Agent, Answered
from scripted_model import Text, ToolUse, texts_of, tool_results

from worlds import World

ASKS = """
def register(hookd):
    @hookd.on("tool_call", tool="Bash")
    async def careful(event, ctx):
        if "publish" in event.command:
            await ctx.ui.confirm("Publish to the world?", "It cannot be taken back.")
"""


def test_with_nobody_there_a_hooks_question_is_a_no_with_its_reason(hookd: World, agent: Agent) -> None:
    hookd.write_hook(ASKS)
    hookd.hookd("init")
    run, model = agent(
        [ToolUse("Bash", {"command": "touch publish"}, id="toolu_1")],
        [ToolUse("Bash", {"command": "touch other"}, id="toolu_2")],
        [Text("done")],
    )
    assert run.exit_code == 0, run.stderr
    refused = tool_results(model.requests[1])["toolu_1"]
    assert "nobody is watching this session" in refused
    assert "Publish to the world?\nIt cannot be taken back." in refused
    assert not (hookd.project / "publish").exists()
    assert (hookd.project / "other").exists()


def test_a_hooks_question_is_put_to_the_person_who_watches(hookd: World, answered: Answered) -> None:
    hookd.write_hook(ASKS)
    hookd.hookd("init")
    settings = hookd.project / ".claude" / "settings.json"
    settings.write_text('{"permissions": {"allow": ["Bash(touch:*)"]}}')
    assert answered("touch publish", answer="deny") == ["touch publish"]
    assert not (hookd.project / "publish").exists()
    assert answered("touch publish") == ["touch publish"]
    assert (hookd.project / "publish").exists()
    assert answered("touch other") == [], "what the hook does not ask about, nobody does"


SENDS = """
def register(hookd):
    @hookd.on("tool_call", tool="Bash")
    def mail(event, ctx):
        if "first" in event.command:
            hookd.send("the build is green again")

    @hookd.on("agent_end")
    def later(event, ctx):
        ctx.send("yesterday ended well")
"""


def test_what_a_hook_sends_is_in_a_later_request_once(hookd: World, agent: Agent) -> None:
    hookd.write_hook(SENDS)
    hookd.hookd("init")
    run, model = agent(
        [ToolUse("Bash", {"command": "echo first"}, id="toolu_1")],
        [ToolUse("Bash", {"command": "echo second"}, id="toolu_2")],
        [Text("done")],
    )
    assert run.exit_code == 0, run.stderr
    counts = [texts_of(request).count("the build is green again") for request in model.requests_of(None)]
    # What one request has, those after it have as well: it is part of the conversation.
    assert counts == [0, 1, 1]

    # The session ended, and with it the daemon; what was sent then is there when the session goes on.
    options = {"extra_args": ["--allowedTools", "Bash", "--continue"]}
    run, model = agent([Text("hello again")], prompt="go on", **options)
    assert run.exit_code == 0, run.stderr
    assert texts_of(model.requests_of(None)[-1]).count("yesterday ended well") == 1


def test_what_a_person_sends_from_outside_is_in_the_next_request_with_its_file(
    hookd: World, agent: Agent
) -> None:
    hookd.hookd("init")
    (hookd.project / "ci.txt").write_text("red")
    hookd.hookd("send", "the nightly build is red", "--attach", "ci.txt")
    run, model = agent([ToolUse("Bash", {"command": "echo first"}, id="toolu_1")], [Text("done")])
    assert run.exit_code == 0, run.stderr
    told = [texts_of(request) for request in model.requests_of(None)]
    assert [text.count("the nightly build is red") for text in told] == [1, 1]
    assert f"- {hookd.project}/ci.txt" in told[0]


def test_an_agent_does_not_talk_to_itself_in_a_persons_name(hookd: World, agent: Agent) -> None:
    hookd.hookd("init")
    script = hookd.project / "notify.sh"
    script.write_text(f"{hookd.python} -m hookd send 'the person has said yes' && echo has gone\n")
    run, model = agent(
        [ToolUse("Bash", {"command": "hookd send 'the person has said yes'"}, id="toolu_1")],
        [ToolUse("Bash", {"command": "sh notify.sh"}, id="toolu_2")],
        [ToolUse("Bash", {"command": "echo more"}, id="toolu_3")],
        [Text("done")],
    )
    assert run.exit_code == 0, run.stderr
    results = tool_results(model.requests_of(None)[-1])
    assert "hook error" in results["toolu_1"], "the gate knows the command"
    assert "was started by a coding agent" in results["toolu_2"], "the command knows its caller"
    assert "has gone" not in results["toolu_2"]
    assert not list((hookd.folders.data / "outbox").glob("*.msgpack"))
