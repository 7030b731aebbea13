"""The normalised text of an expression: one spelling whatever the quotes, blanks, line breaks and parentheses were."""

from __future__ import annotations

import json

from sgmem.syntax import ir

MAX_DEPTH = 40
MAX_LENGTH = 400
ELISION = "…"
"""Stands for what was too deep or too long; a text that holds it does not identify its expression."""

_LOWEST, _OR, _AND, _NOT, _COMPARE, _UNARY, _POWER, _AWAIT, _PRIMARY = 0, 2, 3, 4, 5, 12, 13, 14, 15
_BINARY = {
    "|": 6,
    "^": 7,
    "&": 8,
    "<<": 9,
    ">>": 9,
    "+": 10,
    "-": 10,
    "*": 11,
    "/": 11,
    "//": 11,
    "%": 11,
    "@": 11,
    "**": _POWER,
}
_PAIRS = {"tuple": ("(", ")"), "list": ("[", "]"), "set": ("{", "}"), "generator": ("(", ")"), "dict": ("{", "}")}


def expression_text(expr: ir.Expr, minimum: int = _NOT) -> str:
    """Spell an expression so that it may stand behind `not` or beside `and`, in parentheses where it needs them."""
    text = _inside(expr, minimum, 0)
    return text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH] + ELISION


def operand_text(expr: ir.Expr) -> str:
    """Spell an expression so that it may be an operand of a comparison."""
    return expression_text(expr, _COMPARE + 1)


def constant_text(value: object) -> str:
    """Spell a constant. Strings get double quotes; what is not printable is escaped."""
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    if isinstance(value, tuple):
        inner = ", ".join(constant_text(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)


def _inside(expr: ir.Expr, minimum: int, depth: int) -> str:
    if depth > MAX_DEPTH:
        return ELISION
    text, strength = _spell(expr, depth + 1)
    return f"({text})" if strength < minimum else text


def _spell(expr: ir.Expr, depth: int) -> tuple[str, int]:
    """The text of an expression and how strongly it binds."""
    match expr:
        case ir.Const():
            literal = expr.value is None or isinstance(expr.value, bool | str)
            is_ellipsis = expr.value == expr.text == "..."
            return constant_text(expr.value) if literal and not is_ellipsis else expr.text, _PRIMARY
        case ir.Name():
            return expr.id, _PRIMARY
        case ir.Attribute():
            return f"{_inside(expr.base, _PRIMARY, depth)}.{expr.attr}", _PRIMARY
        case ir.Subscript():
            index = expr.index
            bare = isinstance(index, ir.Collection) and index.kind == "tuple" and index.items
            inner = _listed(index.items, depth) if bare and isinstance(index, ir.Collection) else _inside(index, _LOWEST, depth)
            return f"{_inside(expr.base, _PRIMARY, depth)}[{inner}]", _PRIMARY
        case ir.Call():
            return (
                f"{_inside(expr.func, _PRIMARY, depth)}({', '.join(_argument(a, depth) for a in expr.args)})",
                _PRIMARY,
            )
        case ir.Await():
            return f"await {_inside(expr.value, _PRIMARY, depth)}", _AWAIT
        case ir.Unary() | ir.Binary() | ir.Boolean() | ir.Compare() | ir.Conditional():
            return _operation(expr, depth)
        case ir.Opaque():
            return " ".join(expr.text.split()), _LOWEST
        case _:
            return _structure(expr, depth)


def _operation(expr: ir.Expr, depth: int) -> tuple[str, int]:
    match expr:
        case ir.Unary(operator="not"):
            return f"not {_inside(expr.operand, _NOT, depth)}", _NOT
        case ir.Unary():
            return f"{expr.operator}{_inside(expr.operand, _UNARY, depth)}", _UNARY
        case ir.Binary():
            strength = _BINARY.get(expr.operator, _LOWEST)
            power = expr.operator == "**"
            left = _inside(expr.left, strength + power, depth)
            right = _inside(expr.right, strength + (not power), depth)
            return f"{left} {expr.operator} {right}", strength
        case ir.Boolean():
            strength = _AND if expr.operator == "and" else _OR
            return f" {expr.operator} ".join(_inside(value, strength + 1, depth) for value in expr.values), strength
        case ir.Compare():
            parts = [_inside(operand, _COMPARE + 1, depth) for operand in expr.operands]
            rest = (f" {operator} {part}" for operator, part in zip(expr.operators, parts[1:], strict=False))
            return parts[0] + "".join(rest), _COMPARE
        case ir.Conditional():
            body, test = _inside(expr.body, _OR, depth), _inside(expr.test, _OR, depth)
            return f"{body} if {test} else {_inside(expr.orelse, _LOWEST, depth)}", _LOWEST
        case _:
            return ELISION, _PRIMARY


def _structure(expr: ir.Expr, depth: int) -> tuple[str, int]:
    match expr:
        case ir.Collection():
            inner = _listed(expr.items, depth) + ("," if expr.kind == "tuple" and len(expr.items) == 1 else "")
            opening, closing = _PAIRS[expr.kind]
            return opening + inner + closing, _PRIMARY
        case ir.Dict():
            return f"{{{', '.join(_entry(key, value, depth) for key, value in expr.items)}}}", _PRIMARY
        case ir.Starred():
            return f"*{_inside(expr.value, _COMPARE + 1, depth)}", _LOWEST
        case ir.Lambda():
            return f"lambda {', '.join(expr.parameters)}: {_inside(expr.body, _LOWEST, depth)}", _LOWEST
        case ir.Comprehension():
            element = _inside(expr.element, _LOWEST, depth)
            value = "" if expr.value is None else f": {_inside(expr.value, _LOWEST, depth)}"
            opening, closing = _PAIRS[expr.kind]
            return f"{opening}{element}{value}{''.join(_clause(c, depth) for c in expr.clauses)}{closing}", _PRIMARY
        case ir.Walrus():
            return f"{expr.target.id} := {_inside(expr.value, _LOWEST, depth)}", _LOWEST
        case ir.Yield():
            return "yield" if expr.value is None else f"yield {_inside(expr.value, _LOWEST, depth)}", _LOWEST
        case ir.Format():
            return f'f"{"".join(_formatted(part, depth) for part in expr.parts)}"', _PRIMARY
        case ir.Slice():
            lower, upper = ("" if part is None else _inside(part, _LOWEST, depth) for part in (expr.lower, expr.upper))
            step = "" if expr.step is None else f":{_inside(expr.step, _LOWEST, depth)}"
            return f"{lower}:{upper}{step}", _PRIMARY
        case _:
            return ELISION, _PRIMARY


def _listed(items: tuple[ir.Expr, ...], depth: int) -> str:
    return ", ".join(_inside(item, _LOWEST, depth) for item in items)


def _argument(argument: ir.Argument, depth: int) -> str:
    lead = f"{argument.keyword}=" if argument.keyword is not None else argument.star
    return lead + _inside(argument.value, _LOWEST, depth)


def _entry(key: ir.Expr | None, value: ir.Expr, depth: int) -> str:
    spelled = _inside(value, _LOWEST, depth)
    return f"**{spelled}" if key is None else f"{_inside(key, _LOWEST, depth)}: {spelled}"


def _clause(clause: ir.Clause, depth: int) -> str:
    tests = "".join(f" if {_inside(test, _OR, depth)}" for test in clause.conditions)
    return f" for {_inside(clause.target, _LOWEST, depth)} in {_inside(clause.iterable, _OR, depth)}{tests}"


def _formatted(part: ir.Expr, depth: int) -> str:
    if isinstance(part, ir.Const) and isinstance(part.value, str):
        return constant_text(part.value)[1:-1].replace("{", "{{").replace("}", "}}")
    return f"{{{_inside(part, _LOWEST, depth)}}}"
