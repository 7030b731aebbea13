from __future__ import annotations

import pytest

from sgmem.domains.defects.provenance.overrides import SettingChange
from sgmem.domains.program_facts import ProgramFacts
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

FLAG = """
from dataclasses import dataclass

@dataclass
class ServerArgs:
    mem_fraction_static: float = 0.88
    chunked_prefill_size: int = 8192
    state_cache_size: int | None = None
    kv_cache_dtype: str = "auto"
    full_tokens_ratio: float = 0.8

    def __post_init__(self):
        {code}

def add_arguments(parser):
    parser.add_argument("--mem-fraction-static", type=float)
    parser.add_argument("--chunked-prefill-size", type=int)
    parser.add_argument("--state-cache-size", type=int)
    parser.add_argument("--kv-cache-dtype", type=str)
    parser.add_argument("--full-tokens-ratio", type=float)
"""


def changes(code: str, record: str = FLAG) -> tuple[SettingChange, ...]:
    tree = SourceTree.from_texts({"app/__init__.py": "", "app/args.py": record.format(code=code)}, package="app")
    models = load_models()
    return ProgramFacts(Program(tree, tuple(tree.files), models.config), models).setting_changes


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("self.mem_fraction_static *= 0.9", "scaled"),
        ("self.mem_fraction_static = self.mem_fraction_static * 0.9", "scaled"),
        ("self.chunked_prefill_size = self.chunked_prefill_size // 2", "scaled"),
        ("self.mem_fraction_static = 0.8", "replaced"),
        ("assert self.chunked_prefill_size % 2 == 0; self.chunked_prefill_size //= 2", "scaled"),
        ("if self.mem_fraction_static is None: self.chunked_prefill_size = 2048", "replaced"),
        ("self.chunked_prefill_size = self.chunked_prefill_size // (self.ranks if self.split else 1)", "scaled"),
        ("self.state_cache_size = int(self.rest * 2**30 // self.bytes)", "calculated"),
        ("self.chunked_prefill_size = min(4096, self.chunked_prefill_size)", "capped"),
        ("self.chunked_prefill_size = -1", "switched off"),
        ("self.chunked_prefill_size = 0", "switched off"),
        ("self.mem_fraction_static = min(self.mem_fraction_static, 0.9)", "capped"),
        ("self.mem_fraction_static -= 0.05", "reduced"),
        ("self.mem_fraction_static = round(self.mem_fraction_static + 0.02, 3)", "increased"),
        ("self.mem_fraction_static = 0.8 if self.small else 0.9", "replaced"),
        ("self.mem_fraction_static = self.mem_fraction_static * 0.9 if self.small else self.mem_fraction_static", "scaled"),
        ("share = 0.7; self.mem_fraction_static = share", "replaced"),
        ("self.chunked_prefill_size = self.state_cache_size", "replaced"),
        ("self.state_cache_size = largest(self.sizes)", "derived"),
        ("self.kv_cache_dtype = 'fp8'", "replaced"),
        ("self.kv_cache_dtype = 'fp8' if self.new else 'bf16'", "replaced"),
        ("self.full_tokens_ratio = 1.0", "replaced"),
        ("self.chunked_prefill_size = max(self.model.context_len, self.chunked_prefill_size)", "raised"),
    ],
)
def test_a_change_without_a_question_is_found(code: str, how: str) -> None:
    assert [one.how for one in changes(code)] == [how]


@pytest.mark.parametrize(
    "code",
    [
        "if self.mem_fraction_static is None: self.mem_fraction_static = 0.8",
        "if self.mem_fraction_static > 0.9: self.mem_fraction_static = 0.9",
        "self.mem_fraction_static = self.mem_fraction_static or 0.88",
        "self.mem_fraction_static = float(self.mem_fraction_static)",
        "self.chunked_prefill_size = max(1, self.chunked_prefill_size)",
        "if self.kv_cache_dtype == 'auto': self.kv_cache_dtype = 'fp8'",
        "self.kv_cache_dtype = 'auto'",
        "self.mem_fraction_static = 0.9 if self.mem_fraction_static is None else self.mem_fraction_static",
        "share = 0.7 if self.mem_fraction_static is None else 1; self.mem_fraction_static = share",
        "self.chunked_prefill_size = largest(self.sizes)",
        "self.chunked_prefill_size = self.rest",
        "self.kv_cache_dtype = self.dtype",
        "self.chunked_prefill_size = min(self.rest, self.chunked_prefill_size)",
        "self.chunked_prefill_size = max(self.state_cache_size, self.rest)",
        "if self.chunked_prefill_size is None: self.chunked_prefill_size = min(4096, self.chunked_prefill_size)",
        "self.chunked_prefill_size = int(self.rest * 2**30 // self.bytes)",
        "given = self.state_cache_size; self.state_cache_size = given // 2",
        "self.state_cache_size = self.rest",
        "if not self.state_cache_size: self.state_cache_size = self.rest // 2",
        "assert self.mem_fraction_static is None; self.mem_fraction_static = 0.8",
    ],
)
def test_a_question_or_no_change_is_none(code: str) -> None:
    assert changes(code) == ()


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ('logger.warning("Setting the chunked prefill size to 64")', True),
        ('logger.info(f"--chunked-prefill-size was {self.chunked_prefill_size}")', True),
        ('logger.warning("Setting the page size to 64")', False),
        ("check(self.chunked_prefill_size)", False),
    ],
)
def test_a_message_beside_the_write_tells_the_user(message: str, told: bool) -> None:
    (change,) = changes(f"{message}\n        self.chunked_prefill_size = 64")
    assert (change.how, change.told) == ("replaced", told)


def test_a_message_in_another_branch_tells_nothing() -> None:
    code = "if self.mem_fraction_static:\n            logger.info('chunked prefill size')\n        self.chunked_prefill_size = 64"
    assert [change.told for change in changes(code)] == [False]


def test_a_condition_that_is_the_wrong_way_round_is_no_question() -> None:
    (found,) = changes("if self.state_cache_size is not None: self.state_cache_size = 512")
    assert (found.how, found.given) == ("replaced", True)
    assert [one.given for one in changes("if self.enabled: self.state_cache_size = 512")] == [False]


BESIDE = (
    FLAG.replace("    full_tokens_ratio: float = 0.8\n", "    num_splits: int = 8\n    eagerness: float = 1.0\n").replace(
        '"--full-tokens-ratio", type=float', '"--num-splits", type=int'
    )
    + '    parser.add_argument("--eagerness", type=float)\n'
)


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("self.num_splits = 16", "replaced"),
        ("self.eagerness = self.eagerness * 0.3", "scaled"),
        ("self.eagerness *= 0.3", "scaled"),
        ("if self.num_splits > 16: self.num_splits = 16", None),
        ("if self.eagerness is None: self.eagerness = self.eagerness * 0.3", None),
        ("self.eagerness = 0.3", None),
        ("self.num_rounds = 16", None),
    ],
)
def test_other_numbers_with_a_flag_are_looked_at_where_the_flags_are(code: str, how: str | None) -> None:
    found = changes(code, BESIDE)
    assert [(one.how, one.beside) for one in found] == ([(how, True)] if how else [])
