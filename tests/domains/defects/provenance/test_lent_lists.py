"""What ends a line decides no finding."""

from __future__ import annotations

import pytest

from sgmem.domains.program_facts import ProgramFacts
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

LENT = """
def sizes_to_capture(server_args, pool):
    sizes = server_args.graph_batch_sizes{end}
    sizes.append(pool.size)
    return sizes


def add_arguments(parser):
    parser.add_argument("--graph-batch-sizes", type=int, nargs="+")
"""


@pytest.mark.parametrize(("end", "found"), [("", 1), ("  ", 1), ("\t", 1), ("\r", 1), ("  # theirs", 1), (".copy()", 0), ("[:]", 0)])
def test_a_list_is_lent_whatever_ends_its_line(end: str, found: int) -> None:
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/run.py": LENT.format(end=end)}, package="app")
    models = load_models()
    facts = ProgramFacts(Program(tree, tuple(tree.files), models.config), models)
    assert len(list(facts.ranks.lent_lists())) == found
