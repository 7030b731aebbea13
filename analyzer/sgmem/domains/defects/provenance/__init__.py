"""What becomes of the values that the user gave."""
