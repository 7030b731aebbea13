"""Fields read by computed names: `getattr(record, name)`, and functions that answer with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sgmem.program.entities import Function, Local
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.flow.named_writes import NamedWrite
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr


class NamedReads:
    """Finds reads by computed names; answers are memoised."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._asked: dict[Function, tuple[str, str] | None] = {}

    def source(self, write: NamedWrite) -> Expr | None:
        """The object whose field of the same name a write stores: of `setattr(a, name, getattr(b, name))` it is `b`."""
        scope = write.file.outline.statements[write.statement].scope
        for value in self._values(write.value, write.file, scope):
            if not isinstance(value, ir.Call) or dotted(write.key) not in [dotted(argument.value) for argument in value.args]:
                continue
            read = self.of_call(value, write.file, scope)
            if read is not None and dotted(read[1]) is not None and dotted(read[1]) == dotted(write.key):
                return read[0]
        return None

    def _values(self, value: Expr, file: File, scope: int) -> Iterator[Expr]:
        """An expression; of a local variable what is assigned to it."""
        yield value
        if isinstance(value, ir.Name) and isinstance(self.program.names.lookup(file, scope, value.id), Local):
            for index in self.program.names.bindings(file, scope, value.id):
                for binding in file.statement(index).bindings:
                    if binding.how == "assign" and binding.value is not None and dotted(binding.target) == value.id:
                        yield binding.value

    def of_call(self, value: ir.Call, file: File, scope: int) -> tuple[Expr, Expr] | None:
        """The object and the name of a read by name: `getattr(record, name)`, or a call of a function that answers with it."""
        if dotted(value.func) == "getattr" and len(value.args) >= 2:
            return value.args[0].value, value.args[1].value
        for target, filled, _ in self.program.calls.targets(value, file, scope):
            asked = self._asks(target) if isinstance(target, Function) else None
            if asked is not None and isinstance(target, Function):
                names = [parameter.name for parameter in target.parameters][filled:]
                given = {names[i]: argument.value for i, argument in enumerate(value.args) if not argument.star and i < len(names)}
                given.update({argument.keyword: argument.value for argument in value.args if argument.keyword is not None})
                if asked[0] in given and asked[1] in given:
                    return given[asked[0]], given[asked[1]]
        return None

    def _asks(self, function: Function) -> tuple[str, str] | None:
        """The parameters (object, name) of a function that returns the field of that name."""
        if function not in self._asked:
            self._asked[function] = self._find_asked(function)
        return self._asked[function]

    def _find_asked(self, function: Function) -> tuple[str, str] | None:
        names = {parameter.name for parameter in function.parameters}
        for index in function.file.mentions_in(function.index, "getattr"):
            if function.file.outline.statements[index].kind != "return":
                continue
            for node in (node for root in function.file.statement(index).values for node in ir.walk(root)):
                if isinstance(node, ir.Call) and dotted(node.func) == "getattr" and len(node.args) >= 2:
                    record, key = dotted(node.args[0].value), dotted(node.args[1].value)
                    if record in names and key in names and record is not None and key is not None:
                        return record, key
        return None
