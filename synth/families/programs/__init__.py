"""Programs to write, predict, invert and repair; queries and patterns."""
