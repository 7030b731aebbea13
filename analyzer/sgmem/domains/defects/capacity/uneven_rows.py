"""Buffers of one function of which two hold the same things, and one has a row for each request, the other one for each token."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.defects.capacity.short_buffers import LARGEST
from sgmem.domains.ranks.groups import spelled
from sgmem.program.classes import assigned
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.file import File
    from sgmem.syntax.ir import Expr

_TOKENS = r"max_(?:num_)?tokens?"
_MADE = r"[(\[]\s*(?:\d+\s*,\s*)?(?:self\.)?{}\s*[,)]"
_BY_TOKEN = re.compile(_MADE.format(_TOKENS))
_BY_REQUEST = re.compile(_MADE.format(LARGEST))
_REQUESTS = r"(?:raw_)?(?:bs|batch_size|num_seqs|num_reqs|num_requests)"
_IS_LARGEST = re.compile(LARGEST)
_IS_TOKENS = re.compile(_TOKENS)
_CUT_TO_TOKENS = r"\[(?:[^\]\n]*, ?)?: ?(?:num_tokens?|raw_num_tokens?)\]"


class UnevenRows(msgspec.Struct, frozen=True):
    """`few`, rows of `name`, are counted by requests; `many`, rows of `other`, by tokens; both hold `same`."""

    name: str
    few: Location
    other: str
    many: Location
    same: str


class UnevenCuts(msgspec.Struct, frozen=True):
    """Of `name` the rows of the requests are taken at `few`, of `other`, of which it is a kind by its name, those of the tokens."""

    name: str
    few: Location
    other: str
    many: Location


class LongBuffer(msgspec.Struct, frozen=True):
    """`made`, rows of `name`, are counted by tokens; of all that is taken of them, as at `taken`, the rows are counted by requests."""

    name: str
    made: Location
    taken: Location


class _Buffer(msgspec.Struct, frozen=True):
    """A tensor's `rows`, with the dimensions before and behind them as they are spelled; a local that is one of two things is both."""

    name: str
    rows: Location
    by_token: bool
    before: tuple[str, ...]
    behind: tuple[frozenset[str], ...]


def uneven_rows(facts: ProgramFacts) -> Iterator[UnevenRows]:
    """Every buffer with a row for each request beside one of its width, or of its kind by the name, with one for each token."""
    for file, scope in _functions(facts):
        if _BY_REQUEST.search(file.source.text) is not None:
            yield from _uneven(file, list(_buffers(facts, file, scope)))


def uneven_cuts(facts: ProgramFacts) -> Iterator[UnevenCuts]:
    """Every such pair of buffers of an object in one function."""
    for path in facts.program.files.with_text(_CUT_TO_TOKENS, holds=("num_token",)):
        file = facts.program.files.get(path)
        by_scope: dict[int, dict[str, tuple[bool, Location]]] = {}
        for index, row in enumerate(file.outline.statements if file is not None else ()):
            if file is None or row.kind != "assign" or not re.search(rf"{_CUT_TO_TOKENS}|: ?{_REQUESTS}\]", file.own_text(index)):
                continue
            for binding in file.statement(index).bindings:
                cut = _cut(binding.value)
                if cut is not None and spelled(binding.target) == cut[0]:
                    rows = Location(file, index, binding.value.span) if binding.value is not None else None
                    if rows is not None:
                        by_scope.setdefault(row.scope, {})[cut[0]] = (cut[1], rows)
        for cuts in by_scope.values():
            for name, (by_token, few) in cuts.items():
                other = next((one for one in cuts if not by_token and name.endswith("_" + one) and cuts[one][0]), None)
                if other is not None:
                    yield UnevenCuts(name, few, other, cuts[other][1])


def _cut(value: Expr | None) -> tuple[str, bool] | None:
    """The buffer of the object that a value takes the first rows of, and whether as many as there are tokens."""
    if not isinstance(value, ir.Subscript) or not isinstance(value.base, ir.Attribute):
        return None
    parts = value.index.items if isinstance(value.index, ir.Collection) else (value.index,)
    for part in parts:
        if isinstance(part, ir.Slice) and part.lower is None and isinstance(part.upper, ir.Name):
            by_token = re.fullmatch(r"(?:raw_)?num_tokens?", part.upper.id) is not None
            if by_token or re.fullmatch(_REQUESTS, part.upper.id):
                return value.base.attr, by_token
    return None


def long_buffers(facts: ProgramFacts) -> Iterator[LongBuffer]:
    """Every buffer of an object with a row for each token of which only rows for requests are ever taken, in at least two places."""
    for file, scope in _functions(facts):
        owner = file.scope(file.scope(scope).parent) if file.scope(scope).parent >= 0 else None
        if owner is None or owner.kind != "class" or re.search(rf"\[ ?: ?{_REQUESTS}\]", file.source.slice(owner.span)) is None:
            continue
        for one in _buffers(facts, file, scope):
            taken = _taken(file, owner.span, one.name) if one.by_token and not one.before else None
            if taken is not None:
                yield LongBuffer(one.name, one.rows, taken)


def _functions(facts: ProgramFacts) -> Iterator[tuple[File, int]]:
    """The functions that make a tensor with as many rows as there may be tokens."""
    for path in facts.program.files.with_text(_MADE.format(_TOKENS), words="max_num_token|max_token"):
        file = facts.program.files.get(path)
        for scope in range(len(file.outline.scopes)) if file is not None else ():
            if (
                file is not None
                and file.scope(scope).kind == "function"
                and _BY_TOKEN.search(file.source.slice(file.scope(scope).span))
            ):
                yield file, scope


def _taken(file: File, owner: ir.Span, name: str) -> Location | None:
    """Where a class takes rows of a buffer of its objects by requests, if it does nothing else with it."""
    places = []
    for index in file.mentions(name):
        if not owner.contains(file.outline.statements[index].span):
            continue
        lowered = file.statement(index)
        made = {id(target) for binding in lowered.bindings for target in assigned(binding.target)}
        for root in lowered.expressions():
            for node, above in ir.paths(root):
                if not isinstance(node, ir.Attribute) or node.attr != name or spelled(node.base) != "self" or id(node) in made:
                    continue
                cut = above[-1] if above and isinstance(above[-1], ir.Subscript) else None
                upper = cut.index.upper if cut is not None and isinstance(cut.index, ir.Slice) and cut.index.lower is None else None
                if not isinstance(upper, ir.Name) or re.fullmatch(_REQUESTS, upper.id) is None:
                    return None
                places.append(Location(file, index, node.span))
    return places[0] if len(places) > 1 else None


def _uneven(file: File, found: list[_Buffer]) -> Iterator[UnevenRows]:
    many = [one for one in found if one.by_token]
    for few in found:
        for other in many if not few.by_token else ():
            same = _shared(few, other)
            # Where its rows are taken by requests, a width in common says nothing.
            if same and (same == other.name or not re.search(rf"\b{re.escape(few.name)}\[ ?: ?{_REQUESTS}\]", file.source.text)):
                yield UnevenRows(few.name, few.rows, other.name, other.rows, same)
                break


def _shared(few: _Buffer, other: _Buffer) -> str:
    """What two buffers have in common that says they hold the same things: a width that is no number, or the end of the name."""
    if len(few.behind) != len(other.behind):
        return ""
    width = [one & another for one, another in zip(few.behind, other.behind, strict=True)]
    if width and all(width) and any(not min(part).isdigit() for part in width):
        return ", ".join(min(part) for part in width)
    return other.name if few.name.endswith("_" + other.name) and all(width) else ""


def _buffers(facts: ProgramFacts, file: File, scope: int) -> Iterator[_Buffer]:
    """The tensors that a function makes with the largest number of requests or of tokens as a dimension."""
    words = [word for word in facts.models.sinks.words if word.isidentifier()]
    wanted = re.compile(rf"\b(?:{'|'.join(sorted(words))})\(")
    for index in file.own_statements(scope):
        if wanted.search(file.own_text(index)) is None:
            continue
        for binding in file.statement(index).bindings:
            for name, value in _named(assigned(binding.target), binding.value) if binding.how in ("assign", "annotate") else ():
                for node in ir.walk(value):
                    if isinstance(node, ir.Call) and any(r.kind == "tensor" for r in facts.models.sinks.rows_for_name(last_name(node))):
                        for shape, at in _shapes(facts, file, scope, node, index):
                            yield from _buffer(facts, file, name, shape, at)


def _named(targets: list[Expr], value: Expr | None) -> Iterator[tuple[str, Expr]]:
    """A value with its name; of a dict each entry with its key."""
    if isinstance(value, ir.Dict):
        for key, entry in value.items:
            if isinstance(key, ir.Const) and isinstance(key.value, str):
                yield key.value, entry
    elif value is not None and len(targets) == 1:
        target = targets[0]
        key = target.index if isinstance(target, ir.Subscript) else None
        yield (str(key.value) if isinstance(key, ir.Const) else spelled(target)), value


def _shapes(facts: ProgramFacts, file: File, scope: int, call: ir.Call, index: int) -> Iterator[tuple[tuple[Expr, ...], int]]:
    """The shapes that a call may give a tensor, each with the statement that spells it."""
    given = [argument.value for argument in call.args if argument.keyword in (None, "size") and not argument.star]
    if not given:
        return
    first = given[0]
    if isinstance(first, ir.Name):
        for at in facts.program.names.bindings(file, scope, first.id):
            for binding in file.statement(at).bindings:
                value = binding.value
                for one in (value.body, value.orelse) if isinstance(value, ir.Conditional) else (value,):
                    if isinstance(one, ir.Collection):
                        yield one.items, at
    yield (first.items if isinstance(first, ir.Collection) else tuple(given)), index


def _buffer(facts: ProgramFacts, file: File, name: str, shape: tuple[Expr, ...], index: int) -> Iterator[_Buffer]:
    for position, rows in enumerate(shape[:2]):
        last = spelled(rows)
        by_token = _IS_TOKENS.fullmatch(last) is not None
        if by_token or _IS_LARGEST.fullmatch(last) is not None:
            before = tuple(_code(file, one) for one in shape[:position])
            behind = tuple(frozenset(_width(facts, file, index, one)) for one in shape[position + 1 :])
            yield _Buffer(name, Location(file, index, rows.span), by_token, before, behind)
            return


def _width(facts: ProgramFacts, file: File, index: int, dimension: Expr) -> Iterator[str]:
    """A dimension as it is spelled, and, for a local that is chosen from two, both of them."""
    yield _code(file, dimension)
    if isinstance(dimension, ir.Name):
        for at in facts.program.names.bindings(file, file.outline.statements[index].scope, dimension.id):
            for binding in file.statement(at).bindings:
                if isinstance(binding.value, ir.Conditional):
                    yield from (_code(file, binding.value.body), _code(file, binding.value.orelse))


def _code(file: File, expr: Expr) -> str:
    return " ".join(file.source.slice(expr.span).split())
