"""The entry of a settings file that is shared: it must work for those who have no hookd, too.

Nobody knows where hookd is on a colleague's machine, or whether it is there. So a shell looks for the client
and runs it. Where this user has no hookd at all the entry lets the agent go on; where there is something of
hookd's and no client that answers, the entry refuses in the words that the client would have used.
"""

import json
from collections.abc import Sequence

from hookd.client_arguments import ADVICE, WHY
from hookd.installation import how_to_install

SHELL = "sh"
CLIENT = "hookd-client"
REQUIRED = "this repository requires hookd, which you do not have"
_BROKEN = "hookd was set up for you, and its client cannot be run"
_AGAIN = (
    "Install it again as you did before (uv tool, pipx or pip install), or move hookd's config and data"
    " folders away to work without it."
)
# A client answers with 0 or 2. One that could not begin (126, 127) has left the input to the next one; every
# other code is that of a client that died or does not know these arguments.
_FIND = f"""\
absent=$1 absent_code=$2 broken=$3 code=$4 mine=; shift 4
case $HOOKD_HOME in /*) config=$HOOKD_HOME/config data=$HOOKD_HOME/data ;;
*) config=${{XDG_CONFIG_HOME:-$HOME/.config}}/hookd data=${{XDG_DATA_HOME:-$HOME/.local/share}}/hookd ;; esac
for folder in "$config" "$data"; do [ -e "$folder" ] && mine=$folder; done
IFS=:
for folder in $PATH "$HOME/.local/bin" "$data"/client/*; do
  client=$folder/{CLIENT}
  [ -e "$client" ] || [ -L "$client" ] || continue
  mine=$client
  [ -f "$client" ] && [ -x "$client" ] && [ -s "$client" ] || continue
  "$client" "$@"
  case $? in 0) exit 0 ;; 2) exit 2 ;; 126|127) ;; *) break ;; esac
done
[ "$mine" ] || {{ printf %s "$absent"; exit "$absent_code"; }}
echo "{CLIENT}: {_BROKEN}: $mine" >&2; printf %s "$broken"; exit "$code\""""


def arguments(say: str, exit_code: int, absent: tuple[str, int]) -> tuple[str, ...]:
    """What the shell gets in front of the client's own arguments."""
    broken = filled(say, _BROKEN, _AGAIN)
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
