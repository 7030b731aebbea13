"""Exact algebra on expressions: forms, quotients, evaluation, solving. Knows nothing of programs."""
