"""Which functions a text defines."""

from __future__ import annotations

from sgmem.domains.startup.expansion import defined_in

TEXT = b"""def first(): pass
class A:
    def second(self):
\tasync  def\tthird(): pass
    # def told
x = "def quoted"
undef fourth
asyncdef fifth
"""


def test_the_functions_that_a_text_defines() -> None:
    assert list(defined_in(TEXT)) == [b"first", b"second", b"third"]
