"""Pools of which one is given the layers of the whole model and its siblings those of this pipeline stage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.ranks.groups import factors, spelled
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.extents import Extent, Extents
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_LAYERS = re.compile(rb"\b(\w*layer_num|\w*num_layers|\w*layers_num|num_\w*layers)\b")
_POOL = re.compile(r"[Pp]ool|[Cc]ache|[Bb]uffer|[Aa]llocator")
_PER_TOKEN = re.compile(r"cell_size|(?:size|bytes|memory|mem)_per_token|per_token_(?:size|bytes)")
"""Names for what a token takes in a pool, which grows with the pool's layers."""
_ONE_STAGE = re.compile(r"assert\b[^\n]*pp_size *== *1")
"""An assertion that there is one stage only."""


class Given(msgspec.Struct, frozen=True):
    """A count of layers that `user`, a constructor of memory or a formula of what a token takes, works with."""

    value: Location
    user: str
    extent: Extent


class MixedExtent(msgspec.Struct, frozen=True):
    """`whole` gets the layers of the whole model; `parts`, in the same class or function, those of one stage."""

    whole: Given
    parts: tuple[Given, ...]


def mixed_extents(program: Program, extents: Extents, counts: Counts) -> Iterator[MixedExtent]:
    """The pools and formulas that work with the whole model's layers beside others that work with this stage's."""
    for path in sorted(program.files.paths):
        data = program.files.tree.read(path)
        if b"start_layer" not in data and b"effective_layers" not in data:
            continue
        words = sorted({match[1].decode() for match in _LAYERS.finditer(data)})
        file = program.files.get(path) if words and _may_mix(data) else None
        if file is None:
            continue
        by_owner: dict[int, list[Given]] = {}
        for statement in sorted({index for word in words for index in file.mentions(word)}):
            for given in _given(file, statement, extents, counts):
                by_owner.setdefault(_owner(file, statement), []).append(given)
        for found in by_owner.values():
            yield from _mixed(found)


def _may_mix(data: bytes) -> bool:
    return b"config.num_" in data and re.search(rb"Pool\(|cell_size|per_token", data) is not None


def _mixed(found: list[Given]) -> Iterator[MixedExtent]:
    parts = tuple(given for given in found if given.extent.of == "part")
    for given in found:
        if parts and given.extent.of == "whole" and not _has_one_stage(given.value):
            nearest = sorted(parts, key=lambda one: abs(one.value.line - given.value.line))
            yield MixedExtent(given, tuple(nearest))


def _owner(file: File, statement: int) -> int:
    """The outermost class or function around a statement."""
    scope = file.outline.statements[statement].scope
    while scope > 0 and file.scope(scope).parent > 0:
        scope = file.scope(scope).parent
    return scope


def _given(file: File, statement: int, extents: Extents, counts: Counts) -> Iterator[Given]:
    lowered = file.statement(statement)
    for root in lowered.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call) and _POOL.search(last_name(node)):
                for argument in node.args:
                    row = counts.named(argument.keyword) if argument.keyword else None
                    if row is not None and row.things == "layers":
                        yield from _one(argument.value, last_name(node), file, statement, extents)
    for binding in lowered.bindings:
        if binding.value is not None and _PER_TOKEN.search(spelled(binding.target)):
            for factor in factors(binding.value):
                yield from _one(factor, spelled(binding.target), file, statement, extents)


def _one(value: Expr, user: str, file: File, statement: int, extents: Extents) -> Iterator[Given]:
    extent = extents.of(value, file, statement)
    if extent is not None and extent.things == "layers":
        yield Given(Location(file, statement, value.span), user, extent)


def _has_one_stage(place: Location) -> bool:
    """Whether the class around asserts, under a condition that holds here too, that there is one stage only."""
    file = place.file
    scope = file.scope(_owner(file, place.statement))
    if scope.statement < 0 or _ONE_STAGE.search(file.source.slice(file.outline.statements[scope.statement].span)) is None:
        return False
    here = _conditions(file, place.statement)
    for index in range(scope.first, scope.last):
        if file.outline.statements[index].kind == "assert" and _ONE_STAGE.search(file.own_text(index)):
            if _conditions(file, index) <= here:
                return True
    return False


def _conditions(file: File, statement: int) -> frozenset[str]:
    """What the tests around a statement require, by their text."""
    found = set[str]()
    while (row := file.outline.statements[statement]).parent >= 0:
        test = file.test(row.parent) if row.block == "body" else None
        for part in test.values if isinstance(test, ir.Boolean) and test.operator == "and" else (test,):
            if part is not None:
                found.add(" ".join(file.source.slice(part.span).split()))
        statement = row.parent
    return frozenset(found)
