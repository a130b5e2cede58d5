"""Instances and classes: attributes, construction, special methods and protocols."""
