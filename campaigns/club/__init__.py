"""The club around the games: people, nights, plans, versions of the book, and the first page."""
