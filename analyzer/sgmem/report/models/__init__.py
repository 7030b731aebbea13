"""Model rows in the terminal."""
