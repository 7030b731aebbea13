"""Tests that the inputs do not decide: each is assumed one way, and what has been assumed holds for every later test that hangs on it.

Tests are over inputs, whose values do not change. So one outcome of `a` settles `not a`, `a is None` settles `a is not None`, and
together they may settle `a and b`; where `a and b` is assumed to hold, both do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from sgmem.syntax.ir import Expr

_NEGATIVE = {"is not": "is", "!=": "==", "not in": "in", ">=": "<", ">": "<="}
MAX_DEPTH = 30


class Settled:
    """What the assumptions of one execution say of tests, in the order in which they were made."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}

    def copy(self) -> dict[str, bool]:
        return dict(self._known)

    def restore(self, known: dict[str, bool]) -> None:
        self._known = known

    def assume(self, test: Expr, holds: bool, depth: int = 0) -> None:
        """Keep an outcome, and what follows from it for the parts of the test."""
        text, positive, core = canonical(test)
        self._known.setdefault(text, holds == positive)
        inner = holds == positive
        if isinstance(core, ir.Boolean) and inner == (core.operator == "and") and depth < MAX_DEPTH:
            for part in core.values:
                self.assume(part, inner, depth + 1)

    def outcome(self, test: Expr, depth: int = 0) -> bool | None:
        """The outcome that follows for a test; None where nothing does."""
        text, positive, core = canonical(test)
        known = self._known.get(text)
        if known is None and isinstance(core, ir.Boolean) and depth < MAX_DEPTH:
            known = self._combined(core, depth)
        return None if known is None else known == positive

    def _combined(self, core: ir.Boolean, depth: int) -> bool | None:
        stops = core.operator == "or"
        parts = [self.outcome(part, depth + 1) for part in core.values]
        if stops in parts:
            return stops
        return None if None in parts else not stops


def canonical(test: Expr) -> tuple[str, bool, Expr]:
    """A test as text in its positive form, whether it is that form itself, and the form."""
    positive = True
    while isinstance(test, ir.Unary) and test.operator == "not":
        positive, test = not positive, test.operand
    if isinstance(test, ir.Compare) and len(test.operators) == 1 and test.operators[0] in _NEGATIVE:
        test = ir.Compare(test.span, (_NEGATIVE[test.operators[0]],), test.operands)
        positive = not positive
    return text_of(test), positive, test
