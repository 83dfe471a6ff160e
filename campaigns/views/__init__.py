"""Views of campaigns, games and post-games, and what they have in common."""
