"""SciPy's functions while tracing."""
