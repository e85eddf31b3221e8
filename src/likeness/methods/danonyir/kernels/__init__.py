"""Loops of DAnonyIR over individuals and classes."""
