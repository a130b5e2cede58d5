"""Derivatives against differences, statement by statement, and where a NaN comes from."""
