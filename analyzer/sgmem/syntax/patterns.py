"""What a match pattern binds: each captured name, with the part of the subject that flows into it."""

from __future__ import annotations

import libcst as cst

from sgmem.syntax import ir
from sgmem.syntax.ir import Binding, Span


def pattern_bindings(text: str, span: Span, subject: ir.Expr) -> tuple[Binding, ...]:
    """Lower the pattern that `text` spells into bindings; a pattern that cannot be read binds nothing."""
    try:
        module = cst.parse_module(f"match _:\n case (\n{text}\n ):\n  pass\n")
    except (cst.ParserSyntaxError, RecursionError):
        return ()
    statement = module.body[0]
    if not isinstance(statement, cst.Match):
        return ()
    found: list[Binding] = []
    _collect(statement.cases[0].pattern, subject, span, found)
    return tuple(found)


def _collect(pattern: cst.MatchPattern, subject: ir.Expr, span: Span, found: list[Binding]) -> None:
    match pattern:
        case cst.MatchAs():
            if pattern.name is not None:
                found.append(Binding(ir.Name(span, pattern.name.value), subject, "match"))
            if pattern.pattern is not None:
                _collect(pattern.pattern, subject, span, found)
        case cst.MatchOr():
            for choice in pattern.patterns:
                _collect(choice.pattern, subject, span, found)
        case cst.MatchClass():
            for keyword in pattern.kwds:
                part = ir.Attribute(span, subject, keyword.key.value, span)
                _collect(keyword.pattern, part, span, found)
            for position, element in enumerate(pattern.patterns):
                _collect(
                    element.value, ir.Subscript(span, subject, ir.Const(span, position, str(position))), span, found
                )
        case cst.MatchMapping():
            for entry in pattern.elements:
                key = entry.key
                text = key.evaluated_value if isinstance(key, cst.SimpleString) else None
                if isinstance(text, str):
                    _collect(entry.pattern, ir.Subscript(span, subject, ir.Const(span, text, repr(text))), span, found)
            if pattern.rest is not None:
                found.append(Binding(ir.Name(span, pattern.rest.value), subject, "match"))
        case cst.MatchSequence():
            for position, item in enumerate(pattern.patterns):
                if isinstance(item, cst.MatchStar):
                    if item.name is not None:
                        found.append(Binding(ir.Name(span, item.name.value), subject, "match"))
                else:
                    part = ir.Subscript(span, subject, ir.Const(span, position, str(position)))
                    _collect(item.value, part, span, found)
