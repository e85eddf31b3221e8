"""The experiments of the papers, redone: one package a paper, one command each."""
