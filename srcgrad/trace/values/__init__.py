"""Python's operators and functions on traced values and on one of several things."""
