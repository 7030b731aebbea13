"""Frames of the measurements that releases make, and how two of them differ."""

from __future__ import annotations

import pytest
from domains.expressions import expression

from sgmem.domains.frames.frame import (
    Epoch,
    Event,
    Frame,
    compare,
    frame_of,
    is_delta,
    keyword_argument,
    measured,
    measured_part,
)
from sgmem.models.load import load_models
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

TABLE = load_models().measurements
AVAILABLE = "get_available_gpu_memory(self.device, self.gpu_id, distributed=self.tp_size > 1, cpu_group=group)"


def frame(text: str, epoch: Epoch | None = None) -> Frame:
    found = measured(expression(text), TABLE, text_of)
    assert found is not None
    return frame_of(found, epoch=epoch)


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        (AVAILABLE, "GiB", "free memory of the device, min over ranks when self.tp_size > 1"),
        ("get_available_gpu_memory(self.device, self.gpu_id)", "GiB", "free memory of the device"),
        ("get_available_gpu_memory(0, distributed=True)", "GiB", "free memory of the device, min over ranks"),
        ("get_available_gpu_memory(0, distributed=False)", "GiB", "free memory of the device"),
        ("torch.cuda.mem_get_info(0)[0]", "bytes", "free memory of the device"),
        ("torch.cuda.mem_get_info()[1]", "bytes", "total memory of the device"),
        ("torch.npu.mem_get_info()[1]", "bytes", "total memory of the device"),
        ("psutil.virtual_memory().available", "bytes", "free memory of the machine"),
        ("psutil.virtual_memory().total", "bytes", "total memory of the machine"),
        ("torch.cuda.get_device_properties(i).total_memory", "bytes", "total memory of the device"),
        ("torch.cuda.memory_allocated()", "bytes", "allocated memory of the process"),
        ("torch.cuda.max_memory_allocated()", "bytes", "peak allocated memory of the process"),
        ("torch.get_device_module().memory_reserved()", "bytes", "reserved memory of the process"),
        ("get_device_memory_capacity(self.device)", "MiB", "total memory of the device"),
    ],
)
def test_measurements_of_the_releases(text: str, unit: str, expected: str):
    found = measured(expression(text), TABLE, text_of)
    assert found is not None
    evidence = found.evidence()
    assert evidence is not None
    assert (str(evidence.unit), frame_of(found).text) == (unit, expected)
    assert evidence.strong


@pytest.mark.parametrize(
    "text",
    [
        "torch.cuda.mem_get_info()",
        "torch.cuda.mem_get_info()[2]",
        "psutil.virtual_memory()",
        "psutil.virtual_memory().percent",
        "get_something(0)",
        "free",
        "psutil.cpu_percent()",
        "torch.zeros(3)",
    ],
)
def test_what_is_no_measurement(text: str):
    assert measured(expression(text), TABLE, text_of) is None


def test_the_parts_of_a_tuple_result():
    call = expression("torch.cuda.mem_get_info(gpu_id)")
    assert isinstance(call, ir.Call)
    parts = [measured_part(call, TABLE, text_of, index=index) for index in (0, 1)]
    assert [part.result.quantity for part in parts if part] == ["free", "total"]


def test_device_group_and_hygiene():
    found = frame(AVAILABLE)
    assert (found.device, found.group, found.hygiene) == ("self.device, self.gpu_id", "group", ("empty-cache",))
    assert frame("get_available_gpu_memory(d, 0, empty_cache=False)").hygiene == ()
    assert frame("torch.cuda.memory_allocated(device=x)").device == "x"
    assert frame("torch.cuda.memory_allocated()").device is None


def test_the_caller_may_know_the_default_of_a_parameter():
    found = measured(expression("get_available_gpu_memory(rank)"), TABLE, text_of)
    assert found is not None

    def argument(call: ir.Call, name: str) -> ir.Expr | None:
        return expression("True") if name == "distributed" else keyword_argument(call, name)

    assert frame_of(found, argument).reduction == "min"
    assert frame_of(found).reduction == "none"


def test_care_seen_before_the_call_is_added():
    found = measured(expression("torch.cuda.mem_get_info()[0]"), TABLE, text_of)
    assert found is not None
    assert frame_of(found, care=("synchronize", "collect")).hygiene == ("collect", "synchronize")


def test_two_readings_around_the_weights_differ_in_time_only():
    before, after = Epoch("Runner.__init__", (2, 0), "before loading"), Epoch("Runner.__init__", (5,), "after loading")
    events = [
        Event("load-weights", "allocates", "load_model", "runner.py", 10),
        Event("synchronize", "none", "synchronize", "runner.py", 11),
        Event("pool", "allocates", "HostPool", "host.py", 3, where="host"),
    ]
    first, second = frame(AVAILABLE, before), frame(AVAILABLE, after)
    (difference,) = compare(first, second, events)
    assert difference.aspect == "epoch"
    assert difference.text == "measured at different times: before loading, then load_model, then after loading"
    assert [event.symbol for event in difference.between] == ["load_model"]
    assert is_delta(first, second)
    assert compare(second, first, events)[0].text == difference.text


def test_one_reading_twice_does_not_differ():
    assert compare(frame(AVAILABLE), frame(AVAILABLE)) == ()


@pytest.mark.parametrize(
    ("left", "right", "aspects"),
    [
        (AVAILABLE, "get_available_gpu_memory(self.device, self.gpu_id)", ["reduction"]),
        ("torch.cuda.mem_get_info()[1]", "torch.cuda.mem_get_info()[0]", ["quantity"]),
        ("torch.cuda.memory_allocated()", "torch.cuda.max_memory_allocated()", ["statistic"]),
        ("torch.cuda.mem_get_info(0)[0]", "torch.cuda.mem_get_info(1)[0]", ["device"]),
        ("psutil.virtual_memory().available", "torch.cuda.mem_get_info()[0]", ["scope"]),
        ("get_available_gpu_memory(d, 0)", "get_available_gpu_memory(d, 0, empty_cache=False)", ["hygiene"]),
    ],
)
def test_differences(left: str, right: str, aspects: list[str]):
    assert [difference.aspect for difference in compare(frame(left), frame(right))] == aspects


def test_a_difference_of_meaning_is_no_delta():
    assert not is_delta(frame(AVAILABLE), frame("torch.cuda.memory_allocated()"))


def test_epochs_of_different_roots_are_not_ordered():
    a, b = Epoch("A.__init__", (1,)), Epoch("B.__init__", (2,))
    assert a.before(b) is None
    assert a.before(Epoch("A.__init__", (1, 4))) is True
    assert Epoch("A.__init__", (2,)).before(a) is False
    assert a.before(a) is None
    assert compare(frame(AVAILABLE, a), frame(AVAILABLE, b)) == ()
