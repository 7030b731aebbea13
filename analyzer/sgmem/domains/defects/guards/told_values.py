"""Error messages that tell of another value than the one that their check has tested.

Two kinds. The message says of one setting that it is zero, or not set, and the test asks that of another: the first is never
checked. And the message shows an amount that the test has taken something off, so that the numbers in it need not show what is
wrong: 20 GB are wanted, 25 GB are free.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.expressions import from_expression
from sgmem.control.implication import implies
from sgmem.control.predicates import Atom, negate
from sgmem.domains.accounting.definitions import Definitions
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.domains.defects.guards.scopes import sizing_scopes
from sgmem.flow.aside import is_aside
from sgmem.program.files import dotted
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.control.predicates import Operator, Predicate
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

Said = Literal["zero", "None"]

_NAME = r"(?:--)?([a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)[`'\"]?"
_MUST = r"(?:must|should|has to|needs to|have to) be"
_MUST_NOT = r"(?:cannot|can't|must not|should not) be"
_POSITIVE = r"(?:positive|non-?zero|(?:greater|larger|more|bigger) than (?:0|zero)|at least 1|> ?0|>= ?1)"
_ZERO = rf"is (?:zero|0|negative|not positive)|{_MUST} {_POSITIVE}|{_MUST_NOT} (?:zero|0|negative)"
_NONE = rf"is (?:None|not set|not given|missing)|{_MUST} (?:set|given|specified|provided)|{_MUST_NOT} (?:None|empty)"
_SUBJECT = re.compile(rf"^\s*{_NAME} (?:(?P<zero>{_ZERO})|(?P<none>{_NONE}))\b")
_TEXT = rf"[\"'](?:--)?[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+[`']? (?:{_ZERO}|{_NONE})"
"""What the text of a file and of a statement hold where there is such a message."""
MAX_SMALL = 16
"""A number that makes a bound strict, or rounds it, and is not worth telling."""
_PASSED: dict[Said, tuple[tuple[Operator, int | None], ...]] = {
    "zero": ((">", 0), ("!=", 0), ("truthy", None), (">=", 0)),
    "None": (("is not", None), ("truthy", None)),
}
_RESERVED = re.compile(
    r"reserv|margin|headroom|beside|minus|set aside|keep|kept|overhead|slack|buffer|exclud|after|left for", re.IGNORECASE
)
"""Words that say that something is taken off what the message shows."""


class ToldValue(msgspec.Struct, frozen=True):
    """The message of `raised` tells of `told`, and `test` asks about `tested`.

    `kind` "other": the message says of `told` what the test asks of `tested`; `before` is an earlier check of the same thing, where
    there is one. "part": the test compares with `tested`, which is `told` with something added to it or taken off.
    """

    kind: Literal["other", "part"]
    told: str
    tested: str
    test: Location
    raised: Location
    before: Location | None = None


def told_values(facts: ProgramFacts) -> Iterator[ToldValue]:
    """Every message about quantities of memory that shows another value than its check has tested."""
    for path in facts.program.files.with_text(_TEXT, holds=(" is ", " be ")):
        file = facts.program.files.get(path)
        for test, raised in _checks(file) if file is not None else ():
            if file is not None and re.search(_TEXT, file.own_text(raised)) and not is_aside(file, raised):
                found = _other(facts, file, test, raised)
                if found is not None:
                    yield found
    for file, scope in sizing_scopes(facts):
        for test, raised in _checks(file, scope):
            found = _part(facts, file, test, raised) if not is_aside(file, raised) else None
            if found is not None:
                yield found


def _checks(file: File, scope: int | None = None) -> Iterator[tuple[int, int]]:
    """The statements that hold a test and those with its message: an assert, or the raise that an `if` leads to."""
    rows = file.outline.statements
    for index in file.own_statements(scope) if scope is not None else range(len(rows)):
        if rows[index].kind == "assert":
            yield index, index
        elif rows[index].kind == "raise" and rows[index].block == "body" and rows[index].parent >= 0:
            if rows[rows[index].parent].kind == "if":
                yield rows[index].parent, index


def _message(file: File, raised: int) -> Iterator[Expr]:
    values = file.statement(raised).values
    yield from values[1:] if file.outline.statements[raised].kind == "assert" else values


def _literal(file: File, raised: int) -> str:
    """The literal text of a message, `{}` for what it formats."""
    parts: list[str] = []
    for root in _message(file, raised):
        for node in ir.walk(root):
            if isinstance(node, ir.Const) and isinstance(node.value, str):
                parts.append(node.value)
            elif isinstance(node, ir.Format):
                parts.append("" if all(isinstance(part, ir.Const) for part in node.parts[:1]) else "{}")
    return " ".join("".join(parts).split())


# -- another thing ------------------------------------------------------------------------------------------------------------------


def _other(facts: ProgramFacts, file: File, index: int, raised: int) -> ToldValue | None:
    said = _SUBJECT.search(_literal(file, raised))
    test = file.test(index)
    if said is None or test is None:
        return None
    told = said[1].replace("-", "_")
    passed = _passed(file, index, test)
    kind: Said = "zero" if said["zero"] else "None"
    if not isinstance(passed, Atom) or (passed.operator, passed.constant) not in _PASSED[kind]:
        return None
    scope = file.outline.statements[index].scope
    names = {passed.place.rpartition(".")[2], *_behind(facts, file, index, test)}
    if any(_alike(told, name) for name in names) or not any(facts.quantities.is_quantity(one) for one in (told, *names)):
        return None
    if not any(at not in (index, raised) and file.outline.statements[at].kind != "raise" for at in file.mentions_in(scope, told)):
        return None  # nothing of that name is in sight
    before = _asked_before(facts, file, scope, index, passed)
    return ToldValue("other", told, passed.place, Location(file, index, test.span), of_statement(file, raised), before)


def _passed(file: File, index: int, test: Expr) -> Predicate:
    """What holds after a check."""
    asked = from_expression(test)
    return asked if file.outline.statements[index].kind == "assert" else negate(asked)


def _behind(facts: ProgramFacts, file: File, index: int, test: Expr) -> Iterator[str]:
    """The last names of what a test asks about, local definitions put in place."""
    definitions = Definitions(facts.order, facts.occurrences, file, index)
    for root in (test, definitions.expanded(test)):
        yield from (text.rpartition(".")[2] for node in ir.walk(root) if (text := dotted(node)) is not None)
    for node in ir.walk(test):
        if isinstance(node, ir.Name):
            scope = file.outline.statements[index].scope
            for at in facts.order.reaching(file, scope, node.id, index):
                for value in (b.value for b in file.statement(at).bindings) if at >= 0 else ():
                    yield from (text.rpartition(".")[2] for one in ir.walk(value) if (text := dotted(one)) is not None) if value else ()


def _alike(told: str, name: str) -> bool:
    """Whether a message may mean a name: one is part of the other, or they differ in small words only."""
    a, b = ("_".join(part.rstrip("s") for part in one.lower().split("_")) for one in (told, name))
    return a in b or b in a or set(a.split("_")) <= set(b.split("_")) or set(b.split("_")) <= set(a.split("_"))


def _asked_before(facts: ProgramFacts, file: File, scope: int, index: int, passed: Atom) -> Location | None:
    """An earlier check of the same function that has made sure of the same, with nothing in between that sets the place."""
    for test, _ in _checks(file, scope):
        earlier = file.test(test)
        if test >= index or earlier is None or not implies(_passed(file, test, earlier), passed):
            continue
        reaching = facts.order.reaching_assignments if "." in passed.place else facts.order.reaching
        if reaching(file, scope, passed.place, test) == reaching(file, scope, passed.place, index):
            return Location(file, test, earlier.span)
    return None


# -- a part -------------------------------------------------------------------------------------------------------------------------


def _part(facts: ProgramFacts, file: File, index: int, raised: int) -> ToldValue | None:
    """A bound of which the message shows one term and not the other, beside what it is compared with."""
    test = file.test(index)
    if not isinstance(test, ir.Compare) or len(test.operators) != 1 or test.operators[0] not in ("<", "<=", ">", ">="):
        return None
    literal = _literal(file, raised)
    definitions = Definitions(facts.order, facts.occurrences, file, index)
    shown = {text for root in _message(file, raised) for text in _shown(root, definitions)}
    if not shown or _RESERVED.search(literal):
        return None
    for side, other in (test.operands, test.operands[::-1]):
        bound = definitions.expanded(side)
        if not _forms(other, definitions) & shown or _forms(side, definitions) & shown:
            continue
        if not isinstance(bound, ir.Binary) or bound.operator not in ("+", "-"):
            continue
        told = [one for one in (bound.left, bound.right) if _forms(one, definitions) & shown]
        left_out = bound.right if told and told[0] is bound.left else bound.left
        if len(told) == 1 and not _is_small(left_out):
            return ToldValue("part", text_of(told[0]), text_of(side), Location(file, index, test.span), of_statement(file, raised))
    return None


def _shown(root: Expr, definitions: Definitions) -> Iterator[str]:
    for node in ir.walk(root):
        if isinstance(node, ir.Format):
            for part in node.parts:
                if not isinstance(part, ir.Const):
                    yield from _forms(part, definitions)


def _forms(expr: Expr, definitions: Definitions) -> set[str]:
    """How an amount may be spelled, whatever unit it is shown in."""
    return {text_of(_bare(one)) for one in (expr, definitions.expanded(expr))} if not isinstance(expr, ir.Const) else set()


def _bare(expr: Expr) -> Expr:
    """A value without conversions by constants and roundings."""
    while True:
        if isinstance(expr, ir.Binary) and expr.operator in ("/", "//", "*") and _is_number(expr.right):
            expr = expr.left
        elif isinstance(expr, ir.Call) and arithmetic.function_name(expr) in ("int", "float", "round") and expr.args:
            expr = expr.args[0].value
        else:
            return expr


def _is_number(expr: Expr) -> bool:
    """A literal, arithmetic of literals, or a name that is spelled as a constant."""
    return all(
        isinstance(node, ir.Const | ir.Binary) or (isinstance(node, ir.Name | ir.Attribute) and (dotted(node) or "").isupper())
        for node in ir.walk(expr)
    )


def _is_small(expr: Expr) -> bool:
    number = arithmetic.constant(expr) if isinstance(expr, ir.Const) else None
    return number is not None and abs(number) <= MAX_SMALL
