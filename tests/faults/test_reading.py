"""Reading without writing: pages are shown even if nothing can be stored; a change is refused in
words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path, reverse

from accounts.models import User
from skirmish.urls import urlpatterns as real
from tests.test_permissions import ADDRESSES, PEOPLE
from tests.world.addresses import World, arguments_of, make_world
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db(transaction=True)
SQLITE = connection.vendor == "sqlite"


@contextmanager
def read_only() -> Iterator[None]:
    """Let the database refuse every change, like a read-only one."""
    switch = "PRAGMA query_only = {}" if SQLITE else "SET default_transaction_read_only = {}"
    connection.cursor().execute(switch.format("on"))
    try:
        yield
    finally:
        connection.cursor().execute(switch.format("off"))


@contextmanager
def full() -> Iterator[None]:
    """Leave no room for another page in the database."""
    with connection.cursor() as cursor:
        # Free pages, left by other tests, would be filled first.
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA max_page_count")
        [[most]] = cursor.fetchall()
        cursor.execute("PRAGMA page_count")
        [[pages]] = cursor.fetchall()
        cursor.execute(f"PRAGMA max_page_count = {pages}")
    try:
        yield
    finally:
        connection.cursor().execute(f"PRAGMA max_page_count = {most}")


def signed_in(user: User | None) -> Client:
    client = Client()
    client.raise_request_exception = False
    if user is not None:
        client.force_login(user)
    return client


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.mark.long
def test_every_page_is_read_without_writing(world: World) -> None:
    """The readers are new, so everything that a session remembers is still to be stored. First
    prints and first pictures are excluded: their queue is stored.
    """
    read, written = 0, set()

    def watch(execute: Any, sql: str, *rest: Any) -> Any:
        # A transaction locks the database for writing, too, even if it writes nothing.
        if not sql.strip("( \n").upper().startswith(("SELECT", "PRAGMA", "SET ")):
            written.add((name, sql))
        return execute(sql, *rest)

    for name, (method, expected) in ADDRESSES.items():
        given = world.arguments(name)
        address = reverse(name, kwargs={key: given[key] for key in arguments_of(name)})
        if method != "GET" or address.endswith((".pdf", ".png")):
            continue
        for person, status in zip(PEOPLE, expected, strict=True):
            if person not in ("owner", "visitor"):
                continue
            client = signed_in(world.users[person])
            with read_only(), connection.execute_wrapper(watch):
                answer = client.get(address)
            assert answer.status_code == (status if isinstance(status, int) else 302), (
                name,
                person,
            )
            read += 1
    assert read > 130
    assert not written


@pytest.mark.parametrize("kept_from", [read_only, *([full] if SQLITE else [])])
def test_change_is_refused_in_words_and_can_be_sent_again(
    kept_from: Callable[[], AbstractContextManager[None]], alice: User
) -> None:
    gang = make_gang(owner=alice)
    client = signed_in(alice)
    long = "word " * 700
    with kept_from():
        page = {"version": gang.version, "name": "The Drowned", "notes": long}
        answer = client.post(reverse("gangs:about", args=[gang.pk]), page)
        read = client.get(reverse("gangs:builder", args=[gang.pk]))
    assert answer.status_code == 503
    assert answer["Retry-After"] == "120"
    assert "no-store" in answer["Cache-Control"]
    text = answer.content.decode()
    assert "The site cannot store anything at the moment" in text
    assert read.status_code == 200
    again = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', text))
    action = re.search(r'<form method="post" action="([^"]*)"', text)
    assert action and again["name"] == "The Drowned"
    assert signed_in(alice).post(action[1], again).status_code == 302
    gang.refresh_from_db()
    assert gang.name == "The Drowned"


def remembering(request: HttpRequest) -> HttpResponse:
    """A page that stores a visit in the session."""
    request.session["came"] = True
    return HttpResponse("Welcome")


urlpatterns = [path("remembering/", remembering), *real]


@override_settings(ROOT_URLCONF=__name__)
def test_session_survives_when_it_cannot_be_stored(alice: User) -> None:
    """Reading works; a form is refused, and no message claims that the person signed out."""
    client = signed_in(alice)
    with read_only():
        assert client.get("/remembering/").content == b"Welcome"
        sent = client.post("/remembering/", {"name": "The Drowned"})
    assert sent.status_code == 503
    assert "cannot store anything" in sent.content.decode()
    assert client.post("/remembering/").content == b"Welcome"


def test_error_page_contains_no_password(alice: User) -> None:
    with read_only():
        form = {"login": "alice", "password": "correct horse battery"}
        signing_in = signed_in(None).post(reverse("account_login"), form)
    assert signing_in.status_code == 503
    page = signing_in.content.decode()
    assert "correct horse" not in page and "<form" not in page


def test_form_from_another_site_is_not_offered_again(alice: User) -> None:
    gang = make_gang(owner=alice)
    client = Client(enforce_csrf_checks=True)
    client.raise_request_exception = False
    client.force_login(alice)
    with read_only():
        answer = client.post(reverse("gangs:about", args=[gang.pk]), {"name": "Stolen"})
    assert answer.status_code == 403
    assert "Stolen" not in answer.content.decode()
