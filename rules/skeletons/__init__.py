"""Campaigns to start with: they are grafted onto a game that has none. Everything here is pure."""
