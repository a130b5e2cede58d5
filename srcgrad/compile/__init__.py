"""From a request to generated code: the pipeline, what it refuses, and what runs the code."""
