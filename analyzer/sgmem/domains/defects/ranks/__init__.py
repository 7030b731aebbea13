"""Numbers of one rank, of a group of ranks and of all of them, taken for one another."""
