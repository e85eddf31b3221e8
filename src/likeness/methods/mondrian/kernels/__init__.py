"""Loops of Mondrian over cells and cuts."""
