"""What builds the documentation site beside Sphinx: blocks that run, listings from the registry, pictures of a real run."""
