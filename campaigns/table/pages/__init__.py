"""A table's pages: its current state, its story, and opening a table without a campaign."""
