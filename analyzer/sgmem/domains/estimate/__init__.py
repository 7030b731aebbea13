"""What a budget charges against what pools allocate: dimensions, states, and amounts that are spent twice."""
