"""Settings from the environment: `SGMEM_PERSONA=pedantic`, `SGMEM_IGNORE=unit-mismatch,SGM301`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, get_origin

from sgmem.config.errors import UsageError
from sgmem.config.validate import BadSetting, checked, types

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "SGMEM_"
OTHERS = frozenset({"SGMEM_CONFIG", "SGMEM_ISOLATED", "SGMEM_CACHE_DIR"})
"""Variables that are no settings of a file."""
_PATHS = ("models",)
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


def variable_of(key: str) -> str:
    return PREFIX + key.upper().replace("-", "_")


def from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """The settings that variables give, by key; tables cannot be written that way. Raises UsageError for a bad value."""
    found: dict[str, Any] = {}
    for key, kind in types().items():
        text = environ.get(variable_of(key))
        if text is None or get_origin(kind) is dict:
            continue
        try:
            found[key] = checked(_value(key, text, kind), kind, (key,))
        except BadSetting as error:
            raise UsageError(f"{variable_of(key)}: {error.message}", hint=error.hint) from None
    return found


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Variables that look like settings and are none, in order."""
    known = {variable_of(key) for key, kind in types().items() if get_origin(kind) is not dict} | OTHERS
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in known)


def is_set(environ: Mapping[str, str], name: str) -> bool:
    """Whether a switch is on. Raises UsageError for a value that is neither on nor off."""
    return _switch(name, environ.get(name, ""))


def _switch(name: str, text: str) -> bool:
    if text.lower() not in (*_TRUE, *_FALSE):
        raise UsageError(f"{name}={text} is neither true nor false")
    return text.lower() in _TRUE


def _value(key: str, text: str, kind: Any) -> Any:
    """The text as the type wants it: lists are separated by commas, lists of paths as in PATH."""
    if get_origin(kind) is tuple:
        parts = text.split(os.pathsep if key in _PATHS else ",")
        return [part.strip() for part in parts if part.strip()]
    return _switch(variable_of(key), text) if kind is bool else text
