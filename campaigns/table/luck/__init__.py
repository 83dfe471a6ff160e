"""Luck that nobody can doubt: throws that can be checked, and how lucky everybody was."""
