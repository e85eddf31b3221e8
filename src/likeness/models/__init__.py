"""Privacy models, one a file; the file's name is the model's name."""
