"""Classes that variable names spell: `server_args` for ServerArgs. Used only where nothing tells the type of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.entities import Class
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.files import Files
    from sgmem.syntax.ir import Expr


class Spelling:
    """Finds the module-level classes whose names variable names spell."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def classes(self, expr: Expr) -> tuple[Class, ...]:
        """The classes that the last name of an expression spells."""
        return tuple(found for name in self.files.spelled(spelled_name(expr)) for found in self.named(name))

    def named(self, name: str) -> tuple[Class, ...]:
        """The module-level classes of a name."""
        found = []
        for path in self.files.defining(name):
            file = self.files.get(path)
            index = file.child(0, name) if file is not None else None
            if file is not None and index is not None and file.scope(index).kind == "class":
                found.append(Class(file, index))
        return tuple(found)


def spelled_name(expr: Expr) -> str:
    """The last name of an expression, outer underscores aside: of `self._record`, of `object.__getattribute__(self, "_record")`."""
    if isinstance(expr, ir.Call) and expr.args and (dotted(expr.func) or "").rpartition(".")[2] in ("getattr", "__getattribute__"):
        last = expr.args[min(1, len(expr.args) - 1)].value
        return last.value.strip("_") if isinstance(last, ir.Const) and isinstance(last.value, str) else ""
    return (dotted(expr) or "").rpartition(".")[2].strip("_")
