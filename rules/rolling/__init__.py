"""Rolls built from parts without formulas, and cells in words read as numbers; all of it pure."""
