"""The names that model rows give to what is in a unit, for first looks at the text of files: nothing is spelled in the engine."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sgmem.domains.units.unit import UnitError, parse_unit
from sgmem.models.patterns import last_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.models.load import Models
    from sgmem.models.rows import Row, UnitRow


def words_in(models: Models, *units: str) -> frozenset[str]:
    """The last names of what unit rows say to be in one of `units`, whatever its scale: `size_per_token` for "bytes/token"."""
    wanted = {parse_unit(unit).powers for unit in units}
    return _words(row for row in models.units.rows if _powers(row) in wanted)


def words_of_group(models: Models, group: str, kind: str) -> frozenset[str]:
    """The last names of what group rows call the size, the rank or the like of `group`."""
    return _words(row for row in models.groups.rows if row.group == group and row.kind == kind)


@lru_cache(maxsize=64)
def any_of(words: frozenset[str], more: str = "") -> re.Pattern[str]:
    """Finds one of the words, anywhere within a name, or what the pattern `more` finds."""
    parts = [*map(re.escape, sorted(words)), *([more] if more else [])]
    return re.compile("|".join(parts) or "(?!)")


def _words(rows: Iterable[Row]) -> frozenset[str]:
    words = {last_name(pattern) for row in rows for pattern in row.names}
    return frozenset(word for word in words if word.isidentifier())


def _powers(row: UnitRow) -> tuple[tuple[str, int], ...] | None:
    try:
        return parse_unit(row.unit).powers
    except UnitError:
        return None
