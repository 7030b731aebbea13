"""The store of facts: bytes by kind and key, kept between runs, safe to lose at any time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self, TypeVar

from sgmem.cache.place import cache_folder
from sgmem.cache.tool_stamp import tool_stamp

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from sgmem.cache.database import Database

DEFAULT_MAX_BYTES = 512 * 2**20
_REBUILDS = 2

Result = TypeVar("Result")


class Store:
    """Facts by kind and key. Nothing here raises: what cannot be read is a miss, what cannot be written is dropped.

    A fact is found only by the code that stored it (see `tool_stamp`). A process forked from the one that opened the
    store sees an empty store that keeps nothing: a connection of sqlite does not survive a fork, so workers hand their
    facts to the parent.
    """

    def __init__(self, folder: Path | None, *, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._process = os.getpid()
        self._callbacks: list[Callable[[], None]] = []
        self._rebuilds_left = _REBUILDS
        self._generation = 0
        self._database: Database | None = None

    @classmethod
    def open(cls, folder: Path | None = None, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Store:
        """The store in `folder`, by default the user's cache folder; one that keeps nothing if that is not possible.

        A damaged or foreign database is replaced by an empty one.
        """
        store = Store(folder if folder is not None else cache_folder(), max_bytes=max_bytes)
        store._connect()
        return store

    @property
    def keeps(self) -> bool:
        """Whether it is worth the work to prepare facts for this store."""
        return self._database is not None and self._is_ours()

    def get(self, kind: str, key: str) -> bytes | None:
        """The fact, None if it is not known. Many `get`s are slow: see `get_many`."""
        return self.get_many(kind, [key]).get(key)

    def get_many(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Those of the facts that are known, by key."""
        stamp = tool_stamp() + ":"
        stamped = [stamp + key for key in keys]
        found = self._attempt(lambda database: database.read(kind, stamped))
        return {key[len(stamp) :]: value for key, value in found.items()} if found else {}

    def put_many(self, kind: str, facts: Iterable[tuple[str, bytes]]) -> None:
        """Keep facts, replacing those of the same key; on disk, all or none, when this returns."""
        stamp = tool_stamp() + ":"
        stamped = [(stamp + key, value) for key, value in facts if len(value) <= self._max_bytes // 4]
        if stamped:
            self._attempt(lambda database: database.write(kind, stamped))

    def before_close(self, callback: Callable[[], None]) -> None:
        """Call `callback` once when the store is closed, while it still can be written."""
        self._callbacks.append(callback)

    def clear(self) -> None:
        """Forget everything, for every process that opens the store from now on."""
        if self.keeps:
            self._replace()

    def close(self) -> None:
        """Save what others want saved, drop what is too much. Closing twice is harmless."""
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()
        self._attempt(lambda database: database.tidy(self._max_bytes))
        if self._database is not None and self._is_ours():
            self._database.close()
        self._database = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _is_ours(self) -> bool:
        return os.getpid() == self._process

    def _attempt(self, action: Callable[[Database], Result]) -> Result | None:
        """What `action` gives; None if it cannot be done. A database found damaged is replaced for the next time."""
        if self._database is None or not self._is_ours():
            return None
        import sqlite3

        try:
            return action(self._database)
        except sqlite3.Error as error:
            self._recover(error)
        except (OSError, UnicodeError, OverflowError):
            pass
        return None

    def _recover(self, error: sqlite3.Error) -> None:
        from sgmem.cache.database import is_damage

        if is_damage(error):
            self._replace()

    def _connect(self) -> None:
        """Open the newest database, or begin one."""
        if self._folder is None:
            return
        try:
            import sqlite3

            from sgmem.cache.database import generations, is_damage

            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._generation = max(generations(self._folder), default=1)
        except (OSError, ValueError, ImportError):
            return
        try:
            self._open_generation()
        except sqlite3.Error as error:
            if is_damage(error):
                self._replace()
        except OSError:
            pass

    def _open_generation(self) -> None:
        from sgmem.cache.database import Database, database_path

        assert self._folder is not None
        self._database = Database(database_path(self._folder, self._generation))

    def _replace(self) -> None:
        """Go on with an empty database under the next number and remove the older ones."""
        import sqlite3

        from sgmem.cache.database import generations, remove_generation

        assert self._folder is not None
        if self._database is not None:
            self._database.close()
            self._database = None
        while self._rebuilds_left > 0:
            self._rebuilds_left -= 1
            self._generation += 1
            try:
                self._open_generation()
                for older in generations(self._folder):
                    if older < self._generation:
                        remove_generation(self._folder, older)
                return
            except (sqlite3.Error, OSError):
                continue


class NullStore(Store):
    """Keeps nothing and finds nothing: `--no-cache`."""

    def __init__(self) -> None:
        super().__init__(None)
