"""Units of values: dimension, scale, scope, and the evidence for them."""
