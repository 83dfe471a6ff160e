"""While another process holds the database, pages are read at once and changes wait a moment."""

from __future__ import annotations

import sqlite3

from tests.faults.served import Site

# How long SQLite waits for a lock. What is read while it is held has not waited for it.
PATIENCE = 5.0


def test_a_locked_database(site: Site) -> None:
    holder = sqlite3.connect(site.folder / "skirmish.sqlite3", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        for name in ("gang", "campaign", "book"):
            read = site.ask(site.places[name])
            assert read.status == 200, name
        changed = site.rename("The Drowned")
        assert changed.status == 503
        assert changed.headers["Retry-After"] == "5"
        assert changed.seconds > PATIENCE * 0.8
        assert "The site is very busy" in changed.text
    finally:
        holder.rollback()
        holder.close()
    assert site.rename("The Drowned").status == 302
    assert "The Drowned" in site.ask(site.places["gang"]).text
