"""Budgets of tokens that are compared with whole pages and charged with the bare tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.ranks.groups import given, spelled
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.program.calls import bind
from sgmem.program.entities import Class, Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.flow.order import Order
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_ROUNDS_UP = re.compile(r"ceil_paged\w*|ceil_to_page\w*|ceil_align\w*|page_align\w*|align_up|round_up\w*")
_GRANULE = re.compile(r"\w*(?:page|block)_size")
_TEXT = r"-\s*\(\s*-[^\n]{1,80}//|\b(?:ceil_paged|ceil_to_page|ceil_align|page_align|align_up|round_up)"
_CHARGES = r"self\.\w+ -= [\w.]*(?:_len|_lens|tokens|_ids)\b|self\.\w+ - len\("
"""A field from which tokens are taken: few files have that."""
_TOKENS = re.compile(r"\w*(?:_len|_lens|tokens|_ids)")


class UnevenCharge(msgspec.Struct, frozen=True):
    """`budget` is compared with what `rounded` rounds up to pages, and charged with `bare`, which nothing rounds."""

    budget: str
    rounded: Location
    compared: Location
    bare: Location


def uneven_charges(program: Program, order: Order) -> Iterator[UnevenCharge]:
    """The first such charge of each budget in each function of the class that compares it."""
    for path in program.files.with_text(_CHARGES, holds=(" -= ", " - len(")):
        file = program.files.get(path) if re.search(_TEXT.encode(), program.files.tree.read(path)) is not None else None
        for index, scope in enumerate(file.outline.scopes) if file is not None else ():
            if file is not None and scope.kind == "class" and re.search(_TEXT, file.source.slice(scope.span)):
                yield from _Charges(program, order, Class(file, index)).found()


class _Charges:
    """The charges of one class."""

    def __init__(self, program: Program, order: Order, owner: Class) -> None:
        self._program = program
        self._order = order
        self._file = owner.file
        self._methods = [
            Function(owner.file, index)
            for index in owner.file.children(owner.index).values()
            if owner.file.scope(index).kind == "function"
        ]

    def found(self) -> Iterator[UnevenCharge]:
        budgets = self._budgets()
        for method in self._methods if budgets else ():
            seen: set[str] = set()
            for statement in self._file.own_statements(method.index):
                text = self._file.own_text(statement)
                if is_aside(self._file, statement) or not any(name in text for name in budgets):
                    continue
                for budget, amount in self._charged(statement, frozenset(budgets)):
                    if budget not in seen and self._is_bare(amount, method, statement):
                        seen.add(budget)
                        rounded, compared = budgets[budget]
                        yield UnevenCharge(budget, rounded, compared, Location(self._file, statement, amount.span))

    def _budgets(self) -> dict[str, tuple[Location, Location]]:
        """The fields that are compared with something rounded up, with that and the comparison."""
        found: dict[str, tuple[Location, Location]] = {}
        for method in self._methods:
            for statement in self._file.own_statements(method.index):
                if not re.search("[<>]", self._file.own_text(statement)):
                    continue
                for root in self._file.statement(statement).expressions():
                    for node in ir.walk(root):
                        if isinstance(node, ir.Compare) and len(node.operands) == 2:
                            for amount, other in (node.operands, node.operands[::-1]):
                                at = self._rounded(amount, method, statement)
                                for name in self._fields(other, method) if at is not None else ():
                                    if at is not None:
                                        found.setdefault(name, (at, Location(self._file, statement, node.span)))
        return found

    @staticmethod
    def _fields(expr: Expr, method: Function) -> Iterator[str]:
        """The field of the object that an expression is, or the fields of which it is the least."""
        if isinstance(expr, ir.Call) and last_name(expr) == "min":
            for argument in expr.args:
                yield from _Charges._fields(argument.value, method)
        elif isinstance(expr, ir.Attribute) and isinstance(expr.base, ir.Name) and expr.base.id == method.receiver:
            yield expr.attr

    def _rounded(self, expr: Expr, method: Function, statement: int, depth: int = 0) -> Location | None:
        """Where an amount is rounded up, if it is."""
        if _rounds_up(expr):
            return Location(self._file, statement, expr.span)
        if isinstance(expr, ir.Name) and depth < 2:
            for index in sorted(self._order.reaching(self._file, method.index, expr.id, statement) - {ENTRY}):
                for value in given(expr.id, self._file, index):
                    at = self._rounded(value, method, index, depth + 1)
                    if at is not None:
                        return at
        return None

    def _charged(self, statement: int, budgets: frozenset[str]) -> Iterator[tuple[str, Expr]]:
        """What a statement takes off a budget."""
        lowered = self._file.statement(statement)
        for binding in lowered.bindings:
            if binding.how == "augment" and spelled(binding.target) in budgets and binding.value is not None:
                yield spelled(binding.target), binding.value
        for root in lowered.expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Binary) and node.operator == "-" and spelled(node.left) in budgets:
                    yield spelled(node.left), node.right

    def _is_bare(self, amount: Expr, method: Function, statement: int) -> bool:
        """Whether an amount is a number of tokens that nothing rounds: a length, or a parameter that some caller gives one."""
        counted = amount.args[0].value if isinstance(amount, ir.Call) and last_name(amount) == "len" and amount.args else amount
        if not isinstance(counted, ir.Name | ir.Attribute) or not _TOKENS.fullmatch(spelled(counted)):
            return False
        if not isinstance(amount, ir.Name):
            return self._rounded(amount, method, statement) is None
        reaching = self._order.reaching(self._file, method.index, amount.id, statement)
        if reaching != {ENTRY}:
            return False
        return any(self._is_bare_argument(*given_by) for given_by in self._arguments(method, amount.id))

    def _arguments(self, method: Function, parameter: str) -> Iterator[tuple[Expr, Function, int]]:
        for site in self._program.calls.callers(method):
            function = self._program.calls.inside(site.file, site.statement)
            if site.file is self._file and function is not None:
                for filled in bind(site, method.parameters):
                    if filled.parameter == parameter and filled.key is None and not filled.argument.star:
                        yield filled.argument.value, function, site.statement

    def _is_bare_argument(self, value: Expr, function: Function, statement: int) -> bool:
        """A field of a name that counts tokens, or a length, which is not rounded on the way."""
        named = isinstance(value, ir.Attribute) and _TOKENS.fullmatch(value.attr) is not None
        return named and self._rounded(value, function, statement) is None


def _rounds_up(expr: Expr) -> bool:
    """`-(-tokens // page_size) * page_size`, or a call of a function that says it."""
    if isinstance(expr, ir.Call):
        return _ROUNDS_UP.fullmatch(last_name(expr)) is not None
    if isinstance(expr, ir.Binary) and expr.operator == "*":
        for quotient, granule in ((expr.left, expr.right), (expr.right, expr.left)):
            inner = quotient.operand if isinstance(quotient, ir.Unary) and quotient.operator == "-" else None
            if inner is not None and isinstance(inner, ir.Binary) and inner.operator == "//" and _GRANULE.fullmatch(spelled(granule)):
                return True
    return False
