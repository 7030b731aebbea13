"""Guards that stand behind what they should keep from happening.

A guard is a test that leaves, by raise or return, when a value is zero, negative, None or empty. It is late where every way to it
leads past a use that such a value does not stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.control.dominators import dominators
from sgmem.control.expressions import from_expression
from sgmem.control.implication import implies
from sgmem.control.predicates import And, Atom, Not, Opaque, Or, all_of, negate
from sgmem.domains.accounting.definitions import Definitions
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.defects.guards.harmful_uses import HarmfulUse, Lack, harmful_below, harmful_uses
from sgmem.domains.defects.guards.scopes import sizing_scopes
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.control.dominators import DominatorTree
    from sgmem.control.predicates import Operator, Predicate
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File

_LEAVING = frozenset({"raise", "return", "continue"})
_SIMPLE = frozenset({"assign", "annotate", "augment", "expression", "return", "with", "for"})
_KEPT_AWAY: dict[Lack, tuple[tuple[Operator, int | None], ...]] = {
    "zero": (("!=", 0), (">", 0), ("truthy", None)),
    "negative": ((">=", 0),),
    "none": (("is not", None), ("truthy", None)),
    "empty": (("truthy", None),),
}
"""What must be known of a value that does not have the lack; one of them is enough."""


class LateGuard(msgspec.Struct, frozen=True):
    """`test` asks about a place whose `use` has happened by then. `defined` is where the place got its value, if in sight."""

    place: str
    test: Location
    use: HarmfulUse
    defined: Location | None


def late_guards(facts: ProgramFacts) -> Iterator[LateGuard]:
    """Every guard, in functions that calculate with amounts of memory, that all its ways reach past the use it is for."""
    for file, scope in sizing_scopes(facts):
        rows = file.outline.statements
        trees: list[DominatorTree] = []
        for index in file.own_statements(scope):
            if rows[index].kind not in ("if", "assert") or is_aside(file, index) or not _leaves(file, index):
                continue
            test = file.test(index)
            if test is None:
                continue
            passed = from_expression(test)
            passed = negate(passed) if rows[index].kind == "if" else passed
            for place, lacks in _asked(test, passed).items():
                if not trees:
                    trees.append(dominators(facts.order.graph(file, scope)))
                use = _earlier(facts, file, scope, index, place, lacks, trees[0])
                if use is not None:
                    yield LateGuard(place, Location(file, index, test.span), use, _definition(facts, file, scope, place, index))


def _asked(test: ir.Expr, passed: Predicate) -> dict[str, frozenset[Lack]]:
    """The places that a guard asks about, and what it keeps away of each."""
    found: dict[str, frozenset[Lack]] = {}
    for node in ir.walk(test):
        place = dotted(node) if isinstance(node, ir.Name | ir.Attribute) else None
        if place is not None and place not in found and _stands_in(passed, place):
            kept = (lack for lack in _KEPT_AWAY if any(implies(passed, atom) for atom in _atoms(place, lack)))
            found[place] = frozenset(lack for lack in kept if lack != "none" or _asks_for_none(test, place))
    for place in _measured_lengths(test, passed):
        found[place] = frozenset({"empty"})
    return {place: lacks for place, lacks in found.items() if lacks}


def _atoms(place: str, lack: Lack) -> Iterator[Atom]:
    return (Atom(place, operator, constant) for operator, constant in _KEPT_AWAY[lack])


def _asks_for_none(test: ir.Expr, place: str) -> bool:
    """Whether None is named in the test: a comparison by size would only fail on it."""
    return any(
        isinstance(node, ir.Compare) and place in map(dotted, node.operands) and any(_is_none(one) for one in node.operands)
        for node in ir.walk(test)
    )


def _is_none(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value is None


def _stands_in(passed: Predicate, place: str) -> bool:
    match passed:
        case Atom():
            return passed.place == place
        case And(parts) | Or(parts):
            return any(_stands_in(part, place) for part in parts)
    return False


def _measured_lengths(test: ir.Expr, passed: Predicate) -> Iterator[str]:
    """Places whose length the guard keeps from being 0: `if len(found) == 0`, `assert len(found) > 0`."""
    for node in ir.walk(test):
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "len" and len(node.args) == 1:
            place = dotted(node.args[0].value)
            if place is not None and _says(passed, f"len({place})"):
                yield place


def _says(passed: Predicate, text: str) -> bool:
    """Whether one of the conjuncts is that a text is not 0, as an opaque comparison spells it."""
    parts = passed.parts if isinstance(passed, And) else (passed,)
    wanted = {f"{text} > 0", f"{text} != 0", f"{text} >= 1", text}
    denied = {f"{text} == 0", f"{text} <= 0", f"{text} < 1"}
    return any(
        (isinstance(part, Opaque) and (part.text in wanted))
        or (isinstance(part, Not) and isinstance(part.operand, Opaque) and part.operand.text in denied)
        for part in parts
    )


def _earlier(
    facts: ProgramFacts, file: File, scope: int, guard: int, place: str, lacks: frozenset[Lack], tree: DominatorTree
) -> HarmfulUse | None:
    """The first use before the guard that all ways to it lead past, of the value that the guard asks about."""
    word = place.rpartition(".")[2]
    wanted = _reaching(facts, file, scope, place, guard)
    for index in file.own_statements(scope):
        row = file.outline.statements[index]
        if index >= guard or row.kind not in _SIMPLE or not tree.dominates(index, guard):
            continue
        if word not in file.own_text(index) and "." not in place:
            continue
        if _reaching(facts, file, scope, place, index) != wanted or index in wanted:
            continue
        for use in (*harmful_uses(facts, file, index, place, lacks), *harmful_below(facts, file, index, place, lacks)):
            if not _is_behind(use) and not (use.lack == "negative" and _is_image_of_checked(facts, file, scope, place, use, index)):
                return use
    return None


def _is_image_of_checked(facts: ProgramFacts, file: File, scope: int, place: str, use: HarmfulUse, index: int) -> bool:
    """Whether a size was calculated from something that is known not to be negative by then: its own check is one more."""
    known = all_of(one.predicate for one in (*facts.reaches.conditions.own(file, index), *use.conditions))
    for at in _reaching(facts, file, scope, place, index) - {ENTRY}:
        for binding in file.statement(at).bindings:
            if binding.value is not None and dotted(binding.target) == place:
                definitions = Definitions(facts.order, facts.occurrences, file, at)
                names = [*ir.walk(definitions.expanded(binding.value)), *ir.walk(binding.value)]
                if any(implies(known, Atom(text, ">=", 0)) for node in names if (text := dotted(node)) is not None):
                    return True
    return False


def _is_behind(use: HarmfulUse) -> bool:
    """Whether what is known where the use stands already keeps the lack away."""
    known = all_of(one.predicate for one in use.conditions)
    return any(implies(known, atom) for atom in _atoms(use.place, use.lack))


def _reaching(facts: ProgramFacts, file: File, scope: int, place: str, at: int) -> frozenset[int]:
    if "." in place:
        return facts.order.reaching_assignments(file, scope, place, at)
    return facts.order.reaching(file, scope, place, at)


def _definition(facts: ProgramFacts, file: File, scope: int, place: str, at: int) -> Location | None:
    reaching = sorted(_reaching(facts, file, scope, place, at) - {ENTRY})
    return of_statement(file, reaching[-1]) if reaching else None


def _leaves(file: File, index: int) -> bool:
    """Whether a test ends its function, or this round of a loop, on one side without another."""
    if file.outline.statements[index].kind == "assert":
        return True
    has_other_side = next(file.outline.inside(index, "orelse"), None) is not None
    return file.outline.last_inside(index, "body") in _LEAVING and not has_other_side
