"""Configuration rows: what they name in a program, and what a definition must look like for a row to count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.models.load import Table
from sgmem.models.rows import ConfigRow
from sgmem.program.entities import Class, Function, Global
from sgmem.program.idioms import is_table
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from sgmem.models.rows import ConfigKind
    from sgmem.program.files import File

TEXT = """
class Record:
    size = 1

class Other:
    size = 1

class View:
    def __getattr__(self, name):
        return self.answers[name]

class Plain:
    def __init__(self, record):
        self.record = record

def declare(record, **fields):
    record.stash.append(fields)

def declare_dict(record, fields):
    record.stash.append(fields)

def declare_all(record, *fields):
    record.stash.append(fields)

def register(name):
    return lambda function: function

@register("small")
def small(record):
    return {"size": 2}

@unknown("small")
def unregistered(record):
    return {"size": 2}

TABLE = {"small": {"size": 2}}
LIST = {"small": [2]}
"""


def program(*rows: ConfigRow) -> tuple[Program, File]:
    tree = SourceTree.from_texts({"pkg/__init__.py": "", "pkg/config/main.py": TEXT}, package="pkg")
    made = Program(tree, tuple(tree.files), Table(rows))
    file = made.files.get("pkg/config/main.py")
    assert file is not None
    return made, file


def row(kind: ConfigKind, name: str, fields: str | None = None, of: str = "**.config.**:Record") -> ConfigRow:
    return ConfigRow(names=(f"**.config.**:{name}",), why="for a test", kind=kind, of=(of,), fields=fields)


def names(classes: tuple[Class, ...]) -> list[str]:
    return [each.name for each in classes]


def test_a_view_must_answer_for_attributes_it_has_not() -> None:
    made, file = program(row("view", "View"), row("view", "Plain"))
    assert names(made.idioms.views(Class(file, file.children(0)["View"]))) == ["Record"]
    assert names(made.idioms.views(Class(file, file.children(0)["Plain"]))) == []
    assert names(made.idioms.views(Class(file, file.children(0)["Other"]))) == []


def test_a_view_reads_the_record_named_in_its_row() -> None:
    made, file = program(row("view", "View"))
    view = Class(file, file.children(0)["View"])
    assert names(tuple(made.values.proxied(view, "size"))) == ["Record"]
    made, file = program(row("view", "View", of="**.elsewhere:Record"))
    assert not made.values.proxied(Class(file, file.children(0)["View"]), "size")


def test_a_writer_must_have_the_parameter_that_holds_the_fields() -> None:
    rows = [row("writer", name, "fields") for name in ("declare", "declare_dict", "declare_all", "small")]
    made, file = program(*rows)
    found = {
        name: made.idioms.writers(Function(file, file.children(0)[name]))
        for name in ("declare", "declare_dict", "declare_all", "small")
    }
    assert {name: [(holder, names(classes)) for holder, classes in each] for name, each in found.items()} == {
        "declare": [("fields", ["Record"])],
        "declare_dict": [("fields", ["Record"])],
        "declare_all": [],
        "small": [],
    }


def test_a_provider_is_known_by_its_decorator() -> None:
    made, file = program(row("provider", "register"))
    assert names(made.idioms.providers(Function(file, file.children(0)["small"]))) == ["Record"]
    assert names(made.idioms.providers(Function(file, file.children(0)["unregistered"]))) == []


def test_a_table_is_a_dict_of_dicts() -> None:
    made, file = program(row("table", "TABLE"), row("table", "LIST"))
    assert is_table(Global(file, "TABLE")) and not is_table(Global(file, "LIST"))
    assert names(made.idioms.tables(file, "TABLE")) == ["Record"]
    assert names(made.idioms.tables(file, "LIST")) == []


def test_without_rows_nothing_is_known() -> None:
    tree = SourceTree.from_texts({"pkg/__init__.py": "", "pkg/config/main.py": TEXT}, package="pkg")
    made = Program(tree, tuple(tree.files))
    file = made.files.get("pkg/config/main.py")
    assert file is not None
    assert made.idioms.views(Class(file, file.children(0)["View"])) == ()
    assert made.idioms.tables(file, "TABLE") == ()
    assert made.idioms.providers(Function(file, file.children(0)["small"])) == ()
