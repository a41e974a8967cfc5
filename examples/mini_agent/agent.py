"""A small coding agent with hooks: tools, turns, questions to the person, any Messages-API endpoint.

    ANTHROPIC_API_KEY=... python agent.py "mend the failing test"

It runs the hooks of Claude Code's settings in this folder, those in `hooks/` beside this file, and
hookd's gate and output filter.
"""

import argparse
import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from hookd import TerminalUI
from hookd.errors import HookdError, ToolBlockedError, ToolFailedError
from hookd.host import HookEngine, Lifecycle, lifecycle, wrap_tools

SYSTEM = "You are a coding agent. Work with the tools until the task is done, then say what you did."
JSON_TYPES = {str: "string", int: "integer", bool: "boolean"}
MOST_OUTPUT = 20_000


def bash(command: str, timeout: int = 120) -> str:
    """Runs a shell command in the project and gives its output."""
    try:
        done = subprocess.run(
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"no end after {timeout} s") from None
    text = done.stdout.decode("utf-8", "replace")
    return text[:MOST_OUTPUT] + (f"\n(exit code {done.returncode})" if done.returncode else "")


def read(file_path: str) -> str:
    """Reads a text file."""
    return Path(file_path).read_text("utf-8")[:MOST_OUTPUT]


def write(file_path: str, content: str) -> str:
    """Writes a text file, and makes its folder if there is none."""
    path = Path(file_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    return f"wrote {len(content)} characters to {file_path}"


def edit(file_path: str, old_string: str, new_string: str) -> str:
    """Replaces a text that occurs once in a file."""
    path = Path(file_path)
    text = path.read_text("utf-8")
    if text.count(old_string) != 1:
        raise ValueError(f"the text occurs {text.count(old_string)} times in {file_path}")
    path.write_text(text.replace(old_string, new_string), "utf-8")
    return f"edited {file_path}"


# Under the names that Claude Code has for them, so that hooks written for it know them.
TOOLS: dict[str, Callable[..., str]] = {"Bash": bash, "Read": read, "Write": write, "Edit": edit}


def described(name: str, tool: Callable[..., Any]) -> dict[str, Any]:
    """A tool as the model is told of it."""
    parameters = inspect.signature(tool).parameters
    return {
        "name": name,
        "description": inspect.getdoc(tool),
        "input_schema": {
            "type": "object",
            "properties": {key: {"type": JSON_TYPES[found.annotation]} for key, found in parameters.items()},
            "required": [key for key, found in parameters.items() if found.default is found.empty],
        },
    }


class Agent:
    """A conversation with a model that has tools."""

    def __init__(self, engine: HookEngine, client: httpx.Client, model: str) -> None:
        self.tools = wrap_tools(engine, TOOLS)
        self.client = client
        self.model = model
        self.messages: list[dict[str, Any]] = []

    def work(self, session: Lifecycle, prompt: str) -> None:
        """Works on a prompt until the model is done and no hook wants it to go on."""
        content: list[dict[str, Any]] = [{"type": "text", "text": prompt}]
        with session.prompt(prompt) as work:
            for turn in work:
                content += [{"type": "text", "text": text} for text in turn.for_model]
                self.messages.append({"role": "user", "content": content})
                reply = self.ask()
                self.messages.append({"role": "assistant", "content": reply})
                text = "\n".join(block["text"] for block in reply if block["type"] == "text")
                if text:
                    print(text)
                content = [self.call(block) for block in reply if block["type"] == "tool_use"]
                if not content:
                    turn.done(text)
        if work.refusal or work.stopped:
            print(work.refusal or work.stopped)

    def ask(self) -> list[dict[str, Any]]:
        """The model's next message."""
        body = {
            "model": self.model,
            "max_tokens": 8192,
            "system": SYSTEM,
            "tools": [described(name, tool) for name, tool in self.tools.items()],
            "messages": self.messages,
        }
        answer = self.client.post("v1/messages", json=body)
        answer.raise_for_status()
        blocks: list[dict[str, Any]] = answer.json()["content"]
        return blocks

    def call(self, block: dict[str, Any]) -> dict[str, Any]:
        """The result of a tool that the model called; what goes wrong is for the model to read."""
        print(f"* {block['name']} {block['input']}")
        failed = False
        try:
            output = self.tools[block["name"]](**block["input"])
        except (ToolBlockedError, ToolFailedError, KeyError, OSError, TypeError, ValueError) as error:
            output, failed = f"{type(error).__name__}: {error}", True
            print(f"  {output}")
        return {"type": "tool_result", "tool_use_id": block["id"], "content": output, "is_error": failed}


def main() -> int:
    parser = argparse.ArgumentParser(description="A small coding agent with hooks.")
    parser.add_argument("prompt", nargs="?", help="what to do; without it you are asked, again and again")
    parser.add_argument("--base-url", default="https://api.anthropic.com")
    parser.add_argument("--model", default="claude-sonnet-4-5")
    parser.add_argument("--hook", action="append", default=[], help="one more hook file")
    options = parser.parse_args()
    headers = {"x-api-key": os.environ.get("ANTHROPIC_API_KEY", ""), "anthropic-version": "2023-06-01"}
    hooks = [*sorted((Path(__file__).parent / "hooks").glob("*.py")), *options.hook]
    try:
        with httpx.Client(base_url=options.base_url, headers=headers, timeout=600) as client:
            engine = HookEngine.load(".", hooks=hooks, capabilities=("gate", "output"), ui=TerminalUI())
            agent = Agent(engine, client, options.model)
            with lifecycle(engine, model=options.model, close=True) as session:
                if options.prompt:
                    agent.work(session, options.prompt)
                while not options.prompt and (prompt := input("> ").strip()):
                    agent.work(session, prompt)
    except (KeyboardInterrupt, EOFError) as end:
        print()
        return 130 if isinstance(end, KeyboardInterrupt) else 0
    except (HookdError, httpx.HTTPError) as error:
        print(f"mini-agent: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
