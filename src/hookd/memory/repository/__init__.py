"""All that memory reads and writes in the store; its callers get structs and know no SQL.

`observations` writes what one project remembers and `memories` reads it; `word_index` and `search` find it by
its words, `capture`, `handover` and `forget` have what those rooms need beside.
"""
