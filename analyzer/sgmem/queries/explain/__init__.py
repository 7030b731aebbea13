"""`sgmem explain`: a formula with numbers."""
