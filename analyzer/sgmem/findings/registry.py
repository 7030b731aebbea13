"""The rules that are installed: packages named by the entry-point group `sgmem.rules`, one rule per module."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module, resources
from importlib.metadata import entry_points
from importlib.util import find_spec
from inspect import isabstract
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

import msgspec

from sgmem.config.errors import UsageError
from sgmem.findings.finding import Persona, Severity
from sgmem.findings.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

GROUP = "sgmem.rules"
MEANT = 3
"""So many rules a misspelt name may be told to mean."""
_CODE = re.compile(r"[A-Z]+[0-9]+")


class InstalledRule(msgspec.Struct, frozen=True):
    """A rule with its page. `origin` is the module it comes from."""

    rule: Rule
    page: str
    origin: str

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def code(self) -> str:
        return self.rule.code

    @property
    def severity(self) -> Severity:
        return self.rule.severity

    @property
    def persona(self) -> Persona:
        return self.rule.persona

    @property
    def summary(self) -> str:
        return first_paragraph(self.page) or self.name


def rules_stamp() -> str:
    """Changes with every edit of an installed rule or its page. Nothing is imported: a stored result needs no rules."""
    states = []
    for name in _packages():
        spec = find_spec(name)
        for folder in (spec.submodule_search_locations if spec is not None else None) or ():
            for file in sorted(Path(folder).iterdir()):
                if file.suffix in (".py", ".md"):
                    status = file.stat()
                    states.append(f"{file} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(states)


def _packages() -> list[str]:
    """The packages that offer rules, each once: an editable install beside another names the same one twice."""
    return sorted({point.value for point in entry_points(group=GROUP)})


def first_paragraph(page: str) -> str:
    """The first paragraph of a page that is no heading, on one line: its rule in a sentence."""
    paragraphs = (part.strip() for part in page.split("\n\n"))
    return " ".join(next((part for part in paragraphs if part and not part.startswith("#")), "").split())


@cache
def installed_rules() -> tuple[InstalledRule, ...]:
    """All rules, by code. Empty where no distribution offers any. Raises UsageError for a package that is not sound."""
    found: dict[str, InstalledRule] = {}
    for package_name in _packages():
        for installed in rules_of(package_name):
            for taken in (installed.name, installed.code):
                other = found.get(taken)
                if other is not None:
                    raise UsageError(f"two rules are called {taken}: {other.origin} and {installed.origin}")
            found[installed.name] = found[installed.code] = installed
    return tuple(sorted(dict.fromkeys(found.values()), key=lambda one: one.code))


def rules_of(package_name: str) -> list[InstalledRule]:
    """The rules in the modules of one package. Raises UsageError, naming the module that is at fault."""
    package = _load(package_name)
    found = []
    for info in iter_modules(getattr(package, "__path__", ())):
        if info.name.startswith("_"):
            continue
        module = _load(f"{package_name}.{info.name}")
        for value in vars(module).values():
            is_rule = isinstance(value, type) and issubclass(value, Rule) and not isabstract(value)
            if is_rule and value.__module__ == module.__name__:
                found.append(_installed(value, package, info.name))
    return found


def _load(name: str) -> ModuleType:
    try:
        return import_module(name)
    except Exception as error:  # a foreign package may fail in any way; the run must say which one did
        raise UsageError(f"the rules of {name} cannot be loaded: {type(error).__name__}: {error}") from error


def _installed(rule: type[Rule], package: ModuleType, stem: str) -> InstalledRule:
    origin = f"{package.__name__}.{stem}"
    name, code = getattr(rule, "name", ""), getattr(rule, "code", "")
    if name != stem.replace("_", "-"):
        raise UsageError(f"the rule in {origin} must be called {stem.replace('_', '-')}, not {name or 'nothing'}")
    if not _CODE.fullmatch(code):
        raise UsageError(f"the rule in {origin} needs a code such as SGM101, not {code or 'nothing'}")
    page = resources.files(package) / f"{stem}.md"
    if not page.is_file():
        raise UsageError(f"the rule in {origin} has no page {stem}.md")
    return InstalledRule(rule(), page.read_text(encoding="utf-8"), origin)


def close_rules(name: str, known: Iterable[str]) -> list[str]:
    """The rules that a misspelt name may mean: spelled much like it, or with all its words."""
    from difflib import get_close_matches

    wanted, rules = name.lower(), sorted(known)
    close = get_close_matches(wanted, rules, n=MEANT, cutoff=0.6)
    words = {word for word in re.split(r"[^a-z0-9]+", wanted) if len(word) > 2}
    holding = [rule for rule in rules if words and words <= set(rule.lower().split("-"))]
    return list(dict.fromkeys([*close, *holding]))[:MEANT]
