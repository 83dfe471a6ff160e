"""The table offers nothing impossible: no target, action or state that a figure cannot have."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts.models import User
from campaigns.club.people import joining
from campaigns.table import people
from campaigns.table.attempts.actions import find_options, find_rollers, find_targets
from gangs.models import Gang
from tests.campaigns.table.test_storage import opened
from tests.world.attempts import Bout, figure, table
from tests.world.campaigns import make_campaign
from tests.world.gangs import POINTS, make_gang, shipped


@pytest.fixture
def western() -> Bout:
    """A gunslinger and a doctor with a mule against two enemies."""
    gunslinger = figure("leader", "navy_revolver", profession="gunslinger")
    doctor = figure("professional", "mule", profession="doctor")
    enemies = [figure("leader", "knife"), figure("henchman", "knife")]
    return Bout(table(shipped(POINTS), [gunslinger, doctor], enemies))


def actions(bout: Bout, who: str) -> set[str]:
    return {deed.action.key for deed in find_options(bout.start, bout.now, who).deeds}


def targets(bout: Bout, roll: str, by: str) -> list[str]:
    return [*find_targets(bout.start, bout.now, bout.start.book.roll[roll], by)]


def test_aiming_gives_up_the_movement(western: Bout) -> None:
    assert {"move", "aim"} <= actions(western, "1.1")
    western.tap("did", figure="1.1", action="aim")
    assert not {"move", "break_off"} & actions(western, "1.1")
    western.tap("did", figure="1.2", action="move")
    assert "move" in actions(western, "1.2")


def test_figure_that_moved_does_not_aim(western: Bout) -> None:
    western.tap("did", figure="1.1", action="move")
    assert "aim" not in actions(western, "1.1")


def test_roll_of_the_opponent_is_not_a_part_of_an_action(western: Bout) -> None:
    [left] = [
        deed
        for deed in find_options(western.start, western.now, "1.1").deeds
        if deed.action.key == "break_off"
    ]
    assert left.throws == ()
    others = find_options(western.start, western.now, "2.1").others
    assert "hold" in {throw.roll.key for throw in others}


def test_targets_are_enemies_in_play_before_friends(western: Bout) -> None:
    assert targets(western, "shot", "1.1") == ["2.1", "2.2", "1.2"]
    western.tap("out", figure="2.1")
    assert targets(western, "shot", "1.1") == ["2.2", "1.2"]
    # Somebody has to be named, if only to see that nobody is left.
    western.tap("out", figure="2.2")
    western.tap("out", figure="1.2")
    assert len(targets(western, "shot", "1.1")) == 3


def test_friends_who_are_out_are_revived(western: Bout) -> None:
    western.tap("out", figure="1.1")
    western.tap("out", figure="2.2")
    assert targets(western, "revive", "1.2") == ["1.1", "2.2"]


def test_side_offers_only_figures_that_fit_the_roll(western: Bout) -> None:
    revive, morale = (western.start.book.roll[key] for key in ("revive", "morale"))
    assert find_rollers(western.start, western.now, morale, 1) == ("1.1", "1.2")
    western.tap("out", figure="1.2")
    assert find_rollers(western.start, western.now, morale, 1) == ("1.1",)
    assert find_rollers(western.start, western.now, revive, 1) == ("1.1",)


STATES = re.compile(r'data-figure="([^"]+)"|data-begin="([^"]+)"')


def test_page_offers_only_states_that_a_figure_can_be_in(
    client: Client, alice: User, bob: User
) -> None:
    """A figure without a horse is never mounted, and only one scenario has captives."""
    campaign = make_campaign(bob, POINTS)
    gangs = [make_gang(user, POINTS, place) for place, user in enumerate((alice, bob))]
    for gang in gangs:
        joining.join(campaign, gang, actor=gang.owner, expected_version=gang.version)
    there = opened(campaign, bob, *Gang.objects.all())
    client.force_login(bob)
    page = client.get(there.get_absolute_url()).content.decode()
    offered: dict[str, set[str]] = {}
    key = ""
    for figure_key, state in STATES.findall(page):
        key = figure_key or key
        offered.setdefault(key, set()).add(state)
    riders = {
        one.key for one in people.start_of(there).figures if "by.carries_group:horse" in one.names
    }
    assert riders and {key for key, states in offered.items() if "mounted" in states} == riders
    assert all("burning" in states and "captive" not in states for states in offered.values())
