"""`sgmem clean`."""

from typing import Annotated

import typer


def clean(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Nothing on stderr but errors.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")] = False,
) -> int:
    """Forget the facts kept from earlier runs. Nothing is lost but time."""
    from sgmem.cache.place import cache_folder
    from sgmem.cache.store import Store
    from sgmem.cli.main import say

    folder = cache_folder()
    if folder is None or not folder.is_dir():
        if not quiet:
            say("nothing is cached")
        return 0
    store = Store.open()
    store.clear()
    store.close()
    if not quiet:
        say(f"cleared the cache in {folder}")
    return 0
