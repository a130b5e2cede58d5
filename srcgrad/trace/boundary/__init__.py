"""What the program reads from outside and leaves there: inputs, guards, identity, variables."""
