"""datasets of likeness."""
