"""Odds in the picker: the effect of a weapon on a typical enemy, for players who want it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts.models import User
from tests.world.gangs import POINTS, become_guest, make_gang

HTMX = {"HX-Request": "true"}


def odds_of(page: str) -> dict[str, str]:
    """Return the odds of each weapon on offer that has them."""
    found = re.findall(
        r'goods-price"[^>]*>[^<]*<small>([^<]*)</small>.*?value="([\w-]+)"', page, re.S
    )
    return {item: odds for odds, item in found}


@pytest.mark.parametrize("visitor", [False, True])
def test_odds_are_switched_on_and_off_for_all_pickers(
    client: Client, alice: User, visitor: bool
) -> None:
    gang = make_gang(None if visitor else alice, POINTS)
    if visitor:
        become_guest(client, gang)
    else:
        client.force_login(alice)
    first, second = (member.id for member in gang.roster.members[:2])
    picker = f"{gang.get_absolute_url()}members/{{}}/items/"
    assert odds_of(client.get(picker.format(first)).content.decode()) == {}
    answer = client.post(picker.format(first), {"odds": "on"})
    assert (answer.status_code, answer["Location"]) == (302, picker.format(first))
    page = client.get(picker.format(second)).content.decode()
    assert "One attack on a Henchman as recruited: Out of action." in page
    assert len(odds_of(page)) > 10
    part = client.post(picker.format(first), {"odds": "off", "q": "rifle"}, headers=HTMX)
    assert odds_of(part.content.decode()) == {}
    assert 'value="rifle"' in part.content.decode()
    assert gang.roster == type(gang).objects.get().roster


def test_picker_of_the_stash_has_no_odds(client: Client, alice: User) -> None:
    gang = make_gang(alice, POINTS)
    client.force_login(alice)
    client.post(
        f"{gang.get_absolute_url()}members/{gang.roster.members[0].id}/items/", {"odds": "on"}
    )
    page = client.get(f"{gang.get_absolute_url()}stash/").content.decode()
    assert odds_of(page) == {}
    assert 'name="odds"' not in page
