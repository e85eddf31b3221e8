"""cli of likeness."""
