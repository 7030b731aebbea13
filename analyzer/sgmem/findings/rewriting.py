"""Writes the edits of findings into a file with libcst: everything else in it, formatting and comments, stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from sgmem.syntax.limits import parsable_file
from sgmem.syntax.text import Undecodable, decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from libcst.metadata import CodeRange

    from sgmem.findings.finding import Edit

Span = tuple[int, int, int, int]


class NotRewritten(Exception):
    """A file that cannot be edited without loss, or an edit whose place was not found; the message says why, in one line."""


def rewritten(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The bytes of a file with all the edits made. Raises NotRewritten, rather than make some of them."""
    try:
        if not parsable_file(decode(data)):
            raise NotRewritten("it is nested too deep")
        module = cst.parse_module(data)
    except Undecodable as error:
        raise NotRewritten(str(error)) from None
    except (cst.ParserSyntaxError, RecursionError, UnicodeError, LookupError) as error:
        raise NotRewritten(f"it cannot be parsed: {str(error).splitlines()[0] if str(error) else type(error).__name__}") from None
    if module.bytes != data:
        raise NotRewritten("it cannot be written back byte for byte")
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    rewriter = _Rewriter(edits, module)
    changed = wrapper.visit(rewriter)
    missed = [edit for edit in edits if edit not in rewriter.done]
    if missed:
        raise NotRewritten(f"line {missed[0].line} cannot be edited in place")
    try:
        cst.parse_module(changed.bytes)
    except (cst.ParserSyntaxError, RecursionError):
        raise NotRewritten("the edit would not leave a sound file") from None
    return changed.bytes


class _Rewriter(cst.CSTTransformer):
    """Makes the edits whose places it meets; `done` are those."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, edits: Iterable[Edit], module: cst.Module) -> None:
        super().__init__()
        self.done: list[Edit] = []
        self._module = module
        self._replace = {_span(edit): edit for edit in edits if edit.kind == "replace"}
        self._insert = {(edit.end_line, edit.end_column): edit for edit in edits if edit.kind == "insert-after"}
        self._comments = {edit.line: edit for edit in edits if edit.kind == "comment"}

    def _at(self, node: cst.CSTNode) -> Span:
        found: CodeRange = self.get_metadata(PositionProvider, node)
        return found.start.line, found.start.column + 1, found.end.line, found.end.column + 1

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        if self._replace and isinstance(original_node, cst.BaseExpression):
            edit = self._replace.get(self._at(original_node))
            if edit is not None and edit not in self.done:
                self.done.append(edit)
                return _expression(edit.text, self._module, updated_node)
        return super().on_leave(original_node, updated_node)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        edit = self._insert.get(self._at(original_node)[2:]) if self._insert else None
        if edit is None:
            return updated_node
        self.done.append(edit)
        return cst.FlattenSentinel([updated_node, *_statements(edit.text, self._module)])

    def leave_Comment(self, original_node: cst.Comment, updated_node: cst.Comment) -> cst.Comment:
        line, column, _, _ = self._at(original_node)
        edit = self._comments.get(line)
        if edit is None or edit in self.done:
            return updated_node
        start, end = edit.column - column, edit.end_column - column
        if not 0 <= start < end <= len(original_node.value):
            return updated_node
        self.done.append(edit)
        left = original_node.value[:start].rstrip() + ("  " if start and edit.text else "") + edit.text
        value = (left + original_node.value[end:]).strip() if edit.text or left else original_node.value[end:].strip()
        return updated_node.with_changes(value=value or "#")

    def leave_TrailingWhitespace(
        self, original_node: cst.TrailingWhitespace, updated_node: cst.TrailingWhitespace
    ) -> cst.TrailingWhitespace:
        if _emptied(original_node.comment, updated_node.comment):
            return updated_node.with_changes(comment=None, whitespace=cst.SimpleWhitespace(""))
        return updated_node

    def leave_EmptyLine(self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine) -> cst.EmptyLine | cst.RemovalSentinel:
        if _emptied(original_node.comment, updated_node.comment):
            return cst.RemoveFromParent()
        return updated_node


def _emptied(before: cst.Comment | None, after: cst.Comment | None) -> bool:
    """Whether all of a comment was taken away."""
    return before is not None and after is not None and after.value == "#" and before.value != "#"


def _span(edit: Edit) -> Span:
    return edit.line, edit.column, edit.end_line, edit.end_column


def _expression(text: str, module: cst.Module, old: cst.CSTNodeT) -> cst.CSTNodeT:
    """The new expression, in the brackets of the old one."""
    try:
        new = cst.parse_expression(text, config=module.config_for_parsing)
    except cst.ParserSyntaxError:
        raise NotRewritten("the new expression is not sound") from None
    brackets = {"lpar": getattr(old, "lpar", ()), "rpar": getattr(old, "rpar", ())}
    return new.with_changes(**brackets) if brackets["lpar"] else new  # type: ignore[return-value]


def _statements(text: str, module: cst.Module) -> list[cst.BaseStatement]:
    try:
        parsed = cst.parse_module(text.rstrip("\n") + "\n", config=module.config_for_parsing)
    except cst.ParserSyntaxError:
        raise NotRewritten("the new statements are not sound") from None
    return [node for node in parsed.body if isinstance(node, cst.BaseStatement)]
