"""Values that are measured, copied or read before something changes them."""
