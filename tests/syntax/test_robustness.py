"""Any bytes: an outline and lowered statements, or one of the two refusals; nothing else, and never for long."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syntax.samples import library_files
from syntax.test_build_ast import BLOCKS, EVERY_KIND, SCOPES

from sgmem.syntax import ir
from sgmem.syntax.build import Unparsable, build_outline
from sgmem.syntax.statements import lower_statement
from sgmem.syntax.text import SourceText, Undecodable, decode


def read(data: bytes, most: int = 500) -> int:
    """Read bytes as the program does, some of the statements included; return how many there are."""
    try:
        source = SourceText("fuzz.py", decode(data))
        outline = build_outline(source)
    except (Undecodable, Unparsable) as refusal:
        assert "\n" not in str(refusal)
        return 0
    whole = outline.scopes[0].span
    for index in range(0, len(outline.statements), 1 + len(outline.statements) // most):
        assert whole.contains(outline.statements[index].span)
        for root in lower_statement(source, outline, index).expressions():
            for node in ir.walk(root):
                assert whole.contains(node.span)
    return len(outline.statements)


@given(st.binary(max_size=120))
def test_any_bytes(data: bytes) -> None:
    read(data)


PIECES = [
    "x", " ", "\n", "    ", "\t", "(", ")", "[", "]", "{", "}", ":", ",", "=", "==", ":=", "->", ".", "...", "*",
    "**", "@", ";", "#", "'", '"', "'''", "f'", 'rb"', "f'{", "\\", "\\\n", "\x0c", "\r", "é", "\ud7ff", "0", "1e",
    "0x", "if ", "else", "for ", " in ", "def f(", "class A", "lambda", "match ", "case ", "return ", "yield ",
    "await ", "async ", "import ", "from ", "with ", "try:", "except ", "global x", "type X = ", "not ", "and ",
    "x: int = ", "x = 1\n", "print ", "del ", "`", "?", "$", "!",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_pieces_of_code(pieces: list[str]) -> None:
    read("".join(pieces).encode("utf-8", "surrogatepass"))


MUTATED = (EVERY_KIND + SCOPES + BLOCKS).encode()


@given(st.integers(0, len(MUTATED)), st.integers(0, 12), st.sampled_from(PIECES))
def test_code_with_a_piece_replaced(start: int, length: int, piece: str) -> None:
    read(MUTATED[:start] + piece.encode() + MUTATED[start + length :])


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_files(seed: int) -> None:
    """Lines of real files cut, doubled and moved."""
    chance = random.Random(seed)
    lines = [line for path in library_files(6)[:6] for line in path.read_bytes().split(b"\n")]
    for _ in range(25):
        cuts = sorted(chance.randrange(len(lines)) for _ in range(8))
        pieces = [lines[one : min(one + 40, other)] for one, other in pairwise(cuts)]
        chance.shuffle(pieces)
        read(b"\n".join(line for piece in pieces for line in piece))


HUGE = {
    "nested calls": "x = " + "f(" * 1500 + ")" * 1500 + "\n",
    "a conjunction": "x = " + " and ".join(["a"] * 20_000) + "\n",
    "a conjunction as a test": "if (" + "\n  and ".join(["a"] * 20_000) + "): pass\n",
    "a sum": "x = " + " + ".join(["a"] * 5_000) + "\n",
    "a list": "x = [" + "1, " * 100_000 + "]\n",
    "a dict": "x = {" + "'a': [1, {'b': 2}], " * 20_000 + "}\n",
    "a string": "x = '" + "a" * 5_000_000 + "'\n",
    "strings": "x = (" + "'a'\n" * 20_000 + ")\n",
    "a number": "x = " + "9" * 100_000 + "\n",
    "a name": "a" * 1_000_000 + " = 1\n",
    "lines": "x = 1\n" * 100_000,
    "one line": "x = 1; " * 20_000 + "\n",
    "blank lines": "\n" * 1_000_000,
    "comments": "# é\n" * 200_000,
    "elifs": "if a: pass\n" + "elif a: pass\n" * 3_000,
    "blocks": "".join(" " * level + "if a:\n" for level in range(99)) + " " * 99 + "pass\n",
    "too many blocks": "".join(" " * level + "if a:\n" for level in range(400)) + " " * 400 + "pass\n",
    "functions": "def f(a=b): pass\n" * 10_000,
    "parameters": "def f(" + "".join(f"a{n}: int = {n}, " for n in range(20_000)) + "): pass\n",
    "names of an import": "from a import (" + "".join(f"a{n}, " for n in range(50_000)) + ")\n",
    "targets": "a = " * 20_000 + "1\n",
    "patterns": "match a:\n" + "    case {1: {2: {3: {4: x}}}}: pass\n" * 2_000,
    "a deep pattern": "match a:\n    case " + "{1: " * 60 + "x" + "}" * 60 + ": pass\n",
    "other characters on one line": "x = '" + "é" * 200_000 + "'; y = [" + "'é', " * 20_000 + "]; z = 1\n",
    "decorators": "@a\n" * 3_000 + "def f(): pass\n",
    "nested functions": "".join(" " * level + f"def f{level}(a=b):\n" for level in range(90)) + " " * 90 + "pass\n",
    "open brackets": "(" * 100_000,
    "open braces of f-strings": "f'{" * 3_000,
    "closing brackets": ")" * 100_000,
    "quotes": "'" * 99_999,
    "backslashes": "\\\n" * 100_000,
    "minus": "x = " + "-" * 100_000 + "1\n",
}  # fmt: skip


def test_huge_files_end_in_a_child_process() -> None:
    """In a process of its own, since a crash would end this one; what each yields is checked here."""
    done = subprocess.run(
        [sys.executable, "-m", "syntax.test_robustness"],
        cwd=__file__.rsplit("/", 2)[0],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    counts = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
    assert set(counts) == set(HUGE)
    refused = {"nested calls", "too many blocks", "open brackets", "closing brackets", "quotes", "minus"}
    refused |= {"open braces of f-strings", "backslashes"}
    assert {name for name, count in counts.items() if count == "0"} == refused | {"blank lines", "comments"}
    assert int(counts["lines"]) == 100_000


if __name__ == "__main__":
    for name, text in HUGE.items():
        print(name, read(text.encode()))
