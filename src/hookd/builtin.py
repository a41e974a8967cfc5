"""hookd's own hooks, in the order they run; each registers through the same API as a user's."""

from hookd.hooks.api import Handler, HookAPI, Subscription
from hookd.watch import hook as watch

BUILTINS = (("watch", watch),)


def builtin_handlers(project: str) -> list[tuple[Subscription, Handler]]:
    """Every built-in subscription with its handler."""
    handlers: list[tuple[Subscription, Handler]] = []
    for name, module in BUILTINS:
        api = HookAPI(name=name, project=project)
        module.register(api)
        handlers += api.handlers
    return handlers
