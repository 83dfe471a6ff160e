"""Limits on the work, memory and size of a rulebook."""
