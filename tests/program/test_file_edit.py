"""What an edit of a file touches of what was looked at, and where the rest stands afterwards."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from sgmem.program.file_edit import FileEdit
from sgmem.program.files import Files
from sgmem.source.tree import SourceTree
from sgmem.syntax.text import SourceText, without_comments

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.program.file import File

TEXT = dedent(
    '''
    import os
    from pkg.sizes import LIMIT


    class Pool:
        size: int = 4

        @property
        def free(self):
            return self.size - self.used

        def grow(self, n):
            """Grows."""
            limit = n
            for page in range(n):
                self.size += page
            return limit


    def late(pool):
        if pool.size > 8:
            raise ValueError("pool")
        return pool.size
    '''
)


def parsed(text: str) -> File:
    tree = SourceTree.from_texts({"pkg/a.py": text}, package="pkg")
    file = Files(tree, tuple(tree.files)).get("pkg/a.py")
    assert file is not None
    return file


def scope(file: File, qualname: str) -> int:
    return next(index for index, row in enumerate(file.unnoted_outline.scopes) if row.qualname == qualname)


def statement(file: File, code: str) -> int:
    """The statement that begins with some code."""
    source, rows = file.unnoted_source, file.unnoted_outline.statements
    return next(index for index, row in enumerate(rows) if source.line(row.span.line).strip().startswith(code))


ASKS: dict[str, Callable[[File], object]] = {
    "import": lambda file: file.imported(0, "LIMIT"),
    "absent import": lambda file: file.imported_anywhere("MORE"),
    "renamed import": lambda file: file.renamed("MORE"),
    "field": lambda file: file.statement(statement(file, "size: int")),
    "limit": lambda file: file.statement(statement(file, "limit = n")),
    "loop": lambda file: file.own_text(statement(file, "for page")),
    "raise": lambda file: file.outline.statements[statement(file, "raise")],
    "grow header": lambda file: file.scope(scope(file, "Pool.grow")),
    "grow body": lambda file: list(file.own_statements(scope(file, "Pool.grow"))),
    "grow order": lambda file: file.graph(scope(file, "Pool.grow")),
    "grow returns": lambda file: list(file.own_statements(scope(file, "Pool.grow"), "return")),
    "limit's kind": lambda file: file.shape(statement(file, "limit = n")),
    "grow text": lambda file: file.source.slice(file.unnoted_outline.statements[statement(file, "def grow")].span),
    "loop body": lambda file: list(file.outline.inside(statement(file, "for page"))),
    "mentions": lambda file: file.mentions("size"),
    "mentions in late": lambda file: list(file.mentions_in(scope(file, "late"), "size")),
    "calling": lambda file: file.holding("(", scope(file, "Pool.grow")),
    "sums": lambda file: file.holding("+="),
    "returns": lambda file: file.matching(r"return l\w+"),
    "method": lambda file: file.child(scope(file, "Pool"), "grow"),
    "absent": lambda file: file.child(0, "later"),
    "classes": lambda file: list(file.classes()),
    "functions": lambda file: list(file.functions("grow")),
    "scopes": lambda file: list(file.outline.scopes),
    "all": lambda file: list(file.outline.statements),
    "text": lambda file: file.source.text,
    "contains": lambda file: file.contains("global"),
}


ORDERS = ("calling", "returns", "sums", "grow order", "grow returns", "limit's kind")


@pytest.mark.parametrize(
    ("old", "new", "touched"),
    [
        ("limit = n", "limit = n  # all", ""),
        ("    limit = n", "    # a comment\n\n        limit = n", ""),
        ("limit = n", "limit = n + 1", "limit|grow text|all|text"),
        ("limit = n", "limit = n\n        size = n", "grow body|grow text|mentions|all|text"),
        ("        limit = n\n", "", "limit|grow body|limit's kind|grow text|all|text"),
        ("self.size += page", "self.used += page", "grow text|mentions|all|text"),
        ("self.size += page", "self.size += page\n            n += 1", "grow body|grow text|loop body|sums|all|text"),
        ("for page in range(n)", "for page in range(2)", "loop|grow text|loop body|all|text"),
        ("def grow(self, n)", "def grow(self, n=1)", "grow header|grow text|functions|scopes|all|text"),
        ("def grow(self, n)", "def shrink(self, n)", "grow header|grow text|method|functions|scopes|all|text"),
        ('"""Grows."""', '"""Grows it."""', "grow text|all|text"),
        ("size: int = 4", "size: int = 5", "field|all|text"),
        ("import LIMIT", "import LIMIT, MORE", "absent import|all|text"),
        ("import LIMIT", "import MORE as LIMIT", "import|renamed import|all|text"),
        ("return pool.size", "return pool.total", "mentions|mentions in late|all|text"),
        ("    if pool.size > 8:\n        raise", "    if pool.size > 8:\n        pass\n    else:\n        raise", "raise|all|text"),
        ("def late(pool)", "def later(size):\n    pass\n\n\ndef late(pool)", "grow text|mentions|absent|scopes|all|text"),
        ("class Pool", "class Pool(object)", "classes|scopes|all|text"),
        ('"""Grows."""', 'pages = n\n        """Grows."""', "grow body|grow text|all|text"),
        ("if pool.size > 8", "pool = pool\n    if pool.size > 8", "all|text"),
        (
            "            self.size += page",
            "            if page:\n                self.size += page",
            "grow body|grow order|grow text|loop body|mentions|sums|all|text",
        ),
        ("limit = n", "assert n", "limit|grow order|limit's kind|grow text|all|text"),
        ("return limit", "n = limit", "grow order|grow returns|grow text|returns|all|text"),
        ("return limit", "return limit\n        return n", "grow body|grow order|grow returns|grow text|all|text"),
        ("limit = n", "global limit", "limit|limit's kind|grow text|contains|all|text"),
    ],
)
def test_what_an_edit_touches(old: str, new: str, touched: str) -> None:
    assert TEXT.count(old) == 1
    found = []
    for name, ask in ASKS.items():
        before = parsed(TEXT)
        ask(before)
        if FileEdit(parsed(TEXT), parsed(TEXT.replace(old, new))).touches(before.reads):
            found.append(name)
    assert found == [name for name in ASKS if name in touched.split("|")]


@pytest.mark.parametrize(
    ("body", "edited", "same"),
    [
        ("    a = n\n    b = n\n", "    a = n\n    c = n\n    b = n\n", True),
        ("    a = n\n    b = n\n", "    b = n\n", True),
        ("    a = n\n    b = n\n", "    a = n\n    print(n)\n", True),
        (
            "    if n:\n        a = n\n    b = n\n",
            "    if n:\n        a = n\n        c = n\n    else:\n        c = n\n    b = n\n",
            True,
        ),
        ("    if n:\n        a = n\n    b = n\n", "    if n:\n        a = n\n        b = n\n", False),
        ("    if n:\n        a = n\n    b = n\n", "    if n:\n        a = n\n    elif m:\n        c = n\n    b = n\n", False),
        ("    a = n\n    b = n\n", "    a = n\n    return\n    b = n\n", False),
        (
            "    try:\n        a = n\n    except E:\n        b = n\n",
            "    try:\n        c = n\n        a = n\n    except E:\n        b = n\n",
            False,
        ),
        ("    try:\n        a = n\n    except E:\n        b = n\n", "    try:\n        a = n\n    except:\n        b = n\n", False),
        ("    try:\n        a = n\n    except E:\n        b = n\n", "    try:\n        a = n\n    except F:\n        b = n\n", True),
    ],
)
def test_what_only_goes_on_changes_no_order(body: str, edited: str, same: bool) -> None:
    before = parsed(f"def f(n):\n{body}")
    before.graph(1)
    assert FileEdit(parsed(f"def f(n):\n{body}"), parsed(f"def f(n):\n{edited}")).touches(before.reads) is not same


def test_what_was_looked_at_is_followed_to_where_it_is_now() -> None:
    now = parsed(TEXT.replace("class Pool", "def first():\n    return 1\n\n\nclass Pool"))
    for name in (
        "field",
        "limit",
        "loop",
        "raise",
        "grow header",
        "grow body",
        "mentions in late",
        "method",
        "grow text",
        "loop body",
        *ORDERS,
    ):
        asked, again = parsed(TEXT), parsed(now.unnoted_source.text)
        ASKS[name](asked)
        ASKS[name](again)
        edit = FileEdit(parsed(TEXT), now)
        assert not edit.touches(asked.reads)
        edit.moved(asked.reads)
        assert asked.reads == again.reads, name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return pool.size", 'return """'),
        ('"""Grows."""', '"""Grows.'),
        ("    if pool.size > 8:\n        raise", "    raise"),
    ],
)
def test_a_statement_is_the_same_only_if_its_code_is(old: str, new: str) -> None:
    now = parsed(TEXT.replace(old, new)) if '"""' not in new else None
    if now is None:
        tree = SourceTree.from_texts({"pkg/a.py": TEXT.replace(old, new)}, package="pkg")
        assert Files(tree, tuple(tree.files)).get("pkg/a.py") is None  # such an edit cannot be compared
        return
    edit = FileEdit(parsed(TEXT), now)
    rows = edit._before.unnoted_outline.statements
    for index, row in enumerate(rows):
        other = edit.statement(index)
        if index not in edit.changed and other is not None:
            assert edit._before.own_text(index) == now.own_text(other)
            assert edit.text.line(row.span.line) == now.unnoted_outline.statements[other].span.line


def test_what_stands_between_two_edited_pieces_is_as_it_was() -> None:
    edited = TEXT.replace("size: int = 4", "size: int = 5\n    used: int = 0").replace('("pool")', '("too large")')
    touched = []
    for name, ask in ASKS.items():
        before = parsed(TEXT)
        ask(before)
        if FileEdit(parsed(TEXT), parsed(edited)).touches(before.reads):
            touched.append(name)
    assert touched == ["field", "raise", "mentions", "all", "text"]


def test_two_edits_are_followed() -> None:
    text = FileEdit(parsed("a = 1\nb = 2\nc = 3\nd = 4\n"), parsed("aa = 1\nx = 0\nb = 2\nc = 3\ne = 4\n")).text
    assert [text.line(number) for number in (1, 2, 3, 4, 5)] == [None, 3, 4, None, 6]
    assert [text.offset(at) for at in (6, 12, 24)] == [13, 19, 31]
    assert not text.meets(2, 3) and text.meets(1, 2) and text.meets(3, 4)


def test_lines_and_offsets_are_followed() -> None:
    text = FileEdit(parsed("a = 1\nb = 2\nc = 3\n"), parsed("a = 1\nb = 22\nbb = 2\nc = 3\n")).text
    assert [text.line(number) for number in (1, 2, 3, 4)] == [1, None, 4, 5]
    assert text.offset(0) == 0
    assert text.offset(12) == 20
    assert {"a", "b", "bb", "c"} <= text.words


def test_a_comment_is_no_edit_of_the_code() -> None:
    source = SourceText("a.py", without_comments(b"\n\nx = 1  # one\n").decode())
    assert source.text == "\n\nx = 1\n"
