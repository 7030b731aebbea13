"""Measurement time: what a reading of memory measured, of whom and when."""
