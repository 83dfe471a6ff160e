"""Everything that is printed: what is on it, how it is laid out, what it looks like."""
