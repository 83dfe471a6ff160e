"""The shelf: games of this site that others may take, and the form of every shelf's list."""
