"""Groups of ranks that are worked out from fewer numbers in one place than in another.

`attn_tp_size = tp_size // dp_size` beside `attn_tp_size = tp_size // dp_size // cp_size`; `dp_rank * attn_tp_size` beside
`dp_rank = tp_rank // (attn_tp_size * attn_cp_size)`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.domains.ranks.groups import factors, given, spelled
from sgmem.flow.aside import is_aside
from sgmem.program.text_answers import matches
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

# Patterns that begin with plain letters are found much faster.
_SIZE = r"_size(?<=\w_size)\s*(?::[^=\n]*)?=\s*\(?[^=]{0,200}?//[^=]{0,80}?_size"
_PRODUCTS = (r"_rank(?<=\w_rank)\s*\*", r"\*\s*[\w.]*_rank\b")
_PER_NODE = r"_per_node\s*=[^=\n]{0,80}//"
_SWITCH = re.compile(r"(?:enable|use|is|has)_")
_WHOLE = frozenset({"parallel", "world"})
"""Last words of names that do not say which group they are of."""


class Worked(msgspec.Struct, frozen=True):
    """`name` is worked out of sizes of groups at `value`: `parts` are those it is divided by or multiplied with, by their last word,
    each with the name it has there.
    """

    name: str
    parts: tuple[tuple[str, str], ...]
    value: Location

    @property
    def words(self) -> frozenset[str]:
        return frozenset(word for word, _ in self.parts)


class ShortProduct(msgspec.Struct, frozen=True):
    """`short` lacks `missing`, a size of a group, that `full` has; or it divides always what `full` divides only with a `switch` on."""

    short: Worked
    full: Worked
    missing: str
    switch: str = ""


def short_sizes(program: Program, groups: Groups) -> Iterator[ShortProduct]:
    """The sizes of groups that are divided out of another group's by less than elsewhere."""
    by_name: dict[tuple[str, frozenset[str]], list[Worked]] = {}
    for path in program.files.with_text(_SIZE, begins=("_size",)):
        file = program.files.get(path)
        if file is None:
            continue
        for statement in _matches(file, _SIZE):
            for binding in file.statement(statement).bindings:
                name = spelled(binding.target)
                if binding.value is None or binding.how not in ("assign", "annotate") or not groups.named(name, "size"):
                    continue
                whole, divisors = _chain(binding.value)
                of = groups.named(spelled(whole), "size")
                parts = _parts(divisors, groups)
                if of and parts:
                    worked = Worked(name, parts, Location(file, statement, binding.value.span))
                    by_name.setdefault((name, of), []).append(worked)
    for found in by_name.values():
        for short in found:
            yield from _short(short, found)
        yield from _always_divided(found)
    yield from _over_divided(program, groups)


def _always_divided(found: list[Worked]) -> Iterator[ShortProduct]:
    """Where a size is divided whatever is switched on, beside where it is divided out of the same only behind a switch."""
    for short in found:
        for full in found:
            switch = _switch(full, {name for _, name in short.parts}) if full.words == short.words and full is not short else ""
            if switch and switch not in _around(short.value):
                yield ShortProduct(short, full, short.parts[0][1], switch)
                break


def _over_divided(program: Program, groups: Groups) -> Iterator[ShortProduct]:
    """`tp_size_per_node = tp_size // nodes` beside `tp_size // nodes_per_group`, which is `max(nodes // pp_size, 1)`."""
    shared: list[tuple[Worked, str]] = []
    plain: list[tuple[Worked, str]] = []
    for path in program.files.with_text(_PER_NODE, begins=("_per_node",)):
        file = program.files.get(path)
        for statement in _matches(file, _PER_NODE) if file is not None else ():
            for binding in file.statement(statement).bindings if file is not None else ():
                value = binding.value
                if file is None or not isinstance(value, ir.Binary) or value.operator != "//" or not spelled(value.right):
                    continue
                if not groups.named(spelled(value.left), "size"):
                    continue
                name, scope = spelled(binding.target), file.outline.statements[statement].scope
                place = Location(file, statement, value.span)
                within = [
                    _chain(_bare(each))
                    for at in program.names.bindings(file, scope, spelled(value.right))
                    for each in given(spelled(value.right), file, at)
                ]
                shares = [(spelled(whole), _parts(divisors, groups)) for whole, divisors in within if divisors]
                if shares:
                    shared += [(Worked(name, parts, place), nodes) for nodes, parts in shares if parts]
                else:
                    plain.append((Worked(name, (), place), spelled(value.right)))
    for short, nodes in plain:
        for full, of in shared:
            missing = full.parts[0]
            if (short.name, nodes) == (full.name, of) and not _is_spoken_of(short.value, missing[0]):
                yield ShortProduct(short, full, missing[1])
                break


def _switch(full: Worked, by: set[str]) -> str:
    """What must be switched on for a size to be divided by the same numbers: without it one of them is replaced by 1, or
    `if not enable_x: return ...` stands before, on the same level.
    """
    file, at = full.value.file, full.value.statement
    here = file.outline.statements[at]
    for _, name in full.parts:
        found = re.search(rf"\b{name}\s*=[^=]{{0,80}}?(\w+)\s+if\s+(?:\w+\.)*({_SWITCH.pattern}\w+)\s+else\s+1\b", _around(full.value))
        if found is not None:
            return found[2] if found[1] in by else ""
    if by != {name for _, name in full.parts}:
        return ""
    for index in file.own_statements(here.scope):
        row = file.outline.statements[index]
        if index >= at or row.kind != "if" or row.parent != here.parent:
            continue
        test = file.test(index)
        ends = any(one.parent == index and one.kind in ("return", "raise") for one in file.outline.statements[index + 1 : at])
        if ends and isinstance(test, ir.Unary) and test.operator == "not" and _SWITCH.match(spelled(test.operand)):
            return spelled(test.operand)
    return ""


def short_strides(program: Program, groups: Groups) -> Iterator[ShortProduct]:
    """The products of a rank that step over fewer ranks than the rank was divided out by."""
    known: dict[str, list[Worked]] = {}
    for path in program.files.with_text("|".join(_PRODUCTS), words=r"_rank\b", begins=("_rank", "*")):
        file = program.files.get(path)
        if file is None:
            continue
        for statement in _matches(file, *_PRODUCTS):
            for worked in _products(file, statement, groups):
                if worked.name not in known:
                    known[worked.name] = list(_divided_out(program, groups, worked.name))
                yield from _short(worked, known[worked.name])


def _short(short: Worked, others: list[Worked]) -> Iterator[ShortProduct]:
    """The first of the others that has more, if what is around says nothing of that."""
    for full in others:
        missing = [name for word, name in full.parts if word not in short.words]
        if short.words < full.words and not any(_is_spoken_of(short.value, word) for word in full.words - short.words):
            yield ShortProduct(short, full, missing[0])
            return


def _is_spoken_of(place: Location, word: str) -> bool:
    """Whether the function around mentions a size of that kind: it knows of the group and leaves it out, or has put it in elsewhere."""
    return re.search(rf"\b(?:\w+_)?{word}_(?:world_)?size\b", _around(place)) is not None


def _around(place: Location) -> str:
    """The function that a place is in; nothing at the top level."""
    scope = place.file.scope(place.file.outline.statements[place.statement].scope)
    return place.file.source.slice(place.file.outline.statements[scope.statement].span) if scope.statement >= 0 else ""


def _matches(file: File, *patterns: str) -> list[int]:
    """The statements that matches of some patterns begin in."""
    found = {index for pattern in patterns for index in file.matching(pattern)}
    return sorted(index for index in found if not is_aside(file, index))


def _chain(value: Expr) -> tuple[Expr, list[Expr]]:
    """What is divided, and by what one after another: `a // b // (c * d)`."""
    divisors: list[Expr] = []
    while isinstance(value, ir.Binary) and value.operator == "//":
        divisors += factors(value.right)
        value = value.left
    return value, divisors


def _parts(given: list[Expr], groups: Groups) -> tuple[tuple[str, str], ...]:
    """The sizes by their last words; nothing where one of them is no size of a group."""
    found = []
    for one in given:
        name = spelled(_bare(one))
        word = re.sub(r"_(?:world_)?size$", "", name).rpartition("_")[2]
        if not groups.named(name, "size") or word in _WHOLE:
            return ()
        found.append((word, name))
    return tuple(found)


def _bare(size: Expr) -> Expr:
    """`max(size, 1)`, `size if there else 1`: the size."""
    if isinstance(size, ir.Conditional) and isinstance(size.orelse, ir.Const):
        return _bare(size.body)
    if isinstance(size, ir.Call) and arithmetic.function_name(size) in ("max", "int"):
        others = [argument.value for argument in size.args if not isinstance(argument.value, ir.Const)]
        return _bare(others[0]) if len(others) == 1 else size
    return size


def _products(file: File, statement: int, groups: Groups) -> Iterator[Worked]:
    """The products of one rank with sizes of groups, the outermost ones."""
    for root in file.statement(statement).expressions():
        for node, above in ir.paths(root):
            inner = above and isinstance(above[-1], ir.Binary) and above[-1].operator == "*"
            if not isinstance(node, ir.Binary) or node.operator != "*" or inner:
                continue
            all_factors = list(factors(node))
            ranks = [one for one in all_factors if groups.named(spelled(one), "rank")]
            parts = _parts([one for one in all_factors if one not in ranks], groups)
            if len(ranks) == 1 and parts:
                yield Worked(spelled(ranks[0]), parts, Location(file, statement, node.span))


def _divided_out(program: Program, groups: Groups, rank: str) -> Iterator[Worked]:
    """Where a rank is worked out of another one by division: `dp_rank = tp_rank // (attn_tp_size * attn_cp_size)`."""
    in_text = rf"{re.escape(rank)}\s*(?::[^=\n]*)?=[^=]{{0,200}}?//"
    for path in program.files.tree.mentioning(rank):
        file = program.files.get(path) if program.files.scanned(path, matches, in_text) else None
        if file is not None:
            for statement in _matches(file, rf"\b{in_text}"):
                yield from _divisions(file, statement, rank, groups)


def _divisions(file: File, statement: int, rank: str, groups: Groups) -> Iterator[Worked]:
    for binding in file.statement(statement).bindings:
        if binding.value is None or spelled(binding.target) != rank:
            continue
        value = binding.value
        if isinstance(value, ir.Binary) and value.operator == "%":
            value = value.left
        whole, divisors = _chain(value)
        parts = _parts(divisors, groups)
        if parts and groups.named(spelled(whole), "rank"):
            yield Worked(rank, parts, Location(file, statement, binding.value.span))
