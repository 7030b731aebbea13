"""Values that may be negative, zero, empty or None, and checks that are missing, late, dead or say something else."""
