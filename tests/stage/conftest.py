"""Makes the programs beside this file importable."""


