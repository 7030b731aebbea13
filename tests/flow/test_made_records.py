"""The fields of records that calls make."""

from __future__ import annotations

import pytest
from flow.small import MAIN, program_of

from sgmem.flow.made_records import declared_fields, field_given, made_by
from sgmem.program.entities import Global
from sgmem.syntax import ir


@pytest.mark.parametrize(
    ("made", "fields"),
    [
        ('NamedTuple("X", [("size", int), ("rate", float)])', ("size", "rate")),
        ('typing.NamedTuple("X", (("size", int),))', ("size",)),
        ('namedtuple("X", "size rate")', ("size", "rate")),
        ('namedtuple("X", "size, rate")', ("size", "rate")),
        ('namedtuple("X", ["size"])', ("size",)),
        ('make_dataclass("X", ["rate", ("size", int, 3)], frozen=True)', ("rate", "size")),
        ('defstruct("X", [("size", int, 3)])', ("size",)),
        ('TypedDict("X", {"size": int}, total=False)', ("size",)),
        ('create_model("X", __base__=Base, size=(int, 3))', ("size",)),
        ('make("X", [("size", int)])', ()),
        ('namedtuple("X", names)', ()),
        ('NamedTuple("X")', ()),
        ("3", ()),
    ],
)
def test_a_call_that_makes_a_record_lists_its_fields(made: str, fields: tuple[str, ...]) -> None:
    program = program_of(f"X = {made}\n")
    file = program.files.get(MAIN)
    assert file is not None
    assert tuple(name for name, _ in declared_fields(file.statement(0).bindings[0].value)) == fields
    assert made_by(program, Global(file, "X")) == fields


@pytest.mark.parametrize(
    ("call", "given"),
    [("X(a, b)", ("size", "rate")), ("X(a, rate=b)", ("size", "rate")), ("X(a, other=b)", ("size", None)), ("X(*a, b)", (None, None))],
)
def test_arguments_set_fields_by_position_and_by_keyword(call: str, given: tuple[str | None, ...]) -> None:
    file = program_of(f"{call}\n").files.get(MAIN)
    assert file is not None
    (node,) = file.statement(0).values
    assert isinstance(node, ir.Call)
    assert tuple(field_given(node, argument, ("size", "rate")) for argument in node.args) == given
