"""Draws random programs; see `random_flows` for their language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flow.random_flows import FIELDS, GLOBAL, ISLAND, SEED, START, Expr, Flows, Function, Stmt, Type, spelled

if TYPE_CHECKING:
    from random import Random

LETTERS = {"num": "n", "pair": "p", "table": "t", "list": "l"}
"""What the names of variables of a type begin with."""


@dataclass(frozen=True)
class Features:
    """What programs may contain."""

    pairs: bool = True
    tables: bool = True
    lists: bool = True
    classes: bool = True
    arithmetic: bool = True
    loops: bool = True
    globals: bool = True
    closures: bool = True
    spreads: bool = True
    functions: int = 5
    statements: int = 5


EXACT = Features(tables=False, lists=False, classes=False, loops=False, globals=False, closures=False, spreads=False)
"""On these programs a slice can be exact: no value is in a place that several others share."""


class Maker:
    """Draws a program from `chance`, which hypothesis controls."""

    def __init__(self, chance: Random, features: Features) -> None:
        self.chance = chance
        self.features = features
        self.classes: list[str] = []
        self.types: list[Type] = ["num", "num"]
        self.types += ["pair"] * features.pairs + ["table"] * features.tables + ["list"] * features.lists

    def program(self) -> Flows:
        if self.features.classes:
            self.classes = ["Plain", "Record"][: self.chance.randint(1, 2)]
        types = self.types + self.classes
        functions = [Function(START, [(SEED, "num"), ("limit", "num")], "num")]
        for number in range(1, self.chance.randint(2, self.features.functions)):
            parameters = [(name, self.chance.choice(types)) for name in ("x", "y", "z")[: self.chance.randint(1, 3)]]
            functions.append(Function(f"step{number}", parameters, self.chance.choice(types)))
        for number, function in enumerate(functions):
            Body(self, function, functions[number + 1 :]).fill()
        island = Function(ISLAND, [(SEED, "num"), ("x", "num")], "num")
        Body(self, island, [], alone=True).fill()
        return spelled([*functions, island], self.classes, self.features.globals)


class Body:
    """Draws one function's statements. `alone`: it touches neither fields nor the global, which others share."""

    def __init__(self, maker: Maker, function: Function, later: list[Function], alone: bool = False) -> None:
        self.chance = maker.chance
        self.features = maker.features
        self.types = maker.types
        self.classes = [] if alone else maker.classes
        self.alone = alone
        self.function = function
        self.later = later
        self.known: dict[Type, list[str]] = {}
        self.closures: list[str] = []
        self.own: set[str] = set()
        """Dictionaries and lists that nothing else holds yet."""
        self.fresh = 0
        for name, kind in function.parameters:
            self.known.setdefault(kind, []).append(name)

    def fill(self) -> None:
        self.function.body = self.block(self.features.statements, 0)
        self.function.body.append(Stmt("return", value=self.value(self.function.returns, 2)))

    def block(self, most: int, depth: int) -> list[Stmt]:
        return [self.statement(depth) for _ in range(self.chance.randint(1, most))]

    # -- statements -------------------------------------------------------------------------------------------------------------------

    def statement(self, depth: int) -> Stmt:
        kind = self.chance.choice(self.possible(depth))
        own = sorted(name for name in self.own if name[0] == {"store": "t", "append": "l"}.get(kind))
        match kind:
            case "assign":
                return self.assignment(depth)
            case "unpack":
                value = self.value("pair", 2)
                first, second = self.target("num"), self.target("num")
                return Stmt("assign", (first, second if second != first else "_"), value)
            case "augment":
                return Stmt("augment", (self.chance.choice(self.rebindable()),), self.value("num", 1))
            case "store" | "append":
                value = self.value("num", 2)
                alive = [name for name in own if name in self.own]
                if not alive:  # the value itself has handed it on
                    return Stmt("show", value=value)
                return Stmt(kind, (self.chance.choice(alive),), value, self.chance.randint(0, 1))
            case "put" | "set":
                return Stmt(kind, (self.object(kind == "set"),), self.value("num", 2), self.chance.randint(0, 1))
            case "global":
                return Stmt("global", (GLOBAL,), self.value("num", 2))
            case "if":
                return Stmt("if", body=self.inner(depth), orelse=self.inner(depth) if self.chance.randint(0, 1) else [])
            case "for":
                value = self.value("list", 1)
                name = self.target("num")
                return Stmt("for", (name,), value, body=self.inner(depth))
            case "def":
                return self.closure()
            case "return":
                return Stmt("return", value=self.value(self.function.returns, 1))
        return Stmt(kind, value=self.value("num", 1))

    def possible(self, depth: int) -> list[str]:
        features = self.features
        kinds = ["assign"] * 3 + ["show", "test"] + ["unpack"] * features.pairs
        kinds += ["augment"] * (features.arithmetic and bool(self.rebindable()))
        kinds += ["if", "if"] * (depth < 2) + ["for"] * (features.loops and features.lists and depth < 2)
        kinds += ["store"] * (4 * any(name[0] == "t" for name in self.own))
        kinds += ["append"] * (6 * any(name[0] == "l" for name in self.own))
        kinds += ["put", "put"] * bool(self.objects()) + ["set"] * bool(self.objects(methods=True))
        kinds += ["global"] * (features.globals and not self.alone)
        kinds += ["def"] * (features.closures and depth == 0)
        return kinds + ["return"] * (depth > 0)

    def assignment(self, depth: int) -> Stmt:
        wanted = self.chance.choice(self.types + self.classes)
        value = self.value(wanted, 2)
        name = self.target(wanted)
        self.own.discard(name)
        if value.kind in ("table", "list") and depth == 0:
            self.own.add(name)
        return Stmt("assign", (name,), value)

    def closure(self) -> Stmt:
        name = f"inner{len(self.closures) + 1}"
        value = self.value("num", 1)
        self.closures.append(name)
        return Stmt("def", (name,), None, body=[Stmt("return", value=value)])

    def inner(self, depth: int) -> list[Stmt]:
        """A branch or a loop's body; names that only it binds are unknown after it."""
        before = {kind: list(names) for kind, names in self.known.items()}
        block = self.block(2, depth + 1)
        self.known = before
        return block

    def rebindable(self) -> list[str]:
        return [name for name in self.known.get("num", []) if name != SEED]  # a value bound to it would be traced as well

    def target(self, kind: Type) -> str:
        """A variable to bind: a known one of the type, or a new one."""
        again = self.rebindable() if kind == "num" else self.known.get(kind, [])
        if again and self.chance.randint(0, 2) == 0:
            return self.chance.choice(again)
        self.fresh += 1
        name = f"{LETTERS.get(kind, 'o')}{self.fresh}"
        self.known.setdefault(kind, []).append(name)
        return name

    def objects(self, methods: bool = False) -> list[str]:
        return [name for owner in self.classes if owner == "Plain" or not methods for name in self.known.get(owner, [])]

    def object(self, methods: bool = False) -> str:
        return self.chance.choice(self.objects(methods))

    # -- expressions ------------------------------------------------------------------------------------------------------------------

    def value(self, kind: Type, depth: int) -> Expr:
        choices = ["const" if kind == "num" else "build"] * (kind != "num" or depth == 0 or not self.known.get(kind))
        choices += ["var"] * (3 * bool(self.known.get(kind)))
        if depth > 0:
            choices += ["either"] + ["call", "call"] * any(one.returns == kind for one in self.later)
        if kind == "num":
            choices += ["item"] * ("pair" in self.known) + ["element"] * ("list" in self.known) + ["key"] * ("table" in self.known)
            choices += ["field", "field"] * bool(self.objects()) + ["get"] * bool(self.objects(methods=True))
            choices += ["sum"] * (self.features.arithmetic and depth > 0)
            choices += ["global"] * (self.features.globals and not self.alone) + ["closure"] * bool(self.closures)
        return self.made(self.chance.choice(choices), kind, depth)

    def made(self, choice: str, kind: Type, depth: int) -> Expr:
        chance = self.chance
        match choice:
            case "const":
                return Expr("const", index=chance.randint(0, 9))
            case "var":
                name = chance.choice(self.known[kind])
                if SEED in self.known[kind] and self.function.name == START and chance.randint(0, 1):
                    name = SEED
                self.own.discard(name)
                return Expr("var", name)
            case "global":
                return Expr("global", GLOBAL)
            case "closure":
                return Expr("closure", chance.choice(self.closures))
            case "item":
                return Expr("item", chance.choice(self.known["pair"]), chance.randint(0, 1))
            case "element":
                return Expr("item", chance.choice(self.known["list"]), chance.randint(-1, 1))
            case "key":
                return Expr("key", chance.choice(self.known["table"]), chance.randint(0, 1))
            case "field":
                return Expr("field", self.object(), chance.randint(0, 1))
            case "get":
                return Expr("get", self.object(methods=True), chance.randint(0, 1))
            case "sum":
                return Expr("sum", "", chance.randint(1, 9), (self.value("num", depth - 1),))
            case "either":
                return Expr("either", parts=(self.value(kind, depth - 1), self.value(kind, depth - 1)))
            case "call":
                return self.call(chance.choice([one for one in self.later if one.returns == kind]), depth)
        parts = (self.value("num", depth - 1), self.value("num", depth - 1))
        if kind in LETTERS:
            return Expr(kind, parts=parts)
        return Expr("new", kind, parts=parts, keywords=(None, FIELDS[1]) if chance.randint(0, 1) else (None, None))

    def call(self, function: Function, depth: int) -> Expr:
        """By position up to some parameter, then by keyword, by spreading dictionaries, or by spreading one list."""
        names = [name for name, _ in function.parameters]
        turn = self.chance.randint(0, len(names))
        how = self.chance.choice(["name", "name", "**", "*"] if self.features.spreads else ["name"])
        rest = [{"name": name, "**": f"**{name}", "*": "*"}[how] for name in names[turn:]]
        parts = tuple(self.value(kind, depth - 1) for _, kind in function.parameters)
        return Expr("call", function.name, parts=parts, keywords=(*[None] * turn, *rest))
