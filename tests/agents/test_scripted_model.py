"""The scripted model by itself; needs no agent."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from scripted_model import Scripted, Text, ToolUse, texts_of, tool_results


def test_the_model_without_an_agent(scripted: Scripted) -> None:
    model = scripted([[Text("a"), ToolUse("Bash", {"command": "b"}, id="call")]])
    connection = HTTPConnection(urlsplit(model.url).netloc)

    def post(path: str, body: dict[str, Any]) -> Any:
        connection.request("POST", path, json.dumps(body))
        return json.loads(connection.getresponse().read())

    result = {"type": "tool_result", "tool_use_id": "call", "content": [{"type": "text", "text": "c"}]}
    messages = [{"role": "user", "content": "d"}, {"role": "user", "content": [result]}]
    side = {"messages": messages}
    assert post("/v1/messages/count_tokens", side)["input_tokens"] > 0
    assert post("/v1/messages", side)["content"] == [{"type": "text", "text": "ok"}]
    answer = post("/v1/messages?beta=true", {**side, "tools": [{}], "system": "e"})
    assert answer["stop_reason"] == "tool_use"
    assert [block["type"] for block in answer["content"]] == ["text", "tool_use"]
    assert post("/v1/messages", {**side, "tools": [{}]})["stop_reason"] == "end_turn", "the script is over"
    assert (len(model.requests), len(model.side_requests)) == (2, 1)
    assert texts_of(model.requests[0]) == "e\nd\nc"
    assert tool_results(model.requests[0]) == {"call": "c"}
    connection.close()
