"""The table: a game as it is played, tap by tap."""
