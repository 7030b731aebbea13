"""Command-line flags of a parameter: declared by `add_argument`, made from a field's annotation, given on a command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.flow.graph import SiteKey, SliceSite
from sgmem.flow.places import Field, Place
from sgmem.program.contexts import quoted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.flow.slicer import Slicer
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr, Span

_DECLARING = "add_argument"
_COMPUTED = re.compile(r"\.add_argument\(\s*(?:\*|\w+\s*[,)]|f[\"']--\{|[\"']--[\"']\s*\+)")
_ANNOTATIONS = re.compile(r"\b(?:get_type_hints|get_annotations|__annotations__|__metadata__)\b")


class Flags:
    """Adds the flags of one parameter to a slice. `wanted` limits them to those of some places."""

    def __init__(self, slicer: Slicer, name: str, wanted: frozenset[Place] | None) -> None:
        self.slicer = slicer
        self.program = slicer.program
        self.name = name
        self.wanted = wanted
        self.flag = "--" + name.replace("_", "-")
        self.slot = f"flag {self.flag}"

    def plant(self) -> None:
        """Add every flag; the places that the parameter is written in must have been followed."""
        for word in dict.fromkeys((self.flag.removeprefix("--"), self.name)):
            for file in self.program.files.mentioning(word, quoted):
                for index in file.mentions(word):
                    self._at(file, index)
        self._from_annotations()

    def _at(self, file: File, index: int) -> None:
        text = file.own_text(index)
        if _DECLARING in text and self._is_own(file, index):
            for node in _nodes(file, index):
                if isinstance(node, ir.Call) and declares_flag(node, self.flag, self.name):
                    self._declared(file, index, node)
        elif self.flag in text and self.wanted is None:
            for node in _nodes(file, index):
                if isinstance(node, ir.Collection):
                    self._given(file, index, node)

    def _is_own(self, file: File, index: int) -> bool:
        """Whether a flag sets a wanted place: of a single field, one that its class declares."""
        span = file.statement(index).span
        owners = [place.owner for place in self.wanted or () if isinstance(place, Field)]
        return self.wanted is None or any(owner.file is file and owner.scope.span.contains(span) for owner in owners)

    def _add(self, file: File, index: int, span: Span, kind: str, note: str | None = None) -> SiteKey:
        key = SiteKey(file, span, "pass" if kind == "given" else "declaration", self.slot)
        self.slicer.slice.add(SliceSite(key, index, None, False, "same", kind, note))
        self.slicer.slice.entries[key] = None
        return key

    def _declared(self, file: File, index: int, node: ir.Call) -> None:
        key = self._add(file, index, node.span, "flag")
        for argument in node.args:
            if argument.keyword == "default":
                for given in self.slicer.slice.at(file, argument.span):
                    self.slicer.slice.connect(given, key, "argument")

    def _given(self, file: File, index: int, display: ir.Collection) -> None:
        """`["--size", "8"]`: a command line that another process reads."""
        for item in display.items:
            if isinstance(item, ir.Const) and item.value == self.flag:
                self._add(file, index, item.span, "given", "given on a command line")

    # -- made from annotations ------------------------------------------------------------------------------------------------

    def _from_annotations(self) -> None:
        """`size: Annotated[int, "help"] = 8` where the program makes flags of what such annotations say."""
        for place in list(self.slicer.slice.seeds):
            if not isinstance(place, Field) or not self.program.classes.is_record(place.owner):
                continue
            index = self.program.classes.declaration(place.owner, place.name)
            annotation = place.owner.file.statement(index).annotation if index is not None else None
            if index is None or annotation is None or not self._says_help(annotation, place.owner.file, place.owner.index):
                continue
            if self._are_made:
                file = place.owner.file
                key = self._add(file, index, annotation.span, "flag", "the flag is made from this annotation")
                for declared in self.slicer.slice.at(file, file.statement(index).span):
                    self.slicer.slice.connect(key, declared, "argument")

    def _says_help(self, annotation: Expr, file: File, scope: int) -> bool:
        """`Annotated[int, "text"]` or `Annotated[int, Arg(...)]`, under whatever name Annotated goes by."""
        if not isinstance(annotation, ir.Subscript) or not isinstance(annotation.index, ir.Collection):
            return False
        said = annotation.index.items[1:]
        if not any(isinstance(part, ir.Call) or (isinstance(part, ir.Const) and isinstance(part.value, str)) for part in said):
            return False
        return self.program.values.annotations.generic(annotation.base, file, scope) == "Annotated"

    @cached_property
    def _are_made(self) -> bool:
        """Whether a function declares flags of computed names from what annotations say."""
        files = self.program.files
        for path in sorted(files.tree.mentioning(_DECLARING)):
            source = files.source(path)
            if source is not None and _COMPUTED.search(source.text) and _ANNOTATIONS.search(source.text):
                return True
        return False


def _nodes(file: File, index: int) -> Iterator[Expr]:
    return (node for root in file.statement(index).expressions() for node in ir.walk(root))


def declares_flag(call: ir.Call, flag: str, name: str) -> bool:
    """Whether an `add_argument` call declares the parameter: by its flag, or by `dest`."""
    last = call.func.attr if isinstance(call.func, ir.Attribute) else call.func.id if isinstance(call.func, ir.Name) else ""
    if last != _DECLARING:
        return False
    for argument in call.args:
        value = argument.value
        if isinstance(value, ir.Const) and value.value in (flag, name) and argument.keyword in (None, "dest"):
            return True
    return False
