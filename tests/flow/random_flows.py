"""Random programs whose true flows are known: each is built as a small tree of our own, spelled out for the analysis, and walked by
our own semantics under every combination of branches. The text is never executed.

The language: functions that only call later ones, parameters by position and by keyword, pairs, dictionaries with literal keys,
classes with a hand-written constructor, if/else with unknown tests, conditional expressions, early returns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Type = str
"""`num`, `pair`, `table`, or the name of a class."""
KEYS = ("a", "b")
FIELDS = ("left", "right")
MAX_RUNS = 256
MAX_CALLS = 400
START = "start"
SEED = "budget"


@dataclass(frozen=True)
class Features:
    """What programs may contain."""

    pairs: bool = True
    tables: bool = True
    classes: bool = True
    arithmetic: bool = True
    functions: int = 5
    statements: int = 5


# -- the tree -----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Expr:
    """`kind` is one of: const, var, item (of a pair), key (of a table), field, sum, call, pair, table, new, either."""

    kind: str
    name: str = ""
    index: int = 0
    parts: tuple[Expr, ...] = ()
    keywords: tuple[str | None, ...] = ()

    def text(self) -> str:
        inner = [part.text() for part in self.parts]
        match self.kind:
            case "const":
                return str(self.index)
            case "var":
                return self.name
            case "item":
                return f"{self.name}[{self.index}]"
            case "key":
                return f'{self.name}["{KEYS[self.index]}"]'
            case "field":
                return f"{self.name}.{FIELDS[self.index]}"
            case "sum":
                return f"{inner[0]} + {self.index}"
            case "call" | "new":
                pairs = zip(self.keywords, inner, strict=True)
                return f"{self.name}({', '.join(f'{k}={v}' if k else v for k, v in pairs)})"
            case "pair":
                return f"({', '.join(inner)})"
            case "table":
                return "{" + ", ".join(f'"{key}": {value}' for key, value in zip(KEYS, inner, strict=True)) + "}"
            case _:
                return f"({inner[0]} if flag() else {inner[1]})"


@dataclass
class Stmt:
    """`kind` is one of: assign (a name, or two names from a pair), store (a key), put (a field), if, return, test, show."""

    kind: str
    targets: tuple[str, ...] = ()
    value: Expr | None = None
    index: int = 0
    body: list[Stmt] = field(default_factory=list)
    orelse: list[Stmt] = field(default_factory=list)
    line: int = 0

    def text(self) -> str:
        value = self.value.text() if self.value is not None else ""
        match self.kind:
            case "assign":
                return f"{', '.join(self.targets)} = {value}"
            case "store":
                return f'{self.targets[0]}["{KEYS[self.index]}"] = {value}'
            case "put":
                return f"{self.targets[0]}.{FIELDS[self.index]} = {value}"
            case "if":
                return "if flag():"
            case "test":
                return f"assert {value} > 0"
            case "show":
                return f"show({value})"
            case _:
                return f"return {value}"


@dataclass
class Function:
    name: str
    parameters: list[tuple[str, Type]]
    returns: Type
    body: list[Stmt] = field(default_factory=list)
    line: int = 0
    island: bool = False


@dataclass
class Flows:
    """A program: functions in calling order; those of the island are called by nothing that `start` reaches."""

    functions: list[Function]
    classes: dict[str, tuple[int, int]]
    """Class names, each with the lines on which its constructor stores its two fields."""
    text: str

    @property
    def path(self) -> str:
        return "prog/work.py"

    def named(self, name: str) -> Function:
        return next(function for function in self.functions if function.name == name)


# -- making -------------------------------------------------------------------------------------------------------------------------


class Maker:
    """Draws a program from `chance`, which hypothesis controls."""

    def __init__(self, chance: Random, features: Features) -> None:
        self.chance = chance
        self.features = features
        self.classes: list[str] = []
        self.types: list[Type] = ["num", "num"]
        self.types += ["pair"] * features.pairs + ["table"] * features.tables

    def program(self) -> Flows:
        if self.features.classes:
            self.classes = ["First", "Second"][: self.chance.randint(1, 2)]
        types = self.types + self.classes
        functions = [Function(START, [(SEED, "num"), ("limit", "num")], "num")]
        for number in range(1, self.chance.randint(2, self.features.functions)):
            parameters = [
                (name, self.chance.choice(types)) for name in ("x", "y", "z")[: self.chance.randint(1, 3)]
            ]
            functions.append(Function(f"step{number}", parameters, self.chance.choice(types)))
        # An island uses the same words, and may call the same helpers but with values of its own.
        functions.append(Function("lonely", [(SEED, "num"), ("x", "num")], "num", island=True))
        for number, function in enumerate(functions):
            later = [] if function.island else [one for one in functions[number + 1 :] if not one.island]
            _Body(self, function, later).fill()
        return _spelled(functions, self.classes)


class _Body:
    """Draws one function's statements."""

    def __init__(self, maker: Maker, function: Function, later: list[Function]) -> None:
        self.chance = maker.chance
        self.maker = maker
        self.function = function
        self.later = later
        self.known: dict[Type, list[str]] = {}
        self.fresh = 0
        for name, kind in function.parameters:
            self.known.setdefault(kind, []).append(name)

    def fill(self) -> None:
        self.function.body = self.block(self.maker.features.statements, 0)
        self.function.body.append(Stmt("return", value=self.value(self.function.returns, 2)))

    def block(self, most: int, depth: int) -> list[Stmt]:
        return [self.statement(depth) for _ in range(self.chance.randint(1, most))]

    def statement(self, depth: int) -> Stmt:
        kinds = ["assign", "assign", "assign", "show", "test"]
        kinds += ["unpack"] * self.maker.features.pairs
        kinds += ["if", "if"] * (depth < 2)
        kinds += ["store"] * ("table" in self.known)
        kinds += ["put", "put"] * any(name in self.known for name in self.maker.classes)
        kinds += ["return"] * (depth > 0)
        kind = self.chance.choice(kinds)
        if kind == "assign":
            wanted = self.chance.choice(self.maker.types + self.maker.classes)
            value = self.value(wanted, 2)
            return Stmt("assign", (self.target(wanted, depth),), value)
        if kind == "unpack":
            value = self.value("pair", 2)
            first, second = self.target("num", depth), self.target("num", depth)
            return Stmt("assign", (first, second if second != first else "_"), value)
        if kind == "store":
            return Stmt("store", (self.chance.choice(self.known["table"]),), self.value("num", 2), self.chance.randint(0, 1))
        if kind == "put":
            owner = self.chance.choice([name for name in self.maker.classes if name in self.known])
            return Stmt("put", (self.chance.choice(self.known[owner]),), self.value("num", 2), self.chance.randint(0, 1))
        if kind == "if":
            return Stmt("if", body=self.inner(depth), orelse=self.inner(depth) if self.chance.randint(0, 1) else [])
        if kind == "return":
            return Stmt("return", value=self.value(self.function.returns, 1))
        return Stmt(kind, value=self.value("num", 1))

    def inner(self, depth: int) -> list[Stmt]:
        """A branch; names that only it binds are unknown after it."""
        before = {kind: list(names) for kind, names in self.known.items()}
        block = self.block(2, depth + 1)
        self.known = before
        return block

    def target(self, kind: Type, depth: int) -> str:
        """A variable to bind: a known one of the type, or a new one."""
        known = self.known.setdefault(kind, [])
        again = [name for name in known if name != SEED]  # a value bound to it by the way would be traced as well
        if again and self.chance.randint(0, 2) == 0:
            return self.chance.choice(again)
        self.fresh += 1
        name = f"{'npt'['num pair table'.split().index(kind)] if kind in ('num', 'pair', 'table') else 'o'}{self.fresh}"
        known.append(name)
        return name

    def value(self, kind: Type, depth: int) -> Expr:
        choices = ["const" if kind == "num" else "build"]
        if self.known.get(kind):
            choices += ["var"] * 3
        if depth > 0:
            choices += ["either"]
            choices += ["call", "call"] * any(one.returns == kind for one in self.later)
        if kind == "num":
            choices += ["item"] * ("pair" in self.known) + ["key"] * ("table" in self.known)
            choices += ["field", "field"] * any(name in self.known for name in self.maker.classes)
            choices += ["sum"] * (self.maker.features.arithmetic and depth > 0)
        return self._made(self.chance.choice(choices), kind, depth)

    def _made(self, choice: str, kind: Type, depth: int) -> Expr:
        chance = self.chance
        match choice:
            case "const":
                return Expr("const", index=chance.randint(0, 9))
            case "var":
                return Expr("var", chance.choice(self.known[kind]))
            case "item":
                return Expr("item", chance.choice(self.known["pair"]), chance.randint(0, 1))
            case "key":
                return Expr("key", chance.choice(self.known["table"]), chance.randint(0, 1))
            case "field":
                owner = chance.choice([name for name in self.maker.classes if name in self.known])
                return Expr("field", chance.choice(self.known[owner]), chance.randint(0, 1))
            case "sum":
                return Expr("sum", "", chance.randint(1, 9), (self.value("num", depth - 1),))
            case "either":
                return Expr("either", parts=(self.value(kind, depth - 1), self.value(kind, depth - 1)))
            case "call":
                return self.call(chance.choice([one for one in self.later if one.returns == kind]), depth)
        parts = (self.value("num", depth - 1), self.value("num", depth - 1))
        if kind in ("pair", "table"):
            return Expr(kind, parts=parts)
        return Expr("new", kind, parts=parts, keywords=(None, FIELDS[1]) if chance.randint(0, 1) else (None, None))

    def call(self, function: Function, depth: int) -> Expr:
        named = self.chance.randint(0, len(function.parameters))
        keywords = tuple(None if i < named else name for i, (name, _) in enumerate(function.parameters))
        parts = tuple(self.value(kind, depth - 1) for _, kind in function.parameters)
        return Expr("call", function.name, parts=parts, keywords=keywords)


def _spelled(functions: list[Function], classes: list[str]) -> Flows:
    lines = ["from elsewhere import flag, show"]
    stores: dict[str, tuple[int, int]] = {}
    for name in classes:
        lines += ["", "", f"class {name}:", f"    def __init__(self, {FIELDS[0]}, {FIELDS[1]}):"]
        lines += [f"        self.{each} = {each}" for each in FIELDS]
        stores[name] = (len(lines) - 1, len(lines))
    for function in functions:
        hints = [f"{name}: {kind}" if kind in classes else name for name, kind in function.parameters]
        returns = f" -> {function.returns}" if function.returns in classes else ""
        lines += ["", "", f"def {function.name}({', '.join(hints)}){returns}:"]
        function.line = len(lines)
        _spell_block(function.body, 1, lines)
    return Flows(functions, stores, "\n".join(lines) + "\n")


def _spell_block(block: list[Stmt], depth: int, lines: list[str]) -> None:
    for statement in block:
        lines.append("    " * depth + statement.text())
        statement.line = len(lines)
        _spell_block(statement.body, depth + 1, lines)
        if statement.orelse:
            lines.append("    " * depth + "else:")
            _spell_block(statement.orelse, depth + 1, lines)


# -- meaning ------------------------------------------------------------------------------------------------------------------------


@dataclass
class Box:
    """A pair (parts under 0 and 1), a table (under its keys) or an object (under its fields); a number is a bool: tagged or not."""

    kind: Literal["pair", "table", "object"]
    owner: str
    parts: dict[int, bool]

    @property
    def tagged(self) -> bool:
        return self.kind != "object" and any(self.parts.values())


Value = bool | Box


class _Returned(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


class TooLong(Exception):
    """The program makes more calls, or has more combinations of branches, than are walked."""


class Walk:
    """One walk of the program from `start(tagged, plain)`, taking the branches that `chosen` says; more are taken as False."""

    def __init__(self, flows: Flows, chosen: list[bool]) -> None:
        self.flows = flows
        self.chosen = chosen
        self.taken = 0
        self.calls = 0
        self.lines: set[int] = set()
        self.entered: set[str] = set()

    def run(self) -> None:
        self.call(self.flows.named(START), [True, False])

    def decide(self) -> bool:
        if self.taken == len(self.chosen):
            self.chosen.append(False)
        self.taken += 1
        return self.chosen[self.taken - 1]

    def call(self, function: Function, arguments: list[Value]) -> Value:
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise TooLong
        self.entered.add(function.name)
        local = {name: value for (name, _), value in zip(function.parameters, arguments, strict=True)}
        try:
            self.block(function.body, local)
        except _Returned as result:
            return result.value
        raise AssertionError("every function ends in a return")

    def block(self, block: list[Stmt], local: dict[str, Value]) -> None:
        for statement in block:
            self.statement(statement, local)

    def statement(self, statement: Stmt, local: dict[str, Value]) -> None:
        line = statement.line
        if statement.kind == "if":
            self.block(statement.body if self.decide() else statement.orelse, local)
            return
        assert statement.value is not None
        value = self.value(statement.value, local, line)
        if statement.kind == "return":
            raise _Returned(value)
        if statement.kind == "assign":
            if len(statement.targets) == 1:
                local[statement.targets[0]] = value
            else:
                assert isinstance(value, Box)
                local.update({name: value.parts[i] for i, name in enumerate(statement.targets)})
        elif statement.kind in ("store", "put"):
            box = local[statement.targets[0]]
            assert isinstance(box, Box)
            assert isinstance(value, bool)
            box.parts[statement.index] = value

    def value(self, expr: Expr, local: dict[str, Value], line: int) -> Value:
        """The value of an expression; a line is reached when something tagged is read, returned to it or stored on it."""
        found = self._value(expr, local, line)
        if found is True or (isinstance(found, Box) and found.tagged):
            self.lines.add(line)
        return found

    def _value(self, expr: Expr, local: dict[str, Value], line: int) -> Value:
        if expr.kind == "either":
            return self.value(expr.parts[0 if self.decide() else 1], local, line)
        parts = [self.value(part, local, line) for part in expr.parts]
        match expr.kind:
            case "const":
                return False
            case "var":
                return local[expr.name]
            case "item" | "key" | "field":
                box = local[expr.name]
                assert isinstance(box, Box)
                return box.parts[expr.index]
            case "sum":
                return parts[0]
            case "call":
                return self.call(self.flows.named(expr.name), parts)
            case "new":
                self.lines |= {line for line, part in zip(self.flows.classes[expr.name], parts, strict=True) if part}
        numbers = {i: part is True for i, part in enumerate(parts)}
        return Box("object" if expr.kind == "new" else expr.kind, expr.name, numbers)  # type: ignore[arg-type]


def walks(flows: Flows) -> Iterator[Walk]:
    """A walk for every combination of branches. Raises `TooLong` where there are more than `MAX_RUNS`."""
    chosen: list[bool] = []
    for _ in range(MAX_RUNS):
        walk = Walk(flows, chosen)
        walk.run()
        yield walk
        while chosen and chosen[-1]:
            chosen.pop()
        if not chosen:
            return
        chosen[-1] = True
    raise TooLong


def reached(flows: Flows) -> set[int]:
    """The lines that the tagged value reaches on some walk."""
    return set().union(*(walk.lines for walk in walks(flows)))
