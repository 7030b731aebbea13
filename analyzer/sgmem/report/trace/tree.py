"""Drawing a provenance tree: chains run straight down, only branches indent, what repeats is a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from sgmem.report import style
from sgmem.report.layout import Indent, Page, Place
from sgmem.report.text import escape, plural, short_slot
from sgmem.report.trace.merging import WRITING
from sgmem.report.trace.provenance import Node, below, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sgmem.queries.results.trace import Site

LABEL_WIDTH = 8
MEMBERS_SHOWN = 4
CALLEES_SHOWN = 3
FOLD_FROM = 3
"""Plain handing-on chains of at least this many hops are folded after the first."""


class Pending(msgspec.Struct):
    """A node to draw: what stands left of it and of what is below it, and the conditions already shown above."""

    node: Node
    indent: Indent
    base: str
    known: tuple[str, ...] = ()


class TreeDrawer:
    """Draws forests on a page. `numbers` are the reference numbers of nodes that others join, kept across forests.

    `listed` says whether the writes of a slot stand in an earlier section.
    """

    def __init__(self, page: Page, listed: Callable[[Node], bool]) -> None:
        self.page = page
        self.listed = listed
        self.numbers: dict[int, int] = {}

    def draw(self, forest: list[Node], *, backward: bool = False) -> None:
        self.number(forest, joined(forest))
        glyphs = self.page.glyphs
        arrow = glyphs.back if backward else glyphs.then
        pending = [Pending(root, Indent("", ""), "") for root in reversed(forest)]
        while pending:
            item = pending.pop()
            self.draw_node(item.node, item.indent, item.known)
            known = conditions(item.node) or item.known
            node = item.node if self.page.view.all_hops else self.fold(item.node, item.base, arrow)
            if len(node.children) == 1:
                indent = Indent(item.base + arrow, item.base + " " * len(arrow))
                pending.append(Pending(node.children[0], indent, item.base, known))
                continue
            for position in reversed(range(len(node.children))):
                final = position == len(node.children) - 1
                turn, onward = (glyphs.last, glyphs.gap) if final else (glyphs.branch, glyphs.pipe)
                indent = Indent(item.base + turn, item.base + onward)
                pending.append(Pending(node.children[position], indent, indent.rest, known))

    def number(self, forest: list[Node], targets: set[int]) -> None:
        """Give a number to every node that another one joins, in the order they are drawn."""
        for node in below(forest):
            if id(node) in targets and id(node) not in self.numbers:
                self.numbers[id(node)] = len(self.numbers) + 1

    def draw_node(self, node: Node, indent: Indent, known: tuple[str, ...]) -> None:
        if node.joins is not None:
            self.draw_join(node, indent)
        elif len(node.sites) > 1:
            self.draw_slot(node, indent)
        else:
            self.draw_site(node, indent, known)
        self.draw_rest(node, indent)

    def draw_join(self, node: Node, indent: Indent) -> None:
        """One line for a node that is drawn elsewhere."""
        site = node.sites[0]
        stored = site.slot is not None and site.role in WRITING
        name = short_slot(site.slot or "") if stored else f"{site.path}:{site.line}"
        line = Text(indent.first).append_text(self.label(node, "set" if stored else "")).append(f"  {escape(name)}  ")
        number = self.numbers.get(id(node.joins), 0)
        self.page.lines.append(line.append(f"(joins #{number})", style=style.REFERENCE))

    def draw_slot(self, node: Node, indent: Indent) -> None:
        """A slot that is written at several places; those not listed before are listed here."""
        line = Text(indent.first).append_text(self.label(node, "set")).append("  ")
        line.append(escape(short_slot(node.slot or "")), style=style.TITLE)
        listed = self.listed(node)
        line.append(f"  at {plural(len(node.sites), 'place')}" + (", listed above" if listed else ":"), style=style.FAINT)
        self.page.lines.append(line)
        self.doubt(node.confidence, indent)
        if listed:
            return
        shown = node.sites if self.page.view.all_hops else node.sites[:MEMBERS_SHOWN]
        for site in shown:
            dot = Text(self.page.glyphs.dot, style=style.FAINT)
            inner = Indent(indent.rest, indent.rest)
            self.page.entry(inner, dot, site.code, place_of(site), limit=2, hang=3)
        if len(shown) < len(node.sites):
            self.remark(indent, f"{self.page.glyphs.more} and {len(node.sites) - len(shown)} more, --hops all")

    def draw_site(self, node: Node, indent: Indent, known: tuple[str, ...]) -> None:
        site = node.sites[0]
        limit = 3 if site.role == "formula" else 2
        self.page.entry(indent, self.label(node), site.code, place_of(site), label_width=LABEL_WIDTH, limit=limit, hang=2)
        inner = Indent(indent.rest + "  ", indent.rest + "  ")
        self.page.conditions(inner, remaining(site.when, known), limit=2, lines=2)
        for one in node.merged:
            if one.role == "measurement" and (one.unit or one.frame):
                self.page.note(inner, "", ", ".join(filter(None, (one.unit, one.frame))))
        if site.note:
            self.page.note(inner, "note:", site.note)
        self.doubt(min((node.confidence, site.confidence), key=("low", "medium", "high").index), indent)

    def doubt(self, confidence: str, indent: Indent) -> None:
        """Say so where a node or the way to it is not certain."""
        if confidence != "high":
            inner = Indent(indent.rest + "  ", indent.rest + "  ")
            self.page.note(inner, "", f"{confidence} confidence", style.WARNING)

    def draw_rest(self, node: Node, indent: Indent) -> None:
        """Count what is not drawn below a node: plain reads, and what limits left out."""
        more = self.page.glyphs.more
        reads = [site for site in node.leaves if site.role == "read"]
        sinks = [site for site in node.leaves if site.role == "sink"]
        if reads:
            where = "" if all(site.derived for site in reads) else ", see Reads"
            self.remark(indent, f"also read at {places(reads)}{where}")
        if sinks:
            self.remark(indent, f"reaches {names_of(sinks, more)}, see Reaches")
        if node.hidden:
            self.remark(indent, f"{more} and on to {places(node.hidden)}, --hops all")

    def remark(self, indent: Indent, text: str) -> None:
        inner = Indent(indent.rest + "  ", indent.rest + "  ")
        self.page.note(inner, "", text, style.FAINT)

    def label(self, node: Node, word: str = "") -> Text:
        """The verb of a node, with its number where others refer to it."""
        site = node.sites[0]
        text = Text()
        number = self.numbers.get(id(node))
        if number is not None and node.joins is None:
            text.append(f"#{number} ", style=style.REFERENCE)
        if site.role == "read" and any(one.role == "measurement" for one in node.merged):
            return text.append(style.ROLE_WORD["measurement"], style=style.LABEL_STYLE["measurement"])
        return text.append(word or word_of(site), style=style.LABEL_STYLE[site.role])

    def fold(self, node: Node, base: str, arrow: str) -> Node:
        """Draw the plain chain of hops below `node` as one line where it is long; return its last node, or `node`."""
        chain: list[Node] = []
        current = node
        while is_plain(current, self.numbers) and len(current.children) == 1 and is_plain(current.children[0], self.numbers):
            current = current.children[0]
            chain.append(current)
        if len(chain) < FOLD_FROM - 1:
            return node
        glyphs = self.page.glyphs
        names = [f"{step.sites[0].path.rpartition('/')[2]}:{step.sites[0].line}" for step in chain]
        between = f" {glyphs.more} " if len(names) > 2 else ", "
        text = f"handed on {len(chain)} more times, {names[0]}{between}{names[-1]}"
        self.page.note(Indent(base + arrow, base + " " * len(arrow)), "", text, style.FAINT)
        return current


def is_plain(node: Node, numbers: dict[int, int]) -> bool:
    """A hop that only hands the value on: nothing to say about it beyond its place."""
    site = node.sites[0]
    quiet = not site.when and not site.note and site.confidence == node.confidence == "high"
    single = len(node.sites) == 1 and node.joins is None and not node.leaves and not node.hidden
    return site.role in ("pass", "read") and quiet and single and id(node) not in numbers


def conditions(node: Node) -> tuple[str, ...]:
    return node.sites[0].when if len(node.sites) == 1 else ()


def remaining(when: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """The conditions that the node above has not shown: those beyond the ones both share from the outermost on."""
    return when[len(known) :] if when[: len(known)] == known else when


def word_of(site: Site) -> str:
    if site.role in WRITING:
        return style.KIND_WORD.get(site.kind or "", style.ROLE_WORD[site.role])
    if site.role == "read" and site.code.startswith("return "):
        return "returned"
    if site.role == "read" and site.kind == "rename":
        return "assigned"
    return style.ROLE_WORD[site.role]


def place_of(site: Site) -> Place:
    """The place of a site, its symbol without the module."""
    module = site.path.removesuffix(".py").replace("/", ".")
    symbol = short_slot(site.symbol)
    return Place(site.path, site.line, "" if symbol in (module, module.removesuffix(".__init__")) else symbol)


def callee_of(site: Site) -> str:
    """What a sink sizes: the class or function that takes the argument, in short."""
    name, _, _ = short_slot(site.slot or "").rpartition(".")
    return name.removesuffix(".__init__") or short_slot(site.slot or "") or site.code


def names_of(sinks: Iterable[Site], more: str) -> str:
    """Name the first few things that are sized, and count the others."""
    names = list(dict.fromkeys(map(callee_of, sinks)))
    shown = ", ".join(names[:CALLEES_SHOWN])
    return shown if len(names) <= CALLEES_SHOWN else f"{shown} {more} {len(names)} in all"


def places(sites: Iterable[Site]) -> str:
    """Return `3 places in 2 files`."""
    found = list(sites)
    files = len({site.path for site in found})
    return f"{plural(len(found), 'place')} in {plural(files, 'file')}"
