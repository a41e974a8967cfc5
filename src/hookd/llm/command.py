"""A program that reads the question and prints the answer: an agent's command line, or one of your own."""

import os

from hookd import config
from hookd.errors import ModelError
from hookd.llm.programs import output_of
from hookd.llm.provider import Asked, Completion, NotServedError

LARGEST = 256 * 1024


class CommandProvider:
    """Asks a program."""

    def __init__(self, settings: config.Model) -> None:
        if not settings.command:
            raise NotServedError("no program is named to be asked", hint="set model.command in the config")
        self.name = settings.model or os.path.basename(settings.command[0])
        self._argv = settings.command

    async def complete(self, prompt: Asked, *, timeout: float) -> Completion:  # noqa: ARG002 - the caller keeps the time
        """What the program printed."""
        text = f"{prompt.system}\n\n{prompt.user}\n".encode()
        output = await output_of(self._argv, text, limit=LARGEST)
        try:
            return Completion(output.decode())
        except UnicodeDecodeError:
            raise ModelError(f"what {self._argv[0]} printed is not UTF-8") from None
