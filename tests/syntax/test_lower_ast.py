"""The front end by `ast`: it lowers like the one by libcst, or leaves a slice to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from syntax.samples import library_files

from sgmem.syntax.build import build_outline
from sgmem.syntax.ir import Span, Statement
from sgmem.syntax.limits import parsable
from sgmem.syntax.lower_ast import Inexact, expression_by_ast, statement_by_ast
from sgmem.syntax.statements_libcst import statement_by_libcst
from sgmem.syntax.text import SourceText, decode

if TYPE_CHECKING:
    from pathlib import Path

    from sgmem.syntax.outline import StatementOutline

SIMPLE = {"assign", "annotate", "augment", "expression", "return", "raise", "assert", "delete"}


def both(source: SourceText, row: StatementOutline) -> tuple[Statement, Statement] | None:
    """A statement by either front end; None where `ast` leaves it to libcst."""
    text = source.slice(row.span)
    try:
        return statement_by_ast(text, row), statement_by_libcst(text, row)
    except Inexact:
        return None


@pytest.mark.parametrize("path", library_files(12), ids=str)
def test_statements_of_the_standard_library_lower_alike(path: Path) -> None:
    source = SourceText(str(path), decode(path.read_bytes()))
    rows = [row for row in build_outline(source).statements if row.kind in SIMPLE and parsable(source.slice(row.span))]
    pairs = [pair for row in rows if (pair := both(source, row)) is not None]
    assert [repr(one) for one, _ in pairs] == [repr(other) for _, other in pairs]
    assert len(pairs) > 0.7 * len(rows)


@pytest.mark.parametrize(
    "text",
    ["f'{a}'", "'a' f'{b}'", "f((a))", "f(a, (b))", "f(a for a in b)", "ä", "'ä'", "a\f+ b", "a b", "a; b", "(a", "*a", "a = 1"],
)
def test_what_is_not_placed_exactly_is_left_to_libcst(text: str) -> None:
    with pytest.raises(Inexact):
        expression_by_ast(text, Span(1, 1, 1, len(text) + 1))


@pytest.mark.parametrize("text", ["pass", "x = 1; y = 2", "if x: y", "x = (", "x = f'{y}'", "import x"])
def test_what_is_no_simple_statement_is_left_to_libcst(text: str) -> None:
    row = build_outline(SourceText("x.py", "x\n")).statements[0]
    with pytest.raises(Inexact):
        statement_by_ast(text, row)
