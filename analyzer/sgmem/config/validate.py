"""Turns the plain values of a settings file into `Settings`: unknown keys and wrong types are errors that say where."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import msgspec

from sgmem.config.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

Path = tuple[str | int, ...]
_AT = re.compile(r" - at `\$(?P<path>[^`]*)`$")
_NAMES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}


class BadSetting(Exception):
    """A setting that cannot be used: its keys, what is wrong, and what could be done."""

    def __init__(self, keys: Path, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.keys = keys
        self.message = message
        self.hint = hint


def types() -> dict[str, Any]:
    """The type of every setting, by its key."""
    hints = get_type_hints(Settings)
    return {field.encode_name: hints[field.name] for field in msgspec.structs.fields(Settings)}


def settings_of(values: Mapping[str, Any]) -> Settings:
    """The settings that a table gives, defaults for the rest. Raises BadSetting."""
    known = types()
    for key in values:
        if key not in known:
            raise BadSetting((key,), f"unknown key {key!r}", suggestion(key, list(known)))
    return msgspec.convert({key: checked(value, known[key], (key,)) for key, value in values.items()}, Settings, strict=True)


def checked(value: Any, kind: Any, keys: Path) -> Any:
    """The value, if it is of this type. Raises BadSetting, which names the innermost key."""
    if get_origin(kind) is dict and isinstance(value, dict):
        inner = get_args(kind)[1]
        for key, item in value.items():
            checked(item, inner, (*keys, key))
        return value
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        raise BadSetting(keys, *_worded(str(error), value, kind, keys)) from None
    return value


def _worded(error: str, value: Any, kind: Any, keys: Path) -> tuple[str, str | None]:
    """What msgspec said, in the words of a settings file, and the choices where there are some."""
    name = ".".join(str(key) for key in keys)
    at = _AT.search(error)
    where = f"{name}{at['path']}" if at else name
    said = _AT.sub("", error)
    choices = [str(choice) for choice in _choices(kind)]
    if said.startswith("Invalid enum value") and choices:
        return f"{where} = {value!r} is none of {', '.join(choices)}", suggestion(str(value), choices, fallback=False)
    return f"{where}: {plainly(said)}", None


def plainly(said: str) -> str:
    """What msgspec said of a value, with the names that TOML has for types and the place in front."""
    at = _AT.search(said)
    said = _AT.sub("", said)
    for word, plain in _NAMES.items():
        said = re.sub(rf"`{word}(?: \| null)?`", plain, said)
    said = f"{said[:1].lower()}{said[1:]}"
    return f"{at['path'].lstrip('.')}: {said}" if at else said


def _choices(kind: Any) -> tuple[Any, ...]:
    return tuple(one for one in get_args(kind) if isinstance(one, str))


def suggestion(word: str, known: list[str], *, fallback: bool = True) -> str | None:
    """`did you mean ...?`, or the list of what is known."""
    from difflib import get_close_matches

    plain = word.replace("_", "-").lower()
    close = [plain] if plain in known else get_close_matches(plain, known, n=2, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"known are {', '.join(known)}" if fallback else None
