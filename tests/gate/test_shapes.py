"""When two calls are the same thing again."""

from typing import Any

import pytest

from hookd.events.calls import Call
from hookd.gate.case.model import Case
from hookd.gate.case.tools import shell_call
from hookd.gate.people.call_shape import shape_of


def shape(command: str, cwd: str = "/p", **more: Any) -> Any:
    return shape_of(Case(call=shell_call(command), cwd=cwd, root="/p", home="/h", **more))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git stash drop", "git  stash   drop"),
        ("git push -f origin dev", "git push --force origin dev"),
        ("sort src/gen/a.csv", "sort ./src/gen/b.csv"),
        ("rm src/gen/a.ts", "rm ./src/gen/a.ts"),
        ("make test &&  git stash drop", "make test\\\n && git stash drop"),
        ("rm -f 'src/gen/a.ts'", "rm -f src/gen/a.ts"),
    ],
)
def test_the_same_shape(one: str, other: str) -> None:
    assert shape(one).parts == shape(other).parts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git stash drop", "git stash clear"),
        ("git push -f origin dev", "git push -f origin main"),
        ("kubectl delete pod a -n dev", "kubectl delete pod a -n prod"),
        ("rm src/gen/a.ts", "rm src/gen/b.ts"),
        ("rm src/gen/a.ts", "rm src/gen/*.ts"),
        ("sort src/gen/a.csv", "sort src/gen/*.csv"),
        ("sort src/gen/a.csv", "sort src/gen/a.tsv"),
        ("sort 'src/gen/*.csv'", "sort src/gen/*.csv"),
        ("make test && git stash drop", "make test || git stash drop"),
        ("make test && git stash drop", "! make test && git stash drop"),
        ("make test; git stash drop", "make test & git stash drop"),
        ("if make test; then git stash drop; fi", "if make test; then :; else git stash drop; fi"),
        ("rm src/gen/a.ts", "rm src/a.ts"),
        ("rm src/gen/a.ts", "rm -r src/gen/a.ts"),
        ("rm src/gen/a.ts", "sudo rm src/gen/a.ts"),
        ("rm -rf src", "rm -rf docs"),
        ("rm -rf a.d", "rm -rf b.d"),
        ("rm /etc/a.conf", "rm /etc/b.conf"),
        ("rm server.pem", "rm other.pem"),
        ("psql -c 'delete from a'", "psql -c 'delete from b'"),
        ("git stash drop", "git stash drop; rm a.txt"),
        ("echo 'one' > a.sh; sh a.sh", "echo 'two' > a.sh; sh a.sh"),
        ("cat a | sort", "cat a; sort"),
        ("sh <<< 'one'", "sh <<< 'two'"),
        ("ssh a rm x.log", "rm x.log"),
    ],
)
def test_another_shape(one: str, other: str) -> None:
    assert shape(one).parts != shape(other).parts


def test_the_folder_is_part_of_it() -> None:
    assert shape("git stash drop").parts != shape("git stash drop", cwd="/q").parts


@pytest.mark.parametrize("command", ["rm $FILE", "$TOOL x", 'git push -f origin "$(cat branch)"', "rm 'a"])
def test_what_is_not_known_has_no_shape(command: str) -> None:
    assert shape(command) is None


def test_it_can_be_told_in_words() -> None:
    assert shape("rm -f src/gen/a.ts").words == "rm --force src/gen/a.ts"
    assert shape("sort -r src/gen/a.csv").words == "sort --reverse src/gen/*.csv"
    assert shape("git stash drop", cwd="/p/sub").words == "git stash drop (in sub)"


def test_a_file_tool_is_about_its_file() -> None:
    def written(path: str, content: str) -> Any:
        given = {"file_path": path, "content": content}
        return shape_of(Case(call=Call("Write", given), cwd="/p", root="/p", home="/h"))

    assert written("/p/a.txt", "one").parts == written("a.txt", "two").parts
    assert written("/p/a.txt", "one").parts != written("/p/b.txt", "one").parts
    assert written("/p/a.txt", "one").words == "Write a.txt"
