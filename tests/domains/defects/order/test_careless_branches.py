from __future__ import annotations

import pytest

from sgmem.domains.defects.order.careless_branches import careless_branches
from sgmem.domains.program_facts import ProgramFacts
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

READING = """
import torch

def free(kind, drop):
    if kind == "cuda":
        if {asked}:
            torch.cuda.empty_cache()
        left, _ = torch.cuda.mem_get_info()
    elif {test}:
        {care}
        left, _ = torch.npu.mem_get_info()
    return left

def stop():
    {elsewhere}
"""


def found(
    asked: str = "drop", test: str = 'kind == "npu"', care: str = "pass", elsewhere: str = "torch.npu.empty_cache()"
) -> list[str]:
    text = READING.format(asked=asked, test=test, care=care, elsewhere=elsewhere)
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/free.py": text}, package="app")
    models = load_models()
    return [one.reading.code for one in careless_branches(ProgramFacts(Program(tree, tuple(tree.files), models.config), models))]


def test_a_platform_that_forgets_is_found() -> None:
    assert found() == ["torch.npu.mem_get_info()"]


@pytest.mark.parametrize(
    "changed",
    [
        {"care": "torch.npu.empty_cache()"},
        {"care": "print(drop)"},
        {"asked": "True"},
        {"test": 'other == "npu"'},
        {"elsewhere": "pass"},
    ],
)
def test_a_platform_that_is_asked_or_cannot_be_is_fine(changed: dict[str, str]) -> None:
    assert found(**changed) == []


NUMBERED = """
import torch

def free(kind, number):
    if kind == "cuda":
        left, _ = torch.cuda.mem_get_info({cuda})
    elif {test}:
        {known}
        left, _ = torch.npu.mem_get_info({npu})
    return left

def stop():
    torch.npu.empty_cache()
"""


def of_other_devices(
    cuda: str = "number", test: str = 'kind == "npu"', known: str = "torch.npu.set_device(number)", npu: str = ""
) -> list[str]:
    text = NUMBERED.format(cuda=cuda, test=test, known=known, npu=npu)
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/free.py": text}, package="app")
    models = load_models()
    found = careless_branches(ProgramFacts(Program(tree, tuple(tree.files), models.config), models))
    return [one.reading.code for one in found if one.what == "device"]


def test_a_platform_that_reads_the_current_device_is_found() -> None:
    assert of_other_devices() == ["torch.npu.mem_get_info()"]


@pytest.mark.parametrize(
    "changed",
    [{"cuda": ""}, {"cuda": "0"}, {"npu": "number"}, {"npu": "device=number"}, {"known": "pass"}, {"test": 'other == "npu"'}],
)
def test_a_platform_that_reads_the_device_that_is_meant_is_fine(changed: dict[str, str]) -> None:
    assert of_other_devices(**changed) == []
