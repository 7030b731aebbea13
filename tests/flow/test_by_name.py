"""Reads and writes of fields by computed names."""

from __future__ import annotations

import pytest
from flow.small import program_of

from sgmem.flow.by_name import ByName
from sgmem.program.entities import Function

MAIN = "prog/main.py"
RECORD = "class Record:\n    size = 1\n\n"


def writes(source: str) -> list[tuple[int, str]]:
    """The line of every copy by name, and the source text of the object that it copies from."""
    copies = ByName(program_of(RECORD + source)).copies(frozenset(("Record",)))
    return sorted((write.call.span.line, write.file.source.slice(read.span)) for write, read in copies)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a, b, n):\n    setattr(a, n, getattr(b, n))\n", [(5, "b")]),
        ("def f(a, b, n):\n    object.__setattr__(a, n, getattr(b, n, None))\n", [(5, "b")]),
        ("def f(a, b, names):\n    for f in names:\n        setattr(a, f.name, getattr(b, f.name))\n", [(6, "b")]),
        ("def f(a, b, n):\n    value = getattr(b, n)\n    setattr(a, n, value)\n", [(6, "b")]),
        ("def f(a, b, n, m):\n    setattr(a, n, getattr(b, m))\n", []),
        ("def f(a, b, n):\n    setattr(a, n, b)\n", []),
        ("def f(a, b):\n    setattr(a, 'size', getattr(b, 'size'))\n", []),
        ("def ask(b, n):\n    return getattr(b, n)\ndef f(a, b, n):\n    setattr(a, n, ask(b, n))\n", [(7, "b")]),
        (
            "def ask(b, n):\n    return default(getattr(b, n))\ndef f(a, b, n):\n    setattr(a, n, ask(n=n, b=b.inner))\n",
            [(7, "b.inner")],
        ),
        ("def ask(b, n):\n    return b.size\ndef f(a, b, n):\n    setattr(a, n, ask(b, n))\n", []),
    ],
)
def test_a_write_by_name_and_what_it_copies(source: str, expected: list[tuple[int, str]]) -> None:
    assert writes(source) == expected


def test_a_method_that_sets_by_name_writes_where_it_is_called() -> None:
    source = """
class Bag:
    def _set(self, name, value):
        object.__setattr__(self, name, value)
    def fixed(self, name, value):
        object.__setattr__(self, "size", value)

def publish(record, names):
    bag = Bag()
    for name in names:
        bag._set(name, getattr(record, name))
        bag._set("size", getattr(record, name))
        bag.fixed(name, getattr(record, name))
"""
    assert writes(source) == [(14, "record")]


def stored(source: str, function: str = "declare", parameter: str = "fields") -> list[str]:
    """The classes whose fields the call of `function` in `use` writes by the names of its keywords."""
    program = program_of(RECORD + source)
    file = program.files.get(MAIN)
    assert file is not None
    target = next(Function(file, i) for i, row in enumerate(file.outline.scopes) if row.name == function and row.kind == "function")
    by_name = ByName(program)
    return [one.name for site in program.calls.callers(target) for one in by_name.stored(site, target, parameter)]


USE = "\ndef use(r: Record):\n    declare(r, size=2)\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def declare(r, **fields):\n    for n, v in fields.items():\n        setattr(r, n, v)\n", ["Record"]),
        (
            "def apply(o, d):\n    for n, v in d.items():\n        setattr(o, n, v)\ndef declare(r, **fields):\n    apply(r, fields)\n",
            ["Record"],
        ),
        (
            "def apply(o, **d):\n    for n, v in d.items():\n        setattr(o, n, v)\ndef declare(r, **fields):\n    apply(r, **fields)\n",
            ["Record"],
        ),
        ("def declare(r, **fields):\n    for n, v in fields.items():\n        print(n, v)\n", []),
        ("def declare(r, **fields):\n    for n in fields:\n        setattr(r, n, None)\n", []),
        ("def declare(r, **fields):\n    other = {}\n    for n, v in other.items():\n        setattr(r, n, v)\n", []),
        ("def declare(r, **fields):\n    declare(r, **fields)\n", []),
    ],
)
def test_a_function_that_stores_its_keywords_by_name(source: str, expected: list[str]) -> None:
    assert sorted(set(stored(source + USE))) == expected


def test_a_method_that_stores_its_keywords_on_its_own_object() -> None:
    source = """
class Bag:
    def declare(self, **fields):
        for name, value in fields.items():
            self._set(name, value)
    def _set(self, name, value):
        object.__setattr__(self, name, value)

def use(bag: Bag):
    bag.declare(size=2)
"""
    assert stored(source) == ["Bag"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fields['size']", True),
        ("fields.pop('size', 0)", True),
        ("fields.get(name)", False),
        ("fields.items()", False),
        ("fields", False),
    ],
)
def test_a_function_that_picks_single_fields(text: str, expected: bool) -> None:
    program = program_of(f"def declare(record, name, **fields):\n    return {text}\n")
    file = program.files.get(MAIN)
    assert file is not None
    assert ByName(program).picks(Function(file, 1), "fields") is expected
