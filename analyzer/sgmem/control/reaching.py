"""Reaching definitions on demand: a walk of the graph from the one use, or the one definition, that was asked about.

A statement uses names before it defines them (`x = x + 1`). Whether a definition certainly happens is the caller's
knowledge, with two exceptions that the graph knows: on an "exception" edge it may not have happened yet; and a `for`,
`except` or `case` header binds its target for its body only, so on their "false" edge it counts as a definition that
may not have happened. (It is kept there, because the header may hold a walrus. After the loop of `for x in ...: ...` a
use of `x` therefore sees the header, the body's own definitions and whatever was before the loop.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.control.cfg import ENTRY, Cfg

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet


def reaching_definitions(cfg: Cfg, at: int, definitions: Mapping[int, bool]) -> frozenset[int]:
    """Return the definitions of a name that reach the entry of statement `at` (or of EXIT, RAISED).

    `definitions` maps each statement that defines the name to whether it certainly overwrites it. The result holds
    ENTRY where the name's value before the scope (a parameter, an outer variable, or none at all) reaches `at`. Nothing
    reaches dead code.
    """
    found: set[int] = set()
    passed = {at}
    pending = [at]
    while pending:
        for source, label in cfg.into(pending.pop()):
            if source == ENTRY:
                found.add(ENTRY)
                continue
            certain = definitions.get(source)
            if certain is not None:
                found.add(source)
                if certain and cfg.binds_on(source, label) == "always":
                    continue
            if source not in passed:
                passed.add(source)
                pending.append(source)
    return frozenset(found)


def reached_uses(cfg: Cfg, definition: int, kills: AbstractSet[int], uses: AbstractSet[int]) -> frozenset[int]:
    """Return the statements of `uses` whose entry the value defined by `definition` reaches; the counterpart of
    `reaching_definitions`.

    `kills` are the statements that certainly overwrite the name. `definition` may be ENTRY, for the value before the
    scope.
    """
    found: set[int] = set()
    entered: set[int] = set()
    pending = [target for target, _ in cfg.out(definition)]
    while pending:
        node = pending.pop()
        if node in entered:
            continue
        entered.add(node)
        if node in uses:
            found.add(node)
        pending.extend(target for target, label in cfg.out(node) if node not in kills or cfg.binds_on(node, label) == "maybe")
    return frozenset(found)
