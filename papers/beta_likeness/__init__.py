"""The figures of Cao & Karras 2012 (paper 002): ``python -m papers.beta_likeness``."""
