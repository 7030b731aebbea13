"""Who calls a function, under every name that holds it."""

from __future__ import annotations

from program.samples import Lab

from sgmem.program.entities import Function

DEFS = "def f(a): ...\n"


def calling_files(texts: dict[str, str]) -> set[str]:
    lab = Lab(texts)
    file = lab.file("defs.py")
    (index,) = (i for i, scope in enumerate(file.outline.scopes) if scope.name == "f")
    return {site.file.path.removeprefix("pkg/") for site in lab.program.calls.callers(Function(file, index))}


def test_one_alias_may_be_a_global_in_one_file_and_an_import_in_others() -> None:
    texts = {"defs.py": DEFS}
    for name in "abc":
        texts[f"{name}_binds.py"] = "from .defs import f\nplain = f\nplain(1)\n"
        texts[f"{name}_imports.py"] = "from .defs import f as plain\nplain(2)\n"
    assert calling_files(texts) == set(texts) - {"defs.py"}


def test_one_alias_may_be_a_default_in_several_files() -> None:
    texts = {"defs.py": DEFS}
    for name in "abc":
        texts[f"{name}.py"] = "from .defs import f\ndef run(call=f):\n    call(1)\n"
    assert calling_files(texts) == {"a.py", "b.py", "c.py"}
