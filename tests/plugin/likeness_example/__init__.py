"""Parts of likeness that come from another distribution."""
