"""What every room speaks of: sizes, abstract values, paths, names, structures of arguments."""
