"""How an assignment changes what a variable or field holds, and whether control leads from one statement on to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sgmem.control.implication import contradicts
from sgmem.control.predicates import all_of
from sgmem.flow.order import ENTRY
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgmem.control.cfg import Cfg
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Binding, Expr

How = Literal["scaled", "limited", "aligned", "reduced", "replaced"]
"""scaled: multiplied or divided; limited: the smaller or larger of itself and something; aligned: divided and multiplied by one number;
reduced: something is added or taken off, or a function of itself; replaced: by something else."""

SCALES = frozenset({"*", "/", "//", "%", "<<", ">>"})
_SUMS = frozenset({"+", "-"})
_LIMITS = frozenset({"min", "max", "minimum", "maximum", "clamp", "clip"})
MAX_DEFINITIONS = 4


def how_changed(facts: ProgramFacts, file: File, index: int, text: str) -> How | None:
    """How statement `index` changes what `text` (`self.size`, `size`) holds; None where it does not, or only resets it."""
    for binding in file.statement(index).bindings:
        if dotted(binding.target) == text and binding.how in ("assign", "annotate", "augment") and binding.value is not None:
            return _how(facts, file, index, binding, text)
        if isinstance(binding.target, ir.Collection) and any(dotted(item) == text for item in binding.target.items):
            return "replaced" if binding.how == "assign" else None
    return None


def _how(facts: ProgramFacts, file: File, index: int, binding: Binding, text: str) -> How | None:
    value = binding.value
    if value is None or _is_off(value):
        return None
    if binding.how == "augment":
        operator = (binding.operator or "").removesuffix("=")
        return "scaled" if operator in SCALES else "reduced" if operator in _SUMS else None
    if not mentions(value, text):
        return "reduced" if any(mentions(each, text) for each in _behind(facts, file, index, value)) else "replaced"
    return _own(value, lambda node: dotted(node) == text)


def change_of(value: Expr, is_itself: Callable[[Expr], bool]) -> How | None:
    """How a value changes what its own leaves `is_itself` stand for; None where it resets it."""
    if _is_off(value):
        return None
    return _own(value, is_itself) if _holds(value, is_itself) else "replaced"


def _is_off(value: Expr) -> bool:
    """Whether a value says that there is none: None, False, 0, -1."""
    if isinstance(value, ir.Unary) and value.operator == "-":
        return isinstance(value.operand, ir.Const)
    return isinstance(value, ir.Const) and not value.value


def _own(value: Expr, is_itself: Callable[[Expr], bool]) -> How:
    """How a value is made of what was there."""
    if isinstance(value, ir.Conditional):
        return _own(value.body if _holds(value.body, is_itself) else value.orelse, is_itself)
    if isinstance(value, ir.Call):
        name = (dotted(value.func) or "").rpartition(".")[2]
        if name in _LIMITS:
            return "limited"
        inner = [argument.value for argument in value.args if _holds(argument.value, is_itself)]
        if name in ("int", "float", "round") and inner:
            return _own(inner[0], is_itself)
        return "aligned" if "align" in name or "round" in name else "reduced"
    if isinstance(value, ir.Binary) and value.operator in SCALES:
        return "aligned" if _aligns(value) else "scaled"
    return "reduced"


def _holds(value: Expr, is_itself: Callable[[Expr], bool]) -> bool:
    return any(is_itself(node) for node in ir.walk(value))


def _aligns(value: ir.Binary) -> bool:
    """`x // p * p`, `(x + p - 1) // p * p`, `x - x % p`."""
    left, right = value.left, value.right
    for product, factor in ((left, right), (right, left)):
        if value.operator == "*" and isinstance(product, ir.Binary) and product.operator == "//":
            divisor = dotted(product.right) or _constant(product.right)
            if divisor is not None and divisor == (dotted(factor) or _constant(factor)):
                return True
    return False


def _constant(expr: Expr) -> str | None:
    return expr.text if isinstance(expr, ir.Const) else None


def _behind(facts: ProgramFacts, file: File, index: int, value: Expr) -> Iterator[Expr]:
    """The values of the locals, and of the fields that the function has set, of which a value is made."""
    scope = file.outline.statements[index].scope
    for node in ir.walk(value):
        text = dotted(node) if isinstance(node, ir.Name | ir.Attribute) else None
        if text is None:
            continue
        order = facts.order
        reaching = (order.reaching if isinstance(node, ir.Name) else order.reaching_assignments)(file, scope, text, index) - {ENTRY}
        for at in sorted(reaching)[:MAX_DEFINITIONS]:
            yield from (b.value for b in file.statement(at).bindings if b.value is not None and b.how != "iterate")


def mentions(expr: Expr, text: str) -> bool:
    return any(isinstance(node, ir.Name | ir.Attribute) and dotted(node) == text for node in ir.walk(expr))


def leads_on(graph: Cfg, start: int, end: int) -> bool:
    """Whether control can go from one statement to another without going round a loop."""
    return end in reachable(graph, start)


def reachable(graph: Cfg, start: int, until: frozenset[int] = frozenset()) -> frozenset[int]:
    """The statements after one, as far as no loop is gone round; those of `until` are reached and not passed."""
    seen: set[int] = set()
    pending = [start]
    while pending:
        for target, label in graph.out(pending.pop()):
            if target not in seen and label != "loop":
                seen.add(target)
                if target not in until:
                    pending.append(target)
    return frozenset(seen)


def may_both_run(facts: ProgramFacts, file: File, first: int, second: int) -> bool:
    """Whether the conditions of two statements of one function can hold together."""
    left, right = (all_of(one.predicate for one in facts.conditions.own(file, index)) for index in (first, second))
    return not contradicts(left, right)


_LOGS = frozenset({"info", "warning", "warn", "debug", "error", "exception", "critical", "print", "log", "info_once", "warning_once"})


def is_told(file: File, index: int) -> bool:
    """Whether a statement only tells or tests: logs, raises, asserts, compares."""
    kind = file.outline.statements[index].kind
    if kind in ("raise", "assert", "if", "while", "delete"):
        return True
    if kind != "expression":
        return False
    return all(
        isinstance(value, ir.Call) and (dotted(value.func) or "").rpartition(".")[2] in _LOGS for value in file.statement(index).values
    )
