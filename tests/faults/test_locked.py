"""A locked database: while another process holds it, pages are read immediately and changes wait a
moment.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.faults.served import Site

# How long SQLite waits for a lock. Reads during the lock do not wait for it.
PATIENCE = 5.0


@contextmanager
def locked(site: Site) -> Iterator[None]:
    """Hold the database's lock, as another program does."""
    holder = sqlite3.connect(site.folder / "skirmish.sqlite3", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        holder.rollback()
        holder.close()


@pytest.mark.long
def test_site_shows_pages_and_refuses_changes_when_the_database_is_locked(site: Site) -> None:
    with locked(site):
        for name in ("gang", "campaign", "book"):
            read = site.ask(site.places[name])
            assert read.status == 200, name
        changed = site.rename("The Drowned")
        assert changed.status == 503
        assert changed.headers["Retry-After"] == "5"
        assert changed.seconds > PATIENCE * 0.8
        assert "The site is very busy" in changed.text
    assert site.rename("The Drowned").status == 302
    assert "The Drowned" in site.ask(site.places["gang"]).text


@pytest.mark.long
def test_pages_are_read_immediately_when_changes_and_prints_outnumber_threads(
    site: Site,
) -> None:
    """Two workers, each with five threads."""
    about = f"{site.places['gang']}about/"
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', site.ask(about).text)
    prints = [f"{site.places['gang']}{name}.pdf" for name in ("sheet", "cards", "posters")]
    with ThreadPoolExecutor(16) as people:
        with locked(site):
            waiting = [
                people.submit(site.ask, about, {**dict(fields), "name": f"Name {number}"})
                for number in range(10)
            ]
            waiting += [people.submit(site.ask, address) for address in prints * 2]
            time.sleep(0.5)
            for name in ("gang", "campaign", "book"):
                assert site.ask(site.places[name]).status == 200, name
            # If reading had waited for a change, the first changes would have given up by then.
            assert not any(request.done() for request in waiting)
        # No request was lost in the queue: one change wins, and the others answer that they come
        # too late.
        answers = [request.result() for request in waiting]
    changed = sorted(answer.status for answer in answers[:10])
    assert changed == [302, *[409] * 9]
    assert {answer.status for answer in answers[10:]} <= {200, 202}
