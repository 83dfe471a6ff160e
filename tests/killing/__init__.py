"""Processes that are killed in the middle of what they do, and what is left of it then."""
