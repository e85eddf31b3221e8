"""The figures of Cao & Karras 2012: ``python -m papers.beta_likeness``."""
