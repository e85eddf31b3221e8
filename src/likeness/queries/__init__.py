"""What analysts ask: aggregate queries, how much of a region a condition covers, answers, random workloads."""
