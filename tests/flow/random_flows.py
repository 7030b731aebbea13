"""Random programs whose true flows are known: each is built as a small tree of our own, spelled out for the analysis, and walked by
our own semantics under every combination of branches. The text is never executed.

The language: functions that only call later ones, arguments by position, by keyword and spread; pairs, dictionaries with literal keys,
lists; classes with a hand-written constructor and methods, records; a global; closures; loops over displays; if/else with unknown
tests, conditional expressions, early returns. A dictionary or list is changed only while nothing else holds it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Type = str
"""`num`, `pair`, `table`, `list`, or the name of a class."""
KEYS = ("a", "b")
FIELDS = ("left", "right")
START, SEED, ISLAND, GLOBAL = "start", "budget", "lonely", "shared"


@dataclass(frozen=True)
class Expr:
    """`kind` is one of: const, var, global, item (of a pair or list), key (of a table), field, get (a method), sum, call, closure, pair,
    table, list, new, either."""

    kind: str
    name: str = ""
    index: int = 0
    parts: tuple[Expr, ...] = ()
    keywords: tuple[str | None, ...] = ()
    """For a call, the keyword of each part, or `*` or `**` where that part and all after it are spread."""

    def text(self) -> str:
        inner = [part.text() for part in self.parts]
        match self.kind:
            case "const":
                return str(self.index)
            case "var" | "global":
                return self.name
            case "item":
                return f"{self.name}[{self.index}]"
            case "key":
                return f'{self.name}["{KEYS[self.index]}"]'
            case "field":
                return f"{self.name}.{FIELDS[self.index]}"
            case "get":
                return f"{self.name}.get_{FIELDS[self.index]}()"
            case "closure":
                return f"{self.name}()"
            case "sum":
                return f"{inner[0]} + {self.index}"
            case "call" | "new":
                return f"{self.name}({', '.join(_arguments(self.keywords, inner))})"
            case "pair":
                return f"({', '.join(inner)})"
            case "list":
                return f"[{', '.join(inner)}]"
            case "table":
                return "{" + ", ".join(f'"{key}": {value}' for key, value in zip(KEYS, inner, strict=True)) + "}"
            case _:
                return f"({inner[0]} if flag() else {inner[1]})"


def _arguments(keywords: tuple[str | None, ...], values: list[str]) -> list[str]:
    found: list[str] = []
    for position, (keyword, value) in enumerate(zip(keywords, values, strict=True)):
        if keyword == "*":
            return [*found, f"*[{', '.join(values[position:])}]"]
        found.append(
            f"{keyword}={value}"
            if keyword and not keyword.startswith("**")
            else f"**{{{keyword[2:]!r}: {value}}}"
            if keyword
            else value
        )
    return found


@dataclass
class Stmt:
    """`kind` is one of: assign (a name, or two from a pair), augment, store (a key), append, put (a field), set (a method), global, if,
    for (a name over a list), def (a closure), return, test, show."""

    kind: str
    targets: tuple[str, ...] = ()
    value: Expr | None = None
    index: int = 0
    body: list[Stmt] = field(default_factory=list)
    orelse: list[Stmt] = field(default_factory=list)
    line: int = 0

    def text(self) -> str:
        value = self.value.text() if self.value is not None else ""
        first = self.targets[0] if self.targets else ""
        match self.kind:
            case "assign" | "global":
                return f"{', '.join(self.targets)} = {value}"
            case "augment":
                return f"{first} += {value}"
            case "store":
                return f'{first}["{KEYS[self.index]}"] = {value}'
            case "append":
                return f"{first}.append({value})"
            case "put":
                return f"{first}.{FIELDS[self.index]} = {value}"
            case "set":
                return f"{first}.set_{FIELDS[self.index]}({value})"
            case "if":
                return "if flag():"
            case "for":
                return f"for {first} in {value}:"
            case "def":
                return f"def {first}():"
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


@dataclass
class Lines:
    """The lines of a class: where its constructor stores each field, and where its methods return and store each."""

    stored: tuple[int, ...] = ()
    returned: tuple[int, ...] = ()
    set: tuple[int, ...] = ()


@dataclass(repr=False)
class Flows:
    """A program: functions in calling order, then one that nothing calls; its classes; its text."""

    functions: dict[str, Function]
    classes: dict[str, Lines]
    text: str

    def __repr__(self) -> str:
        return f"\n{self.text}"

    @property
    def path(self) -> str:
        return "prog/work.py"

    @property
    def island(self) -> set[int]:
        """The lines of the function that nothing calls."""
        first = self.functions[ISLAND].line
        return set(range(first, len(self.text.splitlines()) + 1))


# -- spelling -------------------------------------------------------------------------------------------------------------------------


def spelled(functions: list[Function], classes: list[str], with_global: bool) -> Flows:
    lines = ["from dataclasses import dataclass", "from elsewhere import flag, show"]
    lines += ["", f"{GLOBAL} = 0"] * with_global
    found: dict[str, Lines] = {}
    for name in classes:
        found[name] = _spell_record(lines) if name == "Record" else _spell_class(lines)
    for function in functions:
        hints = [f"{name}: {kind}" if kind in classes else name for name, kind in function.parameters]
        returns = f" -> {function.returns}" if function.returns in classes else ""
        lines += ["", "", f"def {function.name}({', '.join(hints)}){returns}:"]
        function.line = len(lines)
        lines += [f"    global {GLOBAL}"] * (with_global and function.name != ISLAND)
        _spell_block(function.body, 1, lines)
    return Flows({function.name: function for function in functions}, found, "\n".join(lines) + "\n")


def _spell_class(lines: list[str]) -> Lines:
    lines += ["", "", "class Plain:", f"    def __init__(self, {', '.join(FIELDS)}):"]
    lines += [f"        self.{each} = {each}" for each in FIELDS]
    stored, returned, set_ = (len(lines) - 1, len(lines)), [], []
    for each in FIELDS:
        lines += ["", f"    def get_{each}(self):", f"        return self.{each}"]
        returned.append(len(lines))
        lines += ["", f"    def set_{each}(self, value):", f"        self.{each} = value"]
        set_.append(len(lines))
    return Lines(stored, tuple(returned), tuple(set_))


def _spell_record(lines: list[str]) -> Lines:
    lines += ["", "", "@dataclass", "class Record:", *(f"    {each}: int" for each in FIELDS)]
    return Lines()


def _spell_block(block: list[Stmt], depth: int, lines: list[str]) -> None:
    for statement in block:
        lines.append("    " * depth + statement.text())
        statement.line = len(lines)
        _spell_block(statement.body, depth + 1, lines)
        if statement.orelse:
            lines.append("    " * depth + "else:")
            _spell_block(statement.orelse, depth + 1, lines)
