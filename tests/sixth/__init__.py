"""A sixth rulebook, which does what none of those that come with the project does."""
