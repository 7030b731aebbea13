from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import jsonschema
import pytest
from program_cases import classic

from sgmem.config.errors import NothingAnalysed
from sgmem.queries.options import TimelineOptions
from sgmem.queries.timeline.query import timeline
from sgmem.report.json import render_timeline_json, schema_text
from sgmem.report.timeline.terminal import render_timeline_text
from sgmem.report.view import View
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgmem.queries.results.timeline import Timeline, TimelineFormula, TimelineStep


def run(program: Mapping[str, str], root: str | None = None) -> Timeline:
    package = classic.PACKAGE if f"{classic.PACKAGE}/__init__.py" in program else None
    return timeline(SourceTree.from_texts(program, package=package), root, TimelineOptions())


@pytest.fixture(scope="module")
def start_up() -> Timeline:
    return run(classic.texts())


def named(result: Timeline, name: str) -> list[TimelineStep]:
    return [step for step in result.steps if step.name == name]


def budget(result: Timeline) -> TimelineFormula:
    return next(formula for formula in result.formulas if formula.spans)


def spans(result: Timeline) -> list[set[str]]:
    names = {step.id: step.name for step in result.steps}
    return [{names[key] for key in span.steps} for span in budget(result).spans]


def test_it_begins_where_the_models_say(start_up: Timeline) -> None:
    assert start_up.root.endswith(":Scheduler")
    assert start_up.complete


def test_the_steps_stand_in_the_order_of_time(start_up: Timeline) -> None:
    kinds = [step.kind for step in start_up.steps if step.kind not in ("call", "choice")]
    order = [kinds.index(kind) for kind in ("communicator", "load-weights", "pool", "graph-capture")]
    assert order == sorted(order)


def test_what_is_taken_before_both_readings_weighs_by_the_fraction_only(start_up: Timeline) -> None:
    before, between, _ = budget(start_up).spans
    assert before.effect == "-self.mem_fraction_static"
    assert between.effect == "-1"
    assert before.certain
    assert between.certain


def test_communicators_come_before_the_first_reading_and_weights_between(start_up: Timeline) -> None:
    before, between, after = spans(start_up)
    assert {"init_distributed_environment", "initialize_model_parallel"} <= before
    assert between == {"load_model"}
    assert "init_cuda_graphs" in after


def test_a_moved_allocation_moves_in_the_timeline() -> None:
    program = classic.texts()
    source = program[classic.RUNNER]
    program[classic.RUNNER] = source.replace(
        "        self.load_model()\n", "        self.load_model()\n        self.init_cuda_graphs()\n", 1
    )
    assert "init_cuda_graphs" in spans(run(program))[1]


def test_readings_say_what_they_measure(start_up: Timeline) -> None:
    reading = next(step for step in start_up.steps if step.stored == "min_per_gpu_memory").readings[0]
    assert (reading.quantity, reading.unit, reading.reduction, reading.scope) == ("free", "GiB", "min", "device")


def test_conditions_on_a_step_are_told(start_up: Timeline) -> None:
    assert any(step.when for step in named(start_up, "CudaGraphRunner"))


RUNNER = """
from app.utils import get_available_gpu_memory


class ModelRunner:
    def __init__(self, is_draft_worker=False):
        self.is_draft_worker = is_draft_worker
        if not self.is_draft_worker:
            initialize_model_parallel()
        self.load_model()

    def load_model(self):
        before = get_available_gpu_memory("cuda", 0)
        self.loader.get_model()


class Worker:
    def __init__(self, is_draft_worker=False):
        self.runner = ModelRunner(is_draft_worker=is_draft_worker)


class DraftWorker(Worker):
    def __init__(self):
        super().__init__(is_draft_worker=True)


class Scheduler:
    def __init__(self, speculative):
        self.worker = Worker()
        if speculative:
            self.draft_worker = DraftWorker()
        for _ in range(2):
            torch.cuda.empty_cache()
"""
UTILS = "def get_available_gpu_memory(device, gpu_id):\n    return 1.0\n"


def small(source: str = RUNNER, root: str = "Scheduler") -> Timeline:
    return run({"app/__init__.py": "", "app/utils.py": UTILS, "app/runner.py": source}, root)


def test_the_draft_worker_is_told_apart_and_sets_up_no_communicators() -> None:
    result = small()
    assert [step.role for step in named(result, "load_model")] == [None, "draft"]
    assert [step.role for step in named(result, "initialize_model_parallel")] == [None]


SHARED = """
from app.utils import get_available_gpu_memory


class ModelRunner:
    def __init__(self, algorithm, is_draft_worker=False):
        self.algorithm = algorithm
        self.is_draft_worker = is_draft_worker
        self.load_model()

    def load_model(self):
        self.loader.get_model()

    def allocate(self):
        if not self.algorithm.is_none() and self.is_draft_worker:
            assert self.pools is not None
        else:
            self.pools = self.profile()
        if self.algorithm.is_none() or self.is_draft_worker:
            self.checked = get_available_gpu_memory("cuda", 1)
        self.pool = TokenPool(self.pools)

    def profile(self):
        available = get_available_gpu_memory("cuda", 0)
        return available


class TokenPool:
    def __init__(self, size):
        self.size = size


class Scheduler:
    def __init__(self, algorithm):
        self.algorithm = algorithm
        self.worker = ModelRunner(algorithm)
        self.make_draft()
        self.worker.allocate()
        if self.draft_worker is not None:
            self.draft_worker.allocate()

    def make_draft(self):
        if self.algorithm.is_none():
            self.draft_worker = None
            return
        self.draft_worker = ModelRunner(self.algorithm, is_draft_worker=True)
"""


def test_a_condition_of_several_parts_keeps_a_step_from_the_worker_that_it_rules_out() -> None:
    """The target profiles, and the draft does not: it is there only with an algorithm, and then takes what the target has found."""
    steps = small(SHARED).steps
    measured = [(step.role, step.stored) for step in steps if step.kind == "measurement"]
    assert measured == [(None, "available"), (None, "self.checked"), ("draft", "self.checked")]
    assert [step.role for step in steps if step.name == "TokenPool"] == [None, "draft"]


BRANCHED = (
    SHARED.replace(
        """
        self.worker = ModelRunner(algorithm)
        self.make_draft()
""",
        """
        if use_lite():
            self.worker = LiteRunner(algorithm)
        else:
            self.worker = ModelRunner(algorithm)
        if algorithm.is_early():
            self.fill()
        self.make_draft()
        self.fill()
""",
    ).replace(
        """
    def make_draft""",
        """
    def fill(self):
        self.worker.allocate()
        self.first = TokenPool(1)
        self.second = TokenPool(2)
        self.third = TokenPool(3)

    def make_draft""",
    )
    + """

class LiteRunner(ModelRunner):
    def load_model(self):
        self.before = get_available_gpu_memory("cuda", 2)
"""
)


def test_a_special_case_that_comes_first_refers_to_the_usual_one_below() -> None:
    steps = {step.id: step for step in small(BRANCHED).steps}
    early, usual = [step for step in steps.values() if step.name == "fill"]
    assert early.when == ("algorithm.is_early()",)
    assert early.same_as == usual.id
    assert usual.same_as is None
    drafts = [step for step in steps.values() if step.name == "load_model" and step.role == "draft"]
    available = next(step for step in steps.values() if step.stored == "available")
    assert list(steps).index(drafts[0].id) < list(steps).index(available.id)


PARTED = """
from app.utils import get_available_gpu_memory


class ModelRunner:
    def __init__(self, is_draft_worker=False):
        self.is_draft_worker = is_draft_worker
        self.init_torch_distributed()
        self.arch = self.pick(0)
        self.whole = self.capacity(0)

    def init_torch_distributed(self):
        if not self.is_draft_worker:
            initialize_model_parallel()
        before = get_available_gpu_memory("cuda", 0)

    def pick(self, device):
        if device:
            return torch.cuda.get_device_properties(device).gcnArchName.split(":")
        arch = torch.cuda.get_device_properties(device).gcnArchName
        return arch

    def capacity(self, device):
        properties = torch.cuda.get_device_properties(device)
        return properties.total_memory


class Scheduler:
    def __init__(self):
        self.worker = ModelRunner()
        self.draft_worker = ModelRunner(is_draft_worker=True)
"""


def test_what_a_worker_leaves_out_of_an_event_is_no_event_of_it() -> None:
    found = [(step.role, step.kind) for step in small(PARTED).steps if step.name == "init_torch_distributed"]
    assert found == [(None, "communicator"), ("draft", "call")]


def test_an_event_that_others_have_done_before_is_a_call() -> None:
    moved = PARTED.replace("        if not self.is_draft_worker:\n            initialize_model_parallel()\n", "").replace(
        "        self.worker = ModelRunner()\n", "        initialize_model_parallel()\n        self.worker = ModelRunner()\n"
    )
    found = [(step.role, step.kind) for step in small(moved).steps if step.name == "init_torch_distributed"]
    assert found == [(None, "call"), ("draft", "call")]


def test_properties_of_a_device_are_a_reading_where_its_memory_is_asked() -> None:
    measured = [step.stored for step in small(PARTED).steps if step.kind == "measurement" and step.role is None]
    assert measured == ["before", "properties"]


def test_many_steps_of_a_kind_are_one_line_of_what_a_reading_includes() -> None:
    made = "".join(f"        self.pool{number} = TokenPool({number})\n" for number in range(6))
    source = SHARED.replace(
        "        self.pool = TokenPool(self.pools)\n", f"        self.budget = self.checked - self.algorithm.reserve\n{made}"
    )
    text = render_timeline_text(small(source), View(120, every=True))
    assert len(re.findall(r"^ {6}#\d+ to #\d+ pool TokenPool$", text, re.MULTILINE)) == 1


def test_a_step_in_a_loop_repeats() -> None:
    assert [step.repeats for step in named(small(), "empty_cache")] == [True]


def test_a_method_of_a_subclass_is_entered_on_its_object() -> None:
    source = RUNNER + "\n\nclass Special(ModelRunner):\n    def load_model(self):\n        torch.cuda.empty_cache()\n"
    steps = small(source, "Special").steps
    assert [step.kind for step in steps] == ["communicator", "load-weights", "empty-cache"]


def test_an_unknown_root_is_no_timeline() -> None:
    with pytest.raises(NothingAnalysed):
        small(root="Nowhere")


def test_a_mistyped_root_names_what_was_meant() -> None:
    with pytest.raises(NothingAnalysed) as caught:
        run({"app/__init__.py": "", "app/main.py": "class ModelRunner:\n    pass\n"}, root="app.main:ModelRuner")
    assert caught.value.candidates == ("ModelRunner",)


def test_a_program_without_a_start_up_says_so() -> None:
    with pytest.raises(NothingAnalysed):
        run({"app/__init__.py": "", "app/main.py": "def main():\n    print('hello')\n"})


def test_recursion_ends() -> None:
    result = small(
        "class A:\n    def __init__(self):\n        self.load_model()\n\n    def load_model(self):\n        self.load_model()\n", "A"
    )
    assert {step.name for step in result.steps} == {"load_model"}


def test_the_json_satisfies_its_schema(start_up: Timeline) -> None:
    schema = json.loads(schema_text("timeline-1"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for result in (start_up, small()):
        jsonschema.Draft202012Validator(schema).validate(json.loads(render_timeline_json(result)))


def test_two_runs_are_alike(start_up: Timeline) -> None:
    assert render_timeline_json(run(classic.texts())) == render_timeline_json(start_up)


@pytest.mark.parametrize("view", [View(width=100), View(width=60, unicode=False), View(width=140, verbose=True, every=True)], ids=str)
def test_the_text(start_up: Timeline, view: View, snapshot: object) -> None:
    assert render_timeline_text(start_up, view) == snapshot


NESTED = """
def connect():
    init_process_group()
    new_group()
    new_group()
    new_group()
    new_group()


class Runner:
    def __init__(self):
        connect()
        self.load_model()

    def load_model(self):
        self.loader.get_model()


class LiteRunner:
    def __init__(self, deep):
        connect()
        if deep:
            self.inner = Runner()


class Server:
    def __init__(self, deep):
        if use_lite():
            self.runner = LiteRunner(deep)
        else:
            self.runner = Runner()
"""


def test_what_the_usual_branch_does_is_shown_there_though_special_cases_of_the_other_one_lead_to_the_same() -> None:
    steps = {step.id: step for step in small(NESTED, "Server").steps}
    usual = next(step for step in steps.values() if "not use_lite()" in step.when)
    shown = next(step for step in steps.values() if step.name == "connect" and step.same_as is None)
    assert shown.parent == usual.id
    assert all(step.same_as == shown.id for step in steps.values() if step.name == "connect" and step is not shown)
