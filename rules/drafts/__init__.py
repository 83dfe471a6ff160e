"""Players' own games: drafts of whole rulebooks, written in the browser and published as versions."""
