"""Settings that a negative number switches off, calculated with as if they were a count.

A product with such a number is negative, its rest by another number is not 0, and it is the least of any numbers of things.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.evaluation import expression_conditions
from sgmem.control.implication import implies
from sgmem.control.predicates import Atom, all_of
from sgmem.control.rendering import render
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.domains.defects.guards.bounded_settings import is_off
from sgmem.flow.aside import is_aside
from sgmem.flow.places import Field
from sgmem.program.files import dotted
from sgmem.program.idioms import is_view
from sgmem.program.text_answers import Scan, matches
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.flow.occurrences import Occurrence
    from sgmem.program.entities import Class
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr


How = Literal["product", "rest", "least", "question"]

_OFF = re.compile(r"-1\b")
_NAMED = re.compile(r"\.(\w+) ?[=!]?= ?\Z", re.ASCII)
_LOOK_BACK = 80


class SwitchedOff(msgspec.Struct, frozen=True):
    """The setting `name` may be -1, as `said`, and `use` calculates with it. `how`: a product, a rest that a check asks to be 0, or the
    least of it and constants; or `use` only asks whether it is None."""

    name: str
    how: How
    said: Location
    use: Location


def switched_off(facts: ProgramFacts) -> Iterator[SwitchedOff]:
    """Every calculation with a setting of memory that does not ask for the -1 that the program itself knows it as."""
    saying: dict[str, list[str]] = {}
    for path in facts.program.files.with_text(r"= ?-1\b", begins=("= -1", "=-1")):
        for name in facts.program.files.scanned(path, _off_in):
            saying.setdefault(name, []).append(path)
    for name in sorted(saying.keys() & facts.quantities.paths.keys()):
        uses = rf"\.{name}\s*[*%]|[*%]\s*[\w.()]*\.{name}\b|\bmin\([^()]*\.{name}\b|\.{name} is (?:not )?None\b"
        using = [path for path in facts.quantities.paths[name] if facts.program.files.scanned(path, matches, uses)]
        said = next((place for path in saying[name] if (place := _said(facts, path, name)) is not None), None) if using else None
        for path in using if said is not None else ():
            file = facts.program.files.get(path)
            if file is not None and said is not None:
                yield from _used(facts, file, name, said)


@Scan
def _off_in(text: str) -> list[str]:
    """The names of what is set to -1, or compared with it."""
    before = (_NAMED.search(text, max(0, match.start() - _LOOK_BACK), match.start()) for match in _OFF.finditer(text))
    return sorted({found[1] for found in before if found is not None})


def _said(facts: ProgramFacts, path: str, name: str) -> Location | None:
    """The first place of a file that sets the field of a record to -1 or compares it with that."""
    file = facts.program.files.get(path)
    for index in file.mentions(name) if file is not None else ():
        if file is None or "-1" not in file.own_text(index).replace(" ", ""):
            continue
        statement = file.statement(index)
        written = any(_names(b.target, name) and is_off(b.value) for b in statement.bindings)
        compared = any(
            isinstance(node, ir.Compare)
            and any(is_off(one) for one in node.operands)
            and any(_names(one, name) for one in node.operands)
            for root in statement.expressions()
            for node in ir.walk(root)
        )
        if (written and _is_record(facts.occurrences.writes_in_statement(file, index, name), facts)) or (
            compared and _is_record(facts.occurrences.reads_in_statement(file, index, name), facts)
        ):
            return of_statement(file, index)
    return None


def _is_record(found: Iterator[Occurrence] | tuple[Occurrence, ...], facts: ProgramFacts) -> bool:
    places = (seen.place for seen in found if seen.grade != "name")
    return any(isinstance(place, Field) and _holds_settings(facts, place.owner) for place in places)


def _holds_settings(facts: ProgramFacts, owner: Class) -> bool:
    """Whether a class is a configuration record, or what gives the values of one."""
    return facts.program.classes.is_record(owner) or is_view(owner)


def _names(expr: Expr, name: str) -> bool:
    return isinstance(expr, ir.Attribute) and expr.attr == name


def _used(facts: ProgramFacts, file: File, name: str, said: Location) -> Iterator[SwitchedOff]:
    asks = re.compile(rf"\b{name}\s*(?:[<>]=?\s*0|[!=]=\s*-1)\b")
    asked = asks.search(file.source.text) is not None
    for index in file.mentions(name):
        if is_aside(file, index) or not re.search(r"[*%]|\bmin\(|\bis (?:not )?None\b", file.own_text(index)):
            continue
        for seen in facts.occurrences.reads_in_statement(file, index, name):
            above = seen.ancestors
            parent = above[-1] if above else None
            if parent is None or not _is_record((seen,), facts):
                continue
            how = _how(file, index, parent, seen.node, above)
            # What asks elsewhere in the file may decide whether the product is reached.
            if how is None or (how == "product" and asked) or _is_checked(facts, seen):
                continue
            if how == "question":
                around = file.source.slice(file.scope(file.outline.statements[index].scope).span)
                if asks.search(around) or _is_decided(facts, name, file):
                    continue  # where the setting is still being decided, None says that nothing was given
            yield SwitchedOff(name, how, said, Location(file, index, parent.span))


def _is_decided(facts: ProgramFacts, name: str, file: File) -> bool:
    """Whether a file decides the setting, and does not only keep a copy of it."""
    return any(_holds_settings(facts, place.owner) for one in facts.decisions(name, file.path) for place in one.places)


def _how(file: File, index: int, parent: Expr, node: Expr, above: tuple[Expr, ...]) -> How | None:
    """A rest of the setting that a check asks to be 0, or a product or a least that nothing around keeps from being negative."""
    if isinstance(parent, ir.Compare) and parent.operators in (("is",), ("is not",)):
        return "question" if any(isinstance(one, ir.Const) and one.value is None for one in parent.operands) else None
    if isinstance(parent, ir.Binary) and parent.operator == "%":
        kind = file.outline.statements[index].kind
        check = kind == "assert" or (kind == "if" and file.outline.last_inside(index, "body") == "raise")
        return "rest" if parent.left is node and check else None
    kept = any(isinstance(one, ir.Call) and arithmetic.function_name(one) in ("max", "abs") for one in above)
    if kept or any(isinstance(one, ir.Compare) for one in above):
        return None
    if isinstance(parent, ir.Binary):
        return "product" if parent.operator == "*" else None
    return "least" if _is_least(parent, node) else None


def _is_least(call: Expr, node: Expr) -> bool:
    """`min(8192, setting)`: among numbers of things that are written there."""
    if not isinstance(call, ir.Call) or arithmetic.function_name(call) != "min":
        return False
    others = [argument.value for argument in call.args if argument.value is not node]
    return bool(others) and all(isinstance(one, ir.Const) and isinstance(one.value, int) and one.value > 0 for one in others)


def _is_checked(facts: ProgramFacts, seen: Occurrence) -> bool:
    """Whether something on the way asks about the setting's sign, or whether it is switched off."""
    spelled = dotted(seen.node)
    known = [*facts.conditions.of(seen.file, seen.statement), *expression_conditions(seen.node, seen.ancestors, seen.statement)]
    known = [one for one in known if getattr(one, "how", "") != "check" or one.statement != seen.statement]
    if spelled is None:
        name = seen.place.name if isinstance(seen.place, Field) else ""
        return any(name in render(one.predicate) for one in known)
    everything = all_of(one.predicate for one in known)
    asked = (Atom(spelled, ">", 0), Atom(spelled, ">=", 0), Atom(spelled, "!=", -1), Atom(spelled, ">", -1))
    return any(implies(everything, one) for one in asked)
