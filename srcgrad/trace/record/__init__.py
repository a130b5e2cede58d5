"""What is recorded: tracers, regions, nodes, mutations, and what is known of values."""
