"""What adversaries may know beforehand: one source a file. The policy names it, a model says what follows."""
