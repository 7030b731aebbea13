"""Random expressions, as text: odd blanks, comments, newlines and superfluous parentheses included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

Text = st.SearchStrategy[str]

BLANKS = st.sampled_from(["", "", "", " ", " ", "  ", "\n", " # (comment,\n", "\\\n", "\t", "\x0c"])
NAMES = st.sampled_from(["a", "b", "é", "日本", "long_name", "_"])
ATOMS = st.one_of(
    NAMES,
    st.sampled_from(
        [
            "1", "0", "0x_ff", "1_0", "1.5e3", "2j", "'a'", '"é"', "b'b'", "r'\\d'", "'a' \"b\"", "b'a' b'b'", "None",
            "True", "...", "()", "[]", "{}", "'''a\nb'''", "f'{a}'", "f'{a!r:>{b}} é'", 'f"{a}" \'b\'', "f'{a=}'",
            "'(,'", "f'{{'", "lambda: 0", "yield",
        ]
    ),
)  # fmt: skip
BINARY = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"]
WORDS = [" and ", " or ", " in ", " is ", " not in ", " is not "]
COMPARE = ["<", "<=", ">", ">=", "==", "!="]


@st.composite
def joined(draw: st.DrawFn, *parts: str | Text) -> str:
    """Parts with blanks between them."""
    text = ""
    for part in parts:
        text += draw(BLANKS) + (part if isinstance(part, str) else draw(part))
    return text + draw(BLANKS)


def compound(inner: Text) -> Text:
    """Every kind of expression over inner ones."""
    operators = st.sampled_from([*BINARY, *WORDS, *COMPARE])
    comma = joined(",")
    some = st.lists(inner, min_size=1, max_size=3).flatmap(lambda parts: _list(parts, comma))
    argument = st.one_of(
        inner,
        joined("*", inner),
        joined("**", inner),
        joined(NAMES, "=", inner),
        joined(inner, " for ", NAMES, " in ", inner),
    )
    arguments = st.lists(argument, max_size=3).flatmap(lambda parts: _list(parts, comma))
    part = st.one_of(st.just(""), inner)
    slices = st.one_of(inner, joined(part, ":", part), joined(part, ":", part, ":", part), joined("*", inner))
    index = st.lists(slices, min_size=1, max_size=3).flatmap(lambda parts: _list(parts, comma))
    clause = st.one_of(
        joined(" for ", NAMES, " in ", inner),
        joined(" for ", NAMES, ",", NAMES, " in ", inner, " if ", inner),
        joined(" async for ", NAMES, ",", " in ", inner, " for ", NAMES, " in ", inner),
    )
    return st.one_of(
        joined(inner, operators, inner),
        joined(inner, operators, inner, operators, inner),
        joined(st.sampled_from(["-", "+", "~", " not ", " await "]), inner),
        joined("(", inner, ")"),
        joined("(", "(", some, ")", ")"),
        joined("[", some, "]"),
        joined("{", some, "}"),
        joined("[", "*", inner, ",", some, "]"),
        joined("{", inner, ":", inner, ",", "**", inner, "}"),
        joined(inner, ".", NAMES),
        joined(inner, "(", arguments, ")"),
        joined(inner, "[", index, "]"),
        joined(inner, " if ", inner, " else ", inner),
        joined(" lambda ", NAMES, "=", inner, ",", "*", NAMES, ":", inner),
        joined("(", NAMES, ":=", inner, ")"),
        joined("(", " yield ", inner, ")"),
        joined("(", " yield from ", inner, ")"),
        joined("[", inner, clause, "]"),
        joined("{", inner, clause, "}"),
        joined("(", inner, clause, ")"),
        joined("{", inner, ":", inner, clause, "}"),
    )


def _list(parts: list[str], comma: Text) -> Text:
    return st.tuples(*(comma for _ in parts), st.booleans()).map(
        lambda drawn: "".join(part + (drawn[i] if i < len(parts) - 1 or drawn[-1] else "") for i, part in enumerate(parts))
    )


def expressions(accept: Callable[[str], bool]) -> Text:
    """Expressions that `accept` takes; most of what the grammar above yields is none."""
    return st.recursive(ATOMS, compound, max_leaves=8).map(str.strip).filter(accept)
