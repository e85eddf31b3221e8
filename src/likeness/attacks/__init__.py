"""attacks of likeness."""
