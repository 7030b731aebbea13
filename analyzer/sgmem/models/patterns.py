"""Qualified patterns: how a row names functions, methods, classes, attributes and fields.

`module-pattern:qualname-pattern`, both dotted. `*` stands for part of a name, `**` for any number of whole names:
`**:get_available_gpu_memory`, `torch.cuda:mem_get_info`, `**:*.init_memory_pool`, `**:*Pool.__init__`.

A pattern is matched against a resolved name (`pkg.utils:get_free`) or, for a call that could not be resolved, against
its dotted text (`torch.cuda.mem_get_info`), where nothing says which of the names is the module.
"""

from __future__ import annotations

import re
from functools import lru_cache


class PatternError(ValueError):
    """Text that is not a qualified pattern."""


_BRACKETS = re.compile(r"\([^()\[\]]*\)|\[[^()\[\]]*\]")


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The pattern for resolved names and the one for dotted text."""
    module, _, qualname = pattern.partition(":")
    # A constructor is called by the name of its class.
    tail = r"(?:\.__init__)?" if qualname.endswith(".__init__") else ""
    qualname = qualname.removesuffix(".__init__")
    return (
        re.compile(f"{_dotted(module)}:{_dotted(qualname)}{tail}"),
        re.compile(f"{_dotted(f'{module}.{qualname}')}{tail}"),
    )


def validate(pattern: str) -> None:
    """Raises PatternError unless `pattern` is well formed and names something."""
    module, colon, qualname = pattern.partition(":")
    parts = [*module.split("."), *qualname.split(".")]
    if not colon or not all(re.fullmatch(r"\*\*|[\w*]+", part) for part in parts):
        raise PatternError(f"{pattern!r} is not of the form module-pattern:qualname-pattern")
    if not last_name(pattern).strip("*"):
        raise PatternError(f"{pattern!r} matches every name")


def matches(pattern: str, name: str) -> bool:
    """Whether `pattern` matches a resolved name (`module:qualname`) or, without a colon, a dotted text.

    Calls and subscripts within the text count as names: `torch.get_device_module().empty_cache`.
    """
    resolved, text = _compiled(pattern)
    while "(" in name or "[" in name:
        name, found = _BRACKETS.subn("", name)
        if not found:
            return False
    return (resolved if ":" in name else text).fullmatch(name) is not None


def last_name(pattern: str) -> str:
    """What the last name must look like: `mem_get_info`, `*Pool`. For `X.__init__` it is X, which is what a call
    spells.
    """
    parts = pattern.partition(":")[2].split(".")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


def _dotted(pattern: str) -> str:
    """A regular expression for a dotted pattern; `**` takes its dot along, since it may stand for nothing."""
    parts = pattern.split(".")
    built = ""
    for index, part in enumerate(parts):
        if part == "**":
            built += r"(?:\w+\.)*" if index < len(parts) - 1 else r"(?:\w+(?:\.\w+)*)?"
        else:
            built += re.escape(part).replace(r"\*", r"\w*") + (r"\." if index < len(parts) - 1 else "")
    return built
