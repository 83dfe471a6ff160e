"""Players' own games: drafts of whole rulebooks, written in the browser."""
