"""Documents that agencies ask for, filled with what is known of a release: one kind a file."""
