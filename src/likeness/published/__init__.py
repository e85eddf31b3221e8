"""What published columns say: the texts of values, what regions mean, and what recipients are told of every column."""
