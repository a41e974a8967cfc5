"""Real Claude Code in other people's repositories: what is published, what git takes, who has no hookd."""

import json
import subprocess
from pathlib import Path

from claude import Agent, run_claude
from scripted_model import Scripted, ScriptedModel, Text, ToolUse, tool_results

from hookd.installation import how_to_install
from worlds import World, wait_until

DISASTER = "git push --force origin main"
PERSON = "git -c user.name=T -c user.email=t@example.com"


def bash(command: str, name: str) -> ToolUse:
    return ToolUse("Bash", {"command": command}, id=name)


def result(model: ScriptedModel, name: str) -> str:
    """What the model was told about a call in its next request."""
    return next(found for r in model.requests_of(None) if (found := tool_results(r).get(name)) is not None)


def remote_of(project: Path, place: Path) -> None:
    """Gives the project a remote that can be pushed to and cloned from."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(place)], check=True)
    subprocess.run(["git", "remote", "add", "origin", str(place)], cwd=project, check=True)


def published(agent: Agent, project: Path, place: Path) -> Path:
    """A clone of what a session has pushed that committed everything there was."""
    remote_of(project, place / "remote")
    (project / "work.txt").write_text("done\n")
    run, model = agent(
        [bash("git add -A", "toolu_add")],
        [bash(f"{PERSON} commit -qm work && git push -q origin main", "toolu_push")],
        [Text("done")],
    )
    assert run.exit_code == 0, run.stderr
    clone = place / "clone"
    subprocess.run(["git", "clone", "-q", str(place / "remote"), str(clone)], check=True)
    assert (clone / "work.txt").exists(), result(model, "toolu_push")
    return clone


def session_of_a_colleague(clone: Path, scripted: Scripted, home: Path) -> tuple[list[str], str]:
    """What the hooks say to a person without hookd, and what comes of a command."""
    home.mkdir()
    model = scripted([[bash("echo it works", "toolu_echo")], [Text("done")]])
    run = run_claude(clone, "do it", model, home=home, extra_args=["--allowedTools", "Bash"])
    assert run.exit_code == 0, run.stderr
    # Under -p the agent shows no message of a session's start; at a terminal it does.
    heard = [event["stdout"] + event["stderr"] for event in run.system("hook_response")]
    return [said for said in heard if said], result(model, "toolu_echo")


def test_nothing_of_hookds_is_in_a_clone_of_what_the_agent_has_pushed(
    hookd: World, agent: Agent, scripted: Scripted, agent_home: Path
) -> None:
    hookd.hookd("init")
    clone = published(agent, hookd.project, agent_home)
    assert {path.name for path in clone.iterdir()} == {".git", "README.md", "work.txt"}
    told, echoed = session_of_a_colleague(clone, scripted, agent_home / "colleague")
    assert "it works" in echoed and told == []


def test_a_shared_registration_lets_who_has_no_hookd_work_and_says_one_line(
    hookd: World, agent: Agent, scripted: Scripted, agent_home: Path
) -> None:
    hookd.hookd("init", "--scope", "project")
    clone = published(agent, hookd.project, agent_home)
    assert (clone / ".claude" / "settings.json").exists() and not (clone / ".hookd").exists()
    told, echoed = session_of_a_colleague(clone, scripted, agent_home / "colleague")
    assert "it works" in echoed
    (line,) = told
    assert how_to_install() in json.loads(line)["systemMessage"]


def test_a_team_that_requires_hookd_stops_who_has_none(
    hookd: World, agent: Agent, scripted: Scripted, agent_home: Path
) -> None:
    hookd.hookd("init", "--scope", "project", "--required")
    clone = published(agent, hookd.project, agent_home)
    _, echoed = session_of_a_colleague(clone, scripted, agent_home / "colleague")
    assert "this repository requires hookd" in echoed and how_to_install() in echoed


def test_a_stash_of_everything_is_let_through_and_the_guard_stays(hookd: World, agent: Agent) -> None:
    hookd.hookd("init")
    (hookd.project / ".git" / "info" / "exclude").unlink()  # so that git takes the settings along
    settings = hookd.project / ".claude" / "settings.local.json"
    registered = settings.read_text()
    (hookd.project / "note.txt").write_text("x\n")

    def when_back(_request: object) -> list[ToolUse]:
        wait_until(settings.exists, "the daemon has put the settings back")
        return [bash(DISASTER, "toolu_same")]

    _, model = agent([bash(f"{PERSON} stash -u", "toolu_stash")], when_back, [Text("done")])
    assert "Saved working directory" in result(model, "toolu_stash")
    assert not (hookd.project / "note.txt").exists()
    assert settings.read_text() == registered
    assert "git.force-push" in result(model, "toolu_same")
    _, later = agent([bash(DISASTER, "toolu_next")], [Text("done")])
    assert "git.force-push" in result(later, "toolu_next")
