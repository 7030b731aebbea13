"""Requests and tokens that are taken for one another: what is looked up in one list, and shares with another number's remainder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.ranks.groups import given, spelled
from sgmem.flow.aside import is_aside
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.file import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_PER_REQUEST = r"_per_(?:bs|req|request|seq)\b"
_TOKENS = re.compile(r"(?:^|_)tokens?(?:_|$)")
_REQUESTS = re.compile(r"(?:^|_)(?:bs|batch_size|num_reqs|num_seqs|num_requests)$")
_ASKS = re.compile(r"\bbisect|(?:\bin\b|[<>]=?)[\s\\(]*\w+\s*\.")
_ORDERED = frozenset({"<", "<=", ">", ">=", "in"})
_REMAINDER = r"// *[\w.]+\s*\+[^%\n]{0,80}%"

Unit = Literal["requests", "tokens"]


class MixedLookup(msgspec.Struct, frozen=True):
    """`function` asks `capacity` for a number of requests and for one of tokens, of which `per` counts several in a request."""

    function: str
    capacity: str
    per: str
    requests: Location
    tokens: Location


class UnevenShare(msgspec.Struct, frozen=True):
    """A sum of `quotient` and something that depends on `remainder`, of one divisor but of two numbers."""

    divisor: str
    quotient: Location
    remainder: Location


def mixed_lookups(program: Program) -> Iterator[MixedLookup]:
    """Every such pair in a class that knows how many tokens a request has, once for each limit or list."""
    for path in program.files.with_text(_PER_REQUEST, begins=("_per_",)):
        file = program.files.get(path)
        for owner, _ in file.classes() if file is not None else ():
            per = _per_request(file, owner) if file is not None else ""
            for scope, row in enumerate(file.outline.scopes) if file is not None and per else ():
                if file is not None and row.parent == owner and row.kind == "function" and _counts_both(file, scope):
                    yield from _in_function(Function(file, scope), per)


def _per_request(file: File, owner: int) -> str:
    """The first name in a class that says how many of something a request has."""
    text = file.source.slice(file.scope(owner).span)
    for match in re.finditer(_PER_REQUEST, text):
        begin = match.start()
        while begin > 0 and (text[begin - 1].isalnum() or text[begin - 1] == "_"):
            begin -= 1
        if begin < match.start():
            return text[begin : match.end()]
    return ""


def _counts_both(file: File, scope: int) -> bool:
    """Whether a function mentions numbers of tokens and of requests."""
    text = file.source.slice(file.scope(scope).span)
    return "token" in text and any(_REQUESTS.search(name) for name in set(re.findall(r"\w+", text)))


def _in_function(function: Function, per: str) -> Iterator[MixedLookup]:
    file = function.file
    found: dict[str, dict[Unit, Location]] = {}
    for index in file.own_statements(function.index):
        if not _ASKS.search(file.own_text(index)) or is_aside(file, index):
            continue
        for root in file.statement(index).expressions():
            for node in ir.walk(root):
                for capacity, asked in _lookups(node):
                    unit = _unit(function, asked)
                    if unit is not None:
                        found.setdefault(capacity, {}).setdefault(unit, Location(file, index, node.span))
    for capacity, places in found.items():
        if len(places) > 1:
            yield MixedLookup(function.name, capacity, per, places["requests"], places["tokens"])


def _lookups(node: Expr) -> Iterator[tuple[str, Expr]]:
    """A field of the object in which something is looked up, or with which it is compared."""
    match node:
        case ir.Call(args=args) if last_name(node).startswith("bisect") and len(args) == 2:
            held, asked = args[0].value, args[1].value
        case ir.Compare(operands=(left, right), operators=(operator,)) if operator in _ORDERED:
            held, asked = right, left
        case _:
            return
    text = dotted(held)
    if isinstance(held, ir.Attribute) and text is not None and not _TOKENS.search(held.attr):
        yield text, asked


def _unit(function: Function, asked: Expr) -> Unit | None:
    """What a number counts by the names that it is taken from, unless it is converted."""
    if isinstance(asked, ir.Name) and not _TOKENS.search(asked.id):
        values = [
            value
            for index in function.file.own_statements(function.index)
            if re.search(rf"\b{asked.id}\b", function.file.own_text(index))
            for value in given(asked.id, function.file, index)
        ]
        units = {_by_names(value) for value in values}
        if values and units != {None}:
            return units.pop() if len(units) == 1 else None
    return _by_names(asked)


def _by_names(asked: Expr) -> Unit | None:
    names = {spelled(node) for node in ir.walk(asked)}
    if any(isinstance(node, ir.Binary | ir.Conditional) for node in ir.walk(asked)):
        return None
    tokens = any(_TOKENS.search(name) for name in names)
    requests = any(_REQUESTS.search(name) for name in names)
    return None if tokens == requests else "tokens" if tokens else "requests"


def uneven_shares(program: Program) -> Iterator[UnevenShare]:
    """Every sum of a quotient and of what depends on the remainder of another number by the same divisor."""
    for path in program.files.with_text(_REMAINDER, begins=("//",)):
        file = program.files.get(path)
        for index, row in enumerate(file.outline.statements if file is not None else ()):
            if file is None or row.kind in ("function", "class") or not re.search(_REMAINDER, file.own_text(index)):
                continue
            for root in file.statement(index).expressions() if not is_aside(file, index) else ():
                for node in ir.walk(root):
                    if isinstance(node, ir.Binary) and node.operator == "+":
                        yield from _uneven(file, index, node.left, node.right)


def _uneven(file: File, index: int, quotient: Expr, rest: Expr) -> Iterator[UnevenShare]:
    if not isinstance(quotient, ir.Binary) or quotient.operator != "//" or dotted(quotient.right) is None:
        return
    of_it = [
        node
        for node, above in ir.paths(rest)
        if isinstance(node, ir.Binary)
        and node.operator == "%"
        and dotted(node.right) == dotted(quotient.right)
        # What is not asked whether it is left over is a place in a page or group, not a share.
        and any(isinstance(one, ir.Compare | ir.Conditional) for one in above)
    ]
    numbers = {dotted(node.left) for node in of_it}
    # Of a calculated number, and beside the remainder that belongs to the quotient, the other may be anything.
    if len(of_it) == 1 and None not in numbers and dotted(quotient.left) not in (None, *numbers):
        places = (Location(file, index, quotient.span), Location(file, index, of_it[0].span))
        yield UnevenShare(dotted(quotient.right) or "", *places)
