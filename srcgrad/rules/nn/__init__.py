"""Functions that NumPy lacks, of networks above all, with their rules: those of a family are there
where the family is imported."""
