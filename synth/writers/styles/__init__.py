"""Our own styles, one a file."""
