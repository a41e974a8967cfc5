"""The smallest MCP server: one tool that says what it is told, on standard input and output."""

import json
import sys

TOOL = {
    "name": "say",
    "description": "Says it.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}


def result(method: str, params: dict[str, object]) -> dict[str, object] | None:
    match method:
        case "initialize":
            version = params["protocolVersion"]
            info = {"name": "srv", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            given = params.get("arguments")
            text = str(given.get("text", "")) if isinstance(given, dict) else ""
            failed = text.startswith("fail")
            return {"content": [{"type": "text", "text": text}], "isError": failed}
    return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    found = result(request["method"], request.get("params") or {})
    answer = {"result": found} if found is not None else {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
