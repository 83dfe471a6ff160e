"""A campaign for a game without one: the pages that choose and match it, and their forms."""
