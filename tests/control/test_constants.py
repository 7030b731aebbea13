from __future__ import annotations

import pytest
from control.outlines import expression

from sgmem.control.constants import is_number, members_of, place_of, scalar_of


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x", "x"),
        ("self.server_args.page_size", "self.server_args.page_size"),
        ("is_cuda()", "is_cuda()"),
        ("torch.cuda.is_available()", "torch.cuda.is_available()"),
        ("get_args().tp_size", "get_args().tp_size"),
        ("(n := f(x))", "n"),
        ("f(x)", None),
        ("d['k']", None),
        ("d['k'].a", None),
        ("(a or b).c", None),
        ("1", None),
    ],
)
def test_places(text: str, place: str | None) -> None:
    assert place_of(expression(text)) == place


@pytest.mark.parametrize(
    ("text", "value", "spelling"),
    [
        ("5", 5, "5"),
        ("1_000", 1000, "1_000"),
        ("-1", -1, "-1"),
        ("-(1 + 2)", -3, "-(1 + 2)"),
        ("20 * 1024", 20480, "20 * 1024"),
        ("(1 << 30) * 2", 2**31, "(1 << 30) * 2"),
        ("2**10", 1024, "2 ** 10"),
        ("1 / 4", 0.25, "1 / 4"),
        ("7 // 2 - 1.5", 1.5, "(7 // 2) - 1.5"),
        ("'fa3'", "fa3", ""),
        ("None", None, ""),
        ("True", True, ""),
    ],
)
def test_scalars(text: str, value: object, spelling: str) -> None:
    assert scalar_of(expression(text)) == (value, spelling)


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "x + 1",
        "1 / 0",
        "1 << 100000",
        "2**-1",
        "9**99999",
        "10**19",
        "1e999",
        "...",
        "b'a'",
        "1j",
        "True + 1j",
        "'a' * 3",
    ],
)
def test_what_is_no_scalar(text: str) -> None:
    assert scalar_of(expression(text)) is None


def test_members() -> None:
    assert members_of(expression("('a', 1 << 2, None, 'a')")) == ("a", 4, None)
    assert members_of(expression("[1]")) == (1,)
    assert members_of(expression("[1, x]")) is None
    assert members_of(expression("names")) is None


def test_numbers() -> None:
    assert is_number(1)
    assert is_number(0.5)
    assert not is_number(True)
    assert not is_number("1")
