"""Which ranks a number is about: groups of ranks, their sizes, and the things that are split over them."""
