"""Rules of SciPy's functions, each module read when the program has imported what it is about."""
