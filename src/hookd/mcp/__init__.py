"""Memory as an MCP server: what an agent can ask hookd for in the middle of a session.

`hookd.mcp` is this room; `mcp` is the official SDK, which only `hookd.mcp.server` and, for the daemon,
`hookd.mcp.http` import: it takes most of the second that a start takes. Everything else here is plain
functions from arguments to text.
"""
