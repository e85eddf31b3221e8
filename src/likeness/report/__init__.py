"""report of likeness."""
