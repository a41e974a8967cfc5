"""For tests of hooks: real events through the real path, without an agent or a daemon.

`hook_runner` is a pytest fixture that comes with hookd; `check_hook` tells what is wrong with any hook.
"""

from hookd.testing.check import HookProblemsError, check_hook
from hookd.testing.fired import Fired
from hookd.testing.runner import Asked, HookFailedError, HookRunner, NoAnswerError, ScriptedUI

__all__ = [
    "Asked",
    "Fired",
    "HookFailedError",
    "HookProblemsError",
    "HookRunner",
    "NoAnswerError",
    "ScriptedUI",
    "check_hook",
]
