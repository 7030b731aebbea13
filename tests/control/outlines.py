"""Builds the inputs of `control` from Python text, with the real outline and lowering."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

from sgmem.control.cfg import Cfg, build_cfg
from sgmem.control.conditions import ScopeConditions
from sgmem.control.rendering import render
from sgmem.syntax.build import build_outline
from sgmem.syntax.lower import lower_expression
from sgmem.syntax.statements import lower_statement
from sgmem.syntax.text import SourceText

if TYPE_CHECKING:
    from sgmem.syntax.ir import Expr


class Program:
    """One scope of a small file, addressed by what its lines say."""

    def __init__(self, text: str, scope: str = "") -> None:
        self.source = SourceText("example.py", dedent(text))
        self.outline = build_outline(self.source)
        self.scope = next(i for i, each in enumerate(self.outline.scopes) if each.qualname == scope)
        self.cfg: Cfg = build_cfg(self.outline, self.scope)
        self.lowered: list[int] = []

    def at(self, start: str) -> int:
        """The one statement of the scope whose text begins with `start`."""
        found = [
            index
            for index, row in enumerate(self.outline.statements)
            if row.scope == self.scope and self._text(index).startswith(start)
        ]
        assert len(found) == 1, (start, found)
        return found[0]

    def name(self, node: int) -> str:
        """A node as a short text: its first line, or ENTRY, EXIT, RAISED."""
        return {-1: "ENTRY", -2: "EXIT", -3: "RAISED"}.get(node) or self._text(node).splitlines()[0].rstrip(":")

    def edges(self, start: str | int) -> set[tuple[str, str]]:
        """Where control goes from a statement: (text of the target, label)."""
        node = start if isinstance(start, int) else self.at(start)
        return {(self.name(target), label) for target, label in self.cfg.out(node)}

    def lower_test(self, statement: int) -> Expr | None:
        self.lowered.append(statement)
        lowered = lower_statement(self.source, self.outline, statement)
        return lowered.values[0] if lowered.values else None

    def lower_head(self, statement: int, position: int) -> Expr | None:
        span = self.outline.statements[statement].heads[position]
        return lower_expression(self.source.slice(span), span)

    def conditions(self, start: str, heads: bool = True) -> list[str]:
        """The rendered conditions of a statement, outermost first."""
        scope = ScopeConditions(self.cfg, self.lower_test, self.lower_head if heads else None)
        return [render(condition.predicate) for condition in scope.of(self.at(start))]

    def _text(self, statement: int) -> str:
        return self.source.slice(self.outline.statements[statement].span)


def expression(text: str) -> Expr:
    """Lower a lone expression."""
    source = SourceText("example.py", f"({text})\n")
    lowered = lower_statement(source, build_outline(source), 0)
    return lowered.values[0]
