"""The units of values in their place: by models, names, conversions and definitions, near and far."""

from __future__ import annotations

import pytest
from domains.programs import facts_of

from sgmem.syntax import ir


def unit_of(source: str, *, deep: bool = False, **files: str) -> str | None:
    """The unit of what `probe(...)` is given, with a question mark where the evidence is weak."""
    facts = facts_of(source, **files)
    file = facts.program.files.get("serving/case.py")
    assert file is not None
    for index in file.mentions("probe"):
        for root in file.statement(index).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "probe":
                    evidence = facts.units.infer(node.args[0].value, file, index, deep=deep)
                    return None if evidence is None else f"{evidence.unit}{'' if evidence.strong else '?'}"
    raise AssertionError("no probe")


@pytest.mark.parametrize(
    ("body", "unit"),
    [
        ("x = get_available_gpu_memory(d)\nprobe(x)", "GiB"),
        ("x = get_available_gpu_memory(d) * 1024\nprobe(x)", "MiB"),
        ("x = torch.cuda.memory_allocated()\nprobe(x / (1 << 30))", "GiB"),
        ("free, total = torch.cuda.mem_get_info()\nprobe(total)", "bytes"),
        ("info = torch.cuda.mem_get_info()\nprobe(info[0])", "bytes"),
        ("probe(torch.cuda.mem_get_info()[1])", "bytes"),
        ("memory = psutil.virtual_memory()\nprobe(memory.available)", "bytes"),
        ("memory = psutil.virtual_memory()\nprobe(memory.percent)", None),
        ("probe(options.slack_gb)", "GB"),
        ("probe(usage['peak_mb'])", "MB"),
        ("probe(usage.get('peak_bytes', 0))", "bytes"),
        ("probe(getattr(options, 'slack_gib', 2))", "GiB"),
        ("probe(d)", None),
    ],
)
def test_near_evidence(body: str, unit: str | None) -> None:
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    assert unit_of(f"import psutil\nimport torch\n\n\ndef f(d, options, usage):\n{indented}") == unit


@pytest.mark.parametrize(
    ("body", "unit"),
    [
        ("x = get_available_gpu_memory(d)\nif d:\n    x = x - 1\nprobe(x)", "GiB?"),
        ("x = get_available_gpu_memory(d)\nif d:\n    x = 0\nprobe(x)", "GiB"),
        ("x = get_available_gpu_memory(d)\nif d:\n    x = torch.cuda.memory_reserved()\nprobe(x)", "GiB?"),
        ("x = get_available_gpu_memory(d)\nx = unknown(d)\nprobe(x)", None),
        ("x = get_available_gpu_memory(d)\nx /= 1 << 10\nprobe(x)", "TiB"),
        ("x_mb = get_available_gpu_memory(d)\nprobe(x_mb)", "GiB?"),
        ("for x_mb in d:\n    probe(x_mb)", "MB"),
        ("while d:\n    x = x\n    probe(x)", None),
    ],
)
def test_where_definitions_meet_the_claim_is_as_good_as_the_worst(body: str, unit: str | None) -> None:
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    assert unit_of(f"import torch\n\n\ndef f(d):\n{indented}") == unit


RETURNS = "from serving.other import reading\n\n\ndef f():\n    probe(reading())\n"


@pytest.mark.parametrize(
    ("other", "unit"),
    [
        ("import torch\n\n\ndef reading():\n    return torch.cuda.memory_reserved()\n", "bytes"),
        ("def reading():\n    return later()\n\n\ndef later():\n    return get_available_gpu_memory(0)\n", "GiB"),
        ("def reading(x=0):\n    if x:\n        return get_available_gpu_memory(0)\n    return x\n", "GiB?"),
        ("def reading():\n    return reading()\n", None),
    ],
)
def test_a_far_look_follows_what_calls_return(other: str, unit: str | None) -> None:
    assert unit_of(RETURNS, other=other) is None
    assert unit_of(RETURNS, deep=True, other=other) == unit


def test_a_far_look_follows_parameters_to_all_callers() -> None:
    source = "def f(x):\n    probe(x)\n\n\ndef g():\n    f(get_available_gpu_memory(0))\n"
    assert unit_of(source) is None
    assert unit_of(source, deep=True) == "GiB"
    assert unit_of(source + "\n\ndef h(other):\n    f(other)\n", deep=True) == "GiB?"


def test_a_far_look_follows_fields_to_what_is_stored() -> None:
    source = """
    class Runner:
        def __init__(self, given):
            self.free = get_available_gpu_memory(0)
            self.given = given
            probe({})
    """
    assert unit_of(source.format("self.free"), deep=True) == "GiB"
    assert unit_of(source.format("self.given"), deep=True) is None


@pytest.mark.parametrize(
    ("constant", "value"),
    [
        ("LIMIT = 10 * (1 << 30)", 10 << 30),
        ("LIMIT = OTHER\nOTHER = 3", 3),
        ("LIMIT = 1\nLIMIT = 2", None),
        ("if x:\n    LIMIT = 1", None),
    ],
)
def test_a_name_with_one_literal_definition_is_its_number(constant: str, value: int | None) -> None:
    facts = facts_of(f"{constant}\n\n\ndef f():\n    probe(LIMIT)\n")
    file = facts.program.files.get("serving/case.py")
    assert file is not None
    index = file.mentions("probe")[0]
    call = file.statement(index).values[0]
    assert isinstance(call, ir.Call)
    assert facts.units.constant(call.args[0].value, file, index) == value


@pytest.mark.parametrize(
    ("source", "unit"),
    [
        # A loop's own result has the unit that its beginning has.
        (
            "def f(d):\n    x = get_available_gpu_memory(d)\n    while d:\n        x = max(x, get_available_gpu_memory(d))\n    probe(x)",
            "GiB",
        ),
        ("def f(d):\n    x = 0\n    for each in d:\n        x += each.nbytes\n    probe(x)", "bytes"),
        ("def f(d):\n    x = get_available_gpu_memory(d)\n    while d:\n        x = max(x, unknown(d))\n    probe(x)", "GiB?"),
        # A function that is handed its own result.
        (
            "def f(d):\n    x = get_available_gpu_memory(d)\n    if d:\n        x = less(x)\n    probe(x)\n\n\n"
            "def less(x):\n    return x - torch.cuda.memory_allocated() / (1 << 30)",
            "GiB",
        ),
    ],
)
def test_what_is_worked_out_of_itself_is_in_the_unit_of_the_rest(source: str, unit: str) -> None:
    assert unit_of(f"import torch\n\n\n{source}\n", deep=True) == unit


def test_dividing_what_may_be_bytes_by_10_to_the_9_makes_gigabytes() -> None:
    body = "def f(d):\n    x = torch.cuda.memory_allocated()\n    if d:\n        x = unknown(d)\n    probe(x / 1e9)\n"
    assert unit_of(f"import torch\n\n\n{body}") == "GB"
    assert unit_of("def f(d):\n    probe(d / 1e9)\n") == "GB?"


CALLERS = {f"serving/caller_{number}.py": "def g(sizer, d):\n    sizer.plan(get_available_gpu_memory(d))\n" for number in range(6)}


@pytest.mark.parametrize(
    ("name", "files", "unit"),
    [
        ("free_memory", CALLERS, "GiB"),
        ("d", CALLERS, None),  # only what is called like an amount is looked for so far
        ("free_memory", CALLERS | {"serving/more.py": "def h(sizer):\n    sizer.plan(17 * read())\n"}, None),
    ],
)
def test_a_reading_that_many_callers_hand_on(name: str, files: dict[str, str], unit: str | None) -> None:
    source = f"class Sizer:\n    def plan(self, {name}):\n        probe({name})\n"
    typed = {
        path: f"from serving.case import Sizer\n\n\n{text.replace('sizer,', 'sizer: Sizer,').replace('(sizer)', '(sizer: Sizer)')}"
        for path, text in files.items()
    }
    assert unit_of(source, deep=True, **typed) == unit
