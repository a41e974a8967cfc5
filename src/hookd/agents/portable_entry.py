"""The entry of a settings file that is shared: it must work for those who have no hookd, too.

Nobody knows where hookd is on a colleague's machine, or whether it is there. So a shell looks for the client
and becomes it. Where this user has no hookd at all the entry lets the agent go on; where there should be one
and it is gone, the entry refuses in the words that the client would have used.
"""

import json
from collections.abc import Sequence

from hookd.client_arguments import ADVICE, INSTALL_AGAIN, WHY
from hookd.installation import how_to_install

SHELL = "sh"
CLIENT = "hookd-client"
REQUIRED = "this repository requires hookd, which you do not have"
_BROKEN = "hookd was set up for you, and its client is nowhere to be found"
# A copy of the client is made when hookd is first registered, so its folder tells of a hookd that was here.
_FIND = f"""\
absent=$1 absent_code=$2 broken=$3 code=$4; shift 4
data=${{HOOKD_HOME:+$HOOKD_HOME/data}}; data=${{data:-${{XDG_DATA_HOME:-$HOME/.local/share}}/hookd}}
for client in {CLIENT} "$HOME/.local/bin/{CLIENT}" "$data"/client/*/{CLIENT}; do
command -v "$client" >/dev/null 2>&1 && exec "$client" "$@"; done
[ -e "$data/client" ] || {{ printf %s "$absent"; exit "$absent_code"; }}
echo "{CLIENT}: {_BROKEN}" >&2; printf %s "$broken"; exit "$code\""""


def arguments(say: str, exit_code: int, absent: tuple[str, int]) -> tuple[str, ...]:
    """What the shell gets in front of the client's own arguments."""
    broken = filled(say, _BROKEN, INSTALL_AGAIN)
    return ("-c", _FIND, CLIENT, absent[0], str(absent[1]), broken, str(exit_code))


def not_installed() -> str:
    """The line for a person who has no hookd in a repository that has it."""
    return (
        f"This repository is guarded by hookd, which you do not have: nothing is checked. {how_to_install()}"
    )


def filled_as_required(say: str) -> str:
    """A refusal's template, for a person who has no hookd in a repository that requires it."""
    return filled(say, REQUIRED, how_to_install())


def filled(say: str, why: str, advice: str) -> str:
    """A refusal's template with the reason and the advice in it."""
    return say.replace(WHY, json.dumps(why)[1:-1]).replace(ADVICE, json.dumps(advice)[1:-1])


def is_portable(command: Sequence[object]) -> bool:
    """Whether a command line, program first, is such an entry."""
    return len(command) > 3 and command[0] == SHELL and command[1] == "-c" and command[3] == CLIENT


def is_required(command: Sequence[str]) -> bool:
    """Whether such an entry refuses where there is no hookd."""
    return is_portable(command) and any(REQUIRED in word for word in command[4:5])
