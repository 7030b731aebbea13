"""Numbers that are not in the unit that they are called, handed over or calculated with as."""
