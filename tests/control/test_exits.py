from __future__ import annotations

import pytest
from control.outlines import Program

from sgmem.control.exits import Exits


@pytest.mark.parametrize(
    ("text", "start", "completion"),
    [
        ("a = 1", "a", "always"),
        ("return", "return", "never"),
        ("assert a", "assert", "sometimes"),
        ("if t: return", "if", "sometimes"),
        ("if t: return\nelse: raise E", "if", "never"),
        ("if t: a = 1\nelse: b = 1", "if", "always"),
        ("if t:\n  if u: return", "if t", "sometimes"),
        ("for i in x: return", "for", "always"),
        ("for i in x: a = 1\nelse: return", "for", "never"),
        ("for i in x:\n  if t: break\nelse: return", "for", "always"),
        ("for i in x:\n  for j in y: break\nelse: return", "for i", "never"),
        ("with a: raise E", "with", "never"),
        ("match m:\n  case _: return", "match", "sometimes"),
        ("match m:\n  case 1: a = 1", "match", "always"),
        ("try: return\nexcept E: pass", "try", "always"),
        ("try: return\nexcept E: raise", "try", "never"),
        ("try:\n  if t: return\nfinally: a = 1", "try", "sometimes"),
        ("try: a = 1\nexcept E: pass\nfinally: return", "try", "never"),
        ("try: a = 1\nexcept E: pass\nelse: return", "try", "always"),
        ("def g(): return", "def", "always"),
    ],
)
def test_completion(text: str, start: str, completion: str) -> None:
    program = Program("def f():\n" + "\n".join(f"  {line}" for line in text.split("\n")), "f")
    assert Exits(program.cfg.blocks).completion(program.at(start)) == completion


def test_checks_are_told_from_jumps() -> None:
    program = Program("def f():\n  if a: raise E\n  if b:\n    if c: return\n  assert d\n", "f")
    exits = Exits(program.cfg.blocks)
    assert [exits.only_raises(program.at(start)) for start in ("if a", "if b", "assert")] == [True, False, True]
