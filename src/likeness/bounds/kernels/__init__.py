"""Loops over cells: the least hull of each, and prices."""
