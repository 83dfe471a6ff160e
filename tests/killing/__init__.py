"""Processes that are killed in the middle of an act, and checks of the data that they leave."""
