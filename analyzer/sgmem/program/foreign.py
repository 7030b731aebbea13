"""Objects of classes outside the program: their attributes are none of the program's fields, whatever they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.entities import External, Local
from sgmem.program.sources import Source, of_variable
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.files import File
    from sgmem.program.names import Names
    from sgmem.syntax.ir import Expr

BAGS = {"Namespace", "SimpleNamespace", "Mock", "MagicMock", "Munch", "DotDict", "EasyDict", "DotMap", "Box"}
"""Classes whose instances have the attributes that they are given: those may be the program's own."""


def is_foreign(names: Names, expr: Expr, attr: str, file: File, scope: int) -> bool:
    """Whether `expr.attr` is an attribute of an object made on the spot, or bound to a local by nothing else, by calling a class
    outside the program: one that is called as classes are, is no bag of attributes, and was not given one of that name."""
    if isinstance(expr, ir.Name):
        entity = names.lookup(file, scope, expr.id)
        if not isinstance(entity, Local):
            return False
        row = entity.file.scope(entity.index)
        if row.kind == "function" and any(parameter.name == entity.name for parameter in row.parameters):
            return False
        sources = list(of_variable(names, entity.file, entity.index, entity.name, ()))
    else:
        sources = [Source(expr, file, scope, ())]
    return bool(sources) and all(_builds_foreign(names, source, attr) for source in sources)


def _builds_foreign(names: Names, source: Source, attr: str) -> bool:
    call = source.expr
    if source.how != "value" or source.path or not isinstance(call, ir.Call):
        return False
    if any(argument.keyword == attr or argument.star for argument in call.args):
        return False
    entity = names.entity(call.func, source.file, source.scope)
    last = entity.dotted.rpartition(".")[2] if isinstance(entity, External) else ""
    return last[:1].isupper() and not last.isupper() and last not in BAGS
