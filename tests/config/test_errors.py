from __future__ import annotations

import pytest

from sgmem.config.errors import NothingAnalysed, SgmemError, UsageError


@pytest.mark.parametrize(("kind", "code"), [(SgmemError, 2), (UsageError, 2), (NothingAnalysed, 3)])
def test_exit_codes(kind: type[SgmemError], code: int) -> None:
    error = kind("what is wrong", hint="what to do")
    assert isinstance(error, SgmemError)
    assert (str(error), error.message, error.hint, error.exit_code) == (
        "what is wrong",
        "what is wrong",
        "what to do",
        code,
    )


def test_candidates() -> None:
    assert NothingAnalysed("x", candidates=iter(["b", "a"])).candidates == ("b", "a")
    assert NothingAnalysed("x").candidates == ()
