"""The editor of rulebooks: variants of a base, and games that players write themselves."""
