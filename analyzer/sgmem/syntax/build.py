"""Builds a file's outline with the first parser that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.syntax.build_ast import outline_by_ast
from sgmem.syntax.limits import parsable_file

if TYPE_CHECKING:
    from sgmem.syntax.outline import Outline
    from sgmem.syntax.text import SourceText


class Unparsable(Exception):
    """Neither parser reads the file; the message says where and why in one line."""


def build_outline(source: SourceText) -> Outline:
    """Parse and outline a file: with `ast`, which is fast and knows the syntax of the Python that runs it, else with libcst, which
    also knows newer syntax. Raises `Unparsable` where neither reads it."""
    try:
        return outline_by_ast(source)
    except SyntaxError as error:
        reason = f"line {error.lineno or 1}: {error.msg}"
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        reason = f"too complex to parse ({type(error).__name__})"
    outline = _by_libcst(source)
    if outline is None:
        raise Unparsable(reason)
    return outline


def _by_libcst(source: SourceText) -> Outline | None:
    if not parsable_file(source.text):
        return None
    from sgmem.syntax.build_libcst import outline_by_libcst

    return outline_by_libcst(source)
