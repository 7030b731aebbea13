"""A finding's identity across edits: built from the rule, the symbol and the code, never from lines or paths."""

from __future__ import annotations

import hashlib
from collections import Counter


class Fingerprints:
    """Hands out fingerprints; equal findings of one run are told apart by their order."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, rule: str, symbol: str, key: str) -> str:
        """16 hex digits. White space in `key`, which is code, does not count."""
        text = "\0".join((rule, symbol, "".join(key.split())))
        number = self._seen[text]
        self._seen[text] += 1
        if number:
            text = f"{text}\0{number}"
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
