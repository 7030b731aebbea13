"""Signs and intervals: what values a quantity can take, and numbers at which a formula is negative."""
