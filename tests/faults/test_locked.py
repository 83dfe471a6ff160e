"""While another process holds the database, pages are read at once and changes wait a moment."""

from __future__ import annotations

import sqlite3

from tests.faults.served import LONGEST, Site

# SQLite's patience, and what the rest of an answer takes.
PATIENCE = 5.0


def test_a_locked_database(site: Site) -> None:
    holder = sqlite3.connect(site.folder / "skirmish.sqlite3", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        for name in ("gang", "campaign", "book"):
            read = site.ask(site.places[name])
            assert read.status == 200 and read.seconds < LONGEST, name
        changed = site.rename("The Drowned")
        assert changed.status == 503
        assert changed.headers["Retry-After"] == "5"
        assert PATIENCE * 0.8 < changed.seconds < PATIENCE + LONGEST
        assert "The site is very busy" in changed.text
    finally:
        holder.rollback()
        holder.close()
    assert site.rename("The Drowned").status == 302
    assert "The Drowned" in site.ask(site.places["gang"]).text
