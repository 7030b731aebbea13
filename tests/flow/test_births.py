"""Backward: where a value was born, through renames, calls, returns, fields and conversions."""

from __future__ import annotations

import pytest
from flow.small import MAIN, Line, line_of, program_of

from sgmem.flow.birth import RANK, Birth, unpacking
from sgmem.flow.births import Births
from sgmem.flow.occurrences import Occurrences
from sgmem.flow.order import Order
from sgmem.program.files import File, dotted
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span
from sgmem.syntax.lower import lower_expression

GAUGES = {"gauge", "mem_get_info", "virtual_memory"}


def births(source: str, code: str = "show(value)") -> list[Birth]:
    """The births of the argument of the call that makes up the line of `code`."""
    finder, value, file, index = finding(source, code)
    return list(finder.of(value, file, index))


def finding(source: str, code: str) -> tuple[Births, Expr, File, int]:
    program = program_of(source)

    def measures(call: ir.Call, *_: object) -> bool:
        return (dotted(call.func) or "").rpartition(".")[2] in GAUGES

    file = program.files.get(MAIN)
    assert file is not None
    number = line_of(source, code)[1]
    index = next(i for i, row in enumerate(file.outline.statements) if row.span.line == number)
    (call,) = file.statement(index).values
    assert isinstance(call, ir.Call)
    return Births(program, Occurrences(program), Order(program.names), measures), call.args[0].value, file, index


def born(source: str, code: str = "show(value)") -> set[tuple[str, Line]]:
    return {(birth.kind, (birth.file.path, birth.span.line)) for birth in births(source, code)}


FOUND = {
    "a constant": ("value = 3", "constant"),
    "a measurement": ("value = gauge()", "measurement"),
    "part of a measurement": ("value = mem.virtual_memory().available", "measurement"),
    "arithmetic": ("value = gauge() * other", "computed"),
    "a call that is not known": ("value = other()", "call"),
    "a parameter of nobody's": ("value = given", "parameter"),
    "a comparison": ("value = gauge() > 3", "built"),
    "a text": ("value = f'{gauge()}'", "built"),
}


@pytest.mark.parametrize("name", FOUND)
def test_kinds_of_birth(name: str) -> None:
    code, kind = FOUND[name]
    source = f"def start(given, other, mem):\n    {code}\n    show(value)\n"
    found = births(source)
    assert [birth.kind for birth in found] == [kind]
    assert (found[0].file.path, found[0].span.line) == ((MAIN, 1) if kind == "parameter" else (MAIN, 2))


def test_births_of_some_kinds_only() -> None:
    source = "def start(given):\n    value = 3\n    if given:\n        value = 4\n    show(value)\n"
    finder, value, file, index = finding(source, "show(value)")
    assert finder.only(("constant",), value, file, index) == finder.of(value, file, index)
    assert len(finder.only(("constant",), value, file, index)) == 2
    finder, value, file, index = finding(source.replace("value = 4", "value = gauge()"), "show(value)")
    assert finder.only(("constant",), value, file, index) == ()
    assert finder.only(("constant", "measurement"), value, file, index) == finder.of(value, file, index)


WAYS = {
    "renamed": """
        def start():
            first = gauge()  #
            second = first
            value = second
            show(value)
    """,
    "unpacked": """
        def start():
            other, value = 3, gauge()  #
            show(value)
    """,
    "returned": """
        def probe():
            return gauge()  #


        def start():
            value = probe()
            show(value)
    """,
    "one of several results": """
        def probe():
            return 3, gauge()  #


        def start():
            other, value = probe()
            show(value)
    """,
    "handed in": """
        def use(value):
            show(value)


        def start():
            use(gauge())  #
    """,
    "handed in by keyword, through two calls": """
        def inner(other, value):
            show(value)


        def outer(amount):
            inner(value=amount, other=3)


        def start():
            outer(gauge())  #
    """,
    "kept in a field": """
        class Runner:
            def __init__(self):
                self.amount = gauge()  #
                self.other = 3

            def run(self):
                value = self.amount
                show(value)
    """,
    "kept in a global": """
        amount = gauge()  #
        other = 3


        def start():
            value = amount
            show(value)
    """,
    "converted to another unit": """
        def start():
            amount = gauge()  #
            value = amount / (1 << 30)
            show(value)
    """,
    "converted by a call": """
        def start():
            amount = gauge()  #
            value = int(amount)
            show(value)
    """,
    "in a dictionary": """
        def start():
            table = {"other": 3, "amount": gauge()}  #
            value = table["amount"]
            show(value)
    """,
    "through an open keyword": """
        def use(**options):
            value = options["amount"]
            show(value)


        def start():
            use(amount=gauge(), other=3)  #
    """,
    "from a property": """
        class Runner:
            @property
            def amount(self):
                return gauge()  #


        def start(runner: Runner):
            value = runner.amount
            show(value)
    """,
    "bound by a walrus": """
        def start():
            if (value := gauge()) > 3:  #
                show(value)
    """,
    "awaited": """
        async def start():
            value = await gauge()  #
            show(value)
    """,
    "by a literal name": """
        class Runner:
            def __init__(self):
                self.amount = gauge()  #


        def start(runner: Runner):
            value = getattr(runner, "amount")
            show(value)
    """,
    "the element of a loop": """
        def start():
            for value in [gauge()]:  #
                show(value)
    """,
}


@pytest.mark.parametrize("name", WAYS)
def test_a_measurement_is_found_however_it_came(name: str) -> None:
    source = WAYS[name]
    assert born(source) == {("measurement", line_of(source, "#"))}


@pytest.mark.parametrize("name", WAYS)
def test_another_value_that_came_the_same_way_is_not_taken_for_it(name: str) -> None:
    source = WAYS[name].replace("gauge()", "other_call()")
    assert "measurement" not in {kind for kind, _ in born(source)}


def test_both_branches_are_births_and_a_measurement_tells_most() -> None:
    source = """
        def start(flag):
            if flag:
                value = 3
            else:
                value = gauge()
            show(value)
    """
    assert [birth.kind for birth in births(source)] == ["measurement", "constant"]
    conditional = "def start(flag):\n    value = gauge() if flag else 3\n    show(value)\n"
    assert [birth.kind for birth in births(conditional)] == ["measurement", "constant"]
    assert next(iter(RANK)) == "measurement"


def test_what_is_overwritten_is_no_birth() -> None:
    source = """
        def start():
            value = gauge()
            value = 3
            show(value)
    """
    assert born(source) == {("constant", line_of(source, "value = 3"))}


def test_a_record_s_field_is_born_where_it_is_declared() -> None:
    source = """
        from dataclasses import dataclass


        @dataclass
        class Args:
            amount: int = 3


        def start(args: Args):
            value = args.amount
            show(value)
    """
    assert born(source) == {("declaration", line_of(source, "amount: int"))}


def test_a_field_without_default_only_hands_on_what_its_record_is_built_with() -> None:
    source = """
        from dataclasses import dataclass


        @dataclass
        class Plan:
            other: int
            amount: int


        def start():
            plan = Plan(3, gauge())
            value = plan.amount
            show(value)
    """
    assert born(source) == {("measurement", line_of(source, "plan = Plan(3"))}


def test_a_value_is_followed_back_by_the_call_it_came_in_by() -> None:
    source = """
        def same(amount):
            return amount


        def start():
            other = same(3)
            value = same(gauge())
            show(value)
            show(other)
    """
    assert born(source) == {("measurement", line_of(source, "value = same"))}
    assert born(source, "show(other)") == {("constant", line_of(source, "other = same"))}


def test_hops_tell_the_way_back_nearest_first() -> None:
    source = WAYS["renamed"]
    (birth,) = births(source)
    lines = [hop.span.line for hop in birth.hops]
    assert lines == [line_of(source, code)[1] for code in ("value = second", "second = first", "first = gauge()")]


def test_a_conversion_is_told() -> None:
    (birth,) = births(WAYS["converted to another unit"])
    assert birth.converted
    (plain,) = births(WAYS["renamed"])
    assert not plain.converted


CYCLES = {
    "a loop": "def start(value):\n    while flag():\n        value = value\n    show(value)\n",
    "recursion": "def start(value, n):\n    show(value)\n    return start(start(value, n), n)\n",
    "functions that return each other": "def a():\n    return b()\ndef b():\n    return a()\ndef start():\n    value = a()\n    show(value)\n",
    "fields that copy each other": (
        "class C:\n    def f(self):\n        self.a = self.b\n        self.b = self.a\n        value = self.a\n        show(value)\n"
    ),
    "a container in itself": "def start():\n    table = {}\n    table['t'] = table\n    value = table['t']['t']['t']\n    show(value)\n",
}


@pytest.mark.parametrize("name", CYCLES)
def test_cycles_end(name: str) -> None:
    assert births(CYCLES[name])


def test_a_very_long_way_ends() -> None:
    lines = "".join(f"    x{i} = {'gauge()' if not i else f'x{i - 1}'}\n" for i in range(400))
    assert births(f"def start():\n{lines}    value = x399\n    show(value)\n")
    calls = "".join(f"def f{i}(x):\n    return {'x' if not i else f'f{i - 1}(x)'}\n" for i in range(400))
    assert births(f"{calls}def start():\n    value = f399(gauge())\n    show(value)\n")


def lower(text: str) -> Expr:
    return lower_expression(text, Span(1, 1, 1, len(text) + 1))


@pytest.mark.parametrize(
    ("target", "name", "paths"),
    [
        ("x", "x", [()]),
        ("x", "y", []),
        ("(a, x)", "x", [(1,)]),
        ("(a, (b, x))", "x", [(1, 1)]),
        ("(a, *x)", "x", [(1, "*")]),
        ("(x, x)", "x", [(0,), (1,)]),
        ("[a, b]", "x", []),
    ],
)
def test_the_path_that_unpacking_takes(target: str, name: str, paths: list[tuple[int | str, ...]]) -> None:
    assert list(unpacking(lower(target), name)) == paths


SETTINGS = """
class Setting:
    def __init__(self, default):
        self.default = default

    def read(self):
        return self.chosen()

    def chosen(self):
        return self.default


class Settings:
    SIZE = Setting(4)
    SHARE = Setting(gauge())
    LATER = Setting(5)


ALONE = Setting(6)
settings = Settings()
"""


@pytest.mark.parametrize(
    ("read", "lines"),
    [
        ("Settings.SIZE.read()", {"    SIZE = Setting(4)"}),
        ("settings.SIZE.chosen()", {"    SIZE = Setting(4)"}),
        ("Settings.SHARE.read()", {"    SHARE = Setting(gauge())"}),
        ("ALONE.read()", {"ALONE = Setting(6)"}),
        ("ALONE.default", {"ALONE = Setting(6)"}),
        ("settings.LATER.read()", {"    LATER = Setting(5)", "    settings.LATER = Setting(7)"}),
    ],
)
def test_what_an_object_of_its_own_name_holds_is_what_it_was_made_with(read: str, lines: set[str]) -> None:
    source = f"{SETTINGS}\ndef start():\n    value = {read}\n    show(value)\n"
    if len(lines) > 1:  # something else may be there by then
        source += "\ndef change(settings: Settings):\n    settings.LATER = Setting(7)\n"
        lines |= {line for line in SETTINGS.splitlines() if "Setting(" in line and "class" not in line}
    assert {source.splitlines()[birth.span.line - 1] for birth in births(source)} == lines


HANDED_DOWN = """
    class Pool:
        def __init__(self, given):
            show(given)


    class WidePool(Pool):
        def __init__(self, given):
            super().__init__(given)


    def start(settings):
        Pool(settings.size)
        {other}


    class Settings:
        def __init__(self):
            self.size = 3
"""


def test_a_parameter_is_no_birth_where_a_caller_hands_over_what_another_one_did() -> None:
    found = births(HANDED_DOWN.replace("settings)", "settings: Settings)").format(other="WidePool(settings.size)"), "show(given)")
    assert {birth.kind for birth in found} == {"constant"}


def test_a_parameter_that_nobody_hands_over_is_a_birth_beside_others() -> None:
    found = births(HANDED_DOWN.replace("settings)", "settings: Settings)").format(other="pass"), "show(given)")
    assert {birth.kind for birth in found} == {"constant", "parameter"}


def test_a_function_that_calls_itself_only_has_a_parameter_of_nobodys() -> None:
    found = births("def start(given, more):\n    show(given)\n    start(given, more)\n", "show(given)")
    assert {birth.kind for birth in found} == {"parameter"}


def test_a_receiver_is_born_as_one_whoever_calls_its_method() -> None:
    found = births(
        """
        class Pool:
            def run(self):
                show(self)

        def start():
            Pool().run()
            Pool.run(make())
        """,
        "show(self)",
    )
    assert [birth.kind for birth in found] == ["parameter"]
