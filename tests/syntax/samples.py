"""Short ways from text to outlines and lowered code."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

from sgmem.syntax import ir
from sgmem.syntax.build import build_outline
from sgmem.syntax.ir import Span
from sgmem.syntax.lower import lower_expression
from sgmem.syntax.statements import lower_statement
from sgmem.syntax.text import SourceText

if TYPE_CHECKING:
    from sgmem.syntax.ir import Expr, Statement
    from sgmem.syntax.outline import Outline


class Sample:
    """A small file with its outline."""

    def __init__(self, text: str) -> None:
        self.source = SourceText("sample.py", dedent(text))
        self.outline: Outline = build_outline(self.source)

    def text(self, index: int) -> str:
        return self.source.slice(self.outline.statements[index].span)

    def at(self, start: str) -> int:
        """The first statement whose text begins with `start`."""
        return next(index for index in range(len(self.outline.statements)) if self.text(index).startswith(start))

    def lowered(self, start: str) -> Statement:
        return lower_statement(self.source, self.outline, self.at(start))

    def show(self, expr: Expr) -> str:
        """The text where an expression claims to stand."""
        return self.source.slice(expr.span)

    def shown(self, start: str) -> list[tuple[str, str, str | None]]:
        """The bindings of a statement as (how, target, value)."""
        return [
            (binding.how, self.show(binding.target), None if binding.value is None else self.show(binding.value))
            for binding in self.lowered(start).bindings
        ]


def expression(text: str) -> Expr:
    """The lowered expression that `text` spells, as if it stood at the beginning of a file."""
    lines = text.split("\n")
    return lower_expression(text, Span(1, 1, len(lines), len(lines[-1]) + 1))


def spelled(text: str, expr: Expr) -> str:
    return SourceText("sample.py", text).slice(expr.span)


def opaque(expr: Expr) -> bool:
    return any(isinstance(node, ir.Opaque) for node in ir.walk(expr))


def library_files(count: int) -> list[Path]:
    """Files of the running Python's standard library, evenly chosen from all its packages, the same in every run."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    found = sorted(
        path
        for path in folder.rglob("*.py")
        if not {"site-packages", "test", "tests", "lib2to3", "idlelib"} & set(path.relative_to(folder).parts)
    )
    return found[:: max(1, len(found) // count)][:count]
