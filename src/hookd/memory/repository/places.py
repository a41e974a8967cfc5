"""Where memory is kept: one place per work tree, and which places share what they remember."""

from typing import Any

from hookd.memory.observations import Place
from hookd.memory.repository.statements import Repository
from hookd.paths import as_text, foreign_root


def scope_of(place: Place | None) -> dict[str, Any]:
    """What the statements' `{here}` and `{in_tree}` ask for; None is everything that is remembered."""
    if place is None:
        return {"everywhere": True, "project": None, "identity": None, "tree": None, "alone": None}
    return {
        "everywhere": False,
        "project": place.key,
        "identity": place.identity or None,
        "tree": place.tree or None,
        "alone": place.alone or None,
    }


class Places(Repository):
    """The table of places."""

    def are_there(self) -> bool:
        """Whether anything can have been remembered: rooms make their tables when they first need them."""
        return self._db.has_table("memory_checkout")

    def settle(self, place: Place) -> int:
        """The place's number, with what is known of it now: where it is, and with whom it shares."""
        number = self.known(place)
        current = {
            "number": number if number is not None else self._value("next_place"),
            "project": place.key,
            "root": as_text(foreign_root(place.machine, place.root) if place.machine else place.root),
            "identity": place.identity,
            "tree": place.tree,
        }
        if number is None:
            self._run("add_place", **current)
        elif self._value("place_is", **current) is None:
            self._run("move_place", **current)
        else:
            return number
        self._run("add_checkout", **current)
        return int(current["number"])

    def number(self, place: Place) -> int:
        """The place's number, given to it now if it has none; where it is remains as it was."""
        number = self.known(place)
        return self.settle(place) if number is None else number

    def known(self, place: Place) -> int | None:
        """The place's number, if it has one: by itself, by its folder alone, or as 0.1 knew it."""
        for tree in filter(None, (place.tree, place.alone)):
            if (found := self._by_tree(tree)) is not None:
                return found
        of_0_1: int | None = self._value("place_of_0_1", project=place.key)
        return of_0_1

    def of_record(self, tree: str, writer: Place) -> int | None:
        """The number of the place that a record names by its work tree, or else of its writer's own."""
        return self._by_tree(tree) if tree else self.known(writer)

    def _by_tree(self, tree: str) -> int | None:
        found: int | None = self._value("place_by_tree", tree=tree)
        return found

    def sharing(self, place: Place) -> list[int]:
        """The numbers of all places whose memory this one has a part in, its own among them."""
        return self._column("places_here", **scope_of(place))

    def of_tree(self, place: Place) -> list[int]:
        """The numbers that this one work tree has; two, if it once stood alone."""
        return self._column("places_of_tree", **scope_of(place))

    def folders(self, numbers: list[int]) -> list[str]:
        """Every folder that these places are or have been in, and no other has."""
        return self._column("folders_of", numbers=str(numbers))

    def last_in(self, key: str) -> list[int]:
        """The numbers of the places that were last seen in a folder."""
        return self._column("places_last_in", project=key)

    def roots(self, numbers: list[int]) -> list[str]:
        """The folders that these places are in now."""
        return self._column("roots_of", numbers=str(numbers))

    def all(self) -> list[Place]:
        """Every place that something is remembered in."""
        return self._all(Place, "places")

    def forget(self, number: int) -> None:
        self._run("forget_place", number=number)
