"""Calls: staged and inlined, as a node, of libraries, of functions that call themselves."""
