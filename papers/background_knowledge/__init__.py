"""Amiri, Yazdani, Shakery & Chinaei 2016: figures 4 to 12, tables 5 to 8, and what knowledge adds with and without J."""
