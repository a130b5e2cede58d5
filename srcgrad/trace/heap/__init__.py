"""Containers and objects of the program: stores, lists, dicts, sets, and their items."""
