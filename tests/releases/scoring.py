"""How well a trace agrees with what was read by hand in a release. A place is written `path:first-last,line,...`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.queries.results.trace import Formula, Site, Trace

FACTS = Path(__file__).parent / "facts"
STATEMENT = 40  # lines: a site longer than any statement counts for its beginning only, or one site could cover a file
EXPRESSION = 12  # lines: formulas, origins and guards are expressions and must be named as tightly
MOST_FORMULAS = 80  # a trace that calls everything a formula has found nothing

# A place known in one role may be reported in another that means the same to a reader.
FITTING = {
    "declaration": {"declaration", "write"},
    "write": {"write", "store", "declaration", "pass", "formula"},
    "store": {"store", "write"},
    "read": {"read", "pass", "formula", "store", "write", "guard", "declaration", "sink"},
    "pass": {"pass", "read", "write", "store"},
}
DECIDING = {"auto", "adjust", "scale"}  # kinds of writes that give the parameter a value of their own


class Place(msgspec.Struct, frozen=True):
    """Acceptable lines of one file."""

    path: str
    lines: frozenset[int]

    @classmethod
    def parse(cls, text: str) -> Place:
        path, _, ranges = text.rpartition(":")
        lines: set[int] = set()
        for part in ranges.split(","):
            first, _, last = part.partition("-")
            lines.update(range(int(first), int(last or first) + 1))
        return cls(path, frozenset(lines))

    def met_by(self, site: Site, longest: int = STATEMENT) -> bool:
        last = min(site.end_line, site.line + longest)
        return site.path == self.path and not self.lines.isdisjoint(range(site.line, last + 1))


class Facts(msgspec.Struct, frozen=True):
    """What is known about one release; see the JSON files in `facts`."""

    release: str
    parameter: str
    known: list[dict[str, Any]]
    formula: str
    measured: list[dict[str, str]]
    after: list[dict[str, str]]
    negative: dict[str, Any]
    tolerated: list[str]

    @classmethod
    def load(cls, release: str) -> Facts:
        return msgspec.convert(json.loads((FACTS / f"{release}.json").read_text()), cls)


def releases() -> list[str]:
    """The releases with facts, oldest first."""
    return sorted((file.stem for file in FACTS.glob("*.json")), key=lambda name: [int(part) for part in name.split(".")])


def missed(facts: Facts, trace: Trace) -> list[str]:
    """Known places that no site names in a fitting role."""
    return [
        f"{known['role']} {known['at']}"
        for known in facts.known
        if not any(site.role in FITTING[known["role"]] and Place.parse(known["at"]).met_by(site) for site in trace.sites)
    ]


def about_the_parameter(facts: Facts, trace: Trace) -> list[Site]:
    """The sites that claim to concern the parameter itself, inside the part of the package that was read by hand."""
    bears_name = re.compile(rf"(?<!\w)_?{re.escape(facts.parameter)}\b")
    return [
        site
        for site in trace.sites
        if site.role in FITTING
        and not site.derived
        and site.path.startswith("sglang/srt/")
        and bears_name.search(site.slot or facts.parameter)
    ]


def unknown(facts: Facts, trace: Trace) -> list[str]:
    """Sites about the parameter at places where no reader saw it."""
    places = [Place.parse(known["at"]) for known in facts.known] + [Place.parse(text) for text in facts.tolerated]
    return [
        f"{site.role} {site.path}:{site.line} {site.code.strip()}"
        for site in about_the_parameter(facts, trace)
        if not any(place.met_by(site) for place in places)
    ]


def recall(facts: Facts, trace: Trace) -> float:
    return 1 - len(missed(facts, trace)) / len(facts.known)


def precision(facts: Facts, trace: Trace) -> float:
    judged = about_the_parameter(facts, trace)
    return 1 - len(unknown(facts, trace)) / len(judged) if judged else 0.0


def kv_formulas(facts: Facts, trace: Trace) -> list[Formula]:
    """The formulas of the trace that are the one that sizes the KV cache."""
    sites = _by_id(trace)
    place = Place.parse(facts.formula)
    return [formula for formula in trace.formulas if place.met_by(sites[formula.site], EXPRESSION)]


def inputs_without_birth(facts: Facts, trace: Trace) -> list[str]:
    """Measured inputs that no formula follows back, under their own name, to the call that measured them."""
    sites = _by_id(trace)
    born = [
        (entry.name.rpartition(".")[2], sites[entry.origin])
        for formula in trace.formulas
        for entry in formula.inputs
        if entry.origin is not None
    ]
    return [
        f"{measured['input']} from {measured['at']}"
        for measured in facts.measured
        if not any(name == measured["input"] and Place.parse(measured["at"]).met_by(site, EXPRESSION) for name, site in born)
    ]


def writes_without_way(facts: Facts, trace: Trace) -> list[str]:
    """Writes that compute or scale the parameter from which no flow leads to the KV formula."""
    goals = {formula.site for formula in kv_formulas(facts, trace)}
    lost = []
    for known in facts.known:
        if known["role"] != "write" or known.get("kind") not in DECIDING or known.get("effect") is False:
            continue
        place = Place.parse(known["at"])
        starts = {site.id for site in trace.sites if site.role in FITTING["write"] and place.met_by(site)}
        if not goals & downstream(trace, starts):
            lost.append(known["at"])
    return lost


def downstream(trace: Trace, starts: Iterable[str]) -> set[str]:
    """The sites that flows lead to from `starts`, which are among them."""
    onward: dict[str, list[str]] = {}
    for flow in trace.flows:
        onward.setdefault(flow.source, []).append(flow.target)
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        for target in onward.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def unsaid_about_construction(facts: Facts, trace: Trace) -> list[str]:
    """Slots for which the trace does not say what was read about writes after construction."""
    return [f"{want['slot']}: {want['verdict']}" for want in facts.after if not any(_says(trace, want))]


def _says(trace: Trace, want: dict[str, str]) -> Iterator[bool]:
    sites = _by_id(trace)
    for said in trace.after_construction:
        if said.slot.endswith(want["slot"]) and said.verdict == want["verdict"]:
            yield "at" not in want or any(Place.parse(want["at"]).met_by(sites[one]) for one in said.sites)


def unnamed_guard(facts: Facts, trace: Trace) -> list[str]:
    """The check that first stops a value that is too small, if the KV formula does not name it."""
    sites = _by_id(trace)
    want = facts.negative["guard"]
    guards = [sites[formula.guard] for formula in kv_formulas(facts, trace) if formula.guard is not None]
    if want is None or any(Place.parse(want).met_by(guard, EXPRESSION) for guard in guards):
        return []
    return [f"{want}, named instead: {[f'{guard.path}:{guard.line}' for guard in guards]}"]


def _by_id(trace: Trace) -> dict[str, Site]:
    return {site.id: site for site in trace.sites}
