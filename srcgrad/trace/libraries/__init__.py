"""Libraries beside NumPy: what their functions and classes mean while tracing."""
