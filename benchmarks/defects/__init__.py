"""Kinds of defects that `seed_defects.py` can plant: each module fills `KINDS`, a finder of places by the kind's name."""
