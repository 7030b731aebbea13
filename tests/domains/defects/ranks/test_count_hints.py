"""Where a text gives a count to a name."""

from __future__ import annotations

from sgmem.domains.defects.ranks.count_hints import CountHint, count_hints
from sgmem.models.load import load_models
from sgmem.program.files import Files
from sgmem.source.tree import SourceTree

MODELS = load_models()
TEXT = """
class Layer:
    def __init__(self, config, tp_size):
        self.heads = config.num_attention_heads // tp_size
        self.whole = config.num_attention_heads
        own = self.num_attention_heads
        config.num_attention_heads = 3
        config.num_attention_heads()
"""


def test_the_places_that_keep_a_count_of_another_object() -> None:
    tree = SourceTree.from_texts({"pkg/a.py": "x = 1\n", "pkg/b.py": TEXT})
    assert list(count_hints(Files(tree, tuple(tree.files)), MODELS)) == [
        CountHint("self.heads", "num_attention_heads", "pkg/b.py", 4, 28, True),
        CountHint("self.whole", "num_attention_heads", "pkg/b.py", 5, 28, False),
    ]
