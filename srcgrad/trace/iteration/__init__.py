"""Iteration: what loops run over, iterators that are kept, generators."""
