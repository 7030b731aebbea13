"""Symbolic execution of functions for the inputs that are given."""
