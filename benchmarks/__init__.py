"""Speed as ratios to one sort on this machine, loss beside other tools, memory, cold start: `make bench`."""
