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
    """While entered, new nodes are not checked."""

    def __enter__(self) -> None:
        cst.CSTNode.__post_init__ = _skip  # type: ignore[assignment]

    def __exit__(self, *_: object) -> None:
        cst.CSTNode.__post_init__ = _CHECK  # type: ignore[method-assign]


def _skip(_: cst.CSTNode) -> None:
    pass
