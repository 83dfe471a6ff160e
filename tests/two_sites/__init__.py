"""Two sites on one database and one bucket, played on and killed at random."""
