"""Where a budget is turned into a count: divisions by the bytes that one token, request or page takes."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.definitions import inputs
from sgmem.domains.accounting.model_words import any_of, words_in
from sgmem.program.entities import Class, Function, Global
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

MAX_DEPTH = 6
_AMOUNT = re.compile(
    r"(?<![A-Za-z0-9])(?:mem|memory|bytes|budget|avail|available|free|rest|remaining|host|capacity|gb)(?![A-Za-z0-9])|<<\s*[23]0|1e9",
    re.IGNORECASE,
)
"""What the text of a dividend holds that may be an amount of memory; other divisions are not looked at."""
_DIVIDES = re.compile(r"[\w)\]]\s*(?://|\s/\s)\s*[(\s]*[a-z_]")
"""A division by something that has a name, which constants do not have in lower case."""
_GOES_ON = re.compile(r"\s*(?://|/\s)\s*[(\s]*[a-z_]")
_PER = r"_per_(?:\w+_)?(?:token|req|request|page|slot)s?(?:_|$)|(?:token|page)_bytes"
"""A name that spells the bytes of one thing."""
_PARTS = "bytes_per_|size_per_|_per_token|_per_req"
"""Parts of such names, for a first look at the bytes of a file."""
_ASIDE = re.compile(r"(^|/)(tests?|benchmarks?|examples?|storage)(/|$)|(^|/)(test_|bench_)[^/]*$")


@Scan
def _slashes(text: str) -> list[int]:
    """Where a text has slashes, if one may be that of such a division."""
    if not any(_may_divide(line) for line in text.split("\n")):
        return []
    return [match.start() for match in re.finditer("/", text)]


def _may_divide(line: str) -> bool:
    """Whether a line may hold the slash of such a division: it may begin in the line above."""
    if "/" not in line:
        return False
    found = _DIVIDES.search(line)
    return _GOES_ON.match(line) is not None or (found is not None and _AMOUNT.search(line, 0, found.end()) is not None)


class Division(msgspec.Struct, frozen=True):
    """`dividend / divisor` in a statement; `parts` are the functions that work the divisor out, its own first; of those that
    only store a part of it the ones that know of bytes.
    """

    file: File
    statement: int
    node: ir.Binary
    parts: tuple[Function, ...]

    @property
    def scope(self) -> int:
        return self.file.outline.statements[self.statement].scope


class Divisions:
    """The divisions of one program by a size in bytes that is worked out from the bytes of an element."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self.element = words_in(models, "bytes/element")
        self.sizes = words_in(models, "bytes/token", "bytes/request")
        self.per = any_of(self.sizes, _PER)
        self.sizing = re.compile(rf"\b(?:{'|'.join(sorted(self.element | self.sizes) or ['(?!)'])})\b")

    @cached_property
    def found(self) -> tuple[Division, ...]:
        """In source order by file."""
        tree = self.program.files.tree
        paths = {path for word in self.element | self.sizes for path in tree.mentioning(word)}
        paths.update(self.program.files.with_text(parts := any_of(self.sizes, _PARTS).pattern, words=parts))
        return tuple(one for path in sorted(paths) if not _ASIDE.search(path) for one in self._in_path(path))

    def _in_path(self, path: str) -> Iterator[Division]:
        offsets = self.program.files.scanned(path, _slashes)
        file = self.program.files.get(path) if offsets else None
        if file is None:
            return
        for index in sorted({file.statement_at(*file.source.position(at)) for at in offsets} - {-1}):
            row = file.outline.statements[index]
            if row.kind in ("assign", "annotate", "augment", "return", "expression") and file.scope(row.scope).kind == "function":
                text = file.own_text(index)
                if _AMOUNT.search(text) and _DIVIDES.search(text) is not None:
                    yield from self._in_statement(file, index)

    def _in_statement(self, file: File, index: int) -> Iterator[Division]:
        scope = file.outline.statements[index].scope
        for root in file.statement(index).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Binary) and node.operator in ("/", "//") and not isinstance(node.right, ir.Const):
                    if _AMOUNT.search(file.source.slice(node.left.span)) is None or self._is_fixed(node.left, file, scope):
                        continue
                    seen: dict[Function, bool] = {Function(file, scope): True}
                    marks: set[str] = set()
                    self._read(node.right, file, scope, seen, marks, 0)
                    if "size" in marks or ("element" in marks and "product" in marks):
                        yield Division(file, index, node, tuple(function for function, telling in seen.items() if telling))

    def _is_fixed(self, dividend: Expr, file: File, scope: int) -> bool:
        """Whether a dividend is a constant of the source, the size of a chunk and no budget."""
        leaves = inputs(dividend)
        return all(isinstance(self.program.names.entity(leaf, file, scope), Global) for leaf in leaves)

    def _read(self, expr: Expr, file: File, scope: int, seen: dict[Function, bool], marks: set[str], depth: int) -> None:
        """Look for the bytes of an element, and a product, in what a divisor is worked out from."""
        if depth > MAX_DEPTH:
            return
        if any(isinstance(node, ir.Binary) and node.operator == "*" for node in ir.walk(expr)):
            marks.add("product")
        for leaf in inputs(expr):
            if isinstance(leaf, ir.Name):
                marks |= {"size"} if self.per.search(leaf.id) else set()
                self._local(leaf, file, scope, seen, marks, depth)
            elif isinstance(leaf, ir.Attribute):
                self._attribute(leaf, file, scope, seen, marks, depth)
            elif isinstance(leaf, ir.Call):
                self._call(leaf, file, scope, seen, marks, depth)

    def _local(self, node: ir.Name, file: File, scope: int, seen: dict[Function, bool], marks: set[str], depth: int) -> None:
        for index in self.program.names.bindings(file, scope, node.id):
            for binding in file.statement(index).bindings:
                if binding.value is not None and binding.how in ("assign", "annotate", "augment"):
                    self._read(binding.value, file, scope, seen, marks, depth + 1)

    def _attribute(self, node: ir.Attribute, file: File, scope: int, seen: dict[Function, bool], marks: set[str], depth: int) -> None:
        if node.attr in self.element:
            marks.add("element")
            return
        if node.attr in self.sizes or self.per.search(node.attr):
            marks.add("size")
        function = Function(file, scope)
        owner = function.owner
        if owner is None or not isinstance(node.base, ir.Name) or node.base.id != function.receiver:
            return
        for each in self._family(owner):
            for inside, index in self.program.classes.stores(each, node.attr):
                if inside in seen and inside != function:
                    continue
                seen.setdefault(inside, self.sizing.search(inside.file.source.slice(inside.scope.span)) is not None)
                for binding in inside.file.statement(index).bindings:
                    if binding.value is not None:
                        self._read(binding.value, inside.file, inside.index, seen, marks, depth + 1)

    def _family(self, owner: Class) -> list[Class]:
        return [*self.program.classes.mro(owner), *self.program.classes.subclasses(owner)]

    def _call(self, node: ir.Call, file: File, scope: int, seen: dict[Function, bool], marks: set[str], depth: int) -> None:
        func = node.func
        last = func.attr if isinstance(func, ir.Attribute) else func.id if isinstance(func, ir.Name) else ""
        if last in self.element:
            marks.add("element")
            return
        if last in self.sizes:
            marks.add("size")
        function = Function(file, scope)
        own = isinstance(func, ir.Attribute) and isinstance(func.base, ir.Name) and func.base.id == function.receiver
        if not own and not isinstance(func, ir.Name):
            return
        for one in self.program.values.callables(func, file, scope):
            target = one.target
            if isinstance(target, Function):
                overrides = self.program.classes.overrides(target.owner, target.name) if target.owner is not None else ()
                for each in (target, *overrides):
                    if each not in seen:
                        seen[each] = True
                        self._results(each, seen, marks, depth)

    def _results(self, function: Function, seen: dict[Function, bool], marks: set[str], depth: int) -> None:
        for index in function.file.own_statements(function.index):
            if function.file.outline.statements[index].kind == "return":
                for value in function.file.statement(index).values:
                    self._read(value, function.file, function.index, seen, marks, depth + 1)
