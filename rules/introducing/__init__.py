"""A game introduced to people who do not know it, on one page."""
