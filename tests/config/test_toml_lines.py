from __future__ import annotations

import pytest

from sgmem.config.toml_lines import line_of

TEXT = """\
# a comment
top = 1
many = [
    "a",  # [not.a.table]
    "b = 3",
]
text = '''
[also.none]
key = 1
'''

[tool.x]
inline = { a = 1, b = 2 }
"quoted key" = 2
dotted.key = 3

[[rows]]
name = "first"
[[rows]]
name = "second"
[rows.inner]
deep = 1
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("top",), 2),
        (("many",), 3),
        (("many", 1), 3),
        (("text",), 7),
        (("tool", "x"), 12),
        (("tool", "x", "inline", "b"), 13),
        (("tool", "x", "quoted key"), 14),
        (("tool", "x", "dotted", "key"), 15),
        (("tool", "x", "missing"), 12),
        (("rows", 0, "name"), 18),
        (("rows", 1, "name"), 20),
        (("rows", 1, "inner", "deep"), 22),
        (("also", "none"), None),
        (("key",), None),
    ],
)
def test_the_line_of_a_key(keys: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(TEXT, keys) == line
    assert line_of(TEXT.replace("\n", "\r\n"), keys) == line
