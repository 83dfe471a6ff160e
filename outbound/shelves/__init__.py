"""Games from the shelves of other sites: looking, taking in, and news of another edition."""
