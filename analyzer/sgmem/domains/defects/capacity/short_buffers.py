"""Buffers for the largest batch that are cut to more rows than they have.

The rows of a request are counted once where the buffer is made, several times where it is used.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.program.classes import assigned
from sgmem.program.entities import Class, Function
from sgmem.program.text_answers import matches
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.file import File
    from sgmem.syntax.ir import Expr

LARGEST = r"max_(?:\w+_)?(?:bs|batch|batch_size|seqs|num_seqs|reqs|num_reqs|requests|num_requests)"
_HELD = rf"\b{LARGEST}\b"
_MADE = re.compile(rf"\.\w+\(\s*(?:\w+=)?\(?\s*(?:[\w.]+,\s*)?(?:self\.)?{LARGEST}\b")
_CUT = re.compile(r"\[(?:[^\]\n]*,)? ?: ?\w[^\]]*\]")
_IS_LARGEST = re.compile(LARGEST)
MAX_DEPTH = 4


class ShortBuffer(msgspec.Struct, frozen=True):
    """`buffer` has as many rows as `made` says and is cut to `cut`, which counts `factor` rows for what `made` counts one for."""

    buffer: str
    factor: str
    made: Location
    cut: Location


class _Rows(msgspec.Struct, frozen=True):
    location: Location
    factors: frozenset[str]


def short_buffers(facts: ProgramFacts) -> Iterator[ShortBuffer]:
    """Every buffer for the largest batch of a class that is cut to more rows than it was made with, once."""
    for path in facts.program.files.with_text(_HELD, begins=("max_",)):
        file = facts.program.files.get(path) if facts.program.files.scanned(path, matches, _MADE.pattern) else None
        for index, scope in enumerate(file.outline.scopes) if file is not None else ():
            if file is not None and scope.kind == "class":
                yield from _of_class(facts, Class(file, index))


def _of_class(facts: ProgramFacts, owner: Class) -> Iterator[ShortBuffer]:
    buffers: dict[str, list[_Rows]] = {}
    text = owner.file.source.slice(owner.scope.span)
    if _MADE.search(text) is None or _CUT.search(text) is None:
        return
    words = "|".join(sorted(word for word in facts.models.sinks.words if word.isidentifier()))
    for function, index in _made_again(owner, rf"=[^=].*\b(?:{words})\("):
        for binding in function.file.statement(index).bindings:
            for target in assigned(binding.target):
                if isinstance(target, ir.Attribute) and binding.value is not None and binding.how == "assign":
                    buffers.setdefault(target.attr, []).extend(_made(facts, owner, function, index, binding.value))
    kept = {name: rows for name, rows in buffers.items() if rows and all(_is_for_largest(one.factors) for one in rows)}
    seen: set[str] = set()
    names = "|".join(sorted(kept))
    for function, index in _statements(owner, rf"\b(?:{names})\b.*\[(?:[^\]]*,)? ?:|\[ ?:.*\b(?:{names})\b") if kept else ():
        for name, cut in _cuts(facts, owner, function, index, kept):
            missing = sorted(cut.factors - frozenset().union(*(one.factors for one in kept[name])))
            if missing and name not in seen:
                seen.add(name)
                yield ShortBuffer(name, missing[0], kept[name][0].location, cut.location)


def _made_again(owner: Class, text: str) -> Iterator[tuple[Function, int]]:
    """The allocations by a maximum, and all others of what those are kept as."""
    allocations = list(_statements(owner, text))
    kept = {
        name for function, index in allocations if _MADE.search(function.file.own_text(index)) for name in _kept_as(function, index)
    }
    return (one for one in allocations if kept & set(_kept_as(*one)))


def _kept_as(function: Function, index: int) -> list[str]:
    return re.findall(r"\bself\.(\w+)\s*(?::[^=\n]*)?=(?!=)", function.file.own_text(index))


def _statements(owner: Class, text: str) -> Iterator[tuple[Function, int]]:
    """The statements of a class's methods in whose text a pattern matches."""
    wanted = re.compile(text, re.DOTALL)
    for index in owner.file.children(owner.index).values():
        if owner.file.scope(index).kind == "function":
            for statement in owner.file.own_statements(index):
                if wanted.search(owner.file.own_text(statement)) is not None:
                    yield Function(owner.file, index), statement


def _is_for_largest(factors: frozenset[str]) -> bool:
    return any(_IS_LARGEST.fullmatch(name) for name in factors)


def _made(facts: ProgramFacts, owner: Class, function: Function, index: int, value: Expr) -> Iterator[_Rows]:
    """The rows of the tensors that a value is made of: itself, or the entries of a dict."""
    for node in ir.walk(value):
        if not isinstance(node, ir.Call) or not node.args or node.args[0].star:
            continue
        if not any(row.kind == "tensor" for row in facts.models.sinks.rows_for_name(last_name(node))):
            continue
        shape = node.args[0].value
        dimensions = shape.items[:2] if isinstance(shape, ir.Collection) and shape.items else (shape,)
        found = [(one, _factors(facts, owner, function.file, function.index, one, 0)) for one in dimensions]
        rows, own = next(((one, of) for one, of in found if _is_for_largest(of)), found[0])
        if _is_for_largest(own):
            own |= _mentioned(facts, owner, function, rows, 0)
        yield _Rows(_place(function, rows), own)


def _mentioned(facts: ProgramFacts, owner: Class, function: Function, expr: Expr, depth: int) -> frozenset[str]:
    """All names that a number of rows is worked out from, in whatever way."""
    found = frozenset[str]()
    owners = {id(node.base) for node in ir.walk(expr) if isinstance(node, ir.Attribute)}
    for node in ir.walk(expr):
        if isinstance(node, ir.Name) and id(node) not in owners and depth < MAX_DEPTH:
            found |= {node.id}
            for at in facts.program.names.bindings(function.file, function.index, node.id):
                for binding in function.file.statement(at).bindings:
                    if binding.value is not None:
                        found |= _mentioned(facts, owner, function, binding.value, depth + 1)
        elif isinstance(node, ir.Attribute):
            found |= {node.attr}
    return found


def _place(function: Function, rows: Expr) -> Location:
    return Location(function.file, function.file.statement_at(rows.span.line, rows.span.column), rows.span)


def _cuts(
    facts: ProgramFacts, owner: Class, function: Function, index: int, buffers: dict[str, list[_Rows]]
) -> Iterator[tuple[str, _Rows]]:
    """Where a statement takes the first rows of a buffer, or of all buffers of a dict, by a product."""
    for root in function.file.statement(index).expressions():
        entries = {key: name for node in ir.walk(root) if isinstance(node, ir.Comprehension) for key, name in _entries(node, buffers)}
        for node in ir.walk(root):
            if not isinstance(node, ir.Subscript):
                continue
            base, cut = node.base, node.index
            name = base.attr if isinstance(base, ir.Attribute) else entries.get(base.id, "") if isinstance(base, ir.Name) else ""
            for part in (cut.items if isinstance(cut, ir.Collection) else (cut,)) if name in buffers else ():
                if not isinstance(part, ir.Slice) or part.lower is not None or part.upper is None:
                    continue
                product = _product(facts, function.file, function.index, _without_one(part.upper), 0)
                if product is not None:
                    factors = _factors(facts, owner, function.file, function.index, product, 0)
                    yield name, _Rows(Location(function.file, index, part.upper.span), factors)


def _without_one(count: Expr) -> Expr:
    """What a count is one more than: bounds of rows are one more than rows."""
    if isinstance(count, ir.Binary) and count.operator == "+" and isinstance(count.right, ir.Const):
        return count.left
    return count


def _entries(node: ir.Comprehension, buffers: dict[str, list[_Rows]]) -> Iterator[tuple[str, str]]:
    """The variable of a comprehension that runs over the entries of a dict of buffers."""
    for clause in node.clauses:
        call = clause.iterable
        if not isinstance(call, ir.Call) or not isinstance(call.func, ir.Attribute) or call.func.attr not in ("items", "values"):
            continue
        source = call.func.base
        if isinstance(source, ir.Attribute) and source.attr in buffers:
            last = assigned(clause.target)[-1]
            if isinstance(last, ir.Name):
                yield last.id, source.attr


def _product(facts: ProgramFacts, file: File, scope: int, expr: Expr, depth: int) -> ir.Binary | None:
    """The product that an expression is, itself or as the only value of a local, of which some side is no field of the object."""
    if isinstance(expr, ir.Binary) and expr.operator == "*":
        return expr
    if isinstance(expr, ir.Name) and depth < MAX_DEPTH:
        values = [b.value for at in facts.program.names.bindings(file, scope, expr.id) for b in file.statement(at).bindings]
        if len(values) == 1 and values[0] is not None:
            return _product(facts, file, scope, values[0], depth + 1)
    return None


def _factors(facts: ProgramFacts, owner: Class, file: File, scope: int, expr: Expr, depth: int) -> frozenset[str]:
    """The fields of the object that a product multiplies, those that are products themselves taken apart."""
    match _without_one(expr):
        case ir.Binary(operator="*", left=left, right=right):
            return _factors(facts, owner, file, scope, left, depth) | _factors(facts, owner, file, scope, right, depth)
        case ir.Attribute(base=ir.Name(), attr=attr):
            found = frozenset({attr})
            for function, index in facts.program.classes.stores(owner, attr) if depth < MAX_DEPTH else ():
                for binding in owner.file.statement(index).bindings:
                    if isinstance(binding.value, ir.Binary) and binding.value.operator == "*":
                        found |= _factors(facts, owner, owner.file, function.index, binding.value, depth + 1)
            return found
        case ir.Name(id=name) as local if depth < MAX_DEPTH:
            product = _product(facts, file, scope, local, depth)
            own = frozenset({name}) if _IS_LARGEST.fullmatch(name) else frozenset()
            return own | (_factors(facts, owner, file, scope, product, depth + 1) if product is not None else frozenset())
    return frozenset()
