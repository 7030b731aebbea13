"""A setting that -1 switches off, asked only whether it is None."""

from __future__ import annotations

import pytest
from domains.programs import facts_of

from sgmem.domains.defects.guards.switched_off import switched_off

ARGS = """
from dataclasses import dataclass


@dataclass
class ServerArgs:
    chunked_prefill_size: int = 8192

    def adapt(self, whole):
        if whole:
            self.chunked_prefill_size = -1
"""
CACHE = """
from serving.args import ServerArgs


class Cache:
    def __init__(self, args: ServerArgs):
        self.chunked_prefill_size = args.chunked_prefill_size
        self.name = "chunks"
        if {test}:
            self.keep_chunks()

    def can_chunk(self):
        return self.chunked_prefill_size > 0
"""


def questions(test: str = "args.chunked_prefill_size is not None", cache: str = CACHE) -> list[str]:
    found = switched_off(facts_of(args=ARGS, cache=cache.format(test=test)))
    return [one.use.code for one in found if one.how == "question"]


def test_none_is_not_the_number_that_switches_off() -> None:
    assert questions() == ["args.chunked_prefill_size is not None"]


@pytest.mark.parametrize(
    "test", ["args.chunked_prefill_size > 0", "args.chunked_prefill_size is not None and args.chunked_prefill_size > 0"]
)
def test_a_question_about_the_sign_is_the_right_one(test: str) -> None:
    assert questions(test) == []


def test_where_the_setting_is_decided_none_says_that_nothing_was_given() -> None:
    deciding = CACHE.replace("self.keep_chunks()", "args.chunked_prefill_size = 4096")
    assert questions("args.chunked_prefill_size is None", deciding) == []
