"""The project's own `roots` lead the rules, as they lead the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.config.settings import NO_OWN_MODELS, OwnModels
from sgmem.queries.check.query import check
from sgmem.queries.models.query import models
from sgmem.queries.options import CheckOptions, TimelineOptions
from sgmem.queries.timeline.query import timeline
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from sgmem.findings.finding import Finding

RUNNER = """
from pkg.utils import get_available_gpu_memory

class Runner:
    def __init__(self, share):
        self.share = share
        self.total = get_available_gpu_memory("cuda", 0)
        self.load_model()
        self.init_pools()

    def load_model(self):
        self.model = build()

    def init_pools(self):
        available = get_available_gpu_memory("cuda", 0)
        rest = available - self.total * (1 - self.share)
        self.tokens = int(rest * (1 << 30)) // self.cell_size

class Draft(Runner):
    def load_model(self):
        self.model = build()
"""

BOOT = """
from pkg.runner import Draft, Runner

class Target:
    def step(self, share):
        self.runner = Runner(share)

class Second:
    def step(self, share):
        self.runner = Draft(share)

class Boot:
    def __init__(self):
        self.target = Target()
        self.second = Second()

    def run(self, share):
        self.target.step(share)
        self.second.step(share)
"""

OTHERS = {f"pkg/other_{number}.py": "def run(machine):\n    machine.step(1)\n" for number in range(60)}
"""So many modules call something of that name that nothing can be told from the name alone."""

ROOTS = OwnModels(roots=("**:Boot.run",))


def tree() -> SourceTree:
    utils = "def get_available_gpu_memory(device, gpu_id):\n    return ask(device, gpu_id) / (1 << 30)\n"
    return SourceTree.from_texts(
        {"pkg/__init__.py": "", "pkg/utils.py": utils, "pkg/runner.py": RUNNER, "pkg/boot.py": BOOT, **OTHERS}, package="pkg"
    )


def late_loads(own: OwnModels) -> tuple[Finding, ...]:
    return check(tree(), [], CheckOptions(select=("late-load",), own=own)).findings


def test_an_order_that_only_an_own_root_tells_is_reported() -> None:
    assert late_loads(NO_OWN_MODELS) == ()
    (found,) = late_loads(ROOTS)
    assert (found.path, found.symbol) == ("pkg/runner.py", "pkg.runner:Runner.__init__")
    assert [(step.path, step.line) for step in found.steps][-1] == ("pkg/boot.py", 19)


def test_an_own_root_from_which_nothing_is_loaded_later_tells_nothing() -> None:
    assert late_loads(OwnModels(roots=("**:Target.step",))) == ()


def test_the_timeline_begins_at_the_same_root() -> None:
    assert timeline(tree(), None, TimelineOptions(own=ROOTS)).root.endswith("Boot.run")


def test_own_roots_are_listed_with_what_they_match() -> None:
    rows = [row for row in models(tree(), OwnModels(roots=("**:Boot.run", "**:Gone.run"))).rows if row.own]
    assert [(row.table, row.names, row.state) for row in rows] == [
        ("root", ("**:Boot.run",), "matched"),
        ("root", ("**:Gone.run",), "mentioned"),
    ]
