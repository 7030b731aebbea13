"""Checks that keep a negative value away: tests that leave, tests that stand around, calculations that clamp."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.control.evaluation import expression_conditions
from sgmem.control.expressions import from_expression
from sgmem.control.implication import implies
from sgmem.control.predicates import Atom, all_of, negate
from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.flow.guards import Conditions
    from sgmem.flow.uses import Use
    from sgmem.syntax.ir import Expr

_TESTS = frozenset({"if", "while", "assert"})


class Check(msgspec.Struct, frozen=True):
    """What stops a negative value: a test, or a calculation that cannot be negative (`clamps`). `images` is 0 where it
    is the value itself that is stopped, else the number of calculations before.
    """

    text: str
    location: Location
    images: int
    clamps: bool = False


def is_test(use: Use) -> bool:
    """Whether a use is part of a test, or of an expression that holds one."""
    if use.file.outline.statements[use.statement].kind in _TESTS:
        return True
    return any(isinstance(above, ir.Conditional | ir.Boolean) for above in use.ancestors)


def leaving(use: Use, images: int) -> Check | None:
    """The check that a test is by itself, whatever stands behind it: it leaves when the value is negative."""
    row, text = use.file.outline.statements[use.statement], dotted(use.node)
    test = use.file.test(use.statement) if row.kind in ("if", "assert") else None
    if test is None or text is None:
        return None
    passed = from_expression(test)
    if row.kind == "if":
        passed = negate(passed)
    leaves = row.kind == "assert" or use.file.outline.last_inside(use.statement, "body") in ("raise", "return")
    if not leaves or not implies(passed, Atom(text, ">=", 0)):
        return None
    location = Location(use.file, use.statement, test.span)
    return Check(location.code, location, images)


def around(use: Use, tests: list[Use], images: int, conditions: Conditions) -> Check | None:
    """The test, one of `tests` of the same value, that a use is behind, if it keeps negative values away."""
    text = dotted(use.node)
    if text is None or not tests or (use in tests and _decides(use)):
        return None
    places = {(test.file.path, test.statement) for test in tests}
    conditions_here = (
        *conditions.own(use.file, use.statement),
        *expression_conditions(use.node, use.ancestors, use.statement),
    )
    behind = [one for one in conditions_here if (use.file.path, one.statement) in places]
    positive = Atom(text, ">=", 0)
    if not implies(all_of(one.predicate for one in behind), positive):
        return None
    test = next((one for one in behind if implies(one.predicate, positive)), behind[-1])
    location = Location(use.file, test.statement, test.span)
    return Check(location.code, location, images)


def clamping(use: Use, parent: Expr, node: Expr, images: int) -> Check | None:
    """The check that a call around the value is, if it keeps its result from being negative: `max(value, 0)`."""
    if not isinstance(parent, ir.Call) or node is parent.func or not _clamps(parent, node):
        return None
    place = Location(use.file, use.statement, parent.span)
    return Check(place.code, place, images, clamps=True)


def _decides(use: Use) -> bool:
    """Whether the use is what a test compares."""
    is_header = use.file.outline.statements[use.statement].kind in _TESTS
    return is_header and any(isinstance(above, ir.Compare) for above in use.ancestors)


def _clamps(call: ir.Call, node: Expr) -> bool:
    name, parts = arithmetic.function_name(call), arithmetic.operands(call)
    if name == "abs":
        return True
    if name != "max" or parts is None:
        return False
    numbers = [arithmetic.constant(part) for part in parts if isinstance(part, ir.Const) and part is not node]
    return any(number is not None and number >= 0 for number in numbers)
