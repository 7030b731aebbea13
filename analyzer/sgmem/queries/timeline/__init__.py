"""`sgmem timeline`: a start-up in order."""
