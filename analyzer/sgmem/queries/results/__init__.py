"""The result objects of the commands, one a module: the JSON contracts."""
