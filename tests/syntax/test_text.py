"""Bytes to text as Python's tokenizer does it, and places in the text."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgmem.syntax import text as text_module
from sgmem.syntax.ir import Span
from sgmem.syntax.text import SourceText, Undecodable, contains_plainly, decode, decode_with_comments, without_comments

ACCENTED = b'x = "\xe9"\n'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbfx = 1\n",
        b"\xef\xbb\xbf# coding: utf-8\nx = 1\n",
        b"\xef\xbb\xbf# coding: utf-8-sig\nx = 1\n",
        b"# coding: latin-1\n" + ACCENTED,
        b"#!/usr/bin/python\n# -*- coding: latin-1 -*-\n" + ACCENTED,
        b"\n# vim: set fileencoding=iso-8859-15 :\n" + b'x = "\xa4"\n',
        b"\x0c# coding: latin-1\n" + ACCENTED,
        b"# coding: latin-1\r\n" + ACCENTED,
        b"# first\r# coding: latin-1\r" + ACCENTED,
        b"# coding: latin-1-unix\n" + ACCENTED,
        b'# coding: utf-8-unix\nx = "\xc3\xa9"\n',
        b"#" + b"-" * 3000 + b"\n# coding: latin-1\n" + ACCENTED,
        b'# coding: utf-7\nx = "+AOk-"\n',
        b'# coding: cp1252\nx = "\x80"\n',
        '# coding: shift_jis\nx = "日本"\n'.encode("shift_jis"),
        '# coding: iso2022_jp\nx = "日本"\n'.encode("iso2022_jp"),
        'x = "日本"\r\ny = 2\rz = 3\n'.encode(),
        b'x = "a\r\nb"\n'.replace(b'"', b'"""'),
    ],
)
def test_reads_bytes_as_python_does(data: bytes) -> None:
    assert ast.dump(ast.parse(decode(data))) == ast.dump(ast.parse(data))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\0\n", "null bytes"),
        ("x = 1\n".encode("utf-16"), "null bytes"),
        ("x = 1\n".encode("utf-32"), "null bytes"),
        (b"# coding: utf-16\nx = 1\n", "utf-16"),
        (b"# coding: nonsense\nx = 1\n", "unknown encoding 'nonsense'"),
        (b"# coding: rot13\nx = 1\n", "not a text encoding"),
        (b"# coding: hex\nx = 1\n", "not a text encoding"),
        (b"# coding: undefined\nx = 1\n", "not valid undefined"),
        (ACCENTED, "not valid utf-8"),
        (b"\n\n# coding: latin-1\n" + ACCENTED, "not valid utf-8"),
        (b"x = 1\n# coding: latin-1\n" + ACCENTED, "not valid utf-8"),
        (b'"""\n# coding: latin-1\n"""\n' + ACCENTED, "not valid utf-8"),
        (b'x = "# coding: latin-1"\n' + ACCENTED, "not valid utf-8"),
        (b"\xef\xbb\xbf# coding: latin-1\nx = 1\n", "mark of UTF-8"),
        ('x = "\ud800"\n'.encode("utf-8", "surrogatepass"), "not valid utf-8"),
    ],
)
def test_what_python_cannot_read_is_undecodable(data: bytes, reason: str) -> None:
    with pytest.raises(Undecodable, match=reason) as caught:
        decode(data)
    assert "\n" not in str(caught.value)
    with pytest.raises((SyntaxError, ValueError)):
        ast.parse(data)


@given(
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.lists(
        st.sampled_from(
            [
                b"# coding: ",
                b"#",
                b"latin-1",
                b"utf-8",
                b"cp1252",
                b"utf-16",
                b"\n",
                b"\r",
                b"\x0c",
                b"x=1",
                b'"\xe9"',
                b" ",
            ]
        ),
        max_size=8,
    ),
)
def test_agrees_with_python_on_any_beginning(mark: bytes, pieces: list[bytes]) -> None:
    data = mark + b"".join(pieces) + b"\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = ast.dump(ast.parse(data))
        except (SyntaxError, ValueError):
            return
        try:
            text = decode(data)
        except Undecodable:
            # The one thing that Python is laxer about: what stands in comments.
            with pytest.raises(UnicodeDecodeError):
                data.decode()
            return
        assert ast.dump(ast.parse(text)) == expected


@given(st.binary(max_size=200))
def test_never_raises_anything_else(data: bytes) -> None:
    try:
        text = decode(data)
    except Undecodable:
        return
    assert "\r" not in text


def test_every_kind_of_newline_counts_as_one_line() -> None:
    source = SourceText("x.py", decode(b"a\r\nb\rc\nd"))
    assert [source.line(number) for number in range(6)] == ["", "a", "b", "c", "d", ""]


def test_only_newlines_end_a_line() -> None:
    """Form feeds and the separators that `str.splitlines` knows do not."""
    source = SourceText("x.py", "a\x0cb\x0b\u2028c\x1dd\ne")
    assert source.line(1) == "a\x0cb\x0b\u2028c\x1dd"
    assert source.line(2) == "e"


@given(st.text(alphabet="ab\n日é\x0c", max_size=40))
def test_offsets_and_positions_are_inverse(text: str) -> None:
    source = SourceText("x.py", text)
    for offset in range(len(text) + 1):
        line, column = source.position(offset)
        assert source.offset(line, column) == offset
        assert text.count("\n", 0, offset) == line - 1


@pytest.mark.parametrize(
    ("line", "utf8_column", "expected"),
    [("x = 1", 4, 5), ("é = 1", 2, 2), ("é = 1", 5, 5), ("日本 = 1", 6, 3), ("😀x", 4, 2), ("", 0, 1)],
)
def test_columns_count_characters(line: str, utf8_column: int, expected: int) -> None:
    source = SourceText("x.py", f"# ü\n{line}\n")
    assert source.character_column(2, utf8_column) == expected


def test_slices_run_over_lines() -> None:
    source = SourceText("x.py", "ab\ncdé\nf")
    assert source.slice(Span(1, 2, 3, 2)) == "b\ncdé\nf"
    assert source.slice(Span(2, 3, 2, 4)) == "é"
    assert source.slice(Span(3, 1, 3, 1)) == ""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1  # one\n", "x = 1\n"),
        ("    # alone\ny = 2", "\ny = 2"),
        ("x = '# kept' # gone\n", "x = '# kept'\n"),
        ('"""\n# kept\n"""\n# gone\n', '"""\n# kept\n"""\n\n'),
        ("r'\\\\' # gone\n'''# kept'''", "r'\\\\'\n'''# kept'''"),
        ('f("""a\\"""# kept""", # gone\n  b)', 'f("""a\\"""# kept""",\n  b)'),
        ("x = 'open # kept\ny = 1 # gone", "x = 'open # kept\ny = 1"),
        ('"""open # kept\n# kept', '"""open # kept\n# kept'),
        ("it = '' # gone's \"quote\n#\nz", "it = ''\n\nz"),
        ("x = 1  # one\r\ny = 2 # two\r", "x = 1\ny = 2\n"),
        ('x = f"{names["#"]}"\n# gone', 'x = f"{names["#"]}"\n'),
        ("x = rf'{1}{names['#']}'  # one line more\n", "x = rf'{1}{names['#']}'  # one line more\n"),
        ('x = {f"{a}": 1}  # gone\n', 'x = {f"{a}": 1}\n'),
    ],
)
def test_comments_go_and_all_else_stands_where_it_stood(code: str, expected: str) -> None:
    head = "# -*- coding: utf-8 -*-\n#!\n"
    assert without_comments((head + code).encode()) == (head + expected).encode()


@pytest.mark.parametrize("data", [b'"""\\' * 30_000, b"'\\" * 60_000, b"'''\"\"\"" * 20_000 + b"\\", b"#" * 200_000])
def test_no_text_holds_up_the_search_for_comments(data: bytes) -> None:
    assert len(without_comments(b"\n\n#\n" + data)) <= len(data) + 3


def test_a_file_without_its_comments_is_the_same_code() -> None:
    data = Path(__file__).read_bytes()
    assert ast.dump(ast.parse(without_comments(data)), include_attributes=True) == ast.dump(ast.parse(data), include_attributes=True)


def test_bytes_that_are_no_text_are_replaced_in_comments_only() -> None:
    assert decode_with_comments(b"x = 1  # v\xe9rifi\xe9\r\ny = 2\n") == "x = 1  # v\ufffdrifi\ufffd\ny = 2\n"
    assert decode_with_comments("x = 1  # v\u00e9\n".encode()) == "x = 1  # v\u00e9\n"
    with pytest.raises(Undecodable):
        decode_with_comments(ACCENTED + b"# \xe9\n")


_PARTS = ['"', "'", '"""', "'''", "#", "\n", "\\", "\\\n", " ", "a", "= 'b'\n", '"""c"""\n', "# d\n", "x = 1  # e\n"]


@given(st.lists(st.sampled_from(_PARTS), max_size=40))
def test_comments_are_the_same_whichever_way_they_are_found(parts: list[str]) -> None:
    data = "".join(parts).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "_regular_comments", lambda _: None)
        expected = without_comments(data)
    assert without_comments(data) == expected


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("x = size  # gpu\n", "gpu", None),
        ("x = size  # gpu\ny = gpu\n", "gpu", True),
        ("x = size  # gpu\n", "size", True),
        ("x = size  # gpu\n", "size ", None),
        ("x = size  # gpu\n", "page", False),
        ("x = '#', gpu\n", "gpu", None),
        ("x = 1  # gpu\rgpu = 2\n", "gpu", None),
        ("x = 'é', gpu\n", "gpu", None),
        ("# coding: no-such\nx = gpu\n", "gpu", None),
        ("x = gpu\0\n", "gpu", None),
        ("x = 1\ny = 2\n", "1\ny", None),
    ],
)
def test_what_bytes_tell_of_code_without_its_comments(code: str, text: str, found: bool | None) -> None:
    data = code.encode()
    assert contains_plainly(data, text) is found
    if found is not None:
        assert (text in decode(without_comments(data))) is found
