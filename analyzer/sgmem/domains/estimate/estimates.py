"""What a program's estimates of bytes per token charge: every name that the functions mention in which budgets are divided,
those that they call and those that hand the budget to them.

All estimates on the device are one: what any of them mentions counts as charged, so that a missing name is missing
everywhere.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.program.contexts import defined
from sgmem.program.entities import Function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.divisions import Division, Divisions
    from sgmem.domains.estimate.pools import Pools
    from sgmem.program.entities import Class
    from sgmem.program.files import File
    from sgmem.program.program import Program

MAX_CALLED = 1
"""How far calls are followed by name."""
MAX_CALLING = 2
MAX_METHODS = 40
MAX_MENTIONS = 60
MAX_DEFINITIONS = 3
"""A name that more functions have says nothing about which is called."""
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\(")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"#[^\n]*")


class Estimates:
    """The names that estimates mention, and where."""

    def __init__(self, program: Program, divisions: Divisions, pools: Pools) -> None:
        self.program = program
        self._divisions = divisions
        self._pools = pools

    @cached_property
    def divisions(self) -> tuple[Division, ...]:
        """The divisions of budgets of device memory."""
        found = []
        for one in self._divisions.found:
            owner = Function(one.file, one.scope).owner
            if owner is None or not (owner in self._pools.classes or self._pools.is_host(owner)):
                found.append(one)
        return tuple(found)

    @cached_property
    def core(self) -> tuple[Function, ...]:
        """The functions that work out the bytes per token, and those that divide by them; of a class that does nothing but this
        all methods."""
        found: dict[Function, None] = {}
        for one in self.divisions:
            found.update(dict.fromkeys(part for part in one.parts if not self._builds(part)))
            owner = Function(one.file, one.scope).owner
            if owner is not None:
                found.update(dict.fromkeys(self._methods(owner)))
        return tuple(found)

    def _methods(self, owner: Class) -> list[Function]:
        """The methods of a class and its ancestors, unless one of them builds pools."""
        methods = [
            Function(each.file, index)
            for each in self.program.classes.mro(owner)
            for index in each.file.children(each.index).values()
            if each.file.scope(index).kind == "function"
        ]
        return [] if len(methods) > MAX_METHODS or any(self._builds(method) for method in methods) else methods

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """These, what they call, and what calls them; what builds pools is on the other side of the comparison."""
        found: dict[Function, None] = dict.fromkeys(self.core)
        level = list(found)
        for _ in range(MAX_CALLED):
            level = [each for function in level for each in self._called(function) if each not in found]
            found.update(dict.fromkeys(level))
        for one in self.divisions:
            for function in self._calling(Function(one.file, one.scope), 0):
                found.update(dict.fromkeys((function, *self._called(function))))
        return tuple(found)

    def _builds(self, function: Function) -> bool:
        return (function.file, function.index) in self._pools.builders

    def _calling(self, function: Function, depth: int) -> Iterator[Function]:
        if depth >= MAX_CALLING or function.name == "__init__":
            return
        for site in self.program.calls.callers(function):
            caller = self.program.calls.inside(site.file, site.statement)
            if caller is not None and not self._builds(caller):
                yield caller
                yield from self._calling(caller, depth + 1)

    def _called(self, function: Function) -> Iterator[Function]:
        for name in dict.fromkeys(_CALLED.findall(text_of(function))):
            yield from self._defined(name)

    def _defined(self, name: str) -> list[Function]:
        """The functions of a name, where it is not an everyday one."""
        if name not in self._definitions:
            found: list[Function] = []
            everyday = len(self.program.files.tree.mentioning(name)) > MAX_MENTIONS
            for file in () if everyday else self.program.files.mentioning(name, defined):
                for index, scope in enumerate(file.outline.scopes):
                    if scope.kind == "function" and scope.name == name:
                        found.append(Function(file, index))
                if len(found) > MAX_DEFINITIONS:
                    break
            self._definitions[name] = [each for each in found if not self._builds(each)] if len(found) <= MAX_DEFINITIONS else []
        return self._definitions[name]

    @cached_property
    def _definitions(self) -> dict[str, list[Function]]:
        return {}

    @cached_property
    def _mentioned(self) -> str:
        names = {name for function in self.functions for name in _IDENTIFIER.findall(text_of(function))}
        return "".join(f"\n_{name.strip('_').lower()}_" for name in sorted(names)) + "\n"

    def mentions(self, name: str) -> bool:
        """Whether an estimate mentions a name, alone or as a part of another: `index_head_dim` of `get_index_head_dim`."""
        return f"_{name.strip('_').lower()}_" in self._mentioned

    def statements(self, names: set[str]) -> Iterator[tuple[int, File, int]]:
        """The statements that work out the bytes per token from any of the names, each with how many of them it holds."""
        wanted = {name.strip("_").lower() for name in names}
        for function in self.core:
            for index in function.file.own_statements(function.index):
                if function.file.outline.statements[index].kind in ("assign", "annotate", "augment", "return"):
                    text = "".join(f"\n_{name.strip('_').lower()}_" for name in _IDENTIFIER.findall(function.file.own_text(index)))
                    held = sum(f"_{name}_" in text for name in wanted)
                    if held:
                        yield held, function.file, index


def text_of(function: Function) -> str:
    """The source of a function without its comments."""
    return _COMMENT.sub("", function.file.source.slice(function.scope.span))
