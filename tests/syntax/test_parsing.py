"""The parser without the checks of its nodes."""

from __future__ import annotations

import libcst as cst
import pytest

from sgmem.syntax.parsing import parse_expression, parse_statement


def test_what_is_parsed_is_what_libcst_parses() -> None:
    assert parse_statement("a = b  # why").deep_equals(cst.parse_statement("a = b  # why"))
    assert parse_expression("f( x )").deep_equals(cst.parse_expression("f( x )"))


def test_nodes_that_others_make_are_checked_as_before() -> None:
    parse_statement("a = b")
    with pytest.raises(cst.ParserSyntaxError):
        parse_expression("a +")
    with pytest.raises(cst.CSTValidationError):
        cst.Name("")
