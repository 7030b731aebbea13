"""Results kept between runs, by the question and the state of the whole source."""

from __future__ import annotations

import gc
import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgmem.cache.store import Store
    from sgmem.source.tree import SourceTree

Result = TypeVar("Result")


def key_of(tree: SourceTree, asked: tuple[object, ...]) -> str:
    """A key for a question about a tree. It covers every file, so that a new file that writes the parameter is seen, and how paths
    are shown to this user."""
    return _hash((tree.fingerprint(), tree.version, _shown(tree), asked))


def place_key(tree: SourceTree, asked: tuple[object, ...]) -> str:
    """A key for a question about whatever is where a tree is, whichever state it is in."""
    return _hash((tree.package, _shown(tree), asked))


def _shown(tree: SourceTree) -> tuple[str, str]:
    first = next(iter(tree.files.values()), None)
    return tree.root, first.uri if first is not None else ""


def _hash(parts: tuple[object, ...]) -> str:
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@contextmanager
def uncollected() -> Iterator[None]:
    """Hold the cyclic garbage collector off for one query: trees and tables hold no cycles, and going through them again and again
    takes a quarter of the time (measured)."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def remembered(
    store: Store | None, kind: str, key: Callable[[], str], result_type: type[Result], compute: Callable[[], Result]
) -> Result:
    """The stored result of a query, or a computed one, which is then stored. What cannot be decoded is computed again."""
    if store is None or not store.keeps:
        with uncollected():
            return compute()
    found_key = key()
    data = store.get(kind, found_key)
    if data is not None:
        try:
            return msgspec.msgpack.decode(data, type=result_type)
        except (msgspec.DecodeError, msgspec.ValidationError):
            pass
    with uncollected():
        result = compute()
    store.put_many(kind, [(found_key, msgspec.msgpack.encode(result))])
    return result
