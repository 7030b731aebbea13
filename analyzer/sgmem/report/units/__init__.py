"""Units of amounts in the terminal."""
