"""Writes an expression as Python text in one spelling, whatever the quotes, blanks, line breaks and parentheses of its source
were: with as few parentheses as its meaning needs.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec

from sgmem.syntax import ir

Replace = Callable[[ir.Expr], "str | None"]
"""The text to write instead of an expression (an atom: a name, a number, something in brackets), or None."""

MAX_DEPTH = 60
ELISION = "…"
"""Stands for what was too deep or too long; a text that holds it does not identify its expression."""

LOWEST, OR, AND, NOT, COMPARE, UNARY, POWER, AWAIT, ATOM = 0, 2, 3, 4, 5, 12, 13, 14, 15
"""How strongly operators bind, after the table of precedence in Python's reference."""
BINARY = {"|": 6, "^": 7, "&": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "//": 11, "%": 11, "@": 11, "**": POWER}
_PAIRS = {"tuple": ("(", ")"), "list": ("[", "]"), "set": ("{", "}"), "generator": ("(", ")"), "dict": ("{", "}")}

Written = tuple[str, int]
"""A text, and how strongly it binds."""


def text_of(expr: ir.Expr, replace: Replace | None = None, minimum: int = LOWEST) -> str:
    """`expr` as one line of Python, in parentheses where it binds weaker than `minimum`.

    Beyond `MAX_DEPTH` levels stands `ELISION`.
    """
    return _Writer(replace).inside(expr, minimum, 0)


def constant_text(value: object) -> str:
    """Spell a constant. Strings get double quotes; what is not printable is escaped."""
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    if isinstance(value, tuple):
        inner = ", ".join(constant_text(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)


class _Writer(msgspec.Struct, frozen=True):
    replace: Replace | None

    def inside(self, expr: ir.Expr, minimum: int, depth: int) -> str:
        """The text of a part, in parentheses if it binds weaker than its place asks for."""
        if depth > MAX_DEPTH:
            return ELISION
        replaced = self.replace(expr) if self.replace is not None else None
        if replaced is not None:
            return replaced
        text, strength = self.written(expr, depth + 1)
        return f"({text})" if strength < minimum else text

    def written(self, expr: ir.Expr, depth: int) -> Written:
        match expr:
            case ir.Const():
                literal = expr.value is None or isinstance(expr.value, bool | str)
                is_ellipsis = expr.value == expr.text == "..."
                return constant_text(expr.value) if literal and not is_ellipsis else expr.text, ATOM
            case ir.Name():
                return expr.id, ATOM
            case ir.Attribute():
                # `1 .real` needs its blank; parentheses say the same without a rule of their own.
                base = self.inside(expr.base, ATOM, depth)
                return f"({base}).{expr.attr}" if isinstance(expr.base, ir.Const) else f"{base}.{expr.attr}", ATOM
            case ir.Subscript():
                return f"{self.inside(expr.base, ATOM, depth)}[{self.index(expr.index, depth)}]", ATOM
            case ir.Call():
                # What is called is no value: `int` stays `int` whatever the replacement knows of that name.
                called = _Writer(None).inside(expr.func, ATOM, depth)
                return f"{called}({', '.join(self.argument(a, depth) for a in expr.args)})", ATOM
            case ir.Await():
                return f"await {self.inside(expr.value, ATOM, depth)}", AWAIT
            case ir.Unary() | ir.Binary() | ir.Boolean() | ir.Compare() | ir.Conditional():
                return self.operation(expr, depth)
            case ir.Opaque():
                return " ".join(expr.text.split()), LOWEST
            case _:
                return self.structure(expr, depth)

    def operation(self, expr: ir.Expr, depth: int) -> Written:
        match expr:
            case ir.Unary(operator="not"):
                return f"not {self.inside(expr.operand, NOT, depth)}", NOT
            case ir.Unary():
                return f"{expr.operator}{self.inside(expr.operand, UNARY, depth)}", UNARY
            case ir.Binary(operator="**"):
                return f"{self.inside(expr.left, POWER + 1, depth)}**{self.inside(expr.right, UNARY, depth)}", POWER
            case ir.Binary():
                strength = BINARY.get(expr.operator, LOWEST)
                left, right = self.inside(expr.left, strength, depth), self.inside(expr.right, strength + 1, depth)
                return f"{left} {expr.operator} {right}", strength
            case ir.Boolean():
                strength = AND if expr.operator == "and" else OR
                return f" {expr.operator} ".join(self.inside(value, strength + 1, depth) for value in expr.values), strength
            case ir.Compare():
                parts = [self.inside(operand, COMPARE + 1, depth) for operand in expr.operands]
                rest = (f" {operator} {part}" for operator, part in zip(expr.operators, parts[1:], strict=False))
                return parts[0] + "".join(rest), COMPARE
            case ir.Conditional():
                body, test = self.inside(expr.body, OR, depth), self.inside(expr.test, OR, depth)
                return f"{body} if {test} else {self.inside(expr.orelse, LOWEST, depth)}", LOWEST
            case _:
                return ELISION, ATOM

    def structure(self, expr: ir.Expr, depth: int) -> Written:
        match expr:
            case ir.Collection():
                inner = self.listed(expr.items, depth) + ("," if expr.kind == "tuple" and len(expr.items) == 1 else "")
                opening, closing = _PAIRS[expr.kind]
                return opening + inner + closing, ATOM
            case ir.Dict():
                return f"{{{', '.join(self.entry(key, value, depth) for key, value in expr.items)}}}", ATOM
            case ir.Starred():
                return f"*{self.inside(expr.value, COMPARE + 1, depth)}", LOWEST
            case ir.Lambda():
                parameters = f" {', '.join(expr.parameters)}" if expr.parameters else ""
                return f"lambda{parameters}: {self.inside(expr.body, LOWEST, depth)}", LOWEST
            case ir.Comprehension():
                opening, closing = _PAIRS[expr.kind]
                value = "" if expr.value is None else f": {self.inside(expr.value, LOWEST, depth)}"
                clauses = "".join(self.clause(clause, depth) for clause in expr.clauses)
                return f"{opening}{self.inside(expr.element, LOWEST, depth)}{value}{clauses}{closing}", ATOM
            case ir.Format():
                return f'f"{"".join(self.formatted(part, depth) for part in expr.parts)}"', ATOM
            case ir.Walrus():
                return f"({expr.target.id} := {self.inside(expr.value, LOWEST, depth)})", ATOM
            case ir.Yield():
                return "yield" if expr.value is None else f"yield {self.inside(expr.value, LOWEST, depth)}", LOWEST
            case ir.Slice():
                lower, upper = ("" if part is None else self.inside(part, LOWEST, depth) for part in (expr.lower, expr.upper))
                step = "" if expr.step is None else f":{self.inside(expr.step, LOWEST, depth)}"
                return f"{lower}:{upper}{step}", ATOM
            case _:
                return ELISION, ATOM

    def index(self, index: ir.Expr, depth: int) -> str:
        bare = isinstance(index, ir.Collection) and index.kind == "tuple" and index.items
        return self.listed(index.items, depth) if bare and isinstance(index, ir.Collection) else self.inside(index, LOWEST, depth)

    def listed(self, items: tuple[ir.Expr, ...], depth: int) -> str:
        return ", ".join(self.inside(item, LOWEST, depth) for item in items)

    def argument(self, argument: ir.Argument, depth: int) -> str:
        lead = f"{argument.keyword}=" if argument.keyword is not None else argument.star
        return lead + self.inside(argument.value, LOWEST, depth)

    def entry(self, key: ir.Expr | None, value: ir.Expr, depth: int) -> str:
        spelled = self.inside(value, LOWEST, depth)
        return f"**{spelled}" if key is None else f"{self.inside(key, LOWEST, depth)}: {spelled}"

    def clause(self, clause: ir.Clause, depth: int) -> str:
        tests = "".join(f" if {self.inside(test, OR, depth)}" for test in clause.conditions)
        return f" for {self.inside(clause.target, LOWEST, depth)} in {self.inside(clause.iterable, OR, depth)}{tests}"

    def formatted(self, part: ir.Expr, depth: int) -> str:
        if isinstance(part, ir.Const) and isinstance(part.value, str):
            return constant_text(part.value)[1:-1].replace("{", "{{").replace("}", "}}")
        return f"{{{self.inside(part, LOWEST, depth)}}}"
