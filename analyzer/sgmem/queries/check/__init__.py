"""`sgmem check`: the findings of the rules."""
