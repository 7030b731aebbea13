"""Fields copied by name, and how few files are read for them."""

from __future__ import annotations

from flow.small import program_of

from sgmem.flow.occurrences import Occurrences
from sgmem.flow.published import Published

RECORD = "class Record:\n    size = 1\n"
COPY = """
from prog.record import Record
from prog.bag import Bag


def publish(record: Record, bag: Bag, names):
    for name in names:
        setattr(bag, name, getattr(record, name))
"""
STRANGE_COPY = "def publish(one, other, names):\n    for name in names:\n        setattr(one, name, getattr(other, name))\n"


def copies(files: dict[str, str]) -> tuple[list[tuple[str, str]], set[str]]:
    """The copies of `size` by their two ends, and the files that were parsed to find them."""
    program = program_of(files)
    parsed: set[str] = set()
    get = program.files.get
    program.files.get = lambda path: (parsed.add(path), get(path))[1]  # type: ignore[method-assign,func-returns-value]
    found = Published(program, Occurrences(program)).copies("size")
    return [(str(copy.source), str(copy.onto)) for copy in found], parsed


def test_a_loop_copies_a_field_of_one_class_onto_another() -> None:
    found, _ = copies({"record": RECORD, "bag": "class Bag:\n    size: int\n", "copying": COPY})
    assert found == [("prog.record:Record.size", "prog.bag:Bag.size")]


def test_a_file_that_mentions_no_class_with_the_field_is_not_parsed() -> None:
    _, parsed = copies({"record": RECORD, "strange": STRANGE_COPY})
    assert "prog/strange.py" not in parsed


def test_the_many_other_owners_of_a_common_name_are_not_parsed() -> None:
    others = {f"other{i}": f"class Other{i}:\n    size = {i}\n" for i in range(30)}
    found, parsed = copies({"record": RECORD, "bag": "class Bag:\n    size: int\n", "copying": COPY, **others})
    assert found == [("prog.record:Record.size", "prog.bag:Bag.size")]
    assert not any("other" in path for path in parsed)
