"""Task families, one a file; each registers itself with `@family`."""
