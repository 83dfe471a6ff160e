"""Attempts at the table: dice thrown, typed or spent on, and their effects."""
