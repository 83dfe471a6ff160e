"""Builders of the tests' gangs, campaigns, tables and pasts (README.md)."""
