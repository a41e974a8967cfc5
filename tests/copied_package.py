"""hookd's package copied and changed, with an interpreter of its own: what a change of the source does."""

import shutil
import sys
import venv
from pathlib import Path

import hookd
from hookd.cli.launcher import packaged_client
from worlds import World


class CopiedWorld(World):
    """A world whose hookd is a copy of the package; change it before the first command."""

    def __init__(self) -> None:
        super().__init__()
        folder = self.base / "v"
        venv.create(folder, with_pip=False, symlinks=True)
        self.package = folder / "hookd-source" / "hookd"
        shutil.copytree(
            Path(hookd.__file__).parent, self.package, ignore=shutil.ignore_patterns("__pycache__")
        )
        self.python = str(folder / "bin" / "python")
        [packages] = (folder / "lib").glob("python*/site-packages")
        paths = [str(self.package.parent), *(path for path in sys.path if path.endswith("site-packages"))]
        (packages / "hookd-copy.pth").write_text("\n".join(paths) + "\n")
        self._add_programs(folder / "bin")
        self.env["PATH"] = f"{folder / 'bin'}:/usr/bin:/bin"

    def _add_programs(self, folder: Path) -> None:
        script = folder / "hookd"
        script.write_text(f"#!{self.python}\nimport sys\nfrom hookd.__main__ import main\nsys.exit(main())\n")
        script.chmod(0o755)
        if (client := packaged_client()) is not None:
            shutil.copy(client, folder / "hookd-client")

    def add_module(self, name: str, text: str) -> None:
        (self.package / name).write_text(text)

    def change(self, name: str, before: str, after: str) -> None:
        """Edits a module of the copy; what is to be changed must be there once."""
        path = self.package / name
        text = path.read_text()
        assert text.count(before) == 1, f"{name} has {text.count(before)} times: {before}"
        path.write_text(text.replace(before, after))
