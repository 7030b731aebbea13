"""Who calls a function, under every name that holds it."""

from __future__ import annotations

import pytest
from program.samples import Lab

from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Function
from sgmem.syntax import ir

DEFS = "def f(a): ...\n"


def calling_files(texts: dict[str, str]) -> set[str]:
    lab = Lab(texts)
    file = lab.file("defs.py")
    (index,) = (i for i, scope in enumerate(file.outline.scopes) if scope.name == "f")
    return {site.file.path.removeprefix("pkg/") for site in lab.program.calls.callers(Function(file, index))}


def test_one_alias_may_be_a_global_in_one_file_and_an_import_in_others() -> None:
    texts = {"defs.py": DEFS}
    for name in "abc":
        texts[f"{name}_binds.py"] = "from .defs import f\nplain = f\nplain(1)\n"
        texts[f"{name}_imports.py"] = "from .defs import f as plain\nplain(2)\n"
    assert calling_files(texts) == set(texts) - {"defs.py"}


def test_one_alias_may_be_a_default_in_several_files() -> None:
    texts = {"defs.py": DEFS}
    for name in "abc":
        texts[f"{name}.py"] = "from .defs import f\ndef run(call=f):\n    call(1)\n"
    assert calling_files(texts) == {"a.py", "b.py", "c.py"}


@pytest.mark.parametrize(
    ("calls", "only"),
    [("f(1)\n", "f(1)"), ("f(1)\nf(2)\n", None), ("", None), ("def g(f):\n    f(1)\nf(2)\n", "f(2)")],
)
def test_the_only_caller_is_named_where_there_is_no_other(calls: str, only: str | None) -> None:
    lab = Lab(DEFS + calls)
    function = lab.function("f")
    site = lab.program.calls.only_caller(function)
    assert (site.file.source.slice(site.call.span) if site is not None else None) == only
    found = [one.file.source.slice(one.call.span) for one in lab.program.calls.callers(function)]
    assert found == ([only] if only else ["f(1)", "f(2)"] if calls else [])  # the search that ended early is not taken for all


def test_a_function_that_an_everyday_name_holds_has_no_only_caller() -> None:
    held = {"defs.py": DEFS, "holds.py": "from .defs import f\nclass Layer:\n    def __init__(self):\n        self.step = f\n"}
    call = {"calls.py": "from .holds import Layer\ndef run(layer: Layer):\n    layer.step(1)\n"}
    others = {f"other_{number}.py": "def run(x):\n    x.step(2)\n" for number in range(60)}
    for texts, is_known in ((held | call, True), (held | call | others, False)):
        lab = Lab(texts)
        file = lab.file("defs.py")
        (index,) = (i for i, scope in enumerate(file.outline.scopes) if scope.name == "f")
        assert (lab.program.calls.only_caller(Function(file, index)) is not None) == is_known


def test_an_everyday_name_is_looked_for_where_it_is_set() -> None:
    held = (
        "from .defs import f\nclass Layer:\n    def __init__(self):\n        self.step = f\n    def run(self):\n        self.step(1)\n"
    )
    texts = {"defs.py": DEFS, "holds.py": held, "calls.py": "from .holds import Layer\ndef run(layer: Layer):\n    layer.step(1)\n"}
    assert calling_files(texts) == {"holds.py", "calls.py"}
    everyday = {f"other_{number}.py": "def run(x):\n    x.step(2)\n" for number in range(60)}
    assert calling_files(texts | everyday) == {"holds.py"}


def filled(signature: str, arguments: str, filled: int = 0) -> list[tuple[str, str | None, str | int | None]]:
    """Each argument of a call with the parameter that it fills, and the key in it."""
    lab = Lab(f"def f({signature}): ...\n\n\nf({arguments})\n")
    call, file, _ = lab.place(f"f({arguments})")
    assert isinstance(call, ir.Call)
    site = CallSite(file, len(file.outline.statements) - 1, call, filled)
    found = bind(site, lab.function("f").parameters)
    return [(file.source.slice(one.argument.value.span), one.parameter, one.key) for one in found]


@pytest.mark.parametrize(
    ("signature", "arguments", "expected"),
    [
        ("a, b", "1, 2", [("1", "a", None), ("2", "b", None)]),
        ("a, b", "1, b=2", [("1", "a", None), ("2", "b", None)]),
        ("a, b=0", "b=2, a=1", [("2", "b", None), ("1", "a", None)]),
        ("a, *, b", "1, b=2", [("1", "a", None), ("2", "b", None)]),
        ("a, *rest", "1, 2, 3", [("1", "a", None), ("2", "rest", 0), ("3", "rest", 1)]),
        ("a, **rest", "1, b=2", [("1", "a", None), ("2", "rest", "b")]),
        ("a, /, **rest", "1, a=2", [("1", "a", None), ("2", "rest", "a")]),
        ("a, b", "*x", [("x", None, 0)]),
        ("a, b, c", "1, *x, 2", [("1", "a", None), ("x", None, 1)]),
        ("a, *rest", "*x, 2", [("x", None, 0)]),
        ("a, b", "1, **x", [("1", "a", None), ("x", None, None)]),
        ("a", "1, 2", [("1", "a", None)]),
        ("a", "1, b=2", [("1", "a", None)]),
    ],
)
def test_arguments_fill_parameters_as_python_does(signature: str, arguments: str, expected: list[object]) -> None:
    assert filled(signature, arguments) == expected


def test_a_receiver_that_is_bound_already_is_passed_over() -> None:
    assert filled("self, a, *rest", "1, 2, *x", filled=1) == [("1", "a", None), ("2", "rest", 0), ("x", None, 3)]


UNKNOWN = """
    class Pool:
        def reserve(self, size, *, page=1):
            return size

        @staticmethod
        def align(size):
            return size

        @property
        def limit(self):
            return 1


    class Other:
        def __call__(self, size):
            pass


    def run(thing):
        thing.{call}
"""


@pytest.mark.parametrize(
    ("call", "entered"),
    [
        ("reserve(1)", {("Pool.reserve", 1)}),
        ("reserve(1, page=2)", {("Pool.reserve", 1)}),
        ("reserve(*x)", {("Pool.reserve", 1)}),
        ("reserve(**x)", {("Pool.reserve", 1)}),
        ("align(1)", {("Pool.align", 0)}),
        ("reserve(1, 2)", set()),
        ("reserve(1, pages=2)", set()),
        ("align(1, 2)", set()),
        ("limit()", set()),
        ("missing(1)", set()),
        ("__call__(1)", set()),
    ],
)
def test_a_method_of_an_unknown_object_is_known_by_name_if_the_arguments_fit(call: str, entered: set[tuple[str, int]]) -> None:
    assert Lab(UNKNOWN.format(call=call)).targets(f"thing.{call}") == entered


def test_a_method_that_many_classes_have_is_not_known_by_name() -> None:
    classes = "".join(f"class P{n}:\n    def reserve(self, size): ...\n\n\n" for n in range(3))
    lab = Lab({"a.py": classes, "main.py": "def run(thing):\n    thing.reserve(1)\n"})
    assert lab.targets("thing.reserve(1)") == set()
    two = Lab({"a.py": classes.split("class P2")[0], "main.py": "def run(thing):\n    thing.reserve(1)\n"})
    assert two.targets("thing.reserve(1)") == {("a:P0.reserve", 1), ("a:P1.reserve", 1)}


def test_a_class_is_entered_by_its_constructor_or_a_bases() -> None:
    lab = Lab("class A:\n    def __init__(self, x): ...\n\n\nclass B(A): ...\n\n\nclass C: ...\n\n\nA(1)\nB(2)\nC()\n")
    assert lab.targets("A(1)") == lab.targets("B(2)") == {("A.__init__", 1)}
    assert lab.targets("C()") == {("C", 0)}


def test_the_function_around_a_statement() -> None:
    lab = Lab("x = 1\n\n\nclass A:\n    y = 2\n\n    def m(self):\n        z = 3\n\n        class Inner:\n            w = 4\n")
    file = lab.file()
    around = {}
    for index, row in enumerate(file.outline.statements):
        if row.kind == "assign":
            function = lab.program.calls.inside(file, index)
            around[file.source.slice(row.span)] = function.name if function is not None else None
    assert around == {"x = 1": None, "y = 2": None, "z = 3": "m", "w = 4": "m"}
