"""How a result is to be shown: decided once per destination, then read by every report."""

from __future__ import annotations

from typing import Literal

import msgspec

NARROWEST = 40
WIDEST = 240


class View(msgspec.Struct, frozen=True):
    """`width` in character cells. `links` are OSC 8 hyperlinks, for terminals only. `unicode` off: ASCII glyphs.

    `hops`, `depth` and `writes` repeat the options of the query, `every` asks for all steps of a timeline, `verbose` lifts the caps on
    lists.
    """

    width: int = 80
    color: bool = False
    links: bool = False
    unicode: bool = True
    hops: Literal["default", "all"] = "default"
    depth: int | None = None
    writes: bool = False
    every: bool = False
    verbose: bool = False

    @property
    def all_hops(self) -> bool:
        return self.hops == "all"


class Glyphs(msgspec.Struct, frozen=True):
    """The drawing characters of a report."""

    branch: str
    last: str
    pipe: str
    gap: str
    then: str
    back: str
    more: str
    dot: str
    frame: str
    corner: str
    tee: str


UNICODE = Glyphs(
    branch="├─ ",
    last="└─ ",
    pipe="│  ",
    gap="   ",
    then="→ ",
    back="← ",
    more="…",
    dot="·",
    frame="│",
    corner="╭─",
    tee="├─",
)
ASCII = Glyphs(
    branch="|- ",
    last="`- ",
    pipe="|  ",
    gap="   ",
    then="> ",
    back="< ",
    more="...",
    dot="-",
    frame="|",
    corner="-->",
    tee=":::",
)


def glyphs(view: View) -> Glyphs:
    return UNICODE if view.unicode else ASCII
