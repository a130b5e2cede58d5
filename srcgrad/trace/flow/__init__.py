"""Branches and loops: how states are joined, carried and widened."""
