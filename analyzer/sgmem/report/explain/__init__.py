"""An explanation in the terminal."""
