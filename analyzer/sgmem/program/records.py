"""Records: classes whose instances are built from their annotated fields by a generated constructor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.program.classes import Classes
    from sgmem.program.entities import Class
    from sgmem.syntax.ir import Expr, Statement

_BASES = {"Struct", "NamedTuple", "BaseModel", "TypedDict", "BaseSettings"}
_DECORATORS = {"dataclass", "define", "frozen", "attrs", "s"}
_SPECIAL = ("ClassVar", "KW_ONLY", "init", "kw_only", "\\")
_FIELD_CALLS = {"field", "Field", "attrib", "ib"}


def is_record(classes: Classes, owner: Class) -> bool:
    """Whether instances are built from annotated fields: a dataclass, Struct, NamedTuple, pydantic-like model."""
    if any(_decorator(each) is not None for each in classes.mro(owner)) or _has_record_base(classes, owner):
        return True
    return bool(classes.assembled.field_sets(owner))


def record_fields(classes: Classes, owner: Class) -> tuple[str, ...]:
    """The parameters of a record's generated constructor: by position first, inherited ones before; then those by keyword only.

    A class that is no record itself, as the undecorated child of a dataclass, adds none.
    """
    by_keyword: dict[str, bool] = {}
    for each, decorator in _records(classes, owner):
        by_keyword |= dict(_declared_fields(each, each.file.own_statements(each.index, "annotate"), _keyword_only(each, decorator)))
    positional = [name for name, keyword in by_keyword.items() if not keyword]
    return (*positional, *(name for name, keyword in by_keyword.items() if keyword))


def has_record_field(classes: Classes, owner: Class, name: str) -> bool:
    """Whether a record's generated constructor has a parameter; what other fields there are is not looked at."""
    return any(
        field == name
        for each, _ in _records(classes, owner)
        for field, _ in _declared_fields(each, _annotated(each, name), keyword_only=False)
    )


def _records(classes: Classes, owner: Class) -> Iterator[tuple[Class, Expr | None]]:
    """A record and its ancestors that are records, those first, with the decorators that make them so."""
    assembled = {owner, *classes.assembled.field_sets(owner)} if classes.assembled.field_sets(owner) else set()
    for each in reversed(classes.mro(owner)):
        decorator = _decorator(each)
        if decorator is not None or each in assembled or _has_record_base(classes, each):
            yield each, decorator


def last_name(expr: Expr) -> str:
    """The last part of a dotted name, through calls and subscripts: `ClassVar` for `typing.ClassVar[int]`; empty for others."""
    while isinstance(expr, ir.Call | ir.Subscript):
        expr = expr.func if isinstance(expr, ir.Call) else expr.base
    return (dotted(expr) or "").rpartition(".")[2]


def _decorator(owner: Class) -> Expr | None:
    """The decorator that makes a class a record."""
    for span in owner.scope.decorators:
        node = owner.file.expression(span)
        if last_name(node) in _DECORATORS:
            return node
    return None


def _has_record_base(classes: Classes, owner: Class) -> bool:
    return any(base.rpartition(".")[2] in _BASES for base in classes.external_bases(owner))


def _keyword_only(owner: Class, decorator: Expr | None) -> bool:
    """Whether the decorator or the class statement says `kw_only=True`."""
    if isinstance(decorator, ir.Call):
        return _says(decorator, "kw_only", True)
    spans = [span for name, span in owner.scope.keywords if name == "kw_only"]
    return any(_is_literal(owner.file.expression(span), True) for span in spans)


def _annotated(owner: Class, name: str) -> Iterator[int]:
    """The annotated declarations in a class's own body that mention a name."""
    return (index for index in owner.file.mentions_in(owner.index, name) if owner.file.shape(index).kind == "annotate")


def _declared_fields(owner: Class, declarations: Iterable[int], keyword_only: bool) -> Iterator[tuple[str, bool]]:
    """The fields that declarations in a class's own body add to the constructor, each with whether it is given by keyword only."""
    for index in declarations:
        plain = _plainly_declared(owner.file.own_text(index))
        if plain is not None:
            yield plain, keyword_only
            continue
        statement = owner.file.statement(index)
        name = _declared(statement)
        kind = _annotation_name(statement)
        if kind == "KW_ONLY":
            keyword_only = True
        elif name is not None and kind != "ClassVar":
            value = statement.bindings[0].value
            call = value if isinstance(value, ir.Call) and last_name(value) in _FIELD_CALLS else None
            if call is None or not _says(call, "init", False):
                yield name, keyword_only or (call is not None and _says(call, "kw_only", True))


def _plainly_declared(text: str) -> str | None:
    """The name that a declaration without any of the words that make it special declares, so that it need not be lowered."""
    name, _, rest = text.partition(":")
    name = name.strip()
    return name if name.isidentifier() and name.isascii() and not any(word in rest for word in _SPECIAL) else None


def _declared(statement: Statement) -> str | None:
    target = statement.bindings[0].target if statement.bindings else None
    return target.id if isinstance(target, ir.Name) else None


def _annotation_name(statement: Statement) -> str:
    annotation = statement.annotation
    if isinstance(annotation, ir.Const) and isinstance(annotation.value, str):
        from sgmem.syntax.lower import lower_expression  # its parser is slow to import

        annotation = lower_expression(annotation.value, annotation.span)
    return last_name(annotation) if annotation is not None else ""


def _says(call: ir.Call, keyword: str, value: bool) -> bool:
    return any(argument.keyword == keyword and _is_literal(argument.value, value) for argument in call.args)


def _is_literal(expr: Expr, value: bool) -> bool:
    return isinstance(expr, ir.Const) and expr.value is value
