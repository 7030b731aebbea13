"""`sgmem trace`: the slice of a parameter."""
