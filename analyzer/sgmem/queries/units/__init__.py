"""`sgmem units`: how many amounts of memory are in a known unit, and which rows would decide the others."""
