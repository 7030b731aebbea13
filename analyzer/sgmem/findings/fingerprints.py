"""A finding's identity across edits: built from the rule, the symbol and the code, never from lines or paths."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

_TRAILING_COMMA = re.compile(r",(?=[)\]}])")
_NAME = re.compile(r"[^\W\d]\w*")


class Fingerprints:
    """Hands out fingerprints; equal findings of one run are told apart by their order."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, rule: str, symbol: str, key: str) -> str:
        """16 hex digits. What a formatter changes in `key`, which is code, does not count."""
        text = "\0".join((rule, symbol, plain(key)))
        number = self._seen[text]
        self._seen[text] += 1
        if number:
            text = f"{text}\0{number}"
        return _digest(text)


def plain(code: str) -> str:
    """Code without what a formatter changes: white space, the kind of quotes, the comma before a closing bracket."""
    return _TRAILING_COMMA.sub("", "".join(code.split()).replace("'", '"'))


def likenesses(rule: str, symbol: str, key: str, message: str) -> tuple[str, ...]:
    """Weaker fingerprints, from the finest to the coarsest, by which a finding is known again after an edit elsewhere:

    the same code in the same class and function of another module (the module was moved or renamed), in the same function
    (its class was), anywhere (all of it was); a finding that says the same about the same function (the code was edited, not
    what is wrong with it); and code of the same shape in the same function (variables were renamed).
    """
    qualname = symbol.partition(":")[2]
    code = plain(key)
    shape = _NAME.sub("_", code)
    return (
        _digest("\0".join(("module", rule, qualname, code))),
        _digest("\0".join(("class", rule, qualname.rpartition(".")[2], code))),
        _digest("\0".join(("code", rule, code))),
        _digest("\0".join(("message", rule, qualname.rpartition(".")[2], message))),
        _digest("\0".join(("shape", rule, symbol, shape))),
    )


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
