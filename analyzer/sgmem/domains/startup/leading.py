"""Which calls lead to one kind of place: first by names alone, backwards through the program, then by types along those names."""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.startup.expansion import calls_in_order
from sgmem.domains.startup.targets import Entered, Targets
from sgmem.program.entities import Class
from sgmem.program.text_answers import Scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax import ir

MAX_ROUNDS = 8
MAX_MENTIONS = 200
MAX_USES = 40
MAX_METHOD_USES = 8
"""A name that more files use leads anywhere."""
MAX_DEPTH = 12
MAX_TRIED = 1500

_BUILDS = frozenset({"__init__", "__post_init__", "__new__"})


@cache
def _used(name: str) -> re.Pattern[str]:
    """A name that is called, returned, assigned, an entry of a table, or a base of a class."""
    spelled = re.escape(name)
    called = rf"(?<!def )(?<!class )(?<![\w'\"]){spelled}[ \t]*\("
    held = rf"(?:return|=|:)[ \t]*(?:\w+\.)*{spelled}[ \t]*,?[ \t]*$"
    derived = rf"^[ \t]*class [^\n]*[(,. ]{spelled}[),]"
    return re.compile("|".join((called, held, derived)), re.MULTILINE | re.ASCII)


@Scan
def _is_used(text: str, name: str) -> bool:
    """Whether a line uses a name. Only lines that have the name are matched: the pattern finds no start quickly by itself."""
    pattern = _used(name)
    at = text.find(name)
    while at >= 0:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if pattern.search(text[text.rfind("\n", 0, at) + 1 : end]) is not None:
            return True
        at = text.find(name, end)
    return False


class Way(msgspec.Struct, frozen=True):
    """The calls that lead to a place, outermost first; the last is the place itself. `certain`: nothing else can be meant."""

    stops: tuple[Location, ...]
    certain: bool


class Leading:
    """Finds ways to the calls that `is_goal` accepts. `seeds` are the names of those calls; `also`: names
    that are known to lead on, however many use them.
    """

    def __init__(
        self,
        facts: ProgramFacts,
        seeds: Iterable[str],
        is_goal: Callable[[ir.Call, File, int], bool],
        also: Iterable[str] = (),
    ) -> None:
        self.facts = facts
        self.program = facts.program
        self.targets = Targets(facts.program)
        self.seeds = tuple(sorted(seeds))
        self.is_goal = is_goal
        self.also = tuple(also)
        self._found: dict[str, None] = {}
        self._holding: dict[str, set[int]] = {}
        self._known: dict[Entered, Way | None] = {}
        self._open: set[Entered] = set()

    # -- by names ---------------------------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the functions and classes in whose code, or in that of what they call, a seed is called."""
        self._follow()
        return frozenset(self._found) | frozenset(self.also)

    @cached_property
    def drivers(self) -> dict[str, set[int]]:
        """By path, the scopes of the functions that call something of such a name."""
        self._follow()
        return self._holding

    def _follow(self) -> None:
        """Go from the seeds to who uses them, and on to who uses those."""
        if self._found:
            return
        self._found.update(dict.fromkeys(self.seeds))
        fresh: list[tuple[str, Class | None]] = [(name, None) for name in self.seeds]
        seen = set(fresh)
        for _ in range(MAX_ROUNDS):
            above = [one for name, owner in fresh for one in self._users(name, owner)]
            fresh = [one for one in dict.fromkeys(above) if one not in seen]
            seen.update(fresh)
            self._found.update(dict.fromkeys(name for name, _ in fresh))

    def _users(self, name: str, owner: Class | None) -> Iterator[tuple[str, Class | None]]:
        """What uses a function or class (a method where `owner` is its class): functions with their classes, classes."""
        paths = self._using(name)
        for path in paths:
            file = self.program.files.get(path)
            for index in file.mentions(name) if file is not None else ():
                if file is None or file.outline.statements[index].kind in ("import", "function"):
                    continue
                text = file.own_text(index)
                if _used(name).search(text) is None:
                    continue
                if owner is not None and not self._may_be_of(owner, file, index, text, name, len(paths)):
                    continue
                yield from self._around(file, index)

    def _may_be_of(self, owner: Class, file: File, index: int, text: str, name: str, uses: int) -> bool:
        """Whether a call of a method's name may be of that method: on an object of the family, or by a name that few use."""
        if not re.search(rf"\b(?:self|super\(\)|cls)\.{name}\b", text):
            return uses <= MAX_METHOD_USES
        around = self.program.calls.inside(file, index)
        while around is not None and around.owner is None and file.scope(around.scope.parent).kind == "function":
            around = type(around)(file, around.scope.parent)
        return around is not None and around.owner is not None and self.program.classes.related(around.owner, owner)

    def _around(self, file: File, index: int) -> Iterator[tuple[str, Class | None]]:
        row = file.outline.statements[index]
        if row.kind == "class":  # a class that derives from it
            yield file.scope(file.scope_defined_by[index]).name, None
        scope = row.scope
        if file.scope(scope).kind == "function":
            self._holding.setdefault(file.path, set()).add(scope)
        while scope > 0:
            at = file.scope(scope)
            inside_class = file.scope(at.parent).kind == "class" if at.parent >= 0 else False
            if at.name in _BUILDS and inside_class:
                yield file.scope(at.parent).name, None
            elif at.kind == "function":
                yield at.name, Class(file, at.parent) if inside_class else None
            scope = at.parent

    def _using(self, name: str) -> tuple[str, ...]:
        """The files that seem to use a name, none where that are so many that it leads anywhere."""
        files = self.program.files
        mentioned = files.tree.mentioning(name)
        found = tuple(path for path in mentioned if files.scanned(path, _is_used, name)) if len(mentioned) <= MAX_MENTIONS else ()
        return found if len(found) <= MAX_USES else ()

    # -- by types ---------------------------------------------------------------------------------------------------------------

    def way(self, call: ir.Call, file: File, index: int, entered: Entered) -> Way | None:
        """How a call in a function leads to a goal; None where it is not seen to."""
        if last_name(call) not in self.names and not self._may_hold(last_name(call)):
            return None
        at = Location(file, index, call.span)
        if self.is_goal(call, file, index):
            return Way((at,), True)
        targets, certain = self.targets.of(call, file, entered.function, entered.receiver)
        for target in targets:
            below = self._inside(target)
            if below is not None:
                return Way((at, *below.stops), certain and below.certain)
        return None

    def _may_hold(self, name: str) -> bool:
        """Whether a call of that name may lead there all the same: a base's constructor, a variable that holds a class."""
        return name == "__init__" or name.lower().endswith(("cls", "class", "factory"))

    def _inside(self, entered: Entered) -> Way | None:
        if entered in self._known or entered in self._open:
            return self._known.get(entered)
        if len(self._open) >= MAX_DEPTH or len(self._known) >= MAX_TRIED:
            return None
        self._open.add(entered)
        found = next(self.ways_in(entered), None)
        self._open.discard(entered)
        self._known[entered] = found
        return found

    def ways_in(self, entered: Entered) -> Iterator[Way]:
        """The ways that begin in a function, in the order of its statements."""
        file = entered.function.file
        for index in file.own_statements(entered.function.index):
            if file.outline.statements[index].kind in ("function", "class", "import") or not self._speaks(file.own_text(index)):
                continue
            for root in file.statement(index).expressions():
                for call, _ in calls_in_order(root):
                    way = self.way(call, file, index, entered)
                    if way is not None:
                        yield way

    def _speaks(self, text: str) -> bool:
        return self._words.search(text) is not None

    @cached_property
    def _words(self) -> re.Pattern[str]:
        names = sorted(map(re.escape, self.names), key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(names)}|__init__|\w*(?:[cC]ls|[cC]lass|[fF]actory))\s*\(")
