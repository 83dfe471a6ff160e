"""Two sites on one database and one bucket: people play on both, and sites are killed at random."""
