"""Exceptions: statements that raise, catch and clean up."""
