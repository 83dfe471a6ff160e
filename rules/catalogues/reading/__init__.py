"""Reads the files of catalogues and lists of BattleScribe and New Recruit."""

from rules.catalogues.reading.reader import read_files, read_roster

__all__ = ["read_files", "read_roster"]
