"""Classes that variable names spell."""

from __future__ import annotations

import pytest

from sgmem.program.class_index import snake_case
from sgmem.program.program import Program
from sgmem.program.spelling import spelled_name
from sgmem.source.tree import SourceTree
from sgmem.syntax.ir import Span
from sgmem.syntax.lower import lower_expression


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("ServerArgs", "server_args"),
        ("KVPool", "kv_pool"),
        ("ModelRunner", "model_runner"),
        ("_Private", "private"),
        ("X", "x"),
    ],
)
def test_the_variable_name_that_spells_a_class(name: str, spelled: str) -> None:
    assert snake_case(name) == spelled


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("record", "record"),
        ("self._record", "record"),
        ('object.__getattribute__(self, "_record")', "record"),
        ('getattr(self, "_record", None)', "record"),
        ("getattr(self, name)", ""),
        ("make_record()", ""),
        ("1 + 2", ""),
    ],
)
def test_the_last_name_of_an_expression(text: str, name: str) -> None:
    assert spelled_name(lower_expression(text, Span(1, 1, 1, 1 + len(text)))) == name


def test_only_module_level_classes_are_spelled() -> None:
    text = "class ServerArgs:\n    class PortArgs:\n        pass\n"
    program = Program(SourceTree.from_texts({"pkg/__init__.py": "", "pkg/a.py": text}), ("pkg/__init__.py", "pkg/a.py"))
    spelled = {word: [one.name for one in program.spelling.classes(_name(word))] for word in ("server_args", "port_args", "args")}
    assert spelled == {"server_args": ["ServerArgs"], "port_args": [], "args": []}


def _name(word: str):  # type: ignore[no-untyped-def]
    return lower_expression(word, Span(1, 1, 1, 1 + len(word)))
