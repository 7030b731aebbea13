"""The outline of a file: every kind of statement, its place, its header, its scope, its imports."""

from __future__ import annotations

import ast
import sys
import warnings
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from syntax.samples import Sample, library_files

from sgmem.syntax.build import build_outline
from sgmem.syntax.text import SourceText, decode

if TYPE_CHECKING:
    from pathlib import Path

    from sgmem.syntax.outline import Outline

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

EVERY_KIND = """
import os
from a import b as c
x = 1
x += 1
y: int = 2
f(x)
def function(a):
    global g
    def inner():
        nonlocal a
    return a
class Class: pass
raise E from e
assert x, "message"
del x
if a: pass
while a:
    break
for i in a:
    continue
with a as b: pass
try: pass
except E as e: pass
match a:
    case 1: pass
"""


def rows(sample: Sample) -> list[tuple[str, str]]:
    return [(row.kind, sample.text(index).split("\n")[0]) for index, row in enumerate(sample.outline.statements)]


def heads(text: str, start: str) -> list[str]:
    sample = Sample(text)
    return [sample.source.slice(span) for span in sample.outline.statements[sample.at(start)].heads]


def test_every_kind_of_statement_in_source_order() -> None:
    assert rows(Sample(EVERY_KIND)) == [
        ("import", "import os"),
        ("import", "from a import b as c"),
        ("assign", "x = 1"),
        ("augment", "x += 1"),
        ("annotate", "y: int = 2"),
        ("expression", "f(x)"),
        ("function", "def function(a):"),
        ("global", "global g"),
        ("function", "def inner():"),
        ("nonlocal", "nonlocal a"),
        ("return", "return a"),
        ("class", "class Class: pass"),
        ("pass", "pass"),
        ("raise", "raise E from e"),
        ("assert", 'assert x, "message"'),
        ("delete", "del x"),
        ("if", "if a: pass"),
        ("pass", "pass"),
        ("while", "while a:"),
        ("break", "break"),
        ("for", "for i in a:"),
        ("continue", "continue"),
        ("with", "with a as b: pass"),
        ("pass", "pass"),
        ("try", "try: pass"),
        ("pass", "pass"),
        ("except", "except E as e: pass"),
        ("pass", "pass"),
        ("match", "match a:"),
        ("case", "case 1: pass"),
        ("pass", "pass"),
    ]


def test_statements_that_share_a_line_are_apart() -> None:
    assert rows(Sample("a = 1; b = 2;\nif x: c = 3; d = 4\n")) == [
        ("assign", "a = 1"),
        ("assign", "b = 2"),
        ("if", "if x: c = 3; d = 4"),
        ("assign", "c = 3"),
        ("assign", "d = 4"),
    ]


def test_the_asynchronous_forms_are_of_the_same_kinds() -> None:
    sample = Sample("async def f():\n    async for i in a:\n        async with b as c:\n            await d\n")
    assert [kind for kind, _ in rows(sample)] == ["function", "for", "with", "expression"]
    assert sample.outline.scopes[1].is_async
    assert not Sample("def f(): pass\n").outline.scopes[1].is_async


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("if (a and\n    b): pass\n", "if", ["a and\n    b"]),
        ("if x: pass\nelif y + 1: pass\n", "elif", ["y + 1"]),
        ("while (n := f()): pass\n", "while", ["n := f()"]),
        ("for a, b in zip(c, d): pass\n", "for", ["a, b", "zip(c, d)"]),
        ("for a, in b, c,: pass\n", "for", ["a,", "b, c,"]),
        ("for (a, b) in c: pass\n", "for", ["(a, b)", "c"]),
        ("with a: pass\n", "with", ["a", "a"]),
        ("with a as b, c(), d as (e, f): pass\n", "with", ["a", "b", "c()", "c()", "d", "(e, f)"]),
        ("with (a as b,\n      c): pass\n", "with", ["a", "b", "c", "c"]),
        ("match a, b:\n    case _: pass\n", "match", ["a, b"]),
        ("match a:\n    case [x, *_] if x > 1: pass\n", "case", ["[x, *_]", "x > 1"]),
        ("match a:\n    case (A(b=1) as c): pass\n", "case", ["A(b=1) as c"]),
        ("try: pass\nexcept (A, B) as e: pass\n", "except", ["(A, B)"]),
        ("try: pass\nexcept: pass\n", "except", []),
        ("try: pass\nexcept* A: pass\n", "except", ["A"]),
        ("try: pass\nfinally: pass\n", "try", []),
        ("x = (1)\n", "x", []),
    ],
)
def test_the_expressions_of_a_header(text: str, start: str, expected: list[str]) -> None:
    assert heads(text, start) == expected


BLOCKS = """
try:
    a
except A:
    b
except B:
    c
else:
    d
finally:
    e
for i in x:
    f
else:
    g
while x:
    h
else:
    i
if x:
    j
elif y:
    k
else:
    l
match x:
    case 1:
        m
"""


def test_each_statement_knows_its_block() -> None:
    sample = Sample(BLOCKS)

    def place(index: int) -> str:
        row = sample.outline.statements[index]
        above = sample.outline.statements[row.parent].kind if row.parent >= 0 else "module"
        return f"{above} {row.block}"

    found = {text: place(index) for index, (_, text) in enumerate(rows(sample)) if len(text) == 1}
    assert found == {
        "a": "try body",
        "b": "except body",
        "c": "except body",
        "d": "try orelse",
        "e": "try finally",
        "f": "for body",
        "g": "for orelse",
        "h": "while body",
        "i": "while orelse",
        "j": "if body",
        "k": "if body",
        "l": "if orelse",
        "m": "case body",
    }
    assert place(sample.at("elif")) == "if orelse"
    assert place(sample.at("except A")) == "try handlers"
    assert place(sample.at("case")) == "match body"


SCOPES = """
@decorator
@other(1)
class Outer(Base, metaclass=Meta, *mixins, frozen=True, **rest):
    x = 1
    def method(self, a, /, b: int = 2, *args: str, key, word=3, **kwargs) -> int:
        def inner():
            pass
        return inner
    y = 2
def last(): pass
z = 3
"""


def test_scopes_hold_ranges_of_statements() -> None:
    sample = Sample(SCOPES)
    outline = sample.outline
    held = {
        scope.qualname: [text.split("\n")[0] for text in map(sample.text, range(scope.first, scope.last))] for scope in outline.scopes
    }
    assert held["Outer.method.inner"] == ["pass"]
    assert held["Outer.method"] == ["def inner():", "pass", "return inner"]
    assert held["Outer"][0] == "x = 1"
    assert held["Outer"][-1] == "y = 2"
    assert held["last"] == ["pass"]
    assert len(held[""]) == len(outline.statements)
    assert [scope.kind for scope in outline.scopes] == ["module", "class", "function", "function", "function"]
    assert [outline.scopes[scope.parent].qualname for scope in outline.scopes[1:]] == ["", "Outer", "Outer.method", ""]
    for index, scope in enumerate(outline.scopes[1:], start=1):
        for statement in range(scope.first, scope.last):
            assert outline.statements[statement].scope >= index
        assert outline.statements[scope.statement].scope == scope.parent


def test_what_a_definition_is_made_of() -> None:
    sample = Sample(SCOPES)
    source = sample.source
    outer, method = sample.outline.scopes[1:3]
    assert [source.slice(span) for span in outer.decorators] == ["decorator", "other(1)"]
    assert [source.slice(span) for span in outer.bases] == ["Base", "*mixins"]
    assert [(name, source.slice(span)) for name, span in outer.keywords] == [("metaclass", "Meta"), ("frozen", "True")]
    assert method.returns is not None
    assert source.slice(method.returns) == "int"
    assert [
        (
            p.name,
            p.kind,
            source.slice(p.span),
            p.annotation and source.slice(p.annotation),
            p.default and source.slice(p.default),
        )
        for p in method.parameters
    ] == [
        ("self", "positional", "self", None, None),
        ("a", "positional", "a", None, None),
        ("b", "normal", "b: int = 2", "int", "2"),
        ("args", "star", "args: str", "str", None),
        ("key", "keyword", "key", None, None),
        ("word", "keyword", "word=3", None, "3"),
        ("kwargs", "double-star", "kwargs", None, None),
    ]


@pytest.mark.parametrize("decorator", ["@a.b", "@ a", "@(\n    # why @ all\n    a)", "@a(x @ y)"])
def test_a_decorated_definition_begins_at_its_first_decorator(decorator: str) -> None:
    sample = Sample(f"before\n{decorator}\n@second\ndef f():\n    pass\nafter\n")
    assert sample.text(1) == f"{decorator}\n@second\ndef f():\n    pass"
    assert sample.source.slice(sample.outline.scopes[1].span) == "def f():\n    pass"


def test_a_case_begins_at_its_keyword() -> None:
    sample = Sample("match a:\n    case (\n        [b, 'case']):\n        c\n    case d: e\n")
    assert [sample.text(index) for index, row in enumerate(sample.outline.statements) if row.kind == "case"] == [
        "case (\n        [b, 'case']):\n        c",
        "case d: e",
    ]


def test_the_module_spans_the_file() -> None:
    text = "x = 1\n# end"
    sample = Sample(text)
    assert sample.source.slice(sample.outline.scopes[0].span) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a.b.c\n", [("a.b.c", 0, None, "a")]),
        ("import a.b as c, d\n", [("a.b", 0, None, "c"), ("d", 0, None, "d")]),
        ("from a.b import c, d as e\n", [("a.b", 0, "c", "c"), ("a.b", 0, "d", "e")]),
        ("from . import a\n", [("", 1, "a", "a")]),
        ("from ...a.b import (\n    c,\n    d,\n)\n", [("a.b", 3, "c", "c"), ("a.b", 3, "d", "d")]),
        ("from a import *\n", [("a", 0, "*", "*")]),
    ],
)
def test_imports(text: str, expected: list[tuple[str, int, str | None, str]]) -> None:
    sample = Sample(text)
    assert [(row.module, row.level, row.name, row.bound) for row in sample.outline.imports] == expected
    assert sample.outline.statements[0].names == tuple(bound for _, _, _, bound in expected)


def test_imports_know_their_scope_and_whether_they_are_for_types_only() -> None:
    sample = Sample(
        """
        import typing
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            import a
            if x:
                import b
        else:
            import c
        if typing.TYPE_CHECKING:
            import d
        if CHECKING_TYPE:
            import e
        def f():
            import g
        """
    )
    assert {row.bound: row.type_checking for row in sample.outline.imports} == {
        "typing": False,
        "TYPE_CHECKING": False,
        "a": True,
        "b": True,
        "c": False,
        "d": True,
        "e": False,
        "g": False,
    }
    assert {row.bound: row.scope for row in sample.outline.imports}["g"] == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(): global a, b\n", ("a", "b")),
        ("def f(): nonlocal c\n", ("c",)),
        ("try: pass\nexcept E as e: pass\n", ("e",)),
        ("try: pass\nexcept E: pass\n", ()),
    ],
)
def test_the_names_of_a_statement(text: str, names: tuple[str, ...]) -> None:
    sample = Sample(text)
    kinds = ("global", "nonlocal", "except")
    assert [row.names for row in sample.outline.statements if row.kind in kinds] == [names]


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\r", "\n\x0c"])
def test_places_count_characters_whatever_the_text_holds(separator: str) -> None:
    lines = ['é = "日本"; b = é', "if é:", "\tß = 1", "x = '😀'; y = 2  # ñ"]
    source = SourceText("x.py", decode(separator.join(lines).encode()))
    outline = build_outline(source)
    assert [source.slice(row.span).replace("\x0c", "") for row in outline.statements] == [
        'é = "日本"',
        "b = é",
        "if é:\n\tß = 1",
        "ß = 1",
        "x = '😀'",
        "y = 2",
    ]


@pytest.mark.skipif(sys.version_info[:2] == (3, 12), reason="its parser gives up before")
def test_a_chain_of_three_thousand_elifs() -> None:
    sample = Sample("if a == 0:\n    x = 0\n" + "".join(f"elif a == {n}:\n    x = {n}\n" for n in range(1, 3001)))
    outline = sample.outline
    tests = [index for index, row in enumerate(outline.statements) if row.kind == "if"]
    assert len(tests) == 3001
    assert all(outline.statements[later].parent == earlier for earlier, later in pairwise(tests))
    assert sample.source.slice(outline.statements[tests[-1]].heads[0]) == "a == 3000"


def test_a_hundred_thousand_lines() -> None:
    sample = Sample("x = 'é'\ny = 2\n" * 50_000)
    assert len(sample.outline.statements) == 100_000
    assert sample.text(99_999) == "y = 2"
    assert sample.outline.scopes[0].last == 100_000


@pytest.mark.parametrize("path", library_files(60), ids=str)
def test_the_standard_library_is_outlined_as_ast_has_it(path: Path) -> None:
    """One row per statement of the tree, each where `ast` says, in preorder; scopes likewise."""
    source = SourceText(str(path), decode(path.read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source.text)
    outline = build_outline(source)
    ends = [
        (node.end_lineno, source.character_column(node.end_lineno or 0, node.end_col_offset or 0))
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt | ast.ExceptHandler)
    ]
    rows = [row for row in outline.statements if row.kind != "case"]
    assert sorted((row.span.end_line, row.span.end_column) for row in rows) == sorted(ends)
    assert list(outline.statements) == sorted(outline.statements, key=lambda row: (row.span.line, row.span.column))
    definitions = [each for each in ast.walk(tree) if isinstance(each, DEFINITIONS)]
    assert sorted(each.name for each in definitions) == sorted(scope.name for scope in outline.scopes[1:])
    check_nesting(outline)


def check_nesting(outline: Outline) -> None:
    """Every statement lies inside its parent, and in the range of its scope."""
    for index, row in enumerate(outline.statements):
        if row.parent >= 0:
            assert row.parent < index
            assert outline.statements[row.parent].span.contains(row.span)
        scope = outline.scopes[row.scope]
        assert scope.first <= index < scope.last
