"""Numbers of tokens that a function works out of the largest number of requests without the tokens that each request has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.defects.capacity.short_buffers import LARGEST
from sgmem.domains.ranks.groups import factors, spelled
from sgmem.flow.aside import is_aside
from sgmem.program.calls import bind
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.file import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_TOKENS = r"max_(?:num_)?tokens?(?:_[a-z]+)?"
_WORKED = rf"\b{_TOKENS}\s*=(?!=)[^=\n]*(?:\n[^=\n]*)?\b{LARGEST}\b"
_TARGET = re.compile(_TOKENS)
_IS_LARGEST = re.compile(LARGEST)
_PER_REQUEST = re.compile(r"per_(?:bs|req|request|seq)|width|draft|tokens|block_size|topk$|steps")
"""Names for how many tokens a request has."""
_PASSED = re.compile(rf"\b{_TOKENS}\s*=\s*[\w.]*\b{LARGEST}\s*\*\s*[\w.]*(?:per_(?:bs|req|request|seq)|width|draft_token)")


class TokensByRequest(msgspec.Struct, frozen=True):
    """`tokens`, worked out at `value` of the parameter that `given`, a number of requests, fills; `usual` multiplies elsewhere."""

    tokens: str
    value: Location
    given: Location
    usual: str


def tokens_by_request(program: Program) -> Iterator[TokensByRequest]:
    """Every call that hands such a function a number of requests as it is, where all calls do."""
    for path in program.files.with_text(_WORKED, begins=("max_",)):
        file = program.files.get(path)
        for index, row in enumerate(file.outline.statements if file is not None else ()):
            if file is None or row.kind not in ("assign", "annotate") or "max_" not in file.own_text(index) or is_aside(file, index):
                continue
            for tokens, value, requests in _worked(file, index):
                function = program.calls.inside(file, index)
                if function is not None and function.parameter(requests.id) is not None:
                    yield from _handed(program, function, requests.id, tokens, Location(file, index, value.span))


def _worked(file: File, index: int) -> Iterator[tuple[str, Expr, ir.Name]]:
    """A number of tokens, the product that it is, with or without an addition, and the number of requests in that."""
    for binding in file.statement(index).bindings:
        target = spelled(binding.target)
        if binding.value is None or _TARGET.fullmatch(target) is None:
            continue
        for term in _terms(binding.value):
            parts = list(factors(term))
            requests = [one for one in parts if isinstance(one, ir.Name) and _IS_LARGEST.fullmatch(one.id)]
            others = [spelled(one) for one in parts if one not in requests]
            if len(requests) == 1 and others and all(others) and not any(_PER_REQUEST.search(one) for one in others):
                yield target, term, requests[0]


def _terms(value: Expr) -> Iterator[Expr]:
    if isinstance(value, ir.Binary) and value.operator == "+":
        yield from _terms(value.left)
        yield from _terms(value.right)
    else:
        yield value


def _handed(program: Program, function: Function, parameter: str, tokens: str, value: Location) -> Iterator[TokensByRequest]:
    """The calls, through functions that only hand the parameter on, if all of them hand in a number of requests."""
    found = list(_arguments(program, function, parameter, 0))
    usual = _usual(program)
    if usual is not None and found and all(_IS_LARGEST.fullmatch(spelled(given)) for _, _, given in found):
        for file, statement, given in found:
            yield TokensByRequest(tokens, value, Location(file, statement, given.span), usual)


def _arguments(program: Program, function: Function, parameter: str, depth: int) -> Iterator[tuple[File, int, Expr]]:
    for site in program.calls.callers(function):
        caller = program.calls.inside(site.file, site.statement)
        for filled in bind(site, function.parameters):
            if filled.parameter != parameter or filled.key is not None or filled.argument.star:
                continue
            given = filled.argument.value
            if caller is not None and isinstance(given, ir.Name) and caller.parameter(given.id) is not None and depth < 2:
                yield from _arguments(program, caller, given.id, depth + 1)
            else:
                yield site.file, site.statement, given


def _usual(program: Program) -> str | None:
    """Where the program multiplies the largest number of requests by the tokens of each, as path and line."""
    for path in program.files.tree.mentioning("max_bs"):
        source = program.files.source(path)
        found = _PASSED.search(source.text) if source is not None else None
        if source is not None and found is not None:
            return f"{path}:{source.text.count(chr(10), 0, found.start()) + 1}"
    return None
