"""The club around the games: people, nights, plans, versions of the rules, and the home page."""
