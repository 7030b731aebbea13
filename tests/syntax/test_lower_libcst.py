"""The lowering by libcst: the same nodes at the same places as by `ast`, which reads most files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from syntax.expressions import expressions
from syntax.samples import library_files
from syntax.test_lower import CASES, is_expression

from sgmem.syntax import ir
from sgmem.syntax.build import build_outline
from sgmem.syntax.ir import Span
from sgmem.syntax.limits import parsable
from sgmem.syntax.lower_ast import expression_by_ast, statement_by_ast
from sgmem.syntax.lower_libcst import expression_by_libcst, statement_by_libcst
from sgmem.syntax.packed import packed
from sgmem.syntax.recursion import DeepRecursion
from sgmem.syntax.text import SourceText, decode

if TYPE_CHECKING:
    from pathlib import Path

_SIMPLE = {"assign", "augment", "annotate", "expression", "return", "raise", "assert", "delete"}


def whole(text: str) -> Span:
    lines = text.split("\n")
    return Span(1, 1, len(lines), len(lines[-1]) + 1)


def check_alike(text: str) -> None:
    by_ast, by_libcst = expression_by_ast(text, whole(text)), expression_by_libcst(text, whole(text))
    assert by_libcst is not None
    assert spelling(by_libcst) == spelling(by_ast)


def spelling(root: ir.Expr | ir.Statement) -> object:
    """All of a tree, for comparison; an imaginary number cannot be packed."""
    return repr(root) if "j" in repr(root).lower() else packed(root)


_SPELLED_OTHERWISE = ("a\x0c+\x0cb", "('a'\n 'b')")
"""libcst does not keep form feeds; parentheses around a concatenation are part of its text."""


@pytest.mark.parametrize("text", [case for case in CASES if case not in _SPELLED_OTHERWISE])
def test_each_kind_is_lowered_alike(text: str) -> None:
    check_alike(text)


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(expressions(is_expression))
def test_any_expression_is_lowered_alike(text: str) -> None:
    check_alike(text)


@pytest.mark.parametrize(
    "text",
    [
        "f((a))", "f( (a) , ((b)) )", "f(a, (b), c=(d), *(e), **(g))", "(f)((a))", "f(# (\n (a) # )\n , b)", "f((a)(b), (c).d)",
        "f( a for a in b )", "f(a for a in (b))", "f(\n a for a in b if (c) # )\n)", "f('(', (a))", "f((a), '#', (b))", "f((a, b))",
        "f((yield))", "f((a := b), (c))", "é.f((ß), 'é', (a))", "f(**{'a': (b)})", "f(*a, *(b), c)", "f(a=b, *c)", "f(a)((b))((c))",
    ],
)  # fmt: skip
def test_arguments_have_their_own_parentheses(text: str) -> None:
    check_alike(text)


@pytest.mark.parametrize(
    "text",
    [
        "f'{a!r:>{w}}'", "f'{a:{{b}}}'", "f'{a:%H:%M}'", "f'{a != b}'", "f'{a == b}'", "f'{a <= b:x}'", "f'{a[1:2]}'", "f'{ {1: 2}[1] }'",
        "f'{(lambda x: x)(1)}'", "f'{(a := 1)}'", "f'{a,}'", "f'{a, b}'", "f'}}{{{a}}}'", "f'\\N{EM DASH}{a}'", "rf'\\N{a}'", "f'\\{a}'",
        "f'{a}' 'b' rf'{c}' \"\"\"d\"\"\"", "f'''{\n  a\n  + b}'''", "f'{\"}\"}'", "f'{f\"{a}\"}'", "f'{a=!r:^{b}}'", "f'{a = }é{ß}'",
        "f'{x.y[\"z\"].w(u=v)}'", "('a' # {\n f'{b}')", "f'{a if b else c}'", "f'{a}'[0]",
    ],
)  # fmt: skip
def test_parts_of_format_strings_are_alike(text: str) -> None:
    check_alike(text)


@pytest.mark.parametrize("path", library_files(12), ids=str)
def test_the_statements_of_the_standard_library_are_lowered_alike(path: Path) -> None:
    source = SourceText(str(path), decode(path.read_bytes()))
    for row in build_outline(source).statements[:400]:
        text = source.slice(row.span)
        if row.kind in _SIMPLE and parsable(text):
            with DeepRecursion():
                one, other = statement_by_ast(text, row.kind, row.span), statement_by_libcst(text, row.kind, row.span)
            assert other is not None
            assert spelling(one) == spelling(other)
