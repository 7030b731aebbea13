"""Limits of one request that go by the capacity of one pool where every token takes a place in two of different sizes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.flow.aside import is_aside
from sgmem.flow.places import Field
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.file import File
    from sgmem.syntax.ir import Expr

_HOLDS = re.compile(r"[Pp]ool|[Aa]llocator|[Cc]ache")
_LENGTH = re.compile(r"(?:^|_)max_(?:req|request|input|prompt|seq|sequence)\w*_len(?:gth)?$|(?:^|_)max_len(?:gth)?$")
_ONE = re.compile(r"(?:^|_)(?:input|origin|prompt|token|seq)\w*(?:ids|tokens|len|length)$")
"""What names the length, or the tokens, of one request."""
_ORDERED = frozenset({"<", "<=", ">", ">="})
MAX_FILES = 80


class PartialCapacity(msgspec.Struct, frozen=True):
    """`limit` bounds one request by `total`, which `taken` sets to `part`; `both` makes a pool of `part` and `other`."""

    total: str
    part: str
    other: str
    both: Location
    taken: Location
    limit: Location


class _Split(msgspec.Struct, frozen=True):
    total: str
    part: str
    other: str
    both: Location
    taken: Location


def partial_capacities(facts: ProgramFacts) -> Iterator[PartialCapacity]:
    """Every limit of requests by one pool that take places in two."""
    for split in _splits(facts):
        if len(facts.program.files.tree.mentioning(split.total)) > MAX_FILES:
            continue
        for file in facts.program.files.mentioning(split.total):
            for index in file.mentions(split.total):
                limit = _limit(file, index, split.total) if not is_aside(file, index) else None
                if limit is not None and not _is_aware(facts, file, index, split):
                    place = Location(file, index, limit.span)
                    yield PartialCapacity(split.total, split.part, split.other, split.both, split.taken, place)


def _splits(facts: ProgramFacts) -> Iterator[_Split]:
    """The counts of which a pool is made in two parts, where their common name is set to one of them."""
    names = facts.quantities.paths
    for total in names:
        parts = [name for name in names if name.endswith(f"_{total}")]
        if len(parts) < 2 or not facts.quantities.is_modelled(total):
            continue
        both = next(_built(facts, parts), None)
        if both is None:
            continue
        for path in names[total]:
            file = facts.program.files.get(path)
            for index in file.mentions(total) if file is not None else ():
                taken = _taken(file, index, total, both[1]) if file is not None else None
                if taken is not None and file is not None:
                    other = next(name for name in both[1] if name != taken)
                    yield _Split(total, taken, other, both[0], of_statement(file, index))
                    return


def _built(facts: ProgramFacts, parts: list[str]) -> Iterator[tuple[Location, tuple[str, ...]]]:
    """A call that builds a pool, or what hands its places out, of two of the parts."""
    for file in facts.program.files.mentioning(parts[0]):
        for index in file.mentions(parts[0]):
            if file.outline.statements[index].kind not in ("assign", "return", "expression") or is_aside(file, index):
                continue
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Call) and _HOLDS.search(last_name(node)):
                        given = [(dotted(one.value) or "").rpartition(".")[2] for one in node.args]
                        of = tuple(dict.fromkeys(name for name in given if name in parts))
                        if len(of) == 2:
                            yield Location(file, index, node.span), of


def _taken(file: File, index: int, total: str, parts: tuple[str, ...]) -> str | None:
    """The part to which a statement sets the total."""
    if file.outline.statements[index].kind != "assign":
        return None
    for binding in file.statement(index).bindings:
        if (dotted(binding.target) or "").rpartition(".")[2] == total and binding.value is not None:
            name = (dotted(binding.value) or "").rpartition(".")[2]
            return name if name in parts else None
    return None


def _limit(file: File, index: int, total: str) -> Expr | None:
    """The minimum, or the comparison, by which a statement bounds one request."""
    kind = file.outline.statements[index].kind
    if kind in ("assign", "annotate"):
        for binding in file.statement(index).bindings:
            name = (dotted(binding.target) or "").rpartition(".")[2]
            value = binding.value
            if isinstance(value, ir.Call) and last_name(value) == "min" and _LENGTH.search(name) and _reads(value, total):
                return value
    elif kind in ("if", "assert"):
        test = file.test(index)
        for node in ir.walk(test) if test is not None else ():
            if isinstance(node, ir.Compare) and len(node.operators) == 1 and node.operators[0] in _ORDERED:
                for side, other in (node.operands, node.operands[::-1]):
                    if isinstance(side, ir.Attribute) and side.attr == total and _is_one(other):
                        return node
    return None


def _is_one(expr: Expr) -> bool:
    """Whether a value is the length of one request: `len(req.input_ids)`, `input_len`."""
    if isinstance(expr, ir.Call) and last_name(expr) == "len" and len(expr.args) == 1:
        expr = expr.args[0].value
    name = dotted(expr)
    return name is not None and _ONE.search(name.rpartition(".")[2]) is not None


def _reads(expr: Expr, total: str) -> bool:
    return any(isinstance(node, ir.Attribute) and node.attr == total for node in ir.walk(expr))


def _is_aware(facts: ProgramFacts, file: File, index: int, split: _Split) -> bool:
    """Whether the function bounds by a part as well, or the field that it reads is bounded by one where it is set."""
    scope = file.outline.statements[index].scope
    parts = (split.other, split.part)
    if any(_bounds(file, at, part) for part in parts for at in file.mentions_in(scope, part)):
        return True
    for seen in facts.occurrences.reads_in_statement(file, index, split.total):
        if isinstance(seen.place, Field):
            for owner in facts.program.classes.mro(seen.place.owner):
                stores = [at for _, at in facts.program.classes.stores(owner, split.total)]
                if any(_bounds(owner.file, at, part) for part in parts for at in stores):
                    return True
    return False


def _bounds(file: File, index: int, other: str) -> bool:
    """Whether a statement takes a minimum with a count, or compares with it."""
    return any(
        (isinstance(node, ir.Compare) or (isinstance(node, ir.Call) and last_name(node) == "min")) and _reads(node, other)
        for root in file.statement(index).expressions()
        for node in ir.walk(root)
    )
