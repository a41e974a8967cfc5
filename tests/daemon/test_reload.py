"""Editing a hook, the config or the trust takes effect at the next event; breaking one does not."""

from worlds import GUARD, World


def verdict(world: World, command: str) -> str | None:
    answer = world.bash(command)
    return answer["hookSpecificOutput"]["permissionDecision"] if answer else None


def test_an_edited_hook_answers_the_next_event(world: World) -> None:
    path = world.write_hook(GUARD)
    assert verdict(world, "acme deploy --now") == "deny"
    pid = world.daemon_pid()
    path.write_text(GUARD.replace("deploy --now", "deploy --later"))
    assert verdict(world, "acme deploy --now") is None
    assert verdict(world, "acme deploy --later") == "deny"
    assert world.daemon_pid() == pid


def test_a_broken_hook_keeps_its_last_good_version_and_status_says_so(world: World) -> None:
    path = world.write_hook(GUARD)
    assert verdict(world, "acme deploy --now") == "deny"
    path.write_text("def register(hookd:\n")
    assert verdict(world, "acme deploy --now") == "deny"
    status = world.status()["daemon"]
    assert status["hook_files"][str(path)]["last_good_in_force"] is True
    assert "SyntaxError" in status["hook_files"][str(path)]["problem"]
    assert "its last good version is in force" in world.hookd("status")
    path.write_text(GUARD)
    assert verdict(world, "acme deploy --now") == "deny"
    assert world.status()["daemon"]["hook_files"] == {}


def test_a_hook_that_is_broken_from_the_start_is_not_loaded_and_status_says_so(world: World) -> None:
    path = world.write_hook("import no_such_module\n")
    world.write_hook(GUARD, "good.py")
    assert verdict(world, "acme deploy --now") == "deny"
    assert "ModuleNotFoundError" in world.status()["daemon"]["hook_files"][str(path)]["problem"]


def test_a_new_hook_file_and_a_removed_one_take_effect(world: World) -> None:
    assert verdict(world, "acme deploy --now") is None
    path = world.write_hook(GUARD)
    assert verdict(world, "acme deploy --now") == "deny"
    path.unlink()
    assert verdict(world, "acme deploy --now") is None


def test_a_config_change_takes_effect_and_a_broken_one_does_not(world: World) -> None:
    world.write_hook(GUARD)
    config = world.home / "config" / "config.toml"
    config.write_text('[hooks]\ndisabled = ["guard"]\n')
    assert verdict(world, "acme deploy --now") is None
    config.write_text("[hooks]\ndisabled = []\n")
    assert verdict(world, "acme deploy --now") == "deny"
    config.write_text("[hooks]\nenabled = 'yes'\n")
    assert verdict(world, "acme deploy --now") == "deny"
    assert "hooks.enabled" in str(world.status()["config_problems"])
