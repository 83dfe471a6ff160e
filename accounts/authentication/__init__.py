"""Signing up and in: permission, passwords and codes, and protection against guessing."""
