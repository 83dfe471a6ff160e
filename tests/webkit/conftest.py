"""A virtual display, a site with every rulebook, and people with phones."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from tests.world.gangs import SLUGS, make_version

# Without the driver (script/test --webkit) there is nothing to collect.
collect_ignore_glob = [] if os.environ.get("WEBKIT") else ["*.py"]


@pytest.fixture(scope="session", autouse=True)
def _listening() -> None:
    """Set up, before the site starts, the middleware that notes pages' complaints."""
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, "tests.webkit.ear.ear"]


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """Start a screen in memory, under any free number."""
    out, into = os.pipe()
    command = ["Xvfb", "-displayfd", str(into), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[into], stderr=subprocess.DEVNULL) as screen:
        os.close(into)
        with os.fdopen(out) as told:
            yield f":{told.readline().strip()}"
        screen.terminate()


@pytest.fixture
def invite(transactional_db: None, live_server: LiveServer, display: str) -> Iterator[Callable]:
    """Return a function that hands a person a phone; at the end everybody leaves without a
    complaint.
    """
    from tests.webkit.reader import Reader

    for slug in SLUGS:
        make_version(slug)
    people: list[Reader] = []

    def seat(name: str = "") -> Reader:
        people.append(Reader(live_server.url, display))
        if name:
            people[-1].sign_in(name)
        return people[-1]

    yield seat
    for person in people:
        person.leave()
