"""Qualified patterns against resolved names and against the text of unresolved calls."""

from __future__ import annotations

import pytest

from sgmem.models.patterns import PatternError, last_name, matches, validate


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("**:get_free", "pkg.utils.common:get_free"),
        ("**:get_free", "get_free"),
        ("**:get_free", "utils.get_free"),
        ("torch.cuda:mem_get_info", "torch.cuda:mem_get_info"),
        ("torch.cuda:mem_get_info", "torch.cuda.mem_get_info"),
        ("torch.**:mem_get_info", "torch.mem_get_info"),
        ("torch.**:mem_get_info", "torch.npu.npu.mem_get_info"),
        ("torch.**:empty_cache", "torch.get_device_module().empty_cache"),
        ("torch.**:empty_cache", "torch.get_module(f(1)[0]).empty_cache"),
        ("**:*.init_pool", "pkg.runner:Runner.init_pool"),
        ("**:*.init_pool", "self.runner.init_pool"),
        ("**:*Pool.__init__", "pkg.pools:TokenPool.__init__"),
        ("**:*Pool.__init__", "pkg.pools:TokenPool"),
        ("**:*Pool.__init__", "TokenPool"),
        ("**:*Pool.__init__", "pools.TokenPool"),
        ("**.server_args:**.reserved", "pkg.server_args:Args.adjust.reserved"),
        ("**.server_args:**.reserved", "server_args:reserved"),
        ("*:f", "m:f"),
    ],
)
def test_matches(pattern: str, name: str):
    assert matches(pattern, name)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("**:get_free", "pkg.utils:Platform.get_free"),
        ("**:get_free", "get_free_cpu"),
        ("torch.cuda:mem_get_info", "torch.npu.mem_get_info"),
        ("torch.cuda:mem_get_info", "mem_get_info"),
        ("**:*.init_pool", "init_pool"),
        ("**:*.init_pool", "pkg.runner:init_pool"),
        ("**:*.init_pool", "pkg.runner:Runner.inner.init_pool"),
        ("**:*Pool.__init__", "pkg.pools:TokenPool.alloc"),
        ("**:*Pool.__init__", "TokenPooler"),
        ("**.server_args:**.reserved", "pkg.other:Args.reserved"),
        ("torch:empty", "torchx.empty"),
        ("torch:empty", "np.empty"),
        ("**:f", "f)("),
        ("**:f", "x[0"),
        ("**:f", ""),
    ],
)
def test_does_not_match(pattern: str, name: str):
    assert not matches(pattern, name)


@pytest.mark.parametrize("pattern", ["", "f", "a.b.f", "a:b:c", "a:", ":f", "**:**", "**:*", "a b:f", "a:f()", "a:f-g", "a..b:f"])
def test_malformed_patterns_are_refused(pattern: str):
    with pytest.raises(PatternError):
        validate(pattern)


@pytest.mark.parametrize(
    ("pattern", "last"),
    [("**:get_free", "get_free"), ("**:*.init", "init"), ("**:*Pool.__init__", "*Pool"), ("a:__init__", "__init__")],
)
def test_last_names(pattern: str, last: str):
    assert last_name(pattern) == last
