"""The models of a run: the built-in ones and what the project adds."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sgmem.config.errors import UsageError

if TYPE_CHECKING:
    from sgmem.config.settings import OwnModels
    from sgmem.models.load import Models


def models_with(own: OwnModels) -> Models:
    """The models with the project's own rows in front. Raises UsageError for a row, a root or a file that is not sound."""
    from sgmem.config.validate import plainly
    from sgmem.models.load import ModelError, load_models
    from sgmem.models.patterns import PatternError, validate

    for root in own.roots:
        try:
            validate(root)
        except PatternError as error:
            raise UsageError(f"{own.roots_origin}: roots: {error}", hint="for example **:Scheduler.__init__") from None
    rows = dict(own.rows)
    if own.roots:
        rows["root"] = (*({"names": [root], "contains": [], "why": own.roots_origin} for root in own.roots), *rows.get("root", ()))
    try:
        return load_models([Path(file) for file in own.files], rows, own.origin)
    except ModelError as error:
        raise UsageError(f"{error.where}: {plainly(error.said)}", hint="docs/model-rows.md lists the fields of every row") from None


def own_stamp(own: OwnModels) -> str:
    """Changes with what the project adds; empty where it adds nothing. A built-in model belongs to the tool's own stamp."""
    if not own:
        return ""
    digest = sha256(repr((own.files, own.rows, own.roots)).encode())
    for file in own.files:
        try:
            digest.update(Path(file).read_bytes())
        except OSError as error:
            raise UsageError(f"cannot read {file}: {error.strerror or error}") from None
    return digest.hexdigest()
