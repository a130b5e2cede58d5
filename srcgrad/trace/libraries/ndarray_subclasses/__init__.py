"""Instances of the user's classes that derive from ndarray."""
