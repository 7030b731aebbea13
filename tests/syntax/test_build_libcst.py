"""The outline by libcst: the same tables as by `ast`, and the syntax that the running Python does not know."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest
from syntax.samples import Sample, library_files, opaque
from syntax.test_build_ast import BLOCKS, EVERY_KIND, SCOPES, check_nesting

from sgmem.syntax import build
from sgmem.syntax.build import Unparsable, build_outline
from sgmem.syntax.build_ast import outline_by_ast
from sgmem.syntax.build_libcst import outline_by_libcst
from sgmem.syntax.statements import lower_statement
from sgmem.syntax.text import SourceText, decode

if TYPE_CHECKING:
    from pathlib import Path

ONE_LINE = r"^(line \d+: |too complex)[^\n]*$"

SAMPLES = {
    "every kind": EVERY_KIND,
    "blocks": BLOCKS,
    "scopes": SCOPES.replace("metaclass=Meta, *mixins", "*mixins, metaclass=Meta"),
    "nothing": "",
    "only a comment": "# nothing",
    "no newline at the end": "def f():\n    x = 1",
    "blank lines and comments between": "if a:  # why\n\n    # before\n    b  # after\n\n    # last\n\n# outside\nc\n",
    "shared lines": "a = 1; b = 2;\nif x: c = 3; d = 4;  # end\nclass A: x = 1;\n",
    "tuples with a last comma": "a = 1, 2,\nfor b, in c, d, : pass\ne = [x for x, in y]\ndef f(): return 1,  # one\n",
    "own parentheses": "(a)\nb = (c)\nwhile (d): pass\nassert (e), (f)\ndel (g), (h)\nwith (i) as (j): pass\n",
    "patterns": (
        "match a, b,:\n    case c, *d: e\n    case (f, g), : h\n    case (A(x=1) as i) if (j): k\n    case {1: _, **l} | [m]: n\n"
    ),
    "decorators": "@a.b\n@ c(d)\nclass E(F, *h, metaclass=G, **i): pass\n@(j)\nasync def k(): pass\n",
    "parameters": "def f(a: (int), /, b: str=(1), *c: d, e, f=lambda x: y, **g) -> (h): pass\ndef i(*, j): pass\n",
    "imports": "import a.b, c as d\nfrom . import e\nfrom ..f import (g as h,\n i)\nfrom .j.k import *\n",
    "for types only": "if TYPE_CHECKING:\n    import a\nelif typing.TYPE_CHECKING: import b\nelse: import c\n",
    "exceptions": "try: a\nexcept (B, C) as d: e\nexcept: f\nelse: g\nfinally: h\ntry: i\nexcept* J as k: l\n",
    "continued lines": "a = b + \\\n  c\nif a and \\\n   b: \\\n   d\n",
    "tabs": "if a:\n\tif b:\n\t\tc\n\td\n",
    "form feeds": "import a\n\x0c\n\x0c# comment\ndef f():\n    b \x0c+ c\n",
    "other characters": "é = '日本'\nif é:\n    ñ = é, 'ß',\n",
    "global": "def f():\n    global a, b\n    def g():\n        nonlocal c\n",
    "multi-line strings": "a = '''\nif b:\n    c\n'''\nd\n",
    "long chain": "if a: b\n" + "elif a: b\n" * 500 + "else: c\n",
}


def both(text: str) -> tuple[object, object]:
    source = SourceText("x.py", text)
    return outline_by_ast(source), outline_by_libcst(source)


@pytest.mark.parametrize("name", SAMPLES)
def test_gives_the_same_outline_as_ast(name: str) -> None:
    by_ast, by_libcst = both(SAMPLES[name])
    assert by_libcst == by_ast


@pytest.mark.parametrize("path", library_files(25), ids=str)
def test_gives_the_same_outline_as_ast_for_the_standard_library(path: Path) -> None:
    by_ast, by_libcst = both(decode(path.read_bytes()))
    assert by_libcst == by_ast


NEWER = {
    "a type alias": "type Size = int | None\n",
    "a generic type alias": "type Pair[T: int, *Ts, **P] = tuple[T, T]\n",
    "a generic function": "def first[T: (int, str)](items: list[T], default: T = 0) -> T:\n    return items[0]\n",
    "a generic class": "class Box[T = int](Base):\n    def get[U](self) -> T:\n        return self.value\n",
    "nested quotes": 'x = f"{a["b"]} {f"{c}"}"\n',
    "a comment in an f-string": "x = f'{\n    a  # why\n}'\n",
    "a backslash in an f-string": "x = f\"{'\\n'.join(a)}\"\n",
    "several exceptions without parentheses": "try:\n    a\nexcept B, C:\n    d\n",
    "a template string": 'x = t"{a}"\n',
}


@pytest.fixture
def old_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the running Python did not know any of the newer syntax."""

    def refuse(_: SourceText) -> None:
        raise SyntaxError("invalid syntax", ("x.py", 1, 1, "", 1, 1))

    monkeypatch.setattr(build, "outline_by_ast", refuse)


@pytest.mark.usefixtures("old_python")
@pytest.mark.parametrize("name", NEWER)
def test_newer_syntax_is_read(name: str) -> None:
    sample = Sample(NEWER[name])
    check_nesting(sample.outline)
    for index in range(len(sample.outline.statements)):
        statement = lower_statement(sample.source, sample.outline, index)
        assert not any(opaque(expr) for expr in statement.expressions())


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python knows the syntax itself")
@pytest.mark.parametrize("name", list(NEWER)[:7])
def test_the_running_python_does_not_know_it(name: str) -> None:
    with pytest.raises(SyntaxError):
        outline_by_ast(SourceText("x.py", NEWER[name]))
    assert build_outline(SourceText("x.py", NEWER[name])).statements


@pytest.mark.usefixtures("old_python")
def test_a_type_alias_binds_its_name() -> None:
    sample = Sample("type Size[T] = Config\nx: Size\n")
    assert sample.outline.statements[0].kind == "type"
    assert sample.shown("type") == [("assign", "Size", "Config")]


@pytest.mark.usefixtures("old_python")
def test_the_rest_of_a_newer_file_is_as_good_as_ever() -> None:
    sample = Sample(
        """
        type Size = int

        class Runner[T]:
            '''é'''

            @property
            def size(self) -> Size:
                if self.a and \\
                        self.b:  # why
                    return self.c, 1,
                return f"{self.d["e"]}"
        """
    )
    texts = [sample.text(index) for index in range(len(sample.outline.statements))]
    assert texts[2] == "'''é'''"
    assert texts[3].startswith("@property\n    def size") and texts[3].endswith('return f"{self.d["e"]}"')
    assert texts[5] == "return self.c, 1,"
    assert [scope.qualname for scope in sample.outline.scopes] == ["", "Runner", "Runner.size"]
    assert sample.outline.statements[0].span.end_column == len("type Size = int") + 1


@pytest.mark.parametrize(
    "text",
    [
        "x = (\n",
        "def f(:\n",
        "print 'x'\n",
        "<<<<<<< HEAD\nx = 1\n",
        "if a:\npass\n",
        "    indented\n",
        "x = '\n",
        "a = 1 1\n",
        "x = \ud800\n",
        "x = 1\x00\n",
        "{{ template }}: {% if x %}\n",
        "exec 'x' in y\n",
        "f(" * 1500 + ")" * 1500 + "\n",
        "x = " + "-" * 100_000 + "1\n",
        "if a: pass\n" + "elif b: pass\n" * 20_000,
    ],
    ids=lambda text: text[:20],
)
def test_what_neither_parser_reads_is_reported_in_one_line(text: str) -> None:
    with pytest.raises(Unparsable, match=ONE_LINE):
        build_outline(SourceText("x.py", text))


def test_a_chain_without_end_is_read_or_refused() -> None:
    """Newer Pythons read what older ones refuse."""
    try:
        outline = build_outline(SourceText("x.py", "x = a" + ".b" * 100_000 + "\n"))
    except Unparsable as error:
        assert re.fullmatch(ONE_LINE, str(error))
    else:
        assert [row.kind for row in outline.statements] == ["assign"]


@pytest.mark.usefixtures("old_python")
@pytest.mark.parametrize("text", ["\x0cimport a\n", "class A(metaclass=M, *bases): pass\n"])
def test_what_libcst_does_not_give_back_is_reported(text: str) -> None:
    with pytest.raises(Unparsable):
        build_outline(SourceText("x.py", text))


def test_text_that_libcst_does_not_give_back_has_no_certain_places(monkeypatch: pytest.MonkeyPatch) -> None:
    import libcst

    parsed = libcst.parse_module("x = 1\n")
    monkeypatch.setattr(libcst, "parse_module", lambda _: parsed)
    assert outline_by_libcst(SourceText("x.py", "x  = 1\n")) is None
    assert outline_by_libcst(SourceText("x.py", "x = 1\n")) is not None
