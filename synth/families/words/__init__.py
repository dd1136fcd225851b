"""Logic, strings and data structures."""
