"""Layers of the whole model by which what one stage holds is addressed."""

from __future__ import annotations

from domains.programs import facts_of

POOL = """
class Pool:
    def __init__(self, start_layer, layer_num):
        self.start_layer = start_layer
        self.k_buffer = [allocate() for _ in range(layer_num)]

    def get(self, layer_id):
        return self.k_buffer[layer_id - self.start_layer]

    def own(self, layer_idx):
        return self.k_buffer[layer_idx]
"""


def plain(text: str) -> list[tuple[str, int]]:
    facts = facts_of(POOL + text)
    return [(one.method, one.plain.line) for one in facts.ranks.stage_indices()]


def test_a_derived_class_that_does_not_take_the_first_layer_off() -> None:
    assert plain(
        """
class KeyPool(Pool):
    def set(self, layer_id, rows, keys):
        self.k_buffer[layer_id][rows] = keys
"""
    ) == [("set", 15)]


def test_two_branches_of_one_method() -> None:
    assert plain(
        """
class Packed(Pool):
    def packed(self, layer_id):
        if self.packs:
            return self.k_buffer[layer_id - self.start_layer].view()
        return self.k_buffer[layer_id]
"""
    ) == [("packed", 17)]


def test_a_number_of_the_stage_and_another_class_with_such_a_table_are_left_alone() -> None:
    assert not plain(
        """
class Shifted(Pool):
    def set(self, layer_id, rows, keys):
        layer_id -= self.start_layer
        self.k_buffer[layer_id][rows] = keys


class Other:
    def set(self, layer_id, rows, keys):
        self.k_buffer[layer_id][rows] = keys
"""
    )
