"""Pools of which one is given the layers or heads of the whole model and its siblings those of this stage or rank."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.accounting.model_words import any_of, words_in, words_of_group
from sgmem.domains.ranks.extents import Extent
from sgmem.domains.ranks.groups import STAGES, factors, given, spelled
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.extents import Extents
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_LAYERS = re.compile(r"\b(\w*layer_num|\w*num_layers|\w*layers_num|num_\w*layers)\b")
_HEADS = re.compile(r"\b(\w*head_num|\w*num_heads|num_\w*heads)=")
_LISTED = re.compile(r"(?:\w+_)?layer_ids|(?:\w+_)?layers")
_THINGS = ("layers", "heads")
_POOL = re.compile(r"[Pp]ool|[Cc]ache|[Bb]uffer|[Aa]llocator")
_PER_TOKEN = r"(?:size|bytes|memory|mem)_per_token|per_token_(?:size|bytes)"
"""Names for what a token takes in a pool, which grows with the pool's layers."""


class Given(msgspec.Struct, frozen=True):
    """A count that `user`, a constructor of memory or a formula of what a token takes, works with."""

    value: Location
    user: str
    extent: Extent


class MixedExtent(msgspec.Struct, frozen=True):
    """`whole` gets the things of the whole model; `parts`, in the same class or function, those of one stage or rank."""

    whole: Given
    parts: tuple[Given, ...]


def mixed_extents(program: Program, extents: Extents, counts: Counts) -> Iterator[MixedExtent]:
    """The pools and formulas that work with the whole model's layers or heads beside others that work with a part of them."""
    for path in program.files.with_text(
        r"start_layer|effective_layers|get_\w*num_\w*heads\(",
        words="start_layer|effective_layers|heads",
        begins=("start_layer", "effective_layers", "get_"),
    ):
        words = program.files.scanned(path, _words, per_token(counts).pattern)
        file = program.files.get(path) if words else None
        if file is None:
            continue
        by_owner: dict[tuple[int, str], list[Given]] = {}
        for statement in sorted({index for word in words for index in file.mentions(word)}):
            for one in _given(file, statement, extents, counts):
                by_owner.setdefault((_owner(file, statement), one.extent.things), []).append(one)
        for found in (*by_owner.values(), *_by_branch(program, file, words, extents)):
            yield from _mixed(found, counts)


def _by_branch(program: Program, file: File, words: list[str], extents: Extents) -> Iterator[list[Given]]:
    """What the branches of a function give one local that counts layers."""
    found: dict[tuple[int, str], list[Given]] = {}
    for word in words:
        for statement in file.mentions(word) if _LAYERS.fullmatch(word) else ():
            for value in given(word, file, statement):
                extent = extents.of(value, file, statement) or _listed(program, file, statement, value)
                if extent is not None and extent.things == "layers":
                    one = Given(Location(file, statement, value.span), word, extent)
                    found.setdefault((file.outline.statements[statement].scope, word), []).append(one)
    yield from found.values()


def _listed(program: Program, file: File, statement: int, value: Expr) -> Extent | None:
    """`len(config.x_layer_ids)`: the layers of the whole model, unless such lists are cut to those of the stage elsewhere."""
    if not isinstance(value, ir.Call) or last_name(value) != "len" or len(value.args) != 1:
        return None
    listed = value.args[0].value
    if not isinstance(listed, ir.Attribute) or not _LISTED.fullmatch(listed.attr):
        return None
    for before in (".", " ", "\n"):
        stored = f"{before}{spelled(listed.base)}.{listed.attr} = "
        if next(program.files.containing(listed.attr, stored), None) is not None:
            return None
    return Extent("whole", "layers", Location(file, statement, value.span))


def per_token(counts: Counts) -> re.Pattern[str]:
    """Names for what a token takes in memory: those of the models, and others that say so."""
    return any_of(words_in(counts.models, "bytes/token"), _PER_TOKEN)


@Scan
def _words(text: str, per_token: str) -> list[str]:
    """The names of counts in a text that may mix them; none where it does not."""
    patterns = [_LAYERS] if "start_layer" in text or "effective_layers" in text else []
    patterns += [_HEADS] if "Pool(" in text and re.search(r"get_\w*num_\w*heads\(", text, re.ASCII) else []
    if not patterns or "config." not in text:
        return []
    if "Pool(" not in text and "per_token" not in text and re.search(per_token, text, re.ASCII) is None:
        return []
    return sorted({match[1] for pattern in patterns for match in pattern.finditer(text)})


def _mixed(found: list[Given], counts: Counts) -> Iterator[MixedExtent]:
    parts = tuple(one for one in found if one.extent.of == "part")
    for one in found:
        alone = one.extent.things == "layers" and _has_one_stage(one.value, counts)
        if parts and one.extent.of == "whole" and not alone:
            nearest = sorted(parts, key=lambda part: abs(part.value.line - one.value.line))
            yield MixedExtent(one, tuple(nearest))


def _owner(file: File, statement: int) -> int:
    """The outermost class or function around a statement."""
    scope = file.outline.statements[statement].scope
    while scope > 0 and file.scope(scope).parent > 0:
        scope = file.scope(scope).parent
    return scope


def _given(file: File, statement: int, extents: Extents, counts: Counts) -> Iterator[Given]:
    text = file.own_text(statement)
    if not ("(" in text and _POOL.search(text)) and per_token(counts).search(file.target_text(statement)) is None:
        return
    lowered = file.statement(statement)
    for root in lowered.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call) and _POOL.search(last_name(node)):
                for argument in node.args:
                    row = counts.named(argument.keyword) if argument.keyword else None
                    if row is not None and row.things in _THINGS:
                        yield from _one(argument.value, last_name(node), file, statement, extents)
    for binding in lowered.bindings:
        if binding.value is not None and per_token(counts).search(spelled(binding.target)):
            for factor in factors(binding.value):
                yield from _one(factor, spelled(binding.target), file, statement, extents)


def _one(value: Expr, user: str, file: File, statement: int, extents: Extents) -> Iterator[Given]:
    extent = extents.of(value, file, statement)
    if extent is not None and extent.things in _THINGS:
        yield Given(Location(file, statement, value.span), user, extent)


def _has_one_stage(place: Location, counts: Counts) -> bool:
    """Whether the class around asserts, under a condition that holds here too, that there is one stage only."""
    file = place.file
    scope = file.scope(_owner(file, place.statement))
    sizes = any_of(words_of_group(counts.models, STAGES, "size")).pattern
    one_stage = re.compile(rf"assert\b[^\n]*(?:{sizes}) *== *1")
    if scope.statement < 0 or one_stage.search(file.source.slice(file.outline.statements[scope.statement].span)) is None:
        return False
    here = _conditions(file, place.statement)
    for index in file.mentions("assert"):
        inside = scope.first <= index < scope.last
        if inside and file.outline.statements[index].kind == "assert" and one_stage.search(file.own_text(index)):
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
