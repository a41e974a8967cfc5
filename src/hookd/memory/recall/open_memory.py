"""Memory as commands and servers use it: the store with its tables, and the vectors if there are any."""

from collections.abc import Callable

from hookd.errors import HookdError
from hookd.installation import how_to_add
from hookd.memory.recall.ranking import NOWHERE, Near
from hookd.memory.recall.search import Found, search
from hookd.memory.recall.vectors import VectorIndex, are_installed, has_static_model
from hookd.memory.repository.search import ANYTHING, Filters
from hookd.memory.repository.statements import migrations
from hookd.memory.settings import Memory as Settings
from hookd.redact.redactor import Redactor
from hookd.store.database import Database
from hookd.store.engine import Store


class Memory:
    """Searches a store; what is wrong with the vectors is said once, and search goes on by words."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        redactor: Redactor,
        tell: Callable[[str], object] = lambda _: None,
    ) -> None:
        store.adopt(list(migrations()))
        self.store = store
        self._settings = settings
        self._redactor = redactor
        self._tell = tell
        self._vectors: VectorIndex | None = None
        self._has_looked = False

    def search(
        self,
        db: Database,
        text: str,
        filters: Filters = ANYTHING,
        *,
        limit: int = 10,
        near: Near = NOWHERE,
    ) -> list[Found]:
        """As `hookd.memory.recall.search.search`, with vectors where they can be had."""
        if (vectors := self._usable_vectors()) is not None and text.strip():
            try:
                vectors.catch_up(db)
                return search(db, text, filters, limit=limit, near=near, vectors=vectors)
            except HookdError as error:
                self._give_up(error)
        return search(db, text, filters, limit=limit, near=near)

    def catch_up(self, db: Database, tell: Callable[[int], object]) -> None:
        """Makes all vectors that are missing, after many rows came at once."""
        if (vectors := self._usable_vectors()) is not None:
            try:
                vectors.catch_up(db, most=1_000_000_000, tell=tell)
            except HookdError as error:
                self._give_up(error)

    @property
    def vectors_in_use(self) -> str:
        """Which model, or nothing."""
        if self._settings.vectors == "off" or not are_installed():
            return ""
        if self._settings.embedding_url:
            return self._settings.embedding_model or self._settings.embedding_url
        return "wordllama" if has_static_model() else ""

    def _give_up(self, error: HookdError) -> None:
        self._vectors = None
        self._tell(f"searching by words only: {error}")

    def _usable_vectors(self) -> VectorIndex | None:
        if self._has_looked:
            return self._vectors
        self._has_looked = True
        if self._settings.vectors == "off":
            return None
        if self._settings.embedding_url and not are_installed():
            self._tell(f"searching by words only: memory.embedding_url needs `{how_to_add('vectors')}`")
        elif self._settings.embedding_url:
            from hookd.memory.recall.embeddings import Endpoint

            self._vectors = VectorIndex(self.store.path, Endpoint(self._settings, self._redactor.text))
        elif has_static_model():
            self._vectors = self._static()
        return self._vectors

    def _static(self) -> VectorIndex | None:
        from hookd.memory.recall.embeddings import StaticModel

        try:
            return VectorIndex(self.store.path, StaticModel())
        except (ImportError, OSError, ValueError) as error:
            self._tell(f"searching by words only: the model cannot be loaded: {error}")
            return None
