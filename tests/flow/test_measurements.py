"""Which calls read a memory gauge, by the models and by what a call stands for."""

from __future__ import annotations

import pytest
from flow.small import MAIN, program_of

from sgmem.flow.measurements import Measurements
from sgmem.flow.naming import call_names
from sgmem.models.load import load_models
from sgmem.syntax import ir

PROGRAM = {
    "main": """
        import psutil
        import torch
        from torch.cuda import mem_get_info as ask
        from prog.utils import get_available_gpu_memory
        from prog import utils


        class Own:
            def virtual_memory(self):
                return 3


        def start(own: Own, device):
            {call}
    """,
    "utils": """
        def get_available_gpu_memory(device):
            return 1


        def other(device):
            return 1
    """,
}


def the_call(code: str) -> tuple[Measurements, ir.Call, object, int]:
    program = program_of(PROGRAM | {"main": PROGRAM["main"].replace("{call}", code)})
    file = program.files.get(MAIN)
    assert file is not None
    (call,) = file.statement(len(file.outline.statements) - 1).values
    assert isinstance(call, ir.Call)
    return Measurements(program, load_models()), call, file, file.outline.statements[-1].scope


@pytest.mark.parametrize(
    ("code", "measures"),
    [
        ("torch.cuda.mem_get_info(device)", True),
        ("ask(device)", True),
        ("psutil.virtual_memory()", True),
        ("get_available_gpu_memory(device)", True),
        ("utils.get_available_gpu_memory(device)", True),
        ("own.virtual_memory()", False),
        ("utils.other(device)", False),
        ("torch.cuda.synchronize()", False),
        ("print(device)", False),
        ("(lambda: 3)()", False),
    ],
)
def test_a_gauge_is_known_by_what_the_call_stands_for(code: str, measures: bool) -> None:
    found, call, file, scope = the_call(code)
    assert found.measures(call, file, scope) is measures  # type: ignore[arg-type]
    assert (found.row(call, file, scope) is not None) is measures  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("ask(device)", ("torch.cuda.mem_get_info",)),
        ("utils.other(device)", ("prog.utils:other",)),
        ("own.virtual_memory()", ("prog.main:Own.virtual_memory",)),
        ("Own()", ("prog.main:Own",)),
        ("device.anything()", ("device.anything",)),
        ("device().anything()", ()),
    ],
)
def test_the_names_that_models_may_know_a_call_by(code: str, names: tuple[str, ...]) -> None:
    found, call, file, scope = the_call(code)
    assert call_names(found.program, call, file, scope) == names  # type: ignore[arg-type]
