"""The configuration of a run: the settings in force, and where each comes from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sgmem.config.discover import SettingsFile, nearest, read
from sgmem.config.environment import from_environment, is_set, variable_of
from sgmem.config.errors import UsageError
from sgmem.config.settings import DEFAULT_SOURCE_SETTINGS, OwnModels, Settings, SourceSettings
from sgmem.config.toml_lines import line_of
from sgmem.config.validate import BadSetting, settings_of, types

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Configuration(msgspec.Struct, frozen=True):
    """The settings in force. `folder` is what their paths are relative to, `variables` the keys that the environment set."""

    settings: Settings
    folder: Path
    file: SettingsFile | None = None
    variables: frozenset[str] = frozenset()

    def origin(self, key: str, *inner: str | int) -> str:
        """Where a setting comes from: `path:line`, `$VARIABLE` or `default`. `inner` names a part of it, such as one rule."""
        if key in self.variables:
            return f"${variable_of(key)}"
        if self.file is None or key not in self.file.table:
            return "default"
        return f"{self.file.path}:{line_of(self.file.text, (*self.file.prefix, key, *inner)) or 1}"

    def error(self, message: str, key: str, *inner: str | int, hint: str | None = None) -> UsageError:
        """The error for a setting whose value makes no sense, with its place."""
        return UsageError(f"{self.origin(key, *inner)}: {message}", hint=hint)

    def path(self, text: str, key: str) -> Path:
        """A path that a setting names: relative to its file, or to the working folder where a variable gave it."""
        written = Path(text).expanduser()
        return Path(os.path.abspath((Path.cwd() if key in self.variables else self.folder) / written))  # noqa: PTH100

    @property
    def source_settings(self) -> SourceSettings:
        return msgspec.structs.replace(DEFAULT_SOURCE_SETTINGS, anchors=self.settings.anchors, installed=self.settings.installed)

    @property
    def source(self) -> str | None:
        """The default source; where it names a folder beside the settings, that folder."""
        named = self.settings.source
        if named is None:
            return None
        beside = self.path(named, "source")
        return str(beside) if beside.is_dir() else named

    @property
    def baseline(self) -> Path | None:
        named = self.settings.baseline
        return self.path(named, "baseline") if named is not None else None

    @property
    def own_models(self) -> OwnModels:
        """The project's own model files, rows and roots. Raises UsageError for a file that is missing."""
        files = [self.path(named, "models") for named in self.settings.models]
        for named, file in zip(self.settings.models, files, strict=True):
            if not file.is_file():
                raise self.error(f"no such model file: {named}", "models")
        return OwnModels(
            files=tuple(map(str, files)), rows=self.settings.model, roots=self.settings.roots, origin=self.origin("model"),
            roots_origin=self.origin("roots"),
        )  # fmt: skip


def configuration(
    working_folder: Path, file: Path | None = None, *, isolated: bool = False, environ: Mapping[str, str] | None = None
) -> Configuration:
    """The configuration of a run in a folder: a file that is named, or `SGMEM_CONFIG`, or the nearest; variables go before it.

    `isolated`, or `SGMEM_ISOLATED`, looks at no file that is not named, and at no variable. Raises UsageError.
    """
    environ = os.environ if environ is None else environ
    isolated = isolated or is_set(environ, "SGMEM_ISOLATED")
    found = _settings_file(working_folder, file, isolated, environ)
    values = {} if isolated else from_environment(environ)
    table = {**(found.table if found is not None else {}), **values}
    folder = found.path.parent if found is not None else working_folder
    try:
        settings = settings_of(table)
    except BadSetting as error:
        if found is None:
            raise UsageError(error.message, hint=error.hint) from None
        line = line_of(found.text, (*found.prefix, *error.keys)) or 1
        raise UsageError(f"{found.path}:{line}: {error.message}", hint=error.hint) from None
    return Configuration(settings, folder, found, frozenset(values))


def _settings_file(working_folder: Path, named: Path | None, isolated: bool, environ: Mapping[str, str]) -> SettingsFile | None:
    if named is None and not isolated and environ.get("SGMEM_CONFIG"):
        named = Path(environ["SGMEM_CONFIG"])
    if named is None:
        return None if isolated else nearest(working_folder)
    path = Path(os.path.abspath(working_folder / named.expanduser()))  # noqa: PTH100
    if not path.is_file():
        raise UsageError(f"no such file: {named}")
    return read(path)


def settings_in_force(found: Configuration) -> Sequence[tuple[str, Any, str]]:
    """Every key, its value as plain data, and where it comes from."""
    plain = msgspec.json.decode(msgspec.json.encode(found.settings))
    return [(key, plain[key], found.origin(key)) for key in types()]
