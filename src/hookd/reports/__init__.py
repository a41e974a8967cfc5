"""What hookd tells of itself and of the record: queries and shapes that command line, MCP and web share."""
