"""Choices of an attempt’s form, in all games: after any change the form can still roll."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.people import joining
from campaigns.models import Campaign, Table, TableEntry
from campaigns.table import people, storage
from campaigns.table.state import Start
from campaigns.table.taps import Out
from rules.book.rolls import Roll
from rules.engine.compiling import ready
from tests.campaigns.table.test_storage import opened, pushed
from tests.random_cases import one_soon
from tests.world.campaigns import make_campaign
from tests.world.gangs import SLUGS, make_gang

CHOICES = re.compile(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', re.DOTALL)
OPTION = re.compile(r'<option value="([^"]*)"( selected)?>')
FILLED = re.compile(r'<input type="(?:hidden|number)" name="([^"]+)"(?:[^>]*? value="([^"]*)")?')
LEFT_OUT = ("csrfmiddlewaretoken", "token", "after", "turn", "lain", "said", "outcome")
CAN_THROW, IMPOSSIBLE = 'value="throw"', "This roll is not possible like this"


@pytest.fixture(params=one_soon(SLUGS))
def table(request: pytest.FixtureRequest, alice: User, bob: User) -> Table:
    """A table of each game, which shows no odds."""
    campaign = make_campaign(bob, request.param)
    gangs = [make_gang(alice, request.param, place % 2) for place in range(2)]
    for gang in gangs:
        joining.join(campaign, gang, actor=alice, expected_version=gang.version)
        gang.refresh_from_db()
    Campaign.objects.update(odds_at_table=False)
    return opened(Campaign.objects.get(pk=campaign.pk), bob, *gangs)


def choices(page: str) -> dict[str, list[str]]:
    """The lists of a form, each with its values, the chosen one first."""
    found = {}
    for name, inside in CHOICES.findall(page):
        options = sorted(OPTION.findall(inside), key=lambda option: not option[1])
        found[name] = [unescape(value) for value, _chosen in options]
    return found


def filled(page: str) -> dict[str, str]:
    """The fields of a form, as a browser sends them when one changes; nothing is ticked."""
    found = {name: unescape(value) for name, value in FILLED.findall(page)}
    found |= {name: values[0] for name, values in choices(page).items()}
    return {name: value for name, value in found.items() if name not in LEFT_OUT}


def starts(start: Start) -> Iterator[tuple[Roll, dict[str, str]]]:
    """Yield each roll with the address of its links: of a figure and of a side, and of those that
    alarms and other rolls lead to."""
    figure = start.figures[0].key
    whose = {"by": figure, "at": start.figures[-1].key, "by_side": "1", "at_side": "2"}
    rows = start.rules.rolls
    for roll in rows:
        yield roll, {"by": figure if roll.by == "member" else "1"}
    for alarm in start.rules.alarms:
        for who in ("2", start.figures[-1].key) if alarm.roll else ():
            yield start.book.roll[alarm.roll or ""], {"by": who}
    for roll in rows:
        for effect in (one for outcome in roll.outcomes for one in outcome.effects):
            if effect.kind == "then" and effect.whom != "item":
                follower = start.book.roll[effect.roll]
                if start.rules.has(follower):
                    yield follower, {"by": whose[effect.whom], "at": whose["at"]}


def check(page: str, roll: Roll) -> None:
    """Check that a form can roll, or says why it cannot or need not."""
    assert "That choice does not exist" not in page
    reasons = [row.name["en"] for row in roll.outcomes if row.free]
    assert any(words in page for words in (CAN_THROW, IMPOSSIBLE, *reasons))


def test_form_can_roll_when_any_list_changes(client: Client, table: Table, alice: User) -> None:
    """The last value of each list of each roll stands for all; a browser tries them all."""
    client.force_login(alice)
    start = people.start_of(table)
    seen = set()
    for roll, query in starts(start):
        if (key := (roll.key, *query.values())) in seen:
            continue
        seen.add(key)
        address = reverse("campaigns:table-attempt", args=[table.pk, roll.key])
        answer = client.get(address, query)
        if roll.using == "item" and answer.status_code == 404:
            # The figure carries nothing to use.
            continue
        assert answer.status_code == 200, (roll.key, query)
        page = answer.content.decode()
        check(page, roll)
        for name, values in choices(page).items():
            if len(values) > 1:
                answer = client.get(address, filled(page) | {name: values[-1]})
                assert answer.status_code == 200, (roll.key, name, values[-1])
                changed = answer.content.decode()
                check(changed, roll)
                assert choices(changed)[name][0] == values[-1]
    assert len(seen) >= len(start.rules.rolls)


def test_side_chooses_who_rolls_until_the_dice_fall(
    client: Client, table: Table, alice: User
) -> None:
    """The address of a side in the due box offers its figures, and each choice still offers all."""
    client.force_login(alice)
    start = people.start_of(table)
    roll = next(one for one in start.rules.rolls if one.by == "member" and one.using == "nothing")
    address = reverse("campaigns:table-attempt", args=[table.pk, roll.key])
    page = client.get(address, {"by": 2}).content.decode()
    offered = choices(page)["by"]
    assert {key.partition(".")[0] for key in offered} == {"2"}
    for key in offered:
        page = client.get(address, filled(page) | {"by": key}).content.decode()
        assert choices(page)["by"][0] == key and set(choices(page)["by"]) == set(offered)
        check(page, roll)


def shot_page(client: Client, table: Table, **more: str) -> tuple[str, str]:
    """The address and the page of the first possible shot. Every game has one."""
    address = reverse("campaigns:table-attempt", args=[table.pk, "shot"])
    for figure in people.start_of(table).figures:
        answer = client.get(address, {"by": figure.key, **more})
        page = answer.content.decode() if answer.status_code == 200 else ""
        if CAN_THROW in page:
            return address, page
    raise AssertionError("nobody can shoot")


def test_dice_wait_when_another_target_was_chosen(
    client: Client, table: Table, alice: User
) -> None:
    """Without scripts a player sees the new target's choices and odds first."""
    client.force_login(alice)
    address, page = shot_page(client, table)
    data = filled(page) | {"at": choices(page)["at"][-1], "how": "throw"}
    for status in (422, 302):
        answer = client.post(address, data | {"token": str(uuid.uuid4()), "turn": 1, "after": 0})
        assert answer.status_code == status
        assert TableEntry.objects.exists() == (status == 302)
        page = answer.content.decode()
        data = filled(page) | {"how": "throw"} if page else {}


def test_own_crew_and_the_dead_are_offered_last_or_not_at_all(
    client: Client, table: Table, alice: User
) -> None:
    """Nobody of the own crew where the rules shoot at enemies only; nobody who is out where they do
    not shoot at these."""
    client.force_login(alice)
    start = people.start_of(table)
    dead = [one.key for one in start.figures if one.side == 2][-1]
    storage.push(table, alice, [pushed(Out(figure=dead))])
    _address, page = shot_page(client, table)
    targets = page.split('name="at"')[1].partition("</select>")[0]
    enemies, _heading, others = targets.partition('<optgroup label="Others">')
    shot = start.book.roll["shot"]
    own = {"1"} if shot.sides == "anyone" else set()
    assert set(re.findall(r'value="(\d)\.', enemies)) == {"2"}
    assert set(re.findall(r'value="(\d)\.', others)) == own
    offered = re.findall(r'value="([^"]+)"', enemies)
    assert dead not in offered[:-1] and (dead in offered) == (shot.fallen == "also")


def test_answers_that_do_not_matter_are_kept_unseen(
    client: Client, table: Table, alice: User
) -> None:
    """A circumstance that cannot change this roll is not asked for, and keeps its value."""
    client.force_login(alice)
    start = people.start_of(table)
    address, page = shot_page(client, table)
    shown = set(re.findall(r'name="is-([^"]+)"', page))
    rows = {row.key: row for row in ready(start.rules, "shot").asked if row.kind == "number"}
    for key in rows.keys() - shown:
        more = {f"is-{key}": str(rows[key].start + 1)}
        kept = client.get(address, filled(page) | more).content.decode()
        assert f'<input type="hidden" name="is-{key}" value="{more[f"is-{key}"]}">' in kept
