"""How a plan becomes published tables, one form a file; the file's name is the form's name."""
