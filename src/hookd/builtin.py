"""hookd's own hooks, in the order they run; each registers through the same API as a user's."""

from hookd.gate import hook as gate
from hookd.hooks.api import Handler, HookAPI, Subscription
from hookd.hooks.services import Services
from hookd.memory import hook as memory
from hookd.watch import hook as watch
from hookd.watch import output

BUILTINS = (("gate", gate), ("memory", memory), ("watch", watch), ("output", output))


def builtin_handlers(project: str, services: Services) -> list[tuple[Subscription, Handler]]:
    """Every built-in subscription with its handler."""
    handlers: list[tuple[Subscription, Handler]] = []
    for name, module in BUILTINS:
        api = HookAPI(name=name, project=project, services=services)
        module.register(api)
        handlers += api.handlers
    return handlers
