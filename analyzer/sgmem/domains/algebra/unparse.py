"""Writes an expression back as Python text, with as few parentheses as its meaning needs.

Used for expressions that stand in no file (an alternative of a conditional, a formula with numbers for names); an
expression as the user wrote it is better shown by slicing the source.
"""

from __future__ import annotations

from collections.abc import Callable

from sgmem.syntax import ir

Replace = Callable[[ir.Expr], "str | None"]
"""The text to write instead of an expression (an atom: a name, a number, something in brackets), or None."""

MAX_DEPTH = 100
_TEST, _OR, _AND, _NOT, _COMPARE, _ATOM = 0, 2, 3, 4, 5, 20
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
    "**": 14,
}
_UNARY = 12


def text_of(expr: ir.Expr, replace: Replace | None = None) -> str:
    """`expr` as one line of Python. Beyond `MAX_DEPTH` levels the text ends in `...`."""
    return _write(expr, replace, 0)[0]


def _write(expr: ir.Expr, replace: Replace | None, depth: int) -> tuple[str, int]:
    """The text and its binding strength."""
    if depth > MAX_DEPTH:
        return "...", _ATOM
    if replace is not None:
        replaced = replace(expr)
        if replaced is not None:
            return replaced, _ATOM

    def inner(node: ir.Expr, strength: int = _TEST) -> str:
        text, own = _write(node, replace, depth + 1)
        return text if own >= strength else f"({text})"

    match expr:
        case ir.Name(id=name):
            return name, _ATOM
        case ir.Const(text=text):
            return text, _ATOM
        case ir.Attribute(base=base, attr=attr):
            # `1 .real` needs its space; brackets say the same without a rule of their own.
            return f"({inner(base)}).{attr}" if isinstance(base, ir.Const) else f"{inner(base, _ATOM)}.{attr}", _ATOM
        case ir.Binary(operator=operator, left=left, right=right):
            strength = _BINARY[operator]
            if operator == "**":
                return f"{inner(left, strength + 1)}**{inner(right, _UNARY)}", strength
            return f"{inner(left, strength)} {operator} {inner(right, strength + 1)}", strength
        case ir.Unary(operator="not", operand=operand):
            return f"not {inner(operand, _NOT)}", _NOT
        case ir.Unary(operator=operator, operand=operand):
            return f"{operator}{inner(operand, _UNARY)}", _UNARY
        case ir.Boolean(operator=operator, values=values):
            strength = _OR if operator == "or" else _AND
            return f" {operator} ".join(inner(value, strength + 1) for value in values), strength
        case ir.Compare(operators=operators, operands=operands):
            rest = "".join(
                f" {operator} {inner(value, _COMPARE + 1)}" for operator, value in zip(operators, operands[1:], strict=False)
            )
            return inner(operands[0], _COMPARE + 1) + rest, _COMPARE
        case ir.Conditional(test=test, body=body, orelse=orelse):
            return f"{inner(body, _TEST + 1)} if {inner(test, _TEST + 1)} else {inner(orelse)}", _TEST
        case ir.Call(func=func, args=args):
            written = [(f"{argument.keyword}=" if argument.keyword else argument.star) + inner(argument.value) for argument in args]
            # What is called is no value: `int` stays `int` whatever the replacement knows of that name.
            called, strength = _write(func, None, depth + 1)
            return f"{called if strength == _ATOM else f'({called})'}({', '.join(written)})", _ATOM
        case ir.Subscript(base=base, index=index):
            return f"{inner(base, _ATOM)}[{inner(index)}]", _ATOM
        case ir.Walrus(target=target, value=value):
            return f"({target.id} := {inner(value)})", _ATOM
        case ir.Starred(value=value):
            return f"*{inner(value, _ATOM)}", _TEST
        case ir.Await(value=value):
            return f"await {inner(value, _ATOM)}", _UNARY
    return _display(expr, inner), _ATOM


def _display(expr: ir.Expr, inner: Callable[[ir.Expr], str]) -> str:
    """Displays and the rest, which stand in brackets of their own or are only hinted at."""
    match expr:
        case ir.Collection(kind=kind, items=items):
            body = ", ".join(inner(item) for item in items)
            if kind == "tuple":
                return f"({body},)" if len(items) == 1 else f"({body})"
            return f"[{body}]" if kind == "list" else f"{{{body}}}"
        case ir.Dict(items=items):
            return f"{{{', '.join(f'{inner(k)}: {inner(v)}' if k is not None else f'**{inner(v)}' for k, v in items)}}}"
        case ir.Slice(lower=lower, upper=upper, step=step):
            ends = [inner(end) if end is not None else "" for end in (lower, upper)]
            return ":".join(ends) + (f":{inner(step)}" if step is not None else "")
        case ir.Lambda(parameters=parameters, body=body):
            return f"(lambda {', '.join(parameters)}: {inner(body)})"
        case ir.Format():
            return 'f"..."'
        case ir.Comprehension(kind=kind, element=element):
            brackets = {"list": "[]", "generator": "()"}.get(kind, "{}")
            return f"{brackets[0]}{inner(element)} for ...{brackets[1]}"
        case ir.Opaque(text=text):
            return text
    return "..."
