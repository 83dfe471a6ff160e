"""Translations of rulebooks: tables from a game's words to words of another language."""
