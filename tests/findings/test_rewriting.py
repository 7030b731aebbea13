"""Edits in a file: exactly what was asked for changes, and what cannot be done without loss is refused."""

from __future__ import annotations

import pytest

from sgmem.findings.finding import Edit
from sgmem.findings.rewriting import NotRewritten, rewritten


def edit_of(kind: str, source: str, old: str, text: str, number: int = 0) -> Edit:
    """The edit of the `number`th occurrence of `old`."""
    at = -1
    for _ in range(number + 1):
        at = source.index(old, at + 1)
    lines = source[:at].split("\n")
    inside = old.split("\n")
    end = len(inside[-1]) + (len(lines[-1]) if len(inside) == 1 else 0) + 1
    return Edit(kind, "a.py", len(lines), len(lines[-1]) + 1, len(lines) + len(inside) - 1, end, text)  # type: ignore[arg-type]


def after(source: str, *edits: Edit) -> str:
    return rewritten(source.encode(), edits).decode()


ODD = """\
# -*- coding: utf-8 -*-
def größe(self,  a,b):   # keep  me
\tx = ( a  -  # inside
\t      b )
\tlog( f"{x:.2f} GB" , x )

\tif x: y = 1
\treturn   x
"""


def test_only_the_expression_changes() -> None:
    assert after(ODD, edit_of("replace", ODD, 'f"{x:.2f} GB"', 'f"{x:.2f} GiB"')) == ODD.replace("GB", "GiB")
    assert after(ODD, edit_of("replace", ODD, "b", "b / 1024", 1)) == ODD.replace("b )", "b / 1024 )")
    whole = "a  -  # inside\n\t      b"
    assert after(ODD, edit_of("replace", ODD, whole, "c")) == ODD.replace(whole, "c")


def test_statements_come_behind_a_statement_and_its_comment() -> None:
    source = "def f(a, b):\n    rest = a - b  # what is left\n    # next\n    return rest\n"
    guard = "if rest < 0:\n    raise ValueError(rest)"
    expected = source.replace("left\n", "left\n    if rest < 0:\n        raise ValueError(rest)\n")
    assert after(source, edit_of("insert-after", source, "rest = a - b", guard)) == expected
    assert "\t      b )\n\tif x < 0: raise ValueError\n" in after(
        ODD, edit_of("insert-after", ODD, "x = ( a  -  # inside\n\t      b )", "if x < 0: raise ValueError")
    )


@pytest.mark.parametrize(
    ("source", "old", "text", "expected"),
    [
        ("x = 1  # noqa\n", "# noqa", "", "x = 1\n"),
        ("x = 1  # type: ignore  # mine\n", "# mine", "", "x = 1  # type: ignore\n"),
        ("x = 1  # mine  # noqa\n", "# mine", "", "x = 1  # noqa\n"),
        ("x = 1  # type: ignore  # mine\n", "# mine", "# ours", "x = 1  # type: ignore  # ours\n"),
        ("# mine\nx = 1\n", "# mine", "", "x = 1\n"),
        ("# first\n\n# mine\nx = 1\n", "# mine", "# ours", "# first\n\n# ours\nx = 1\n"),
        ("def f():\n    # mine\n    return 1\n", "# mine", "", "def f():\n    return 1\n"),
        ("x = (\n    1  # mine\n    + 2\n)\n", "# mine", "", "x = (\n    1\n    + 2\n)\n"),
        ("x = [\n    # mine\n    1,\n]\n", "# mine", "", "x = [\n    1,\n]\n"),
        ("x = 1\n# mine\n", "# mine", "", "x = 1\n"),
        ("x = 1\r\ny = 2  # mine\r\n", "# mine", "", "x = 1\r\ny = 2\r\n"),
        ("#\nx = 1  # mine\n#\n", "# mine", "", "#\nx = 1\n#\n"),
    ],
)
def test_comments_go_without_a_trace(source: str, old: str, text: str, expected: str) -> None:
    assert after(source, edit_of("comment", source.replace("\r", ""), old, text)) == expected


def test_several_edits_at_once() -> None:
    source = "a = b - c  # one\nlog('GB')  # two\n"
    edits = [
        edit_of("comment", source, "# two", ""),
        edit_of("replace", source, "'GB'", "'GiB'"),
        edit_of("insert-after", source, "a = b - c", "assert a"),
    ]
    assert after(source, *edits) == "a = b - c  # one\nassert a\nlog('GiB')\n"


def test_the_encoding_stays() -> None:
    source = "# -*- coding: latin-1 -*-\ngröße = 1  # weg\n"
    edit = Edit("comment", "a.py", 2, 12, 2, 17, "")
    assert rewritten(source.encode("latin-1"), [edit]) == "# -*- coding: latin-1 -*-\ngröße = 1\n".encode("latin-1")


@pytest.mark.parametrize(
    ("source", "edit", "message"),
    [
        ("if x: y = 1\n", Edit("insert-after", "a.py", 1, 7, 1, 12, "z = 1"), "line 1 cannot be edited in place"),
        ("x = a - b\n", Edit("replace", "a.py", 1, 5, 1, 8, "c"), "line 1 cannot be edited"),
        ("x = a - b\n", Edit("replace", "a.py", 1, 5, 1, 10, "c +"), "new expression is not sound"),
        ("x = a - b\n", Edit("insert-after", "a.py", 1, 1, 1, 10, "if:"), "new statements are not sound"),
        ("x = 1\n", Edit("comment", "a.py", 1, 7, 1, 9, ""), "line 1 cannot be edited"),
        ("def f():\n  x = = 1\n", Edit("comment", "a.py", 1, 1, 1, 2, ""), "cannot be parsed"),
        ("x = " + "(" * 500 + ")" * 500, Edit("comment", "a.py", 1, 1, 1, 2, ""), "nested too deep"),
    ],
)
def test_what_cannot_be_done_is_refused(source: str, edit: Edit, message: str) -> None:
    with pytest.raises(NotRewritten, match=message):
        rewritten(source.encode(), [edit])
