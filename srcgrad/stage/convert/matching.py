"""``match`` statements."""
