"""What every paper's experiments share: panels, rules that judge claims, plots, reports."""
