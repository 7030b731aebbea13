"""`sgmem models`: the rows in force and what they match."""
