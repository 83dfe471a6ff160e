"""Two sites on one database and one bucket, played on at random and killed (``script/two-sites``)."""
