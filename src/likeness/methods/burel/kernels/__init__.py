"""Loops of BUREL over records and cells."""
