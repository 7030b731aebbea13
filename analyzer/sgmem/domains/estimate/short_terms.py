"""Terms that a size lacks: one that its function works out and charges nowhere, and one half of a pair that is charged as a pair
wherever else the same things are multiplied.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.changes import may_both_run
from sgmem.domains.accounting.location import Location
from sgmem.domains.ranks.groups import factors, spelled
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_SIZING = r"def +\w*(?:_per_token|_per_req|_cell_size|_cache_per_)\w*\("
_SIZING_WORDS = "_per_token|_per_req|_cell_size|_cache_per_"
_ASIDE = re.compile(r"(^|/)(tests?|benchmarks?|examples?)(/|$)|(^|/)(test_|bench_)[^/]*$")
_CALCULATES = frozenset({"int", "float", "round", "max", "min", "abs", "len", "sum", "prod", "numel", "ceil", "floor"})
_HALF = re.compile(r"(?:^|_)(?:k|v|keys?|values?)_?(?:size|bytes|$|_)")
"""What a function is called that works out the size of keys or of values alone."""
_LAYERS = re.compile(r"(?:^|_)layers?(?:_|$)")
"""Numbers of layers are added up by kinds, and each kind is charged by itself too."""
_BOTH = 2
"""A factor that stands for keys and values, where they are alike."""


class IdleTerm(msgspec.Struct, frozen=True):
    """`function`, which works out a size, works out `names` too, the last of them at `value`, and uses none of them."""

    function: str
    names: tuple[str, ...]
    value: Location


class LonePart(msgspec.Struct, frozen=True):
    """`product` has `part` as a factor where `pair`, elsewhere, has the sum of it and `partner`, times some of the same."""

    part: str
    partner: str
    product: Location
    pair: Location


class _Product(msgspec.Struct, frozen=True):
    """A product in a sizing function: the names of its factors, and the pairs of names that it has the sums of."""

    function: Function
    statement: int
    location: Location
    names: frozenset[str]
    pairs: frozenset[frozenset[str]]
    own: frozenset[str]
    """Those of the names that are fields of the object whose method this is."""
    doubled: bool


def sizing_functions(facts: ProgramFacts) -> tuple[Function, ...]:
    """The functions that work out the bytes of a token or request: by what is done with the result, or by their name."""
    found: dict[Function, None] = dict.fromkeys(facts.books.estimates.functions)
    named = re.compile(_SIZING)
    for path in facts.program.files.with_text(_SIZING, words=_SIZING_WORDS):
        file = facts.program.files.get(path) if not _ASIDE.search(path) else None
        for index, scope in enumerate(file.outline.scopes) if file is not None else ():
            if file is not None and scope.kind == "function" and named.match(f"def {scope.name}("):
                found[Function(file, index)] = None
    return tuple(found)


# -- what is worked out and not used ----------------------------------------------------------------------------------------------


def idle_terms(facts: ProgramFacts) -> Iterator[IdleTerm]:
    """One for each function that works out part of a size for nothing."""
    for function in sizing_functions(facts):
        idle = list(_idle(facts, function))
        if idle:
            yield IdleTerm(function.name, tuple(name for name, _ in idle), idle[-1][1])


def _idle(facts: ProgramFacts, function: Function) -> Iterator[tuple[str, Location]]:
    file = function.file
    for index in file.own_statements(function.index):
        if file.outline.statements[index].kind not in ("assign", "annotate"):
            continue
        plain = file.plainly_assigned(index)
        if plain is not None and not any(_is_alone(function, index, name) for name in plain):
            continue
        for binding in file.statement(index).bindings:
            target, value = binding.target, binding.value
            if not isinstance(target, ir.Name) or value is None or not _is_alone(function, index, target.id):
                continue
            if _is_calculated(facts, value):
                yield target.id, Location(file, index, value.span)


def _is_alone(function: Function, index: int, name: str) -> bool:
    """Whether a local is mentioned where it is set and nowhere else."""
    scope = function.scope
    if not name.isidentifier() or name.startswith("_") or function.parameter(name) is not None:
        return False
    return [at for at in function.file.mentions(name) if scope.first <= at < scope.last] == [index]


def _is_calculated(facts: ProgramFacts, value: Expr) -> bool:
    """Whether a value is worked out by nothing but arithmetic, of something that has a name."""
    if isinstance(value, ir.Call):
        return spelled(value) in _CALCULATES or spelled(value) in facts.books.divisions.element
    return isinstance(value, ir.Binary) and any(isinstance(node, ir.Name | ir.Attribute) for node in ir.walk(value))


# -- halves of pairs --------------------------------------------------------------------------------------------------------------


def lone_parts(facts: ProgramFacts) -> Iterator[LonePart]:
    """Every product with half of a pair that another product has in full, times some of the same things."""
    products = [one for function in sizing_functions(facts) for one in _products(function)]
    paired = [one for one in products if one.pairs]
    for lone in products:
        for name in sorted(lone.names) if not lone.doubled and not _HALF.search(lone.function.name) else ():
            found = next((pair for one in paired if (pair := _pair(one, lone, name)) is not None), None)
            if found is not None and _has(lone, name, found[0]) and not _is_charged(facts, lone, name, found[0]):
                yield LonePart(name, found[0], lone.location, found[1])
                break


def _pair(full: _Product, lone: _Product, name: str) -> tuple[str, Location] | None:
    """The other half of `name` in a product that shares another factor with the lone one."""
    if full.location == lone.location or not full.names & lone.names - {name}:
        return None
    for pair in full.pairs:
        if name in pair and pair not in lone.pairs:
            (partner,) = pair - {name}
            return (partner, full.location) if partner not in lone.names else None
    return None


def _has(lone: _Product, name: str, partner: str) -> bool:
    """Whether there is another half here: an object of which a half is a field must have a field for the other one too."""
    owner = lone.function.owner
    if name not in lone.own or owner is None:
        return True
    scope = owner.scope
    return any(scope.first <= index < scope.last for index in owner.file.mentions(partner))


def _products(function: Function) -> Iterator[_Product]:
    file = function.file
    for index in file.own_statements(function.index):
        if "*" not in file.own_text(index):
            continue
        for root in file.statement(index).expressions():
            for node, above in ir.paths(root):
                if _multiplies(node) and not any(_multiplies(one) for one in above):
                    yield _product(function, file, index, node)


def _multiplies(node: Expr) -> bool:
    return isinstance(node, ir.Binary) and node.operator == "*"


def _product(function: Function, file: File, index: int, node: Expr) -> _Product:
    leaves, own, pairs, doubled = set[str](), set[str](), set[frozenset[str]](), False
    for factor in factors(node):
        pair = _halves(factor)
        if pair is not None:
            pairs.add(pair)
        elif isinstance(factor, ir.Const):
            doubled |= factor.value == _BOTH
        elif spelled(factor):
            leaves.add(spelled(factor))
            if isinstance(factor, ir.Attribute) and dotted(factor.base) == function.receiver:
                own.add(spelled(factor))
    return _Product(function, index, Location(file, index, node.span), frozenset(leaves), frozenset(pairs), frozenset(own), doubled)


def _halves(factor: Expr) -> frozenset[str] | None:
    """The two names that a factor is the sum of, rounded at most."""
    if isinstance(factor, ir.Binary) and factor.operator == "//":
        factor = factor.left
    if not isinstance(factor, ir.Binary) or factor.operator != "+":
        return None
    names = frozenset(spelled(side) for side in (factor.left, factor.right) if isinstance(side, ir.Name | ir.Attribute))
    return names if len(names) == _BOTH and not any(_LAYERS.search(name) for name in names) else None


def _is_charged(facts: ProgramFacts, lone: _Product, name: str, partner: str) -> bool:
    """Whether the function charges the other half by itself, in a statement that runs with this one."""
    file = lone.function.file
    for index in file.mentions_in(lone.function.index, partner):
        if not may_both_run(facts, file, lone.statement, index):
            continue
        for root in file.statement(index).expressions():
            for node, above in ir.paths(root):
                if spelled(node) == partner and not (above and _halves(above[-1]) == frozenset({name, partner})):
                    return True
    return False
