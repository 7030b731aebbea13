"""A timeline in the terminal."""
