"""Predicates as text, in Python's own notation."""

from __future__ import annotations

from sgmem.control.predicates import And, Atom, False_, Not, Opaque, Or, Predicate, True_
from sgmem.control.text import constant_text


def render(predicate: Predicate) -> str:
    """Spell a predicate: `x is None`, `a == "b" and n > 8192`, `not (a or b)`; constant ones "always" and "never"."""
    match predicate:
        case True_():
            return "always"
        case False_():
            return "never"
        case Atom():
            return _atom(predicate)
        case Opaque():
            return predicate.text
        case Not(Opaque() as leaf) if leaf.negated:
            return leaf.negated
        case Not(operand):
            return f"not {_grouped(operand)}"
        case And(parts):
            return " and ".join(_grouped(part) for part in parts)
        case Or(parts):
            return " or ".join(_grouped(part) for part in parts)


def _grouped(predicate: Predicate) -> str:
    text = render(predicate)
    return f"({text})" if isinstance(predicate, And | Or) else text


def _atom(atom: Atom) -> str:
    if atom.operator == "truthy":
        return atom.place
    if atom.operator == "falsy":
        return f"not {atom.place}"
    return f"{atom.place} {atom.operator} {atom.spelling or constant_text(atom.constant)}"
