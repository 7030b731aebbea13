"""What a program says of its memory: formulas, readings, events, units and checks, each in its place."""
