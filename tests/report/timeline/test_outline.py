"""The skeleton of a start-up: what is folded, and that nothing which sizes a budget is."""

from __future__ import annotations

from sgmem.queries.options import TimelineOptions
from sgmem.queries.timeline.query import timeline
from sgmem.report.timeline.outline import Entry, outline, subjects
from sgmem.report.timeline.steps import Steps, name
from sgmem.report.timeline.terminal import render_timeline_text
from sgmem.report.view import View
from sgmem.source.tree import SourceTree

UTILS = "def get_available_gpu_memory(device, gpu_id):\n    return 1.0\n"
PROGRAM = """
from app.utils import get_available_gpu_memory


class Runner:
    def __init__(self, args):
        self.args = args
        initialize_model_parallel()
        self.total = get_available_gpu_memory("cuda", 0)
        self.load_model()
        self.init_memory_pool()
        if args.device == "cuda":
            self.init_attention_backend()
        elif args.device == "cpu":
            self.init_attention_backend()
        torch.cuda.empty_cache()

    def load_model(self):
        before = get_available_gpu_memory("cuda", 0)
        self.loader.get_model()
        self.weight_memory = before - get_available_gpu_memory("cuda", 0)

    def init_attention_backend(self):
        pass

    def init_memory_pool(self):
        free = get_available_gpu_memory("cuda", 0)
        slack = self.total * (1 - self.args.mem_fraction_static)
        if self.args.fixed:
            slack = max(slack, self.args.reserve)
        rest = free - slack
        self.make(rest)

    def make(self, rest):
        if self.args.latent:
            self.pool = LatentPool(rest)
        elif self.args.window:
            self.pool = WindowPool(rest)
        else:
            self.pool = TokenPool(rest)


class LiteRunner(Runner):
    def load_model(self):
        self.loader.get_model()
        self.first = TokenPool(1)
        self.second = TokenPool(2)


class Server:
    def __init__(self, args):
        if use_lite():
            self.runner = LiteRunner(args)
        if not use_lite():
            self.runner = Runner(args)
        self.runner.init_attention_backend()
        for _ in range(2):
            self.runner.init_memory_pool()
"""


def entries(source: str = PROGRAM, root: str = "Runner") -> list[Entry]:
    texts = {"app/__init__.py": "", "app/utils.py": UTILS, "app/runner.py": source}
    result = timeline(SourceTree.from_texts(texts), root, TimelineOptions())
    return outline(result, Steps(result)).entries


def of(kind: str, source: str = PROGRAM, root: str = "Runner") -> list[Entry]:
    return [entry for entry in entries(source, root) if entry.first.kind == kind]


def test_the_skeleton_of_a_start_up_is_in_order() -> None:
    found = [(entry.how, entry.first.kind) for entry in entries()]
    assert found == [
        ("event", "communicator"), ("reading", "measurement"), ("event", "load-weights"), ("reading", "measurement"), ("event", "pool"),
        ("event", "workspace"), ("minor", "empty-cache"),
    ]  # fmt: skip


def test_branches_that_make_different_pools_are_one_entry_with_what_decides() -> None:
    (pools,) = of("pool")
    assert list(map(name, pools.steps)) == ["LatentPool", "WindowPool", "TokenPool"]
    assert set(pools.decided_by) == {"self.args.latent", "self.args.window"}


def test_the_same_event_in_several_branches_is_one_entry() -> None:
    (workspace,) = of("workspace")
    assert len(workspace.steps) == 2
    assert workspace.decided_by == ["args.device"]


def test_readings_around_an_event_are_told_with_it() -> None:
    (weights,) = of("load-weights")
    assert weights.also["measured for self.weight_memory"] == 1


def test_of_branches_that_exclude_each_other_the_usual_one_is_shown() -> None:
    (lite,) = [entry for entry in entries(root="Server") if entry.how == "branch"]
    assert name(lite.first) == "LiteRunner"
    assert lite.kept is not None
    assert name(lite.kept) == "Runner"
    assert lite.also["pool"] >= 2


def test_what_is_done_again_refers_to_where_it_is_shown() -> None:
    again = [entry for entry in entries(root="Server") if entry.how == "again"]
    assert [name(entry.first) for entry in again] == ["Runner.init_memory_pool"]


def test_subjects_of_conditions() -> None:
    asked = ['self.device == "cpu"', "not (self.device in ('a', 'b'))", "f(x) and not y is None", "3 < z"]
    assert subjects(asked) == ["self.device", "f(x)", "y"]


def rendered(every: bool = False) -> str:
    texts = {"app/__init__.py": "", "app/utils.py": UTILS, "app/runner.py": PROGRAM}
    return render_timeline_text(timeline(SourceTree.from_texts(texts), "Runner", TimelineOptions()), View(140, every=every))


def test_the_overview_says_who_pays_in_each_alternative_of_a_budget() -> None:
    text = rendered()
    assert "where slack = self.total * (1 - self.args.mem_fraction_static)" in text
    assert "1 GiB taken here changes rest by -self.args.mem_fraction_static or -1 GiB" in text
    assert "1 GiB taken here changes rest by -1 GiB: all of it is charged" in text


def test_communicators_before_the_first_reading_are_told_to_explain_no_gap() -> None:
    assert "so buffers of communicators are allocated before the first reading" in rendered()


def test_communicators_between_the_readings_are_not() -> None:
    moved = PROGRAM.replace("        initialize_model_parallel()\n", "").replace(
        "        self.load_model()\n", "        self.load_model()\n        initialize_model_parallel()\n", 1
    )
    texts = {"app/__init__.py": "", "app/utils.py": UTILS, "app/runner.py": moved}
    text = render_timeline_text(timeline(SourceTree.from_texts(texts), "Runner", TimelineOptions()), View(140))
    assert "communicator (initialize_model_parallel)" in text
    assert "allocated before the first reading" not in text


def test_every_step_is_shown_when_asked() -> None:
    assert "before = get_available_gpu_memory" not in rendered()
    assert "before = get_available_gpu_memory" in rendered(every=True)


def test_a_function_without_events_says_so() -> None:
    texts = {"app/__init__.py": "", "app/main.py": "def main():\n    return 1\n"}
    text = render_timeline_text(timeline(SourceTree.from_texts(texts), "main", TimelineOptions()), View(140))
    assert "nothing that the models know" in text
