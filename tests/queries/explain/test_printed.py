"""Which line of a log prints an input that is missing."""

from __future__ import annotations

import pytest
from queries.explained import asked

from sgmem.queries.results.explain import ExplainInput

RUNNER = """
    import dataclasses
    import logging
    import torch

    logger = logging.getLogger(__name__)

    @dataclasses.dataclass
    class ServerArgs:
        mem_fraction_static: float = None
        slack: float = None

    def add(parser):
        parser.add_argument("--mem-fraction-static", type=float, default=ServerArgs.mem_fraction_static)
        parser.add_argument("--slack", type=float, default=ServerArgs.slack)

    def launch(server_args: ServerArgs):
        logger.info(f"{server_args=}")

    def get_available_gpu_memory(device, gpu_id, distributed=False):
        free = torch.cuda.mem_get_info(gpu_id)[0]
        if distributed:
            torch.distributed.all_reduce(free, op=torch.distributed.ReduceOp.MIN)
        return free / (1 << 30)

    class ModelRunner:
        def __init__(self, server_args: ServerArgs):
            self.server_args = server_args
            total = self.prepare()
            self.load_model()
            self.size(total)

        def prepare(self):
            total = get_available_gpu_memory("cuda", 0, distributed=True)
            return total

        def load_model(self):
            logger.info(f"Load weight begin. avail mem={get_available_gpu_memory('cuda', 0):.2f} GB")
            self.model = get_model(self.server_args)
            after = get_available_gpu_memory("cuda", 0)
            logger.info("Load weight end. type=%s, avail mem=%.2f GB", type(self.model), after)

        def size(self, total):
            free = get_available_gpu_memory("cuda", 0, distributed=True)
            {between}
            rest = free - total * (1 - self.server_args.mem_fraction_static) - self.server_args.slack
            self.rest = rest
            return rest

    def get_model(args):
        return object()
"""


def missing(between: str = "pass") -> dict[str, ExplainInput]:
    return {row.name: row for row in asked(RUNNER.replace("{between}", between), "rest").inputs if row.origin == "missing"}


def test_an_option_is_printed_with_its_record() -> None:
    rows = missing()
    assert (rows["slack"].log_text, rows["slack"].log_note) == ("server_args=...", "with all other options")
    assert rows["slack"].log is not None
    assert rows["slack"].log.code == 'logger.info(f"{server_args=}")'


def test_a_value_is_known_by_another_name_that_it_is_printed_under() -> None:
    rows = missing("shown = free; logger.warning('left: %.2f GB', shown)")
    assert (rows["free"].log_text, rows["free"].log_note) == ("left: {shown} GB", "under another name")


def test_its_own_name_comes_first() -> None:
    rows = missing("shown = free; logger.warning(f'avail mem={shown:.2f} GB, avail mem={free:.2f} GB')")
    assert (rows["free"].log_text, rows["free"].log_note) == ("avail mem={free} GB", "")


@pytest.mark.parametrize(
    ("name", "text", "when"),
    [
        ("total", "Load weight begin. avail mem={...} GB", "just before the weights are loaded"),
        ("free", "Load weight end. type= ... avail mem={after} GB", "once the weights are loaded"),
    ],
)
def test_a_reading_at_the_same_stage_is_named_and_said_to_be_another(name: str, text: str, when: str) -> None:
    row = missing()[name]
    assert row.log_text == text
    assert row.log_note == f"another reading of the same gauge, {when}; it is this rank's own, the input is the minimum over ranks"


def test_what_no_message_prints_has_no_line() -> None:
    found = asked("def rest(left, right):\n    value = left - right\n    return value\n", "value")
    assert [(row.log, row.log_text) for row in found.inputs] == [(None, ""), (None, "")]
