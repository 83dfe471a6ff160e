"""The builder is locked between a game and its post-game."""

from __future__ import annotations

import pytest
from django.urls import reverse

from campaigns.engine.report import Report
from campaigns.games import results
from gangs.ledger import writer
from gangs.models import Gang
from tests.campaigns.postgames.test_drafts import committed
from tests.world.campaigns import confirmed, make_game, reported, side_of

WAITS = "A game is waiting to be settled"


def post(browser, gang, address, member=None, **data):
    """Send a change of the builder from the current page."""
    version = Gang.objects.get(pk=gang.pk).version
    arguments = [gang.pk] if member is None else [gang.pk, member]
    return browser.post(reverse(f"gangs:{address}", args=arguments), {"version": version, **data})


@pytest.fixture
def leader(hers):
    return next(member for member in hers.roster.members if member.rank == "leader")


@pytest.fixture
def bloody(campaign, hers, theirs, alice, leader):
    """A reported game that alice's leader did not survive."""
    report = Report(
        fielded=tuple(member.id for member in hers.roster.members), marks={leader.id: "dead"}
    )
    game = make_game(campaign, alice, hers, theirs)
    return reported(game, alice, reports={str(hers.pk): report})


@pytest.mark.parametrize("state", ["reported", "confirmed"])
def test_dead_member_can_be_neither_dismissed_nor_duplicated(
    bloody, hers, leader, alice, dora, as_user, state
):
    game = confirmed(bloody, dora) if state == "confirmed" else bloody
    browser = as_user(alice)
    before = Gang.objects.get(pk=hers.pk).snapshot
    for name, member, data in (
        ("dismissal", leader.id, {}),
        ("double", leader.id, {}),
        ("members", None, {"rank": "henchman"}),
        ("traits", leader.id, {"drop": leader.traits[0]}),
    ):
        answer = post(browser, hers, name, member, **data)
        assert answer.status_code == 422, name
        assert WAITS in answer.content.decode(), name
    assert Gang.objects.get(pk=hers.pk).snapshot == before
    assert post(browser, hers, "member", leader.id, name="Rest in peace").status_code == 302
    assert Gang.objects.get(pk=hers.pk).roster.member(leader.id).name == "Rest in peace"
    if state == "confirmed":
        committed(side_of(game, hers), alice)
        hired = Gang.objects.get(pk=hers.pk).roster.members[-1]
        assert post(browser, hers, "dismissal", hired.id).status_code == 302
        assert hired not in Gang.objects.get(pk=hers.pk).roster.members


def test_unreported_or_disputed_game_locks_no_gang(
    campaign, hers, theirs, alice, dora, leader, as_user
):
    browser = as_user(alice)
    game = make_game(campaign, alice, hers, theirs)
    member = hers.roster.members[-1].id
    assert post(browser, hers, "dismissal", member).status_code == 302
    game = reported(game, alice)
    results.dispute(game, comment="No!", actor=dora, expected_version=game.version)
    assert post(browser, hers, "dismissal", leader.id).status_code == 302


def test_striking_the_post_game_locks_the_gang_again(bloody, hers, theirs, alice, dora, as_user):
    side = committed(side_of(confirmed(bloody, dora), hers), alice)
    gang = Gang.objects.get(pk=hers.pk)
    writer.strike(gang, side.batch, expected_version=gang.version, actor=alice)
    member = gang.roster.members[-1].id
    assert post(as_user(alice), hers, "dismissal", member).status_code == 422
