"""What names stand for."""

from __future__ import annotations

import pytest
from program.samples import Lab, described

SCOPES = """
    import os
    size = 1
    def outer(size_of_outer):
        local = 2
        def inner():
            use(local, size_of_outer, size, os, len, missing)
            nested = 3
        use(nested)
    class Class:
        member = 4
        other = member
        def method(self):
            use(member, self, size)
        class Inner:
            use(member)
"""


@pytest.mark.parametrize(
    ("name", "scope", "expected"),
    [
        ("local", "outer.inner", "local outer.local"),
        ("size_of_outer", "outer.inner", "local outer.size_of_outer"),
        ("size", "outer.inner", "global main.size"),
        ("os", "outer.inner", "external os"),
        ("len", "outer.inner", "external len"),
        ("missing", "outer.inner", "nothing"),
        ("nested", "outer", "nothing"),
        ("inner", "outer", "function outer.inner"),
        ("inner", "", "nothing"),
        ("member", "Class", "local Class.member"),
        ("member", "Class.method", "nothing"),
        ("member", "Class.Inner", "nothing"),
        ("Inner", "Class.method", "nothing"),
        ("self", "Class.method", "local Class.method.self"),
        ("Class", "Class.method", "class Class"),
    ],
)
def test_scopes(name: str, scope: str, expected: str) -> None:
    assert Lab(SCOPES).name(name, scope) == expected


BINDINGS = """
    def f():
        a = 1
        b: int = 2
        c += 3
        d, (e, *g) = x
        for h, i in x: pass
        with x as j, y as (k, l): pass
        try: pass
        except E as m: pass
        if (n := x): pass
        while f(o := x): pass
        match x:
            case [p, *q]: pass
            case {"k": r, **s}: pass
            case T(u=v) as w: pass
        import aa.bb
        from cc import dd as ee
        class ff: pass
        def gg(): pass
        a.hh = 1
        a[ii] = 1
        use(jj=1)
        [kk for kk in x]
        lambda ll: 1
        mm == 1
        del nn
"""


@pytest.mark.parametrize("name", ["a", "b", "c", "d", "e", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "v", "w"])
def test_every_way_to_bind_a_local(name: str) -> None:
    assert Lab(BINDINGS).name(name, "f") == f"local f.{name}"


@pytest.mark.parametrize("name", ["hh", "ii", "jj", "kk", "ll", "mm", "x", "u", "T", "bb", "cc", "dd"])
def test_what_binds_no_local(name: str) -> None:
    assert Lab(BINDINGS).name(name, "f") == "nothing"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("aa", "external aa"), ("ee", "external cc.dd"), ("ff", "class f.ff"), ("gg", "function f.gg")],
)
def test_definitions_and_imports_bind_too(name: str, expected: str) -> None:
    assert Lab(BINDINGS).name(name, "f") == expected


def test_global_and_nonlocal() -> None:
    lab = Lab(
        """
        a = 1
        def f():
            a = 2
            b = 3
            def g():
                global a, c
                nonlocal b
                a = b = c = 4
            def h():
                a = 5
        """
    )
    assert lab.name("a", "f") == "local f.a"
    assert lab.name("a", "f.g") == "global main.a"
    assert lab.name("b", "f.g") == "local f.b"
    assert lab.name("c", "f.g") == "global main.c"
    assert lab.name("c", "") == "global main.c"
    assert lab.name("a", "f.h") == "local f.h.a"


COMPREHENSIONS = """
    from pkg.a import item, other
    def f(items):
        [item.one for item in items]
        {key: item.two for key, item in items if item.three}
        use(item.four, [other.five for item in items])
        (lambda item: item.six)(1)
        lambda other=item.seven: other.eight
        [item.nine for other in item.ten]
"""


@pytest.mark.parametrize("text", ["item.one", "item.two", "item.three", "item.six", "other.eight"])
def test_names_of_comprehensions_and_lambdas_are_their_own(text: str) -> None:
    lab = Lab({"main.py": COMPREHENSIONS, "a.py": "class item: one = two = three = six = 1\nclass other: eight = 1\n"})
    assert lab.entity(text) == "nothing"
    assert lab.entity(text.partition(".")[0], nth=1) != "class a:item"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("item.four", "item"),
        ("other.five", "other"),
        ("item.seven", "item"),
        ("item.nine", "item"),
        ("item.ten", "item"),
    ],
)
def test_other_names_beside_them_are_not(text: str, name: str) -> None:
    lab = Lab(
        {
            "main.py": COMPREHENSIONS,
            "a.py": "class item:\n    class four: pass\n    class seven: pass\n"
            "    class nine: pass\n    class ten: pass\nclass other:\n    class five: pass\n",
        }
    )
    assert lab.entity(text) == f"class a:{text}"


IMPORTS = {
    "a.py": "class A: pass\ndef f(): pass\nX = 1\nclass _Hidden: pass\n",
    "sub/__init__.py": "from .b import B\nfrom . import c\nfrom ..a import A as Renamed\n",
    "sub/b.py": "class B:\n    class Inner:\n        class Innermost: pass\n",
    "sub/c.py": "class C: pass\n",
    "sub/d.py": "from ..a import A\nfrom .b import B\nfrom . import c, missing\nfrom ...outside import D\nuse(A, B, c.C, missing, D)\n",
}


@pytest.mark.parametrize(
    ("statement", "text", "expected"),
    [
        ("import pkg", "pkg", "module pkg"),
        ("import pkg", "pkg.a.A", "class a:A"),
        ("import pkg.a", "pkg.a.A", "class a:A"),
        ("import pkg.a as m", "m.A", "class a:A"),
        ("import pkg.sub.b as m", "m.B.Inner.Innermost", "class sub.b:B.Inner.Innermost"),
        ("from pkg import a", "a.f", "function a:f"),
        ("from pkg.a import A", "A", "class a:A"),
        ("from pkg.a import A as Z", "Z", "class a:A"),
        ("from pkg.a import A as Z", "A", "nothing"),
        ("from pkg.a import X", "X", "global a.X"),
        ("from .a import X", "X", "global a.X"),
        ("from . import a", "a.X", "global a.X"),
        ("from pkg.sub import B", "B", "class sub.b:B"),
        ("from pkg.sub import c", "c.C", "class sub.c:C"),
        ("from pkg.sub import Renamed", "Renamed", "class a:A"),
        ("from pkg.sub.c import C", "C", "class sub.c:C"),
        ("import pkg.sub", "pkg.sub.B", "class sub.b:B"),
        ("import pkg.sub", "pkg.sub.b.B", "class sub.b:B"),
        ("from pkg.a import *", "A", "class a:A"),
        ("from pkg.a import *", "f", "function a:f"),
        ("from pkg.a import *", "_Hidden", "nothing"),
        ("import torch", "torch.cuda.mem_get_info", "external torch.cuda.mem_get_info"),
        ("from torch import cuda as c", "c.mem_get_info", "external torch.cuda.mem_get_info"),
        ("import torch.cuda", "torch.cuda", "external torch.cuda"),
        ("import torch.cuda as tc", "tc.mem_get_info", "external torch.cuda.mem_get_info"),
        ("from pkg.missing import A", "A", "external pkg.missing.A"),
        ("from pkg.a import missing", "missing", "external pkg.a.missing"),
        ("", "A", "nothing"),
        ("", "int", "external int"),
    ],
)
def test_imports(statement: str, text: str, expected: str) -> None:
    assert Lab({**IMPORTS, "main.py": f"{statement}\nuse({text})\n"}).entity(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A", "class a:A"), ("B", "class sub.b:B"), ("c.C", "class sub.c:C"), ("missing", "external pkg.sub.missing"),
        ("D", "external outside.D"),
    ],
)  # fmt: skip
def test_relative_imports(text: str, expected: str) -> None:
    assert Lab(IMPORTS).entity(text, "sub/d.py") == expected


def test_an_import_belongs_to_its_scope() -> None:
    lab = Lab({**IMPORTS, "main.py": "def f():\n    from pkg.a import A\n    use(A)\ndef g():\n    use(A)\n"})
    assert lab.entity("A") == "class a:A"
    assert lab.entity("A", nth=2) == "nothing"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if TYPE_CHECKING:\n    from pkg.a import A\n", "class a:A"),
        ("try:\n    from fast import A\nexcept ImportError:\n    from pkg.a import A\n", "class a:A"),
        ("try:\n    from pkg.a import A\nexcept ImportError:\n    A = None\n", "class a:A"),
        ("try:\n    from fast import A\nexcept ImportError:\n    A = None\n", "external fast.A"),
        ("try:\n    from fast import A\nexcept ImportError:\n    class A: pass\n", "class A"),
        ("if x:\n    def A(): pass\nelse:\n    def A(y): pass\n", "function A"),
    ],
)
def test_conditional_imports_and_definitions(text: str, expected: str) -> None:
    assert Lab({**IMPORTS, "main.py": f"{text}use(A)\n"}).entity("A") == expected


def test_a_star_import_gives_what_all_lists() -> None:
    lab = Lab(
        {
            "a.py": "__all__ = ['A', '_B']\nclass A: pass\nclass _B: pass\nclass C: pass\n",
            "b.py": "__all__ = ('D',)\n__all__ += ['E']\nclass D: pass\nclass E: pass\nclass F: pass\n",
            "main.py": "from .a import *\nfrom .b import *\nuse(A, _B, C, D, E, F)\n",
        }
    )
    assert [lab.entity(name) for name in ("A", "_B", "C", "D", "F")] == [
        "class a:A", "class a:_B", "nothing", "class b:D", "nothing",
    ]  # fmt: skip


def test_star_imports_chain_and_may_go_round() -> None:
    lab = Lab(
        {
            "a.py": "from .b import *\nclass A: pass\n",
            "b.py": "from .c import *\nfrom .a import *\nclass B: pass\n",
            "c.py": "from .a import *\nclass C: pass\n",
            "main.py": "from .a import *\nuse(A, B, C, D)\n",
        }
    )
    assert [lab.entity(name) for name in "ABCD"] == ["class a:A", "class b:B", "class c:C", "nothing"]


@pytest.mark.parametrize("first", ["A", "B"])
def test_import_cycles(first: str) -> None:
    """Whatever is asked first."""
    lab = Lab(
        {
            "__init__.py": "from .b import *\nfrom .a import *\n",
            "a.py": "from pkg import B\nfrom . import helper\nclass A: pass\n",
            "b.py": "from pkg import A, helper\nclass B: pass\n",
            "main.py": "from pkg import A, B, helper\nfrom pkg.b import A as A2\nfrom pkg.a import B as B2\nuse(A, B, A2, B2, helper)\n",
            "helper.py": "",
        }
    )
    assert lab.entity(first) == f"class {first.lower()}:{first}"
    assert [lab.entity(name) for name in ("A", "B", "A2", "B2", "helper")] == [
        "class a:A", "class b:B", "class a:A", "class b:B", "module pkg.helper",
    ]  # fmt: skip


def test_a_name_that_only_leads_in_a_circle_is_nothing_of_the_program() -> None:
    lab = Lab({"a.py": "from .b import X\n", "b.py": "from .a import X\n", "main.py": "from .a import X\nuse(X)\n"})
    assert lab.entity("X").startswith("external")


def test_many_modules_that_star_import_each_other() -> None:
    names = [f"m{n}" for n in range(30)]
    texts = {f"{name}.py": "".join(f"from .{other} import *\n" for other in names if other != name) for name in names}
    texts["m29.py"] += "class Last: pass\n"
    lab = Lab({**texts, "main.py": "from .m0 import *\nuse(Last, Missing)\n"})
    assert lab.entity("Last") == "class m29:Last"
    assert lab.entity("Missing") == "nothing"


@pytest.mark.parametrize("text", ["'a'.A", "obj.A", "f().A", "A.missing", "A().x", "[A].x"])
def test_attributes_of_values_are_nothing_static(text: str) -> None:
    assert Lab(f"import pkg.a as a\nclass A: pass\ndef f(): pass\nuse({text})\n").entity(text) == "nothing"


def test_a_type_alias_binds_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Lab("class A: pass\ntype X = A\ntype Y[T] = list[T]\nuse(X, Y)\n")
    assert lab.entity("X", nth=2) == "global main.X"


def test_the_last_definition_counts() -> None:
    lab = Lab("def f(): pass\ndef f(a): pass\nuse(f)\n")
    found = lab.program.names.entity(*lab.place("f"))
    assert described(found) == "function f"
    assert lab.file().scope(2).parameters[0].name == "a"
    assert found == lab.program.names.lookup(lab.file(), 0, "f")
    assert getattr(found, "index", None) == 2
