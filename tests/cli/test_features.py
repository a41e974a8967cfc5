"""`hookd features` as a person uses it: proposed, written, trusted, and named when the agent deletes."""

import subprocess
from collections.abc import Iterator

import pytest

from worlds import World


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    for name in ("src/shop/cart/a.py", "src/shop/cart/b.py", "src/shop/mail/a.py", "tests/test_cart.py"):
        path = made.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(
            ["git", *words], cwd=made.project, env={"PATH": made.env["PATH"], "HOME": "/x"}, check=True
        )
    yield made
    made.close()


def test_a_register_is_proposed_trusted_and_named(world: World) -> None:
    assert "hookd features --propose" in world.hookd("features")
    assert 'files = ["src/shop/cart"]' in world.hookd("features", "--propose")
    assert "2 features" in world.hookd("features", "--propose", "--write")
    done = world.run("features", "--propose", "--write", check=False)
    assert done.returncode == 2 and b"is there already" in done.stderr
    assert world.json("features")[0]["name"] == "feature 1 of an untrusted register"
    world.at_terminal("trust", answers=b"y\n")
    [cart, _mail] = world.json("features")
    assert (cart["name"], len(cart["files"]), cart["tests"]) == ("cart", 2, ["tests/test_cart.py"])
    answer = world.bash("rm src/shop/cart/a.py")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "ask"
    assert "belongs to: cart (1 of 2 files)" in answer["permissionDecisionReason"]


def test_nothing_to_propose_is_said(world: World) -> None:
    subprocess.run(["git", "rm", "-rq", "--cached", "src"], cwd=world.project, env=world.env, check=True)
    done = world.run("features", "--propose")
    assert b"looks like a feature" in done.stderr
