"""One execution of a target's function for a set of inputs, and the algebra of its result."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from sgmem.domains.algebra.branches import branches
from sgmem.domains.algebra.evaluate import truth_of, value_of
from sgmem.domains.algebra.forms import Ratio, Unsupported
from sgmem.domains.algebra.lift import Lifted, lift
from sgmem.domains.execution.execute import Machine, Returned
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.domains.execution.context import Context
    from sgmem.domains.execution.execute import TestKey
    from sgmem.domains.execution.values import Known, Value
    from sgmem.queries.explain.target import Passed, Target
    from sgmem.syntax.ir import Expr


class Run:
    """The target for these inputs and assumptions. `value` is None where the function never sets it on this branch."""

    def __init__(
        self,
        context: Context,
        target: Target,
        given: Mapping[str, Known],
        assumed: Mapping[TestKey, bool] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        self.given = dict(given)
        self.assumed = dict(assumed or {})
        self.machine = Machine(context, given, assumed)
        self.machine.inputs.labels.update(labels or {})
        arguments = {one.parameter: value for one in target.passed if (value := self._passed(one)) is not None}
        frame, end = self.machine.run(target.function, target.name, arguments)
        self.value: Value | None = None
        if not target.name:
            self.value = end.value if isinstance(end, Returned) else None
        elif target.name in frame.locals:
            self.value = frame.locals[target.name]
        else:
            fields = [value for path, value in self.machine.fields.items() if path.rpartition(".")[2] == target.name]
            self.value = fields[-1] if fields else None

    def _passed(self, passed: Passed) -> Value | None:
        """What a caller passes, as that caller calculates it."""
        arguments = {one.parameter: value for one in passed.passed if (value := self._passed(one)) is not None}
        frame, _ = self.machine.run(passed.caller, passed.local, arguments)
        return frame.locals.get(passed.local)

    @property
    def number(self) -> Fraction | None:
        return self.value.number if self.value is not None else None

    @property
    def missing(self) -> tuple[str, ...]:
        """The inputs of the formula that have no number, in the order in which it names them."""
        if self.value is None:
            return ()
        return tuple(name for name in names_of(self.value.expr) if not isinstance(self.known(name), Fraction))

    def known(self, name: str) -> Known | None:
        row = self.machine.inputs.all.get(name)
        return row.known if row is not None else None

    def numbers(self) -> dict[str, Fraction]:
        """The inputs that have a number."""
        return {name: row.known for name, row in self.machine.inputs.all.items() if isinstance(row.known, Fraction)}

    def evaluated(self) -> Fraction:
        """The number of the formula. Raises Unsupported with the reason where it has none, such as a division by zero."""
        numbers = self.numbers()
        expr = self.value.expr if self.value is not None else ir.Opaque(ir.Span(1, 1, 1, 1), "")
        return value_of(expr, lambda leaf: numbers.get(leaf.id) if isinstance(leaf, ir.Name) else None)

    def decided(self) -> Expr | None:
        """The formula with min, max and conditionals replaced by the side that these inputs select."""
        if self.value is None:
            return None
        numbers = self.numbers()

        def leaf(node: Expr) -> Fraction | None:
            return numbers.get(node.id) if isinstance(node, ir.Name) else None

        try:
            for branch in branches(self.value.expr):
                if all(truth_of(choice.test, leaf) == choice.holds for choice in branch.choices):
                    return branch.expr
        except Unsupported:
            return None
        return None

    def lifted(self) -> Lifted:
        """The exact form of the formula on this branch. Raises Unsupported, with the reason."""
        expr = self.decided()
        if expr is None:
            raise Unsupported("which side of it applies cannot be told")
        return lift(expr, lambda leaf: leaf.id if isinstance(leaf, ir.Name) else None)


def names_of(expr: Expr) -> tuple[str, ...]:
    """The inputs that a formula names; the names of functions are none."""
    found: dict[str, None] = {}
    pending = [expr]
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Name):
            found[node.id] = None
        elif isinstance(node, ir.Call):
            pending.extend(argument.value for argument in reversed(node.args))
        else:
            pending.extend(reversed(node.children()))
    return tuple(found)


def at(value: Ratio, numbers: Mapping[str, Fraction]) -> Fraction:
    """The number of a ratio. Raises Unsupported where a name has none, or for a division by zero."""
    try:
        return value.evaluated(numbers)
    except KeyError as error:
        raise Unsupported(f"{error.args[0]} is not known") from error
