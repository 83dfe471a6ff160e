"""Reading by visitors leaves no trace: no row is written and no cookie names a session. The forms
that they may send are limited.
"""

from __future__ import annotations

from http.cookies import SimpleCookie

import pytest
from allauth.account import app_settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse

from gangs.models import Gang
from tests.world.addresses import World, make_world, patterns
from tests.world.gangs import become_guest

pytestmark = pytest.mark.django_db
WRITING = ("INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "CREATE", "ALTER", "DROP")
# A print job is stored, so that any process may print it.
QUEUE = "printing_"
# Addresses to which a visitor may send a form, and the rate limit of each.
LIMITED = {
    "gangs:new": "found",
    "gangs:enter-code": "share_code",
    "report-page": "report",
    "account_signup": "signup",
    "account_reset_password": "reset_password",
    "account_reset_password_from_key": "reset_password_from_key",
}
# Wrong passwords are slowed down: tests/accounts/authentication/test_attempts.py.
SLOWED_DOWN = {"account_login"}
# Addresses where a visitor's form stores nothing.
TRACELESS = {
    "account_confirm_login_code",
    "account_logout",
    "mfa_authenticate",
    "set_language",
    "set_theme",
    "set_abbreviations",
    "set_rulebook_languages",
}
# Every address of the site, including those of other packages.
NAMES = sorted({name for name, _ in patterns(get_resolver())})


@pytest.fixture(scope="module")
def world(standing_rows: None) -> World:
    """Return the world, made once for all tests here. Its gang is a visitor's."""
    made = make_world()
    Gang.objects.filter(pk=made.gang.pk).update(owner=None)
    return made


@pytest.fixture(scope="module")
def visitors(world: World) -> list[SimpleCookie]:
    """Return the cookies of visitors with nothing, with a watch link, and with their own gang."""
    stranger, watcher, guest = Client(), Client(), Client()
    watcher.get(reverse("campaigns:watch", args=[world.campaign.watch_key]))
    become_guest(guest, world.gang)
    return [client.cookies for client in (stranger, watcher, guest)]


@pytest.mark.parametrize("name", NAMES)
def test_reading_writes_nothing(name: str, world: World, visitors: list[SimpleCookie]) -> None:
    address = world.address_of(name)
    for cookies in visitors:
        client = Client()
        client.cookies.update(cookies)
        with CaptureQueriesContext(connection) as queries:
            response = client.get(address)
            assert response.status_code < 500
            assert b"".join(response) if response.streaming else response.content is not None
        written = [
            query["sql"]
            for query in queries
            if query["sql"].lstrip().startswith(WRITING) and f'"{QUEUE}' not in query["sql"]
        ]
        assert written == []
        assert "sessionid" not in response.cookies
    assert not Session.objects.exists()


@pytest.mark.long
def test_every_form_of_a_visitor_has_a_rate_limit(world: World) -> None:
    """A visitor without an account and a gang reaches these addresses, and no others."""
    reached = set()
    # Programs need an account's token, and their requests are counted by it.
    for name in (name for name in NAMES if not name.startswith("api:")):
        answer = Client().post(world.address_of(name))
        to_login = answer.status_code == 302 and answer["Location"].startswith("/accounts/login/?")
        if answer.status_code not in (404, 405) and not to_login:
            reached.add(name)
    assert reached == {*LIMITED, *SLOWED_DOWN, *TRACELESS}
    limits = app_settings.RATE_LIMITS
    for name, action in LIMITED.items():
        assert "/ip" in limits[action], name


@pytest.mark.parametrize("name", sorted(TRACELESS))
def test_traceless_forms_write_nothing(name: str, world: World) -> None:
    with CaptureQueriesContext(connection) as queries:
        Client().post(world.address_of(name), {"theme": "dark", "language": "fr"})
    assert [query["sql"] for query in queries if query["sql"].startswith(WRITING)] == []


@pytest.mark.long
def test_visitor_with_a_gang_reaches_only_that_gang(world: World) -> None:
    """The ledger limits changes to the gang (``tests/gangs/test_guests.py``)."""
    reached = []
    for name in NAMES:
        guest = Client()
        become_guest(guest, world.gang)
        address = world.address_of(name)
        mine, others = guest.post(address).status_code, Client().post(address).status_code
        if mine != others:
            reached.append(address)
    assert len(reached) > 10
    assert [address for address in reached if f"/gangs/{world.gang.pk}/" not in address] == []
