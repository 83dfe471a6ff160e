"""The smallest possible game on every page: parts that it lacks are not offered."""
