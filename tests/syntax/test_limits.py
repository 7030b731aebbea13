"""What is kept from libcst: everything on which its native parser dies or does not end, and little else."""

from __future__ import annotations

import subprocess
import sys
from functools import cache, partial
from typing import TYPE_CHECKING

import pytest
from syntax.samples import expression, library_files

from sgmem.syntax import ir
from sgmem.syntax.limits import MAX_LENGTH, parsable, parsable_file, parsable_pattern
from sgmem.syntax.text import decode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def nested(opening: str, middle: str, closing: str, depth: int) -> str:
    return opening * depth + middle + closing * depth


TOO_DEEP = {
    "parentheses": nested("(", "x", ")", 2000),
    "calls": nested("f(", "x", ")", 1500),
    "lists": nested("[", "x", "]", 2000),
    "subscripts": nested("a[", "x", "]", 1500),
    "conjunction": " and ".join(["a"] * 20_000),
    "conjunction over lines": "\nand ".join(["(a)"] * 20_000),
    "mixed conjunction": " and b or ".join(["a"] * 10_000),
    "sum": " + ".join(["a"] * 20_000),
    "power": "**".join(["a"] * 5000),
    "negation": "not " * 5000 + "a",
    "inversion": "~" * 5000 + "a",
    "lambdas": "lambda: " * 5000 + "a",
    "conditional": "a if b else " * 5000 + "c",
    "attributes": "a" + ".b" * 5000,
    "call chain": "a" + ".b(c)[d]" * 1000,
    "calls of calls": "a" + "()" * 5000,
    "after brackets in a string": "'" + ")" * 3000 + "' + " + nested("f(", "x", ")", 1500),
    "between strings": nested("f('(', ", "x", ", ')')", 1500),
    "in an f-string": "f'{" + nested("(", "x", ")", 1500) + "}'",
    "in an f-string's own quotes": 'f"{a["k"]' + nested("(", "x", ")", 1500) + '}"',
    "f-strings in f-strings": nested('f"{', "x", '}"', 1500),
    "after a comment": "[ # )\n" * 2000 + "x" + "]" * 2000,
    "chains in brackets": nested("a.b.c.d.e.f.g.h.i.j(", "x", ")", 119),
}

WITHIN = {
    "flat list": "[" + "a.b + c, " * 3000 + "]",
    "flat call": "f(" + "a=b.c(d), " * 3000 + ")",
    "flat dict": "{" + "'a.b.c': -1.5, " * 2000 + "}",
    "comparison": "[" + "a < b, " * 3000 + "]",
    "brackets in a string": "f('" + "(" * 5000 + "')",
    "operators in a string": "f('" + " and " * 5000 + "', x)",
    "dots in a docstring": '"""' + "Sentence. " * 3000 + '"""',
    "a long f-string": "f'" + "text. and more (" * 500 + "{x}'",
    "a hundred deep": nested("f(", "x", ")", 100),
    "many assignments": "a = " * 3000 + "1",
    "braces of an f-string": "f'" + "{{(" * 500 + "{x:{y}.{z}}'",
}


@pytest.mark.parametrize("name", TOO_DEEP)
def test_deep_and_long_expressions_are_refused(name: str) -> None:
    assert not parsable(TOO_DEEP[name])
    assert not parsable_file(f"x = {TOO_DEEP[name]}\n" if "\nand" not in TOO_DEEP[name] else f"x = ({TOO_DEEP[name]})\n")


@pytest.mark.parametrize("name", WITHIN)
def test_wide_expressions_are_not(name: str) -> None:
    assert parsable(WITHIN[name])
    assert parsable_file(f"x = {WITHIN[name]}\n")


@pytest.mark.parametrize("text", ["f(" + "(x), " * 200, "'" + "x(" * 200, "a]" + "(x), " * 200, "f'" + "{(x)" * 200])
def test_irregular_text_is_refused(text: str) -> None:
    """No parser reads it, and what it measures is not what a parser would see."""
    assert not parsable(text)


def test_a_huge_slice_is_refused() -> None:
    assert not parsable("'" + "x" * MAX_LENGTH + "'")


@pytest.mark.parametrize("pattern", ["{1: " * 9 + "x" + "}" * 9, "[" * 30 + "x" + "]" * 30, "A(b=" * 20 + "x" + ")" * 20])
def test_deep_patterns_are_refused(pattern: str) -> None:
    assert not parsable_pattern(pattern)
    assert not parsable_file(f"match a:\n    case {pattern}:\n        pass\n")
    assert parsable(pattern)


@pytest.mark.parametrize("pattern", ["{1: [A(b=(c, d))]}", "[" + "A(b=1, c={2: x}), " * 500 + "]"])
def test_wide_patterns_are_not(pattern: str) -> None:
    assert parsable_pattern(pattern)
    assert parsable_file(f"match a:\n    case {pattern}:\n        pass\n")


def test_a_call_named_case_is_no_pattern() -> None:
    assert parsable_file("case = 1\nx = case\n" + f"f({nested('[', 'x', ']', 30)})\n")


@pytest.mark.parametrize("path", library_files(40), ids=str)
def test_real_files_are_not_refused(path: Path) -> None:
    assert parsable_file(decode(path.read_bytes()))


PARSE = """
import sys
from sgmem.syntax.limits import parsable_file
import libcst
parsed = 0
for text in sys.stdin.read().split("\\0"):
    if parsable_file(text):
        parsed += 1
        try:
            libcst.parse_module(text)
        except libcst.ParserSyntaxError:
            pass
print(parsed)
"""


BRACKETS = [
    ("(", ")"), ("f(", ")"), ("a[", "]"), ("[", "]"), ("{", "}"), ("{1: ", "}"), ("(lambda: ", ")"), ('f"{', '}"'),
    ("a.b(", ")"), ("not (", ")"), ("(a and ", ")"), ("(a + b * ", ")"), ("[x for x in ", "]"), ("(a if ", " else b)"),
    ("f(a=", ")"), ("(a := ", ")"), ("f(*", ")"), ("{**", "}"), ("(await ", ")"), ("(yield ", ")"), ("-(", ")"),
    ("a.b.c.d.e(", ")"), ("a[b](c)(", ")"), ("(a, ", ")"), ("a[1:", "]"), ("(a < b < ", ")"), ("f(a for a in ", ")"),
]  # fmt: skip
CHAINS = [
    " and a",
    " or not a",
    " + a",
    " ** a",
    ".b",
    ".b()",
    "[b]",
    "()",
    "[b].c(d)",
    " < a",
    " if a else b",
    " is a",
]
PREFIXES = ["not ", "-", "~", "lambda: ", "a if b else "]
PATTERNS = [("{1: ", "}"), ("[", "]"), ("A(b=", ")"), ("(c, ", ")")]


@cache
def within_limits() -> list[str]:
    """Texts of many shapes, each as long or deep as the limits let through."""
    makers: list[Callable[[int], str]] = [lambda size: "if a: pass\n" + "elif b: pass\n" * size]
    makers += [partial(nested, opening, "x", closing) for opening, closing in BRACKETS]
    makers += [lambda size, piece=piece: "a" + piece * size for piece in CHAINS]  # type: ignore[misc]
    makers += [lambda size, piece=piece: piece * size + "a" for piece in PREFIXES]  # type: ignore[misc]
    for opening, closing in PATTERNS:
        pattern = partial(nested, opening, "y", closing)
        makers.append(lambda size, pattern=pattern: f"match x:\n case {pattern(size)}: pass")  # type: ignore[misc]
    return [_largest(make) for make in makers]


def _largest(make: Callable[[int], str]) -> str:
    """The largest text that is let through, to within a twentieth."""
    size = 1
    while parsable_file(make(size + 1 + size // 20) + "\n"):
        size += 1 + size // 20
    return make(size) + "\n"


def test_what_is_let_through_is_lowered() -> None:
    for text in within_limits():
        if text.count("\n") == 1:
            assert not isinstance(expression(text.rstrip()), ir.Opaque), text[:40]


def test_what_is_let_through_neither_crashes_nor_hangs() -> None:
    """In a process of its own: a crash of the parser would end this one."""
    texts = within_limits()
    done = subprocess.run(
        [sys.executable, "-c", PARSE], input="\0".join(texts), capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, str(len(texts))), done.stderr


@pytest.mark.parametrize("name", TOO_DEEP)
def test_code_that_is_refused_is_lowered_to_opaque(name: str) -> None:
    text = TOO_DEEP[name]
    lowered = expression(text)
    assert isinstance(lowered, ir.Opaque)
    assert text.startswith(lowered.text)
