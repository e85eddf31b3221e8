"""Loops of attacks over targets, candidates and cells."""
