"""A trace as a tree, a graph or tables."""
