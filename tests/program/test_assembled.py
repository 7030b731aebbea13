"""Records that get their fields from classes of fields after their definition."""

from __future__ import annotations

import pytest
from program.samples import Lab

from sgmem.program.entities import Class

FIELDS = """
class Size:
    pages: int = 1
    share: float = 0.5

class Place:
    host: str = ""

SETS = [Size, Place]
"""

WAYS = {
    "annotations": "Record.__annotations__ = {**collect(SETS), **Record.__annotations__}",
    "through variables": "wanted = SETS\nfound, defaults = collect(wanted)\nRecord.__annotations__ = {**found}",
    "update in a loop": "for each in SETS:\n    Record.__annotations__.update(each.__annotations__)",
    "each by its annotations": "Record.__annotations__ = {**Size.__annotations__, **Place.__annotations__}",
    "defstruct": "Record = msgspec.defstruct('Record', collect(SETS), namespace=vars(Record))",
    "make_dataclass": "Record = make_dataclass('Record', collect([Size, Place]))",
}


def record(way: str) -> Lab:
    text = f"from pkg.fields import SETS, Place, Size\n\nclass Record:\n    own: int = 0\n\n{way}\n"
    return Lab({"fields.py": FIELDS, "record.py": text})


def class_(lab: Lab, path: str, name: str) -> Class:
    file = lab.file(path)
    return Class(file, file.children(0)[name])


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
def test_the_record_has_the_fields_of_every_set(way: str) -> None:
    lab = record(way)
    owner = class_(lab, "record.py", "Record")
    classes = lab.program.classes
    assert [each.name for each in classes.bases(owner)] == ["Size", "Place"]
    assert set(classes.record_fields(owner)) == {"pages", "share", "host", "own"}
    assert classes.is_record(owner)
    size = class_(lab, "fields.py", "Size")
    assert classes.owners(owner, "pages") == (size,)
    assert owner in classes.subclasses(size)


@pytest.mark.parametrize(
    "way",
    [
        "Record.__annotations__ = {'own': int}",
        "Record.note = [Size]",
        "Other = msgspec.defstruct('Other', collect(SETS))",
        "print(Record.__annotations__, SETS)",
        "Record.__annotations__ = {**collect(make(Size()).names)}",
    ],
)
def test_a_class_that_gets_no_fields_of_others(way: str) -> None:
    lab = record(way)
    owner = class_(lab, "record.py", "Record")
    assert lab.program.classes.bases(owner) == ()


def test_a_circle_of_variables_ends() -> None:
    lab = record("a = b\nb = a\nRecord.__annotations__ = collect(a)")
    assert lab.program.classes.bases(class_(lab, "record.py", "Record")) == ()
