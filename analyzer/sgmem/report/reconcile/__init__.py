"""A reconciled log in the terminal."""
