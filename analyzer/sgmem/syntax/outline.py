"""The outline of a file: its statements, scopes and imports as flat tables, with spans and no expressions.

Statements stand in source order (preorder), so the statements of a scope, nested ones included, are one contiguous range.
Outlines are cached by content hash; expressions are lowered on demand (`lower`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from sgmem.syntax.ir import Span, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Block = Literal["body", "orelse", "handlers", "finally"]


class StatementOutline(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One statement. `heads` are the spans of a compound statement's header expressions:

    if/while: (test,) · for: (target, iterable) · with: (item, target or item, ...) in pairs, equal spans where there is no target ·
    match: (subject,) · case: (pattern, guard?) · except: (type?,) · try: ().
    `names` are the names that an import, global, nonlocal, except, def or class statement binds or declares.
    """

    kind: StatementKind
    span: Span
    parent: int
    """The index of the enclosing compound statement within the same scope; for a scope's top-level statements, the statement that
    defines the scope (-1 for the module)."""
    block: Block
    """Which block of the parent holds this statement."""
    scope: int
    heads: tuple[Span, ...] = ()
    names: tuple[str, ...] = ()


ParameterKind = Literal["positional", "normal", "star", "keyword", "double-star"]


class ParameterOutline(msgspec.Struct, frozen=True, array_like=True, gc=False):
    name: str
    kind: ParameterKind
    span: Span
    annotation: Span | None = None
    default: Span | None = None


class ScopeOutline(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A module, class or function. `first` and `last` bound its statements (half open), nested definitions included."""

    kind: Literal["module", "class", "function"]
    name: str
    qualname: str
    """Dotted within the module, without `<locals>`: `ModelRunner.__init__`; empty for the module."""
    parent: int
    statement: int
    """The statement that defines it; -1 for the module."""
    span: Span
    first: int
    last: int
    parameters: tuple[ParameterOutline, ...] = ()
    decorators: tuple[Span, ...] = ()
    bases: tuple[Span, ...] = ()
    """A class's positional bases (keywords such as `frozen=True` or `metaclass=` are in `keywords`)."""
    keywords: tuple[tuple[str, Span], ...] = ()
    returns: Span | None = None
    is_async: bool = False


class ImportOutline(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`from MODULE import NAME as BOUND` (level dots before), or `import MODULE as BOUND` (`name` is None).

    `import a.b` without an alias binds `a`: then `module` is "a.b" and `bound` is "a". A star import has name "*".
    """

    statement: int
    scope: int
    module: str
    level: int
    name: str | None
    bound: str
    type_checking: bool = False


class Outline(msgspec.Struct, frozen=True, array_like=True):
    """The whole file. Scope 0 is the module."""

    statements: tuple[StatementOutline, ...]
    scopes: tuple[ScopeOutline, ...]
    imports: tuple[ImportOutline, ...]

    def inside(self, statement: int, block: Block | None = None) -> Iterator[int]:
        """The statements that stand directly in the blocks of another, or in the named one of its blocks, in order."""
        end = self.statements[statement].span.end_line
        for index in range(statement + 1, len(self.statements)):
            row = self.statements[index]
            if row.span.line > end:
                return
            if row.parent == statement and block in (None, row.block):
                yield index

    def last_inside(self, statement: int, block: Block) -> StatementKind | None:
        """How a block of a statement ends; None where it has no such block."""
        inside = list(self.inside(statement, block))
        return self.statements[inside[-1]].kind if inside else None


class Shape(Protocol):
    """What a statement is and where it belongs, apart from its text and its place."""

    @property
    def kind(self) -> StatementKind: ...
    @property
    def scope(self) -> int: ...
    @property
    def parent(self) -> int: ...
    @property
    def block(self) -> Block: ...
    @property
    def names(self) -> tuple[str, ...]: ...


class OutlineView(Protocol):
    """What is asked of an outline by those who only read it."""

    @property
    def statements(self) -> Sequence[StatementOutline]: ...
    @property
    def scopes(self) -> Sequence[ScopeOutline]: ...
    def inside(self, statement: int, block: Block | None = None) -> Iterator[int]: ...
    def last_inside(self, statement: int, block: Block) -> StatementKind | None: ...
