"""Settings that a log shows: ServerArgs printed as a call or as a dict, a command line, and what a person noted beside the log."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.serverlog.numbers import NUMBER, number
from sgmem.serverlog.rows import rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.serverlog.lines import Piece

OF_INTEREST = (
    "max_total_tokens", "max_running_requests", "context_length", "page_size", "tp_size", "pp_size", "dp_size", "max_mamba_cache_size",
    "mamba_full_memory_ratio", "swa_full_tokens_ratio", "cuda_graph_max_bs", "chunked_prefill_size", "max_prefill_tokens",
)  # fmt: skip
ALIASES = {"tp_size": r"tensor[-_]parallel[-_]size|--tp"}
"""Other spellings of a setting, as regular expressions."""
_SHARE = re.compile(rf"(?<![\w.]){NUMBER}(?![\w%])")


class Setting(msgspec.Struct, frozen=True):
    """One setting, by its field's name. `how`: "printed" by the server or a command line, or "noted" by a person."""

    name: str
    value: float
    number: int
    how: str
    text: str = ""


def settings(piece: Piece) -> Iterator[Setting]:
    """The settings that a message shows."""
    text = piece.text
    fraction = rows().fraction
    lowered = text.lower().replace("-", "_")
    for name in (fraction, *OF_INTEREST):
        if name not in lowered and name not in ALIASES and not (name == fraction and "__mem_f" in lowered):
            continue
        for found in _assigned(name).finditer(text):
            parsed = number(found[1])
            if parsed is not None and (name != fraction or 0 < parsed[0] < 1):
                yield Setting(name, parsed[0], piece.number, "noted" if piece.note else "printed", found.group().strip())
    if piece.note:
        yield from _noted_share(piece, lowered, fraction)


def _noted_share(piece: Piece, lowered: str, fraction: str) -> Iterator[Setting]:
    """The only share in a note that speaks of the fraction, in whatever words, or `f=0.75`."""
    short = re.search(rf"(?<!\w)f\s*(?:=|:|~|\u2248|is|of)?\s*({NUMBER})(?![\w%])", piece.text)
    if short is not None:
        shares = [short[1]]
    elif ("mem_frac" in lowered or "memory_fraction" in lowered or "mem frac" in lowered) and not any(
        _assigned(fraction).finditer(piece.text)
    ):
        shares = [found.group() for found in _SHARE.finditer(piece.text)]
        shares = [one for one in shares if "." in one and 0.05 < (number(one) or (0, 0))[0] < 1]
    else:
        return
    if len(set(shares)) == 1:
        parsed = number(shares[0])
        if parsed is not None and 0 < parsed[0] < 1:
            yield Setting(fraction, parsed[0], piece.number, "noted", f"{shares[0]}, from a note")


def _assigned(name: str) -> re.Pattern[str]:
    """NAME=1, 'name': 1, --na-me 1, name 1: followed at once by a number."""
    found = _PATTERNS.get(name)
    if found is None:
        spelled = name.replace("_", "[-_]")
        if name == rows().fraction:
            spelled += rf"|--{name.partition('_')[0]}-{name.split('_')[1][0]}[\w-]*"  # an option may be cut as long as it is unique
        if name in ALIASES:
            spelled += f"|{ALIASES[name]}"
        found = _PATTERNS[name] = re.compile(
            rf"(?<![A-Za-z])(?:{spelled})[\"']?(?:\s*[=:]\s*|\s+)[\"']?({NUMBER})(?![\w.]*[A-Za-z])", re.IGNORECASE
        )
    return found


_PATTERNS: dict[str, re.Pattern[str]] = {}
