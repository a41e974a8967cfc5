"""No module imports itself by way of others, in a function or out of one; imports for types are free."""

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest


def cycle(package: str) -> list[str]:
    """The modules of an import cycle, each imported by the one before it; nothing if there is none."""
    graph = grimp.build_graph(package, exclude_type_checking_imports=True, cache_dir=None)
    imported = {name: sorted(graph.find_modules_directly_imported_by(name)) for name in sorted(graph.modules)}
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    found = cycle("hookd")
    assert not found, " imports ".join(found)


def test_a_cycle_is_found_through_functions_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "ringed"
    package.mkdir()
    for name, code in {
        "__init__": "",
        "first": "from ringed import second\nfrom ringed import straight\n",
        "second": "def late():\n    from ringed.third import name\n",
        "third": "class Late:\n    def late(self):\n        import ringed.first\n",
        "straight": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ringed import first\n",
    }.items():
        (package / f"{name}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    found = [name.rpartition(".")[2] for name in cycle("ringed")]
    assert found[0] == found[-1]
    ring = ["first", "second", "third"] * 2
    begin = ring.index(found[0])
    assert found[:-1] == ring[begin : begin + 3]
    (package / "third.py").write_text("")
    assert cycle("ringed") == []
