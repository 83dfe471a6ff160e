"""Every page of the site: in its reader's language, and kept for the HTML checker."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client
from django.urls import NoReverseMatch, get_resolver, reverse

from tests.test_permissions import ADDRESSES
from tests.world.addresses import World, make_world, patterns

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.django_db]
# People whose pages differ from the others'; for the administration's pages, the site's staff.
PEOPLE = ("owner", "organiser", "visitor")
# Django's own pages, which are in the languages that it has.
ADMIN = ("admin:", "set_language")
# The reference of the API, for programmers, and the page that a phone keeps for when it has no
# network, which has the words of all languages.
SAME_FOR_ALL = ("api-docs:documentation", "no-connection")


@pytest.fixture(scope="module")
def world(standing_rows: None) -> World:
    """Return the world, made once for all languages."""
    made = make_world()
    runs_it = made.users["organiser"]
    assert runs_it is not None
    runs_it.is_staff = runs_it.is_superuser = True
    runs_it.save()
    return made


def addresses(world: World) -> list[str]:
    """Return the addresses of all pages: ours, and those of accounts that need no arguments."""
    found = [
        world.address_of(name)
        for name, (method, _) in ADDRESSES.items()
        # Prints are not pages, and take long.
        if method == "GET" and name not in SAME_FOR_ALL and not name.endswith(("-pdf", "-preview"))
    ]
    for name, _ in patterns(get_resolver()):
        if name not in (*ADDRESSES, *SAME_FOR_ALL) and not name.startswith(ADMIN):
            try:
                found.append(reverse(name))
            except NoReverseMatch:
                continue
    return found


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
@pytest.mark.parametrize("person", PEOPLE)
def test_every_page_is_in_its_readers_language(world: World, person: str, language: str) -> None:
    client = Client()
    user = world.users[person]
    if user is not None:
        user.language = language
        user.save()
        client.force_login(user)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    seen = 0
    for address in addresses(world):
        response = client.get(address)
        assert response.status_code < 500, address
        if response.streaming:
            b"".join(response)
        elif response.content and response["Content-Type"].startswith("text/html"):
            assert f'<html lang="{language}"' in response.text, address
            # As htmx requests a part of it.
            assert client.get(address, headers={"HX-Request": "true"}).status_code < 500, address
            seen += 1
    assert seen > 50
