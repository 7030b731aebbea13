"""Small programs, and what the program layer says about expressions in them, as text."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

from sgmem.program.calls import bind
from sgmem.program.entities import Class, External, Function, Global, Local, Module
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.calls import CallSite
    from sgmem.program.entities import Entity
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr


class Lab:
    """A program of a few files, asked about the expressions in them by their text.

    Paths are given without the package folder: `a.py` is the module `pkg.a`. One text alone is `main.py`.
    """

    def __init__(self, texts: dict[str, str] | str) -> None:
        given = {"main.py": texts} if isinstance(texts, str) else texts
        files = {"pkg/__init__.py": "", **{f"pkg/{path}": dedent(text) for path, text in given.items()}}
        self.program = Program(SourceTree.from_texts(files, package="pkg"), tuple(sorted(files)))

    def file(self, path: str = "main.py") -> File:
        file = self.program.files.get(f"pkg/{path}")
        assert file is not None, self.program.files.unreadable
        return file

    def place(self, text: str, path: str = "main.py", nth: int = 1) -> tuple[Expr, File, int]:
        """The `nth` expression that is spelled `text`, with its file and scope; in the order of the source."""
        file = self.file(path)
        found: dict[Expr, int] = {}
        for index, row in enumerate(file.outline.statements):
            statement = file.statement(index)
            roots = [*statement.expressions(), *((statement.annotation,) if statement.annotation is not None else ())]
            for root in roots:
                for node in ir.walk(root):
                    if file.source.slice(node.span) == text:
                        found.setdefault(node, row.scope)
        ordered = sorted(found, key=lambda node: node.span)
        assert len(ordered) >= nth, f"{path} has no expression {text!r}"
        return ordered[nth - 1], file, found[ordered[nth - 1]]

    def entity(self, text: str, path: str = "main.py", nth: int = 1) -> str:
        return described(self.program.names.entity(*self.place(text, path, nth)))

    def name(self, name: str, scope: str, path: str = "main.py") -> str:
        """What a bare name means inside the scope of that qualified name."""
        file = self.file(path)
        index = next(i for i, row in enumerate(file.outline.scopes) if row.qualname == scope)
        return described(self.program.names.lookup(file, index, name))

    def types(self, text: str, path: str = "main.py", nth: int = 1) -> set[str]:
        return {short(each) for each in self.program.values.types(*self.place(text, path, nth))}

    def callables(self, text: str, path: str = "main.py", nth: int = 1) -> set[tuple[str, int]]:
        """What a called expression may stand for, each with the number of parameters filled already."""
        found = self.program.values.callables(*self.place(text, path, nth))
        return {(short(one.target), one.filled) for one in found}

    def targets(self, text: str, path: str = "main.py", nth: int = 1) -> set[tuple[str, int]]:
        call, file, scope = self.place(text, path, nth)
        assert isinstance(call, ir.Call)
        return {(short(target), filled) for target, filled, _ in self.program.calls.targets(call, file, scope)}

    def cls(self, qualname: str, path: str = "main.py") -> Class:
        return Class(*self._scope(qualname, path))

    def function(self, qualname: str, path: str = "main.py") -> Function:
        return Function(*self._scope(qualname, path))

    def _scope(self, qualname: str, path: str) -> tuple[File, int]:
        file = self.file(path)
        return file, next(i for i, row in enumerate(file.outline.scopes) if row.qualname == qualname)

    def callers(self, target: Function | Class) -> set[str]:
        """The calls that may enter a target, as text."""
        return {site.file.source.slice(site.call.span) for site in self.program.calls.callers(target)}

    def bound(self, target: Function | Class) -> set[tuple[str, str | None, str | int | None]]:
        """What every call of a function hands to it: (argument, parameter, key)."""
        parameters = target.parameters if isinstance(target, Function) else ()
        return {
            (site.file.source.slice(filled.argument.value.span), filled.parameter, filled.key)
            for site in self.program.calls.callers(target)
            for filled in bind(site, parameters)
        }


def short(entity: Class | Function) -> str:
    """The qualified name without the package."""
    return entity.qualified.removeprefix("pkg.").removeprefix("main:")


def described(entity: Entity | None) -> str:
    match entity:
        case Module():
            return f"module {entity.file.module}"
        case Class():
            return f"class {short(entity)}"
        case Function():
            return f"function {short(entity)}"
        case Global():
            return f"global {entity.file.module.removeprefix('pkg.')}.{entity.name}"
        case Local():
            return f"local {entity.file.scope(entity.index).qualname}.{entity.name}"
        case External():
            return f"external {entity.dotted}"
    return "nothing"


def sites(found: tuple[CallSite, ...]) -> set[str]:
    return {site.file.source.slice(site.call.span) for site in found}
