"""Information loss and other measures of a release, one a file; the file's name is the metric's name."""
