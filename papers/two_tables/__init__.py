"""Fazal et al. 2023: people with several records, published as two loosely linked tables."""
