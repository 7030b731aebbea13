"""Buffers, tables and pools that have room for less than is put into them."""
