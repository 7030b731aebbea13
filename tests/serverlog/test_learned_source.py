"""A program's messages and budget, read from a small source of our own."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from sgmem.program.program import Program
from sgmem.queries.reconcile.query import reconcile
from sgmem.serverlog.formula import USUAL
from sgmem.serverlog.learned import learn
from sgmem.source.tree import SourceTree

RUNNER = """
import logging
from mini.srt.utils import get_available_gpu_memory

logger = logging.getLogger(__name__)


class Runner:
    def __init__(self, server_args):
        self.mem_fraction_static = server_args.mem_fraction_static
        if server_args.multimodal:
            self.mem_fraction_static *= 0.9
        total = get_available_gpu_memory(self.device, 0, distributed=True)
        self.load_model()
        self.size(total)

    def load_model(self):
        before = get_available_gpu_memory(self.device, 0)
        logger.info("Fetching parameters starts, gauge=%.2f GB", before)
        self.model = get_model(self)
        after = get_available_gpu_memory(self.device, 0)
        logger.info(f"Fetching parameters done, {self.dtype=}, gauge={after:.2f} GB, spent avail mem={before - after:.2f} GB")

    def size(self, total):
        left = get_available_gpu_memory(self.device, 0, distributed=True)
        rest = left - total * (1 - self.mem_fraction_static)
        return rest
"""
UTILS = "def get_available_gpu_memory(device, gpu_id, distributed=False, empty_cache=True):\n    return 0.0\n"
LOADER = "def get_model(runner):\n    return None\n"
ARGS = "class ServerArgs:\n    mem_fraction_static: float = None\n    multimodal: bool = False\n"


@pytest.fixture
def tree() -> SourceTree:
    runner = RUNNER.replace("import logging\n", "import logging\nfrom mini.srt.model_loader import get_model\n")
    texts = {
        "mini/__init__.py": "", "mini/srt/__init__.py": "", "mini/srt/runner.py": runner + "# avail mem\nNOTE = 'avail mem'\n",
        "mini/srt/utils.py": UTILS, "mini/srt/model_loader.py": LOADER, "mini/srt/server_args.py": ARGS,
    }  # fmt: skip
    return SourceTree.from_texts(texts)


def test_the_budget_is_found_with_its_roles_and_what_scales_the_fraction(tree: SourceTree) -> None:
    formula = learn(Program(tree, tuple(tree.files))).formula
    assert formula is not None
    assert {term.name: term.role for term in formula.terms} == {
        "left": "available",
        "total": "baseline",
        "self.mem_fraction_static": "fraction",
    }
    assert formula.value(21.7, 94.0, 0.55) == pytest.approx(-20.6)
    assert [scale.factor for scale in formula.scales] == [0.9]
    assert formula.late_communicators


def test_values_are_bound_by_dataflow_whatever_the_words(tree: SourceTree) -> None:
    patterns = {one.head: one for one in learn(Program(tree, tuple(tree.files))).patterns}
    kinds = {field.kind: field.proof for one in patterns.values() for field in one.fields}
    assert kinds == {"free.before-weights": "flow", "free.after-weights": "flow", "used.weights": "flow"}


def test_a_log_of_that_program_is_read_with_its_own_formats(tree: SourceTree) -> None:
    log = (
        b"--mem-fraction-static 0.7\n[TP0] Fetching parameters starts, gauge=78.00 GB\n"
        b"[TP0] Fetching parameters done, self.dtype=bf16, gauge=46.00 GB, spent avail mem=32.00 GB\nrest_memory 22.6 GB\n"
    )
    (boot,) = reconcile(io.BytesIO(log), len(log), "x.log", tree).boots
    assert boot.expected_kv == pytest.approx(22.6)
    assert boot.verdict == "consistent"
    assert boot.ranks[-1].values[0].path == "mini/srt/runner.py"


def test_the_usual_formula_solves_for_each_term() -> None:
    assert USUAL.fraction(21.7, 94.0, 10.42) == pytest.approx(0.88)
    assert USUAL.baseline(21.7, 0.55, 10.42) == pytest.approx(25.0667, abs=1e-3)


def test_the_walk_through_of_the_documentation_finds_the_default() -> None:
    raw = (Path(__file__).parents[2] / "docs" / "examples" / "out-of-memory.log").read_bytes()
    (boot,) = reconcile(io.BytesIO(raw), len(raw), "out-of-memory.log").boots
    assert boot.verdict == "inconsistent"
    assert any(one.term == "fraction" and one.value == pytest.approx(0.88, abs=0.0005) for one in boot.explanations)
