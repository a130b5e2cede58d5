"""The functions that users call, and what they mean inside a function that is being traced."""
