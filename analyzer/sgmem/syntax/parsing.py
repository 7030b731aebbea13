"""libcst's parser, without the checks that every node makes of its own text: what the parser makes is valid, and a tree that is only
read stays so. They take a sixth of the time."""

from __future__ import annotations

import libcst as cst

_CHECK = cst.CSTNode.__post_init__


def parse_statement(text: str) -> cst.SimpleStatementLine | cst.BaseCompoundStatement:
    """See `libcst.parse_statement`."""
    with _Unchecked():
        return cst.parse_statement(text)


def parse_expression(text: str) -> cst.BaseExpression:
    """See `libcst.parse_expression`."""
    with _Unchecked():
        return cst.parse_expression(text)


class _Unchecked:
    """While entered, new nodes are not checked. To set the method each time would make Python forget where it found all others."""

    entered = False

    def __enter__(self) -> None:
        _Unchecked.entered = True

    def __exit__(self, *_: object) -> None:
        _Unchecked.entered = False


def _check(node: cst.CSTNode) -> None:
    if not _Unchecked.entered:
        _CHECK(node)


cst.CSTNode.__post_init__ = _check  # type: ignore[assignment, method-assign]
