"""Columns that are called password, token or the like: their cells are secrets, words too."""

from typing import Any

import pytest
from samples import filled

from hookd.redact.redactor import Redactor

TOKEN = filled("{any:28}")
WORDS = ["sunshine", "hunter2", "Tr0ub4dor&3", "letmein", "dragonfly"]
redactor = Redactor()

TABLES = {
    "psql": f"""\
 id | username | password    | api_token
----+----------+-------------+------------------------------
  1 | alice    | sunshine    | {TOKEN}
  2 | bob      | hunter2     |
  3 | carol    | Tr0ub4dor&3 | {TOKEN}
(3 rows)
""",
    "psql, one column": " password\n-----------\n sunshine\n hunter2\n(2 rows)\n",
    "psql, expanded": f"""\
-[ RECORD 1 ]-------------------------
id        | 1
username  | alice
password  | sunshine
api_token | {TOKEN}
-[ RECORD 2 ]-------------------------
id        | 2
password  | hunter2
""",
    "mysql": """\
+----+-------+-----------+
| id | user  | password  |
+----+-------+-----------+
|  1 | alice | sunshine  |
|  2 | bob   | letmein   |
+----+-------+-----------+
""",
    "mysql, vertical": "*** 1. row ***\n      id: 1\n    user: alice\npassword: sunshine\n",
    "markdown": """\
| User | Password | Role |
|------|:--------:|------|
| alice | `sunshine` | admin |
| bob | hunter2 | viewer |
""",
    "markdown without edges": "User | Password\n--- | ---\nalice | sunshine\nbob | Tr0ub4dor&3\n",
    "csv": f"id,email,password,token\n1,a@example.org,sunshine,{TOKEN}\n2,b@example.org,hunter2,\n",
    "csv, quoted": '"id","user name","password"\n"1","Archer, Alice","sunshine"\n"2","Bob","Tr0ub4dor&3"\n',
    "csv, semicolons": "user;password;note\nalice;sunshine;first\nbob;letmein;second\n",
    "csv, one column of two": "username,password\nalice,sunshine\nbob,dragonfly\n",
    "csv from a browser": (
        "name,url,username,password,note\nLedger,https://app.example/login,alice,sunshine,\n"
        "Wiki,https://wiki.example/,bob,Tr0ub4dor&3,old\n"
    ),
    "tsv": f"id\tlogin\tpassword\tsecret\n1\talice\tsunshine\t{TOKEN}\n2\tbob\thunter2\t\n",
    "aligned": """\
USER      PASSWORD      ROLE
alice     sunshine      admin
bob       hunter2       viewer
""",
    "sqlite columns": """\
id  username  password
--  --------  -----------
1   alice     sunshine
2   bob       Tr0ub4dor&3
""",
    "insert": (
        "INSERT INTO users (id, email, password) VALUES (1, 'a@b.org', 'sunshine'), (2, 'b', 'letmein');\n"
    ),
    "insert in lines": (
        "INSERT INTO `users` (`id`, `name`, `password`) VALUES\n"
        "(1, 'Alice (A.)', 'sunshine'),\n(2, 'Bob', 'letmein');\n"
    ),
    "copy": f"COPY public.users (id, name, password, token) FROM stdin;\n1\talice\tsunshine\t{TOKEN}\n\\.\n",
    "numbered": "     1\tid,user,password\n     2\t1,alice,sunshine\n     3\t2,bob,letmein\n",
    "found": "users.csv:1:id,user,password\nusers.csv:2:1,alice,sunshine\nusers.csv:3:2,bob,letmein\n",
    "logged": "db-1 |  id | username | password\ndb-1 | ----+------+-----\ndb-1 |   1 | alice   | sunshine\n",
    "line ends of windows": "user,password\r\nalice,sunshine\r\nbob,letmein\r\n",
    "column of passphrases": "user,passphrase\nalice,correct horse battery\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_no_cell_of_such_a_column_is_left(name: str) -> None:
    text = f"before it\n\n{TABLES[name]}\nafter it, the end\n"
    done = redactor.text(text)
    assert not [word for word in [*WORDS, TOKEN, "correct horse"] if word in done]
    assert "alice" not in text.lower() or "alice" in done.lower()
    assert done.startswith("before it\n") and done.endswith("after it, the end\n")
    assert redactor.text(done) == done


@pytest.mark.parametrize("size", [40, 90, 400])
@pytest.mark.parametrize("name", ["psql", "csv", "tsv", "markdown", "insert in lines", "copy"])
def test_a_table_goes_on_in_the_next_segment(name: str, size: int) -> None:
    small = Redactor()
    small._size, small._largest = size, 100_000
    *head, last, end = TABLES[name].splitlines()
    text = "\n".join([*head, *[last] * 30, end, "sunshine is for all", ""])
    done = small.text(text)
    assert not [word for word in [*WORDS[1:], TOKEN] if word in done]
    assert done.count("sunshine") == 1 and done.endswith("sunshine is for all\n")
    assert done == redactor.text(text)


def test_a_long_table_is_read_to_its_end() -> None:
    rows = "".join(f"{n},user{n},{filled('{lower:10}', n)}\n" for n in range(20_000))
    done = redactor.text(f"id,user,password\n{rows}")
    assert done.count("[REDACTED:assigned-pass]") > 19_900
    assert not [n for n in range(0, 20_000, 97) if filled("{lower:10}", n) in done]


@pytest.mark.parametrize(
    "text",
    [
        "| Field | Password | Token |\n|---|---|---|\n| Length | 12 | 64 |\n| Kept | hashed | encrypted |\n",
        "column,password,token_count\nusers,varchar(255),4821\n",
        "username, password\nhost, port\n",
        "SELECT id, password\nFROM users, accounts\n",
        "id,password_changed_at,token_count\n1,2025-02-11T08:00:14Z,4821\n",
        " password\n-----------\n\n(0 rows)\n",
        "user,password\nalice,\nbob,NULL\ncarol,********\n",
        "INSERT INTO users (id, password) VALUES (1, NULL), (2, ?), (3, $1), (4, crypt($2, salt('bf')));\n",
        "    self, user, password\n    self, other, argument\n",
        "- user, password\n- host, database\n",
    ],
)
def test_what_only_looks_like_such_a_table_stays(text: str) -> None:
    assert redactor.text(text) == text


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ({"columns": ["id", "password"], "rows": [[1, "sunshine"], [2, "letmein"]]}, "sunshine"),
        ({"fields": [{"name": "id"}, {"name": "api_token"}], "rows": [[1, TOKEN]]}, TOKEN),
    ],
)
def test_a_table_as_a_value(value: Any, cell: str) -> None:
    done = redactor.value(value)
    assert cell not in str(done) and "letmein" not in str(done)
    assert redactor.value(done) == done
    clean = {"columns": ["id", "city"], "rows": [[1, "Bergen"]]}
    assert redactor.value(clean) is clean
