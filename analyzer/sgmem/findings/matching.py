"""Which findings are known from before: each known one accounts for one finding, the closest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence


class Identified(Protocol):
    """What is known again: a finding, or an entry of a baseline."""

    @property
    def fingerprint(self) -> str: ...
    @property
    def likenesses(self) -> tuple[str, ...]: ...


New = TypeVar("New", bound=Identified)
Known = TypeVar("Known", bound=Identified)


def matched(new: Sequence[New], known: Sequence[Known]) -> list[tuple[New, Known | None]]:
    """Each new finding with the known one that it is, or None. No known one is used twice.

    Equal fingerprints are matched first, then the finest likeness, then the next: so what stayed where it was is never
    taken for what moved. A finding of the same code elsewhere, while the known one is gone, is the known one moved.
    """
    found: dict[int, Known] = {}
    free = list(known)
    levels = max((len(one.likenesses) for one in new), default=0)
    for level in range(-1, levels):
        waiting: dict[str, list[Known]] = {}
        for one in free:
            waiting.setdefault(_identity(one, level), []).append(one)
        for index, finding in enumerate(new):
            candidates = waiting.get(_identity(finding, level)) if index not in found else None
            if candidates and _identity(finding, level):
                found[index] = candidates.pop(0)
        used = {id(one) for one in found.values()}
        free = [one for one in free if id(one) not in used]
    return [(finding, found.get(index)) for index, finding in enumerate(new)]


def _identity(one: Identified, level: int) -> str:
    """The fingerprint, or the likeness of a level; "" where there is none."""
    if level < 0:
        return one.fingerprint
    return one.likenesses[level] if level < len(one.likenesses) else ""
