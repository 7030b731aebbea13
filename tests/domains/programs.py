"""Facts of small programs given as text."""

from __future__ import annotations

from textwrap import dedent

from sgmem.domains.program_facts import Formula, ProgramFacts
from sgmem.models.load import load_models
from sgmem.program.program import Program
from sgmem.source.tree import SourceTree

MODELS = load_models()


def facts_of(*sources: str, **files: str) -> ProgramFacts:
    """The facts of a program: one source is `serving/case.py`, others go by the name of their keyword."""
    texts = {"serving/__init__.py": ""}
    for source in sources:
        texts["serving/case.py"] = dedent(source)
    texts |= {f"serving/{name}.py": dedent(source) for name, source in files.items()}
    tree = SourceTree.from_texts(texts)
    return ProgramFacts(Program(tree, tuple(tree.files)), MODELS)


def formula(facts: ProgramFacts, target: str) -> Formula:
    """The formula whose value goes to `target`."""
    found = [one for one in facts.formulas if one.target == target]
    assert len(found) == 1, [one.target for one in facts.formulas]
    return found[0]
