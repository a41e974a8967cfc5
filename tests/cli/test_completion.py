"""Completion in bash, zsh and fish: what the shell is offered after Tab, through the script it was given."""

import subprocess

import pytest

from worlds import World


def offered(world: World, *words: str, shell: str = "bash") -> list[str]:
    """What hookd offers in the place of the last word, as the shell's script asks for it."""
    line = " ".join(("hookd", *words))
    env = {"_HOOKD_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    if shell == "fish":
        env["COMP_CWORD"] = words[-1]
    done = world.run(env=env)
    assert done.stderr == b""
    lines = done.stdout.decode().splitlines()
    if shell == "zsh":
        return lines[1::3]
    return [each.split("\t")[0].split(",", 1)[1] for each in lines if each]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_rule_ids(world: World, shell: str) -> None:
    assert "git.force-push" in offered(world, "rules", "show", "git.", shell=shell)
    assert offered(world, "rules", "show", "git.force", shell=shell) == ["git.force-push"]


def test_packs_settings_values_events_and_commands(world: World) -> None:
    assert offered(world, "rules", "list", "gi") == ["git"]
    assert offered(world, "config", "get", "gate.mo") == ["gate.mode", "gate.model", "gate.model_confidence"]
    assert offered(world, "config", "set", "gate.rules.git.force") == ["gate.rules.git.force-push"]
    assert offered(world, "config", "set", "gate.mode", "a") == ["audit"]
    assert offered(world, "config", "set", "runs.enabled", "f") == ["false"]
    assert offered(world, "config", "set", "gate.rules.git.force-push", "o") == ["off"]
    assert offered(world, "fire", "PreT") == ["PreToolUse"]
    assert offered(world, "sta") == ["status", "statusline"]
    assert offered(world, "help", "memory", "sea") == ["search"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_runs_and_observations(world: World, shell: str) -> None:
    world.send("SessionStart", source="startup")
    world.send("UserPromptSubmit", prompt="tidy up")
    id_ = world.json("memory", "add", "we use pnpm")["id"]
    [run] = world.json("runs", "list")
    for words in (("runs", "show"), ("runs", "export"), ("replay",)):
        assert offered(world, *words, "run_", shell=shell) == [run["run"]]
    for words in (("memory", "show"), ("memory", "forget")):
        [short] = offered(world, *words, id_[:4], shell=shell)
        assert id_.startswith(short) and len(short) > 4


def test_a_broken_config_is_not_told_to_who_is_typing(world: World) -> None:
    (world.folders.config / "config.toml").write_text("[gate\n")
    assert offered(world, "memory", "show", "x") == []
    assert offered(world, "rules", "show", "git.force") == ["git.force-push"]


def test_where_there_is_nothing_the_shell_is_offered_nothing(world: World) -> None:
    assert offered(world, "memory", "show", "x") == []
    assert offered(world, "runs", "show", "run_") == []
    assert offered(world, "config", "set", "no.such", "x") == []


def test_the_script_for_bash_works_in_bash(world: World) -> None:
    script = world.hookd("completion", "bash")
    asked = f"""{script}
COMP_WORDS=(hookd rules show git.force); COMP_CWORD=3
_hookd_completion hookd; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        ["bash", "-c", asked], env=world.env, cwd=world.project, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["git.force-push"], done.stderr
