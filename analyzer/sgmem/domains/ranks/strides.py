"""Indices that number ranks: sums of ranks times strides, `base + pp_rank * tp_size + tp_rank`, with what each stride steps over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.ranks.groups import factors
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr


class Stride(msgspec.Struct, frozen=True):
    """The product `of` steps over the ranks of the groups `sizes`; `others` are its other factors, by their text."""

    of: Expr
    sizes: frozenset[str]
    others: frozenset[str]


class RankTerm(msgspec.Struct, frozen=True):
    """A summand of an index: the number of a rank in `group` times a stride."""

    term: Expr
    group: str
    stride: Stride


class Index(msgspec.Struct, frozen=True):
    """A sum with ranks; `rest` are its other summands."""

    terms: tuple[RankTerm, ...]
    rest: tuple[Expr, ...]


def index_of(expr: Expr, file: File, statement: int, groups: Groups) -> Index:
    """The summands of `expr`, those that number ranks apart."""
    terms, rest = [], []
    for summand in summands(expr):
        term = _term(summand, file, statement, groups)
        if term is None:
            rest.append(summand)
        else:
            terms.append(term)
    return Index(tuple(terms), tuple(rest))


def stride_of(expr: Expr, parts: list[Expr], file: File, statement: int, groups: Groups) -> Stride:
    """What a product of `parts` steps over."""
    sizes, others = set[str](), set[str]()
    for part in parts:
        of = groups.size(part, file, statement)
        if of:
            sizes |= of
        elif not (isinstance(part, ir.Const) and part.value == 1):
            others.add("".join(file.source.slice(part.span).split()))
    return Stride(expr, frozenset(sizes), frozenset(others))


def summands(expr: Expr) -> Iterator[Expr]:
    """What a sum adds, products of sums multiplied out; the expression itself where it is none."""
    pending = [expr]
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Binary) and node.operator == "+":
            pending += [node.right, node.left]
        elif isinstance(node, ir.Binary) and node.operator == "*" and (inner := _sum_in(node)) is not None:
            total, factor = inner
            pending += [ir.Binary(one.span, "*", one, factor) for one in (total.right, total.left)]
        else:
            yield node


def _sum_in(product: ir.Binary) -> tuple[ir.Binary, Expr] | None:
    """The sum that a product multiplies, and by what."""
    for total, factor in ((product.left, product.right), (product.right, product.left)):
        if isinstance(total, ir.Binary) and total.operator == "+":
            return total, factor
    return None


def _term(summand: Expr, file: File, statement: int, groups: Groups) -> RankTerm | None:
    parts = list(factors(summand))
    for part in parts:
        of = groups.rank(part, file, statement)
        if len(of) == 1:
            others = [one for one in parts if one is not part]
            return RankTerm(summand, next(iter(of)), stride_of(summand, others, file, statement, groups))
    return None
