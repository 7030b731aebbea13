"""Where a slice starts: every declaration and write under the name, whatever kind of place bears it."""

from __future__ import annotations

import pytest
from flow.small import Line, at, line_of, traced

from sgmem.flow.flags import declares_flag
from sgmem.flow.seeds import arithmetic_in
from sgmem.syntax import ir
from sgmem.syntax.ir import Span
from sgmem.syntax.lower import lower_expression


def kinds(source: str, line: Line, name: str = "budget") -> set[tuple[str, str | None]]:
    return {(site.role, site.kind) for site in at(traced(source, name), line)}


RECORD = """
    from dataclasses import dataclass


    @dataclass
    class Args:
        budget: int = 7
        limit: int = 7
        bare: int

        def __post_init__(self):
            self.budget = 3
            self.budget = self.budget * 2
            self.budget = self.limit
            self.limit = 4


    def take(budget, limit):
        show(budget, limit)


    def take_default(budget=2):
        show(budget)


    total = 0
"""


@pytest.mark.parametrize(
    ("code", "role", "kind"),
    [
        ("budget: int = 7", "declaration", "default"),
        ("self.budget = 3", "store", "constant"),
        ("self.budget = self.budget * 2", "store", "derived"),
        ("self.budget = self.limit", "store", "copy"),
        ("def take(budget", "declaration", "declared"),
        ("def take_default(budget=2", "declaration", "default"),
    ],
)
def test_declarations_and_writes_have_a_role_and_a_kind(code: str, role: str, kind: str) -> None:
    assert (role, kind) in kinds(RECORD, line_of(RECORD, code))


@pytest.mark.parametrize("code", ["bare: int", "self.limit = 4", "total = 0"])
def test_places_of_another_name_are_none(code: str) -> None:
    assert not at(traced(RECORD), line_of(RECORD, code))


def test_a_bare_annotation_declares() -> None:
    assert ("declaration", "declared") in kinds(RECORD, line_of(RECORD, "bare: int"), "bare")


def test_a_write_that_computes_the_parameter_is_a_formula() -> None:
    result = traced(RECORD)
    line = line_of(RECORD, "self.budget = self.budget * 2")
    (formula,) = (one for one in result.formulas if one.site in {site.id for site in at(result, line, "formula")})
    assert formula.target == "self.budget"
    assert [one.name for one in formula.inputs] == ["self.budget"]


# -- flags ----------------------------------------------------------------------------------------------------------------------------

FLAGS = """
    def add_arguments(parser, add_argument):
        parser.add_argument("--max-budget", type=int)
        parser.add_argument("--min-budget", type=int)
        parser.add_argument("--roof", "--max-budget-alias", dest="max_budget")
        parser.add_argument("--other", dest="min_budget")
        parser.add_argument("max_budget")
        parser.add_argument("--more", help="see --max-budget")
        parser.add_option("--max-budget")
        add_argument("--max-budget")


    def use(args):
        show(args.max_budget)
"""


@pytest.mark.parametrize(
    "code",
    [
        '"--max-budget", type',
        'dest="max_budget"',
        'parser.add_argument("max_budget")',
        '  add_argument("--max-budget")',
    ],
)
def test_flags_declare_the_parameter_by_name_and_by_dest(code: str) -> None:
    assert ("declaration", "flag") in kinds(FLAGS, line_of(FLAGS, code), "max_budget")


@pytest.mark.parametrize("code", ["--min-budget", 'dest="min_budget"', "help=", "add_option"])
def test_other_flags_do_not(code: str) -> None:
    assert "flag" not in {kind for _, kind in kinds(FLAGS, line_of(FLAGS, code), "max_budget")}


def test_a_flag_s_dest_is_found_without_its_spelling() -> None:
    source = 'def add(parser):\n    parser.add_argument("--tensor-parallel", "--tp", dest="tp_size", default=1)\n\n\ndef use(args):\n    show(args.tp_size)\n'
    assert ("declaration", "flag") in kinds(source, line_of(source, "--tp"), "tp_size")


def call(text: str) -> ir.Call:
    node = lower_expression(text, Span(1, 1, 1, len(text) + 1))
    assert isinstance(node, ir.Call)
    return node


@pytest.mark.parametrize(
    ("text", "declares"),
    [
        ('parser.add_argument("--page-size")', True),
        ('group.add_argument("--ps", dest="page_size")', True),
        ('add_argument("page_size")', True),
        ('parser.add_argument("--page-size-min")', False),
        ('parser.add_argument("--ps", help="page_size")', False),
        ('parser.add_argument("--ps", default="--page-size")', False),
        ('parser.remove_argument("--page-size")', False),
        ("factory()()", False),
    ],
)
def test_which_calls_declare_a_flag(text: str, declares: bool) -> None:
    assert declares_flag(call(text), "--page-size", "page_size") is declares


# -- literals -------------------------------------------------------------------------------------------------------------------------

LITERALS = """
    def start(whatever, table, value, twin):
        whatever.take(budget=value)
        whatever.take(limit=value)
        settings = {"budget": value, "limit": twin}
        table["budget"] = value
        table["limit"] = value
        show(table["budget"])
        show(table["limit"])
        show(table.get("budget", 3))
        show(table.get("limit"))
        show(settings["budget"])
        show(settings["limit"])
        message = "the budget is too low"
        show(message)
"""


@pytest.mark.parametrize(
    ("code", "role"),
    [
        ("take(budget=", "pass"),
        ('{"budget": value', "write"),
        ('table["budget"] = ', "write"),
        ('show(table["budget"])', "read"),
        ('table.get("budget"', "read"),
        ('show(settings["budget"])', "read"),
    ],
)
def test_keywords_and_dictionary_keys_are_the_parameter_too(code: str, role: str) -> None:
    assert role in {one for one, _ in kinds(LITERALS, line_of(LITERALS, code))}


@pytest.mark.parametrize(
    "code",
    [
        "take(limit=",
        'table["limit"] = ',
        'show(table["limit"])',
        'table.get("limit"',
        'show(settings["limit"])',
        "too low",
        "show(message)",
    ],
)
def test_other_keywords_keys_and_words_in_messages_are_not(code: str) -> None:
    assert not at(traced(LITERALS), line_of(LITERALS, code))


def test_a_dictionary_key_alone_is_enough_to_be_found() -> None:
    source = 'def start(value):\n    settings = {"budget": value}\n    share = settings["budget"]\n    show(share)\n    show(value)\n'
    result = traced(source)
    assert at(result, line_of(source, "show(share)"))
    assert not at(result, line_of(source, "show(value)"), "pass")


def test_a_keyword_that_lands_in_the_parameter_of_that_name_is_no_second_origin() -> None:
    source = "def take(budget):\n    show(budget)\n\n\ndef start(value):\n    take(budget=value)\n"
    sites = at(traced(source), line_of(source, "take(budget=value)"))
    assert {(site.role, site.slot) for site in sites} == {("pass", "prog.main:take.budget")}


def test_an_open_keyword_is_written_under_its_name() -> None:
    source = 'def take(**options):\n    show(options["budget"])\n    show(options["limit"])\n\n\ndef start(value):\n    take(budget=value, limit=value)\n'
    result = traced(source)
    (site,) = at(result, line_of(source, "take(budget=value"), "write")
    assert site.slot == "prog.main:take.options['budget']"
    assert at(result, line_of(source, 'show(options["budget"])'))
    assert not at(result, line_of(source, 'show(options["limit"])'))


# -- functions ------------------------------------------------------------------------------------------------------------------------

FUNCTIONS = """
    import functools


    def budget(scale, flag):
        if flag:
            return 7
        if scale > 3:
            return scale * 2 + 1
        return measured()


    def limit(scale):
        return scale


    class Runner:
        @functools.cached_property
        def headroom(self):
            return self.free

        @property
        def limit(self):
            return self.free


    def start(runner: Runner):
        share = budget(1, True)
        show(share)
        show(limit(1))
        show(runner.headroom)
        show(runner.limit)
        later = budget
        show(later(1, False))
"""


def test_a_function_s_name_is_its_result() -> None:
    result = traced(FUNCTIONS)
    declared = at(result, line_of(FUNCTIONS, "def budget("), "declaration")
    assert [(site.code, site.slot) for site in declared] == [("def budget", "prog.main:budget()")]
    for code, kind in (
        ("return 7", "conditional"),
        ("return scale * 2 + 1", "derived"),
        ("return measured()", "conditional"),
    ):
        assert ("prog.main:budget()", kind) in {(site.slot, site.kind) for site in at(result, line_of(FUNCTIONS, code), "write")}


def test_what_a_function_returns_is_followed_from_its_calls() -> None:
    result = traced(FUNCTIONS)
    assert at(result, line_of(FUNCTIONS, "share = budget(1, True)"))
    assert at(result, line_of(FUNCTIONS, "show(share)"))
    assert at(result, line_of(FUNCTIONS, "show(later(1, False))"))
    for code in ("def limit(scale)", "show(limit(1))", "show(runner.limit)"):
        assert not at(result, line_of(FUNCTIONS, code)), code


def test_what_a_function_computes_is_a_formula() -> None:
    result = traced(FUNCTIONS)
    assert [(one.target, one.text) for one in result.formulas] == [("budget()", "scale * 2 + 1")]


def test_a_property_is_read_as_an_attribute() -> None:
    result = traced(FUNCTIONS, "headroom")
    assert at(result, line_of(FUNCTIONS, "def headroom"), "declaration")
    assert at(result, line_of(FUNCTIONS, "show(runner.headroom)"))
    assert not at(result, line_of(FUNCTIONS, "show(runner.limit)"))


def test_a_function_that_returns_nothing_is_only_declared() -> None:
    source = "def budget():\n    pass\n\n\ndef start():\n    budget()\n"
    result = traced(source)
    assert [site.role for site in at(result, line_of(source, "def budget"))] == ["declaration"]
    assert at(result, ("prog/main.py", 6))


def test_a_decorated_and_an_asynchronous_function() -> None:
    source = """
        @cache
        @retry(times=3)
        async def budget():
            return 3


        async def start():
            show(await budget())
    """
    result = traced(source)
    (declared,) = at(result, line_of(source, "async def budget"), "declaration")
    assert declared.code == "def budget"
    assert at(result, line_of(source, "show(await budget())"))


def test_a_generator_s_elements_are_its_result() -> None:
    source = "def budget():\n    yield 3\n\n\ndef start():\n    for share in budget():\n        show(share)\n"
    assert at(traced(source), line_of(source, "show(share)"))


# -- arithmetic -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a + 1", "a + 1"),
        ("int(a * 2)", "int(a * 2)"),
        ("a * 2 if flag else 0", "a * 2 if flag else 0"),
        ("a or b * 2", "b * 2"),
        ("-(a * 2)", "a * 2"),
        ("min(a, b * 2)", "min(a, b * 2)"),
        ("1 << 30", None),
        ("a", None),
        ("f(a * 2)", None),
        ("'%d' % a", None),
        ("'x' + a", None),
        ("a > 1", None),
        ("[a * 2]", None),
    ],
)
def test_the_arithmetic_in_a_value(text: str, part: str | None) -> None:
    found = arithmetic_in(lower_expression(text, Span(1, 1, 1, len(text) + 1)))
    assert (None if found is None else text[found.span.column - 1 : found.span.end_column - 1]) == part


def test_nothing_is_no_arithmetic() -> None:
    assert arithmetic_in(None) is None
