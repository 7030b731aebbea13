"""The intermediate representation: expressions and statements, lowered once from libcst.

Every node carries its exact span. Nodes compare by identity, so they can key dictionaries; two equal-looking expressions at two
places are two nodes. None is part of itself, so the collector of cycles need not know of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator


class Span(msgspec.Struct, frozen=True, array_like=True, order=True, gc=False):
    """A stretch of one file. Lines and columns are 1-based, columns count characters, `end_column` is one past the last."""

    line: int
    column: int
    end_line: int
    end_column: int

    def contains(self, other: Span) -> bool:
        return (self.line, self.column) <= (other.line, other.column) and (other.end_line, other.end_column) <= (
            self.end_line,
            self.end_column,
        )


class Expr(msgspec.Struct, frozen=True, eq=False, gc=False):
    """Any expression."""

    span: Span

    def children(self) -> tuple[Expr, ...]:
        """The direct sub-expressions, in source order."""
        return ()


class Const(Expr, frozen=True, eq=False):
    """A literal number, string, bytes, True, False, None or Ellipsis."""

    value: int | float | complex | str | bytes | bool | None
    text: str


class Name(Expr, frozen=True, eq=False):
    id: str


class Attribute(Expr, frozen=True, eq=False):
    """`base.attr`; `attr_span` covers the attribute's own name."""

    base: Expr
    attr: str
    attr_span: Span

    def children(self) -> tuple[Expr, ...]:
        return (self.base,)


class Subscript(Expr, frozen=True, eq=False):
    base: Expr
    index: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.base, self.index)


class Argument(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One argument of a call. `keyword` is its name or None; `star` is "", "*" or "**"."""

    span: Span
    value: Expr
    keyword: str | None = None
    star: Literal["", "*", "**"] = ""


class Call(Expr, frozen=True, eq=False):
    func: Expr
    args: tuple[Argument, ...]

    def children(self) -> tuple[Expr, ...]:
        return (self.func, *(argument.value for argument in self.args))


class Binary(Expr, frozen=True, eq=False):
    """`left operator right`; operator is its source spelling: + - * / // % ** << >> & | ^ @."""

    operator: str
    left: Expr
    right: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.left, self.right)


class Unary(Expr, frozen=True, eq=False):
    """operator is one of: - + ~ not."""

    operator: str
    operand: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.operand,)


class Boolean(Expr, frozen=True, eq=False):
    """`a and b and c` (operator "and") or `a or b` (operator "or"), flattened."""

    operator: Literal["and", "or"]
    values: tuple[Expr, ...]

    def children(self) -> tuple[Expr, ...]:
        return self.values


class Compare(Expr, frozen=True, eq=False):
    """`operands[0] operators[0] operands[1] operators[1] ...`; operators in source spelling, `not in` and `is not` included."""

    operators: tuple[str, ...]
    operands: tuple[Expr, ...]

    def children(self) -> tuple[Expr, ...]:
        return self.operands


class Conditional(Expr, frozen=True, eq=False):
    """`body if test else orelse`."""

    test: Expr
    body: Expr
    orelse: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.body, self.test, self.orelse)


class Collection(Expr, frozen=True, eq=False):
    """A tuple, list or set display."""

    kind: Literal["tuple", "list", "set"]
    items: tuple[Expr, ...]

    def children(self) -> tuple[Expr, ...]:
        return self.items


class Dict(Expr, frozen=True, eq=False):
    """A dict display; a key of None is a `**value` entry."""

    items: tuple[tuple[Expr | None, Expr], ...]

    def children(self) -> tuple[Expr, ...]:
        return tuple(node for pair in self.items for node in pair if node is not None)


class Starred(Expr, frozen=True, eq=False):
    value: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.value,)


class Lambda(Expr, frozen=True, eq=False):
    parameters: tuple[str, ...]
    body: Expr
    defaults: tuple[Expr, ...] = ()
    """The parameters' default values, evaluated where the lambda stands."""

    def children(self) -> tuple[Expr, ...]:
        return (*self.defaults, self.body)


class Clause(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One `for target in iterable if ...` of a comprehension."""

    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]


class Comprehension(Expr, frozen=True, eq=False):
    """`element` is the key for a dict comprehension, whose `value` is then set."""

    kind: Literal["list", "set", "dict", "generator"]
    element: Expr
    value: Expr | None
    clauses: tuple[Clause, ...]

    def children(self) -> tuple[Expr, ...]:
        inner: list[Expr] = [self.element]
        if self.value is not None:
            inner.append(self.value)
        for clause in self.clauses:
            inner += [clause.target, clause.iterable, *clause.conditions]
        return tuple(inner)


class Walrus(Expr, frozen=True, eq=False):
    target: Name
    value: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.target, self.value)


class Await(Expr, frozen=True, eq=False):
    value: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.value,)


class Yield(Expr, frozen=True, eq=False):
    value: Expr | None

    def children(self) -> tuple[Expr, ...]:
        return () if self.value is None else (self.value,)


class Format(Expr, frozen=True, eq=False):
    """An f-string or a concatenation of strings with one: literal pieces (`Const`) and formatted expressions, in order."""

    parts: tuple[Expr, ...]

    def children(self) -> tuple[Expr, ...]:
        return self.parts


class Slice(Expr, frozen=True, eq=False):
    lower: Expr | None
    upper: Expr | None
    step: Expr | None

    def children(self) -> tuple[Expr, ...]:
        return tuple(node for node in (self.lower, self.upper, self.step) if node is not None)


class Opaque(Expr, frozen=True, eq=False):
    """Source that was not lowered (too deep, too long, unknown); flows stop here and are reported."""

    text: str


BindingKind = Literal["assign", "augment", "annotate", "iterate", "enter", "catch", "match", "delete"]


class Binding(msgspec.Struct, frozen=True, eq=False, gc=False):
    """`target` receives `value`: by assignment, augmented assignment (`operator` set), a loop, a with item, an except clause or a
    match pattern. `value` is None where nothing flows (a bare annotation, a delete)."""

    target: Expr
    value: Expr | None
    how: BindingKind = "assign"
    operator: str | None = None


StatementKind = Literal[
    "assign", "augment", "annotate", "expression", "return", "raise", "assert", "delete", "global", "nonlocal", "import", "pass",
    "break", "continue", "if", "while", "for", "with", "try", "except", "match", "case", "function", "class", "type",
]  # fmt: skip


class Statement(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A simple statement, or the header of a compound one.

    `values` holds what is evaluated besides the bindings: the returned value, the test of if/while/assert (an assert's message
    second), the raised exception and its cause, a match's subject, a case's guard, the decorators and defaults of a definition.
    """

    kind: StatementKind
    span: Span
    bindings: tuple[Binding, ...] = ()
    values: tuple[Expr, ...] = ()
    annotation: Expr | None = None

    def expressions(self) -> Iterator[Expr]:
        """Every top-level expression of the statement: binding values and targets, then the other values."""
        for binding in self.bindings:
            if binding.value is not None:
                yield binding.value
            yield binding.target
        yield from self.values


def walk(root: Expr) -> Iterator[Expr]:
    """Yield `root` and every expression below it, outermost first, without recursion."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children()))


def paths(root: Expr) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """Yield every expression below `root` with its ancestors, outermost first."""
    pending: list[tuple[Expr, tuple[Expr, ...]]] = [(root, ())]
    while pending:
        node, above = pending.pop()
        yield node, above
        below = (*above, node)
        pending.extend((child, below) for child in reversed(node.children()))
