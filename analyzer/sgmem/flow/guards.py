"""Conditions of sites: within their function, and inherited from the only call that leads there."""

from __future__ import annotations

from sgmem.control.conditions import Condition, ScopeConditions
from sgmem.control.evaluation import expression_conditions
from sgmem.flow.aside import is_main_test
from sgmem.flow.order import Order
from sgmem.program.entities import Function
from sgmem.program.files import File
from sgmem.program.program import Program
from sgmem.syntax.ir import Expr

_MAX_CALLERS = 4
_COMMON = 12


class Conditions:
    """Path conditions, memoised per statement."""

    def __init__(self, program: Program, order: Order) -> None:
        self.program = program
        self.order = order
        self._scopes: dict[tuple[str, int], ScopeConditions] = {}
        self._statements: dict[tuple[str, int], tuple[Condition, ...]] = {}

    def own(self, file: File, statement: int) -> tuple[Condition, ...]:
        """The conditions of a statement within its own function, outermost first."""
        key = (file.path, statement)
        found = self._statements.get(key)
        if found is None:
            scope = file.outline.statements[statement].scope
            conditions = self._scopes.get((file.path, scope))
            if conditions is None:
                conditions = ScopeConditions(self.order.graph(file, scope), file.test)
                self._scopes[(file.path, scope)] = conditions
            found = self._statements[key] = conditions.of(statement)
        return found

    def _inherited(self, file: File, statement: int) -> tuple[Condition, ...]:
        """What a call site hands down: how a file is started is no condition of what it calls."""
        return tuple(c for c in self.own(file, statement) if c.statement < 0 or not is_main_test(file.test(c.statement)))

    def of(self, file: File, statement: int, ancestors: tuple[Expr, ...] = (), node: Expr | None = None) -> tuple[Condition, ...]:
        """Conditions of an expression: those its calls inherit, its statement's, its own. A function that is called from one place
        only runs under that place's conditions; with several callers nothing is inherited."""
        inherited: tuple[Condition, ...] = ()
        function = self.program.calls.inside(file, statement)
        seen: set[Function] = set()
        while function is not None and function not in seen and len(seen) < _MAX_CALLERS:
            seen.add(function)
            if len(self.program.files.tree.mentioning(function.name)) > _COMMON:
                break  # an everyday name has many callers
            site = self.program.calls.only_caller(function) if function.name != "__init__" else None
            if site is None:
                break
            inherited = (*self._inherited(site.file, site.statement), *inherited)
            function = self.program.calls.inside(site.file, site.statement)
        inner = expression_conditions(node, ancestors, statement) if node is not None and ancestors else ()
        return (*inherited, *self.own(file, statement), *inner)
