"""`sgmem reconcile`: a server log against the formula."""
