"""The predicates of statement headers: tests, loops, handlers and the labels of `match`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from sgmem.control.constants import scalar_of
from sgmem.control.expressions import comparison, from_expression
from sgmem.control.predicates import TRUE, Opaque, Predicate, all_of, any_of
from sgmem.control.text import expression_text, operand_text
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.control.blocks import Blocks

LowerTest: TypeAlias = Callable[[int], ir.Expr | None]
"""statement -> the test of an `if`, `while` or `assert`, the subject of a `match`; None where it is not to be had."""
LowerHead: TypeAlias = Callable[[int, int], ir.Expr | None]
"""(statement, position) -> the header expression at that position of `StatementOutline.heads`, a pattern included."""


class Labels:
    """Lowers each header at most once, and only those that are asked for."""

    def __init__(self, blocks: Blocks, lower_test: LowerTest, lower_head: LowerHead | None = None) -> None:
        self._blocks = blocks
        self._lower_test = lower_test
        self._lower_head = lower_head
        self._known: dict[int, tuple[Predicate, ir.Span]] = {}

    def of(self, statement: int) -> tuple[Predicate, ir.Span]:
        """What holds when control enters the body of a statement because of its header, and the place of the test."""
        found = self._known.get(statement)
        if found is None:
            found = self._known[statement] = self._read(statement)
        return found

    def _read(self, statement: int) -> tuple[Predicate, ir.Span]:
        row = self._blocks.row(statement)
        span = row.heads[0] if row.heads else row.span
        match row.kind:
            case "if" | "while" | "assert":
                test = self._lower_test(statement)
                if test is None:
                    return self._event(statement, "condition"), span
                return from_expression(test), row.heads[0] if row.heads else test.span
            case "for":
                return self._loop(statement), span
            case "except":
                return self._handler(statement), span
            case "case":
                return self._case(statement), span
            case _:
                return TRUE, span

    def _event(self, statement: int, what: str) -> Opaque:
        span = self._blocks.row(statement).span
        return Opaque(f"{what} at line {span.line}", span, event=True)

    def _head(self, statement: int, position: int) -> ir.Expr | None:
        if self._lower_head is None or position >= len(self._blocks.row(statement).heads):
            return None
        return self._lower_head(statement, position)

    def _loop(self, statement: int) -> Predicate:
        target, iterable = self._head(statement, 0), self._head(statement, 1)
        if target is None or iterable is None:
            return TRUE
        text = f"for {expression_text(target, 0)} in {expression_text(iterable, 0)}"
        return Opaque(text, self._blocks.row(statement).heads[0], event=True)

    def _handler(self, statement: int) -> Predicate:
        row = self._blocks.row(statement)
        caught = self._head(statement, 0)
        if caught is not None:
            return Opaque(f"except {expression_text(caught)}", row.span, event=True)
        return self._event(statement, "except") if row.heads else Opaque("except", row.span, event=True)

    def _case(self, statement: int) -> Predicate:
        row = self._blocks.row(statement)
        subject, pattern = self._lower_test(row.parent), self._head(statement, 0)
        if subject is None or pattern is None:
            return self._event(statement, "case")
        guard = self._head(statement, 1)
        if guard is None and len(row.heads) > 1:
            return self._event(statement, "case")
        return all_of((_matches(subject, pattern), TRUE if guard is None else from_expression(guard)))


def _matches(subject: ir.Expr, pattern: ir.Expr) -> Predicate:
    """What a pattern, read as an expression, says about the subject of its `match`."""
    alternatives = _alternatives(pattern)
    if len(alternatives) > 1:
        if all(isinstance(each, ir.Const) and not _is_singleton(each) for each in alternatives):
            return comparison(subject, "in", ir.Collection(pattern.span, "tuple", alternatives))
        return any_of(_matches(subject, each) for each in alternatives)
    if isinstance(pattern, ir.Name):
        return TRUE  # a wildcard or a capture
    if isinstance(pattern, ir.Attribute) or scalar_of(pattern) is not None:
        return comparison(subject, "is" if _is_singleton(pattern) else "==", pattern)
    value, shape = operand_text(subject), expression_text(pattern)
    return Opaque(f"{value} matches {shape}", pattern.span, f"{value} does not match {shape}")


def _alternatives(pattern: ir.Expr) -> tuple[ir.Expr, ...]:
    """The patterns of `a | b | c`, which stands for a chain of the binary operator."""
    found: list[ir.Expr] = []
    while isinstance(pattern, ir.Binary) and pattern.operator == "|":
        found.append(pattern.right)
        pattern = pattern.left
    return (pattern, *reversed(found))


def _is_singleton(pattern: ir.Expr) -> bool:
    return isinstance(pattern, ir.Const) and (pattern.value is None or isinstance(pattern.value, bool))
