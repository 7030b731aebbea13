"""Which statements are looked at: those that calculate with memory, in files that may mix something up."""

from __future__ import annotations

from textwrap import dedent

import pytest

from sgmem.domains.accounting.candidates import Candidates
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

MODELS = load_models()


def looked_at(source: str) -> list[int]:
    """The lines of the candidate statements."""
    tree = SourceTree.from_texts({"serving/case.py": dedent(source)})
    found = Candidates(Program(tree, tuple(tree.files)), MODELS).statements()
    return [file.outline.statements[index].span.line for file, index in found]


def test_names_bound_from_a_word_are_followed_within_the_function() -> None:
    assert looked_at(
        """
        def f(gpu, other):
            free = get_available_gpu_memory(gpu)
            kept = free
            rest = kept - other
            return rest + 1

        def g(free, other):
            return free - other
        """
    ) == [5, 6]


@pytest.mark.parametrize("name", ["größe_gb", "ü_gb_limit", "free_gb"])
def test_names_with_other_letters_spell_units_too(name: str) -> None:
    assert looked_at(f"def f(used_mb):\n    return {name} - used_mb\n") == [2]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("return x_gb - y", True),
        ("return min(x_gb, y)", True),
        ("return x_gb < y", True),
        ("if x_gb >= y: pass", True),
        ("assert x_gb > y", True),
        ("x_gb += y", True),
        ("return x_gb", False),
        ("return call(x_gb, y)", False),
        ("return x_gb * y", False),
        ("'x_gb - y'", False),
        ("# x_gb - y", False),
    ],
)
def test_only_what_sums_or_compares_counts(line: str, expected: bool) -> None:
    assert bool(looked_at(f"def f(x_gb, y):\n    pass\n    {line}\n")) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("limit_gib", True),
        ("limit_MB", True),
        ("total_memory", True),
        ("limit_bytes", False),
        ("gb", False),
        ("limit_gbs", False),
    ],
)
def test_files_where_all_is_in_bytes_or_nothing_is_memory_are_left_out(name: str, expected: bool) -> None:
    assert bool(looked_at(f"def f(a, x):\n    return a.{name} - x\n")) == expected


def test_files_that_are_left_out_are_not_parsed() -> None:
    tree = SourceTree.from_texts(
        {
            "serving/memory.py": "def f(a_gb, b):\n    return a_gb - b\n",
            "serving/prose.py": "def f(a_gb):\n    show(a_gb)\n",
            "serving/other.py": "def f(a, b):\n    return a - b\n",
        }
    )
    program = Program(tree, tuple(tree.files))
    assert len(list(Candidates(program, MODELS).statements())) == 1
    assert program.files.parsed == 1
