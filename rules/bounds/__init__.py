"""Limits that keep a rulebook from costing more than it may."""
