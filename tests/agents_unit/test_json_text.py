import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hookd.agents.json_text import MAX_DEPTH, Document, Node, Place
from hookd.errors import SettingsError

# The machine may be busy; how long an example takes says nothing here.
relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

space = st.text(" \t\r\n", max_size=3)
scalar = st.one_of(
    st.sampled_from(
        ["null", "true", "false", "0", "-0", "1.50", "2E+3", '"\\u0041\\ud800\\/"', '"{[,:\\"]}"']
    ),
    st.integers().map(str),
    st.builds(json.dumps, st.text(max_size=5), ensure_ascii=st.booleans()),
)
# Few names, so that one object often has the same twice.
name = st.sampled_from(['"a"', '"\\u0061"', '"hooks"', '""', '"é"'])


def join(opening: str, parts: list[tuple[str, ...]], closing: str, blank: str) -> str:
    return opening + (",".join(map("".join, parts)) or blank) + closing


def containers(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    elements = st.lists(st.tuples(space, children, space), max_size=4)
    members = st.lists(st.tuples(space, name, space, st.just(":"), space, children, space), max_size=4)
    return st.one_of(
        st.builds(join, st.just("["), elements, st.just("]"), space),
        st.builds(join, st.just("{"), members, st.just("}"), space),
    )


json_texts = st.builds(
    "".join,
    st.tuples(st.sampled_from(["", "\ufeff"]), space, st.recursive(scalar, containers, max_leaves=12), space),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def loads(text: str) -> Any:
    return json.loads(text.removeprefix("\ufeff"))


def places(node: Node, path: Place = ()) -> list[Place]:
    """Every path in the document, containers and scalars."""
    last = {child.key: child.node for child in node.children}
    return [path, *(found for key, child in last.items() for found in places(child, (*path, key)))]


def container_places(document: Document) -> list[Place]:
    return [path for path in places(document.root) if isinstance(at(document, path).value, dict | list)]


def at(document: Document, path: Place) -> Node:
    node = document.get(path)
    assert node is not None
    return node


def in_value(value: Any, path: Place) -> Any:
    for key in path:
        value = value[key]
    return value


@relaxed
@given(json_texts)
def test_reads_what_json_reads(text: str) -> None:
    assert Document(text).root.value == loads(text)


@relaxed
@given(json_texts, values, st.text(max_size=3), st.data())
def test_removing_what_was_inserted_restores_the_text(
    text: str, value: Any, key: str, data: st.DataObject
) -> None:
    before = Document(text)
    paths = container_places(before)
    assume(paths)
    path = data.draw(st.sampled_from(paths))
    node = at(before, path)
    is_object = isinstance(node.value, dict)
    after = before.insert(path, value, key if is_object else None)

    expected = loads(text)
    inner = in_value(expected, path)
    if is_object:
        inner[key] = value
    else:
        inner.append(value)
    assert loads(after.text) == expected

    place = (*path, key if is_object else len(node.children))
    if node.children:
        assert after.remove(place).text == text
    else:
        assert loads(after.remove(place).text) == loads(text)
        assert after.replace_source(path, before.source(path)).text == text


@relaxed
@given(json_texts, values, st.data())
def test_replacing_changes_one_value(text: str, value: Any, data: st.DataObject) -> None:
    before = Document(text)
    path = data.draw(st.sampled_from(places(before.root)))
    after = before.replace(path, value)
    node = at(before, path)
    assert after.text.startswith(text[: node.start]) and after.text.endswith(text[node.end :])
    assert at(after, path).value == value
    assert after.replace_source(path, before.source(path)).text == text


@relaxed
@given(json_texts, st.data())
def test_removing_takes_out_one_child_and_nothing_else(text: str, data: st.DataObject) -> None:
    before = Document(text)
    paths = [path for path in places(before.root) if path]
    assume(paths)
    path = data.draw(st.sampled_from(paths))
    parent = at(before, path[:-1])
    kept = [child for child in parent.children if child.node is not at(before, path)]
    after = at(before.remove(path), path[:-1])
    assert [child.node.value for child in after.children] == [child.node.value for child in kept]


@relaxed
@given(st.one_of(json_texts, st.text('{}[]":,0 1-+.eE\\utrufalsen/*\n\x00', max_size=12)), st.data())
def test_refuses_what_json_refuses(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    broken = text[:cut] + data.draw(st.sampled_from(["", ",", "//", "]", '"', "x"])) + text[cut:]
    blank = not broken.removeprefix("\ufeff").strip(" \t\r\n")
    try:
        json.loads(broken.removeprefix("\ufeff"))
    except ValueError:
        valid = False
    else:
        valid = True
    if valid or blank:
        Document(broken)
    else:
        with pytest.raises(SettingsError):
            Document(broken)


HANDLER = {"x": [1]}

INSERTED = {
    "blank": ("", '{\n  "new": {\n    "x": [\n      1\n    ]\n  }\n}'),
    "blank with a newline": ("\r\n", '{\r\n  "new": {\r\n    "x": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n'),
    "byte order mark": ("\ufeff", '\ufeff{\n  "new": {\n    "x": [\n      1\n    ]\n  }\n}'),
    "empty": ("{}\n", '{\n  "new": {\n    "x": [\n      1\n    ]\n  }\n}\n'),
    "two spaces": (
        '{\n  "a": 1\n}\n',
        '{\n  "a": 1,\n  "new": {\n    "x": [\n      1\n    ]\n  }\n}\n',
    ),
    "four spaces, CRLF": (
        '{\r\n    "a": 1\r\n}',
        '{\r\n    "a": 1,\r\n    "new": {\r\n        "x": [\r\n            1\r\n        ]\r\n    }\r\n}',
    ),
    "tabs": (
        '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
        '{\n\t"a": {\n\t\t"b": 1\n\t},\n\t"new": {\n\t\t"x": [\n\t\t\t1\n\t\t]\n\t}\n}\n',
    ),
    "one line": ('{"a": 1, "b": 2}', '{"a": 1, "b": 2, "new": {"x": [1]}}'),
    "one tight line": ('{"a":1}\n', '{"a":1,"new":{"x":[1]}}\n'),
    "one padded line": ('{ "a": 1 }', '{ "a": 1, "new": {"x": [1]} }'),
    "comma first": (
        '{ "a" : 1\n, "b" : 2\n}',
        '{ "a" : 1\n, "b" : 2\n, "new" : {\n  "x" : [\n    1\n  ]\n}\n}',
    ),
    "hugging": (
        '{"a": {\n  "b": 1\n}}',
        '{"a": {\n  "b": 1\n}, "new": {\n  "x": [\n    1\n  ]\n}}',
    ),
    "no indent": (
        '{\n"a": 1\n}',
        '{\n"a": 1,\n"new": {\n  "x": [\n    1\n  ]\n}\n}',
    ),
    "old newlines": (
        '{\r  "a": 1\r}\r',
        '{\r  "a": 1,\r  "new": {\r    "x": [\r      1\r    ]\r  }\r}\r',
    ),
}


@pytest.mark.parametrize(("before", "after"), INSERTED.values(), ids=INSERTED.keys())
def test_inserts_in_the_style_of_the_file(before: str, after: str) -> None:
    assert Document(before).insert((), HANDLER, "new").text == after


def test_an_empty_container_is_filled_as_its_neighbours_are_laid_out() -> None:
    assert Document('{"a": [], "b": {}}').insert(("a",), 1).text == '{"a": [1], "b": {}}'
    assert Document('{\n  "a": [ ]\n}').insert(("a",), 1).text == '{\n  "a": [\n    1\n  ]\n}'


def test_a_one_line_container_stays_on_its_line() -> None:
    text = '{\n  "a": {"b": [1, 2]},\n  "c": 3\n}\n'
    assert Document(text).insert(("a", "b"), {"x": 1}).text == text.replace("2]", '2, {"x": 1}]')
    assert Document(text).insert(("a",), [], "d").text == text.replace("2]}", '2], "d": []}')


def test_a_replaced_value_keeps_its_layout() -> None:
    text = '{\n  "a": {"b": 1},\n  "c": [\n    1\n  ]\n}'
    assert Document(text).replace(("a",), {"d": [1]}).text == text.replace('{"b": 1}', '{"d": [1]}')
    assert Document(text).replace(("c",), [2]).text == text.replace("    1\n", "    2\n")


@pytest.mark.parametrize(
    ("path", "after"),
    [
        (("a", 0), '{"a": [ 2 , 3 ]}'),
        (("a", 1), '{"a": [ 1,3 ]}'),
        (("a", 2), '{"a": [ 1,2 ]}'),
        (("a",), "{}"),
    ],
)
def test_removes_from_any_position(path: Place, after: str) -> None:
    assert Document('{"a": [ 1,2 , 3 ]}').remove(path).text == after


def test_of_several_members_with_one_name_the_last_counts() -> None:
    text = '{"a": 1, "a": [2]}'
    assert Document(text).insert(("a",), 3).text == '{"a": 1, "a": [2, 3]}'
    assert Document(text).remove(("a",)).text == '{"a": 1}'


def test_what_is_not_there_is_none() -> None:
    assert Document("[1]").get((0, "a")) is None
    assert Document("[1]").get((1,)) is None


REFUSED = {
    '{"a": 1}\n// done\n': "f.json:2:1: expected the end of the file, found /",
    "{\r\n  /* why */\r\n}": "f.json:2:3: expected a name in double quotes, found /",
    '{"a": 1,}': "f.json:1:9: expected a name in double quotes, found }",
    "[1,]": "f.json:1:4: expected a value, found ]",
    "[1 2]": "f.json:1:4: expected a comma or ], found 2",
    '{"a" 1}': "f.json:1:6: expected a colon, found 1",
    "\ufeff{'a': 1}": "f.json:1:2: expected a name in double quotes, found '",
    '{"a": NaN}': "f.json:1:7: expected a value, found N",
    '{"a": -Infinity}': "f.json:1:7: expected a value, found -",
    '{"a": ': "f.json:1:7: expected a value, found the end of the file",
    '["a\tb"]': "f.json:1:4: not valid JSON: Invalid control character at",
    "[" * (MAX_DEPTH + 2): f"f.json:1:{MAX_DEPTH + 2}: nested more than {MAX_DEPTH} levels deep",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items())
def test_says_where_the_file_is_not_json(text: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Document(text, "f.json")
    assert str(caught.value) == message
    assert bool(caught.value.hint) == ("found /" in message)


def test_numbers_of_any_length_are_read() -> None:
    assert Document("9" * 5000).root.end == 5000
    assert Document(f"[{'[' * (MAX_DEPTH - 1)}{']' * (MAX_DEPTH - 1)}]").root.end == 2 * MAX_DEPTH
