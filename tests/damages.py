"""Ways in which a database's file can be destroyed."""

import os
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path], object]


def truncate_to_nothing(path: Path) -> None:
    os.truncate(path, 0)


def truncate_to_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def zero_the_middle(path: Path) -> None:
    middle = path.stat().st_size // 2 // 4096 * 4096
    with path.open("r+b") as file:
        file.seek(middle)
        file.write(bytes(3 * 4096))


def replace_by_text(path: Path) -> None:
    path.write_text("this was a database once\n" * 500)


def remove(path: Path) -> None:
    path.unlink()


def put_a_folder_there(path: Path) -> None:
    path.unlink()
    (path / "sub").mkdir(parents=True)


DAMAGE = [
    *(truncate_to_nothing, truncate_to_half, zero_the_middle, replace_by_text, remove, put_a_folder_there)
]
