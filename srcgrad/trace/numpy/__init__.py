"""NumPy's functions that mean something of their own while tracing."""
