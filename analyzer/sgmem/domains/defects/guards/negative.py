"""Whether a formula of a program can be negative: local definitions in place, inputs judged by where they were born."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from sgmem.domains.accounting.definitions import Definitions
from sgmem.domains.algebra.forms import Unsupported
from sgmem.domains.ranges.facts import Fact, Facts, LazyFacts, constant_fact, fact_for
from sgmem.domains.ranges.negative import NegativeVerdict, negative_verdict
from sgmem.program.files import File, dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.domains.accounting.units import Units
    from sgmem.domains.units.unit import Unit
    from sgmem.flow.birth import Birth
    from sgmem.flow.occurrences import Occurrences
    from sgmem.flow.order import Order
    from sgmem.program.calls import CallSite
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

BirthsOf = Callable[["Expr", "File", int, "tuple[CallSite, ...]"], "tuple[Birth, ...]"]

MAX_NODES = 60
"""A formula that its definitions make longer is judged in its own names: a longer condition tells nobody anything."""


class NegativeVerdicts:
    """Judges formulas.

    `births_of(leaf, file, statement, stack)` tells where an input was born, for the calls on the stack.
    """

    def __init__(self, program: Program, occurrences: Occurrences, order: Order, units: Units, births_of: BirthsOf) -> None:
        self.program = program
        self.occurrences = occurrences
        self.order = order
        self.units = units
        self.births_of = births_of

    def of(self, expr: Expr, file: File, statement: int, stack: tuple[CallSite, ...] = ()) -> NegativeVerdict:
        """The verdict on the value of `expr` at a statement, whatever is checked afterwards."""
        return _Judgement(self, file, statement, stack).of(expr)


class _Judgement:
    """One formula: remembers in which statement each leaf stands, since definitions come from several."""

    def __init__(self, owner: NegativeVerdicts, file: File, statement: int, stack: tuple[CallSite, ...]) -> None:
        self.owner = owner
        self.stack = stack
        self.file = file
        self.home = statement
        self.definitions = Definitions(owner.order, owner.occurrences, file, statement)
        self.names: dict[str, dict[frozenset[int], str]] = {}

    def of(self, expr: Expr) -> NegativeVerdict:
        whole = self.definitions.expanded(expr)
        nodes = list(ir.walk(whole))
        if len(nodes) > MAX_NODES:
            whole, nodes = expr, list(ir.walk(expr))
        if not any(_subtracts(node) for node in nodes):
            # A sum or product is as negative as its inputs: that is theirs to tell.
            return NegativeVerdict("unknown", because="nothing is subtracted here")
        named: dict[str, Expr] = {}
        for node in nodes:
            symbol = self.symbol(node)
            if isinstance(symbol, str):
                named.setdefault(symbol, node)
        try:
            return negative_verdict(whole, self.symbol, Facts(LazyFacts(named, lambda symbol: self.fact(named[symbol]))))
        except Unsupported as error:
            return NegativeVerdict("unknown", because=error.reason)

    # -- names and facts ----------------------------------------------------------------------------------------------

    def symbol(self, leaf: Expr) -> str | Fraction | None:
        """The name of a leaf in the user's terms, or its number where it is a constant of the program."""
        constant = self.owner.units.constant(leaf, self.file, self.definitions.statement_of(leaf))
        if constant is not None:
            return constant
        text = dotted(leaf)
        if text is None:
            if not isinstance(leaf, ir.Call | ir.Subscript | ir.Attribute):
                return None
            text = " ".join(self.file.source.slice(leaf.span).split())
            return text if len(text) <= 60 else text[:57] + "..."
        return self.distinct(text, leaf)

    def distinct(self, text: str, leaf: Expr) -> str:
        """The same spelling at two places may be two values: the later one is told apart by its line."""
        scope = self.file.outline.statements[self.home].scope
        defined = frozenset[int]()
        if isinstance(leaf, ir.Name):
            defined = self.owner.order.reaching(self.file, scope, leaf.id, self.definitions.statement_of(leaf))
        known = self.names.setdefault(text, {})
        if defined not in known:
            known[defined] = text if not known else f"{text} of line {leaf.span.line}"
        return known[defined]

    def fact(self, leaf: Expr) -> Fact:
        """What a leaf's birth and unit say of its value."""
        statement = self.definitions.statement_of(leaf)
        births = self.owner.births_of(leaf, self.file, statement, self.stack)
        # Births come the most telling first: a value that may be measured or given by the user can be chosen, whatever
        # else may be put in its place.
        birth = births[0] if births else None
        match birth.kind if birth is not None else None:
            case "computed":
                # The result of arithmetic may have any sign, whatever its unit; but where it may also be nothing, it can be chosen so.
                return constant_fact(Fraction(0)) if any(map(_is_zero, births)) else Fact()
            case "measurement":
                assert birth is not None
                return self.measured(birth, leaf, statement)
            case "declaration":
                return fact_for(self.unit(leaf, statement), None, "user")
            case "constant":
                number = self.owner.units.constant(leaf, self.file, statement)
                return constant_fact(number) if number is not None else fact_for(self.unit(leaf, statement), None, "config")
        return fact_for(self.unit(leaf, statement, deep=True), None, "computed")

    def measured(self, birth: Birth, leaf: Expr, statement: int) -> Fact:
        """The fact of a gauge reading, in the unit it has where it is used."""
        gauge = self.owner.units.gauges.of_birth(birth)
        unit = self.unit(leaf, statement, deep=birth.converted)
        if unit is None and gauge is not None and not birth.converted:
            evidence = gauge.measured.evidence()
            unit = evidence.unit if evidence is not None else None
        return fact_for(unit, gauge.frame.quantity if gauge is not None else None, "measured")

    def unit(self, leaf: Expr, statement: int, deep: bool = False) -> Unit | None:
        evidence = self.owner.units.infer(leaf, self.file, statement, deep=deep)
        return evidence.unit if evidence is not None else None


def _is_zero(birth: Birth) -> bool:
    return isinstance(birth.expression, ir.Const) and type(birth.expression.value) in (int, float) and birth.expression.value == 0


def _subtracts(node: Expr) -> bool:
    return isinstance(node, ir.Binary | ir.Unary) and node.operator == "-"
