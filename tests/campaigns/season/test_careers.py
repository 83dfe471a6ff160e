"""Careers: a member's deeds, game by game, and their fate."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from campaigns.engine.report import TAKEN_OUT, Credit, Report
from campaigns.models import Campaign, Game, Side
from campaigns.postgames import drafts
from gangs.engine import entries as kinds
from gangs.ledger import timelines, writer
from gangs.ledger.storage import dump_stored, roster_at
from gangs.models import Gang
from gangs.snapshots.moments import stops
from tests.random_cases import one_soon
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)
from tests.world.gangs import POINTS, SLUGS, played

pytestmark = pytest.mark.django_db


def finish_postgames(game: Game, *gangs: Gang) -> None:
    """Finish the post-games of these gangs with as few decisions as possible."""
    for gang in gangs:
        side = answered(side_of(game, gang))
        found = Gang.objects.get(pk=gang.pk)
        side.gang = found
        drafts.commit(
            side, seen_draft=side.draft_version, seen_gang=found.version, actor=found.owner
        )


@pytest.fixture
def wild(bob: User) -> Campaign:
    return make_campaign(bob, POINTS)


@pytest.fixture
def pair(wild: Campaign, alice: User, dora: User) -> tuple[Gang, Gang]:
    return make_player(wild, alice), make_player(wild, dora)


def fight(wild: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang) -> Game:
    """A game in which alice's first member took out two of dora's, the second by name, and alice
    lost a member."""
    hers, theirs = Gang.objects.get(pk=hers.pk), Gang.objects.get(pk=theirs.pk)
    mine = [member.id for member in hers.roster.members]
    yours = [member.id for member in theirs.roster.members]
    reports = {
        str(hers.pk): Report(
            fielded=tuple(mine),
            counts={TAKEN_OUT: {mine[0]: 2}},
            marks={mine[1]: "out"},
            credits={mine[1]: Credit(gang=str(theirs.pk), member=yours[0])},
        ),
        str(theirs.pk): Report(
            fielded=tuple(yours),
            marks={yours[1]: "out"},
            credits={yours[1]: Credit(gang=str(hers.pk), member=mine[0])},
            turns={yours[1]: 3},
        ),
    }
    game = make_game(wild, alice, hers, theirs)
    game = confirmed(reported(game, alice, result="victory", reports=reports), dora)
    finish_postgames(game, hers, theirs)
    return game


def address(campaign: Campaign, gang: Gang, member: int) -> str:
    return reverse("campaigns:career", args=[campaign.pk, gang.pk, member])


def read(client: Client, where: str) -> str:
    answer = client.get(where)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def members_of(gang: Gang) -> list[Any]:
    return list(Gang.objects.get(pk=gang.pk).roster.everyone())


@pytest.mark.long
def test_career_lists_victims_and_attackers(
    wild: Campaign, pair: tuple[Gang, Gang], alice: User, dora: User, as_user: Any
) -> None:
    hers, theirs = pair
    game = fight(wild, alice, dora, hers, theirs)
    first, second = (
        members_of(hers)[0],
        next(m for m in members_of(hers) if m.id == second_id(game)),
    )
    victim = Side.objects.get(game=game, gang=theirs).parsed_report.credits
    person = {one.id: one for one in timelines.load_timelines([theirs])[theirs.pk].people}[
        next(iter(victim))
    ]
    page = read(as_user(dora), address(wild, hers, first.id))
    assert "Took 2 enemies out of action." in page
    rank = theirs.book.rank[person.rank].name["en"]
    assert f"Took out {person.name or rank} of {theirs.name} (dora) in turn 3." in page
    assert f'href="{game.get_absolute_url()}"' in page
    page = read(as_user(dora), address(wild, hers, second.id))
    assert "How the game ended for them" in page and f"of {theirs.name} (dora)." in page


def second_id(game: Game) -> int:
    """The member of alice's gang who was taken out of action."""
    return next(iter(game.sides.first().parsed_report.marks))  # type: ignore[union-attr]


@pytest.mark.long
def test_dead_members_have_a_career_and_unknown_members_none(client: Client, alice: User) -> None:
    campaign = make_campaign(alice, POINTS)
    gang = make_player(campaign, alice)
    first, second, third = (member.id for member in gang.roster.members[:3])
    item = gang.roster.member(second).items[0]

    def add(*entries: Any) -> None:
        writer.append(gang, entries, expected_version=gang.version, actor=alice)

    add(kinds.Dismissed(member=third))
    add(
        played(gang.book, "elsewhere", first, second),
        kinds.Suffered(member=second, condition=gang.book.conditions[0].key),
        kinds.Died(member=second),
    )
    client.force_login(alice)
    for where in (address(campaign, gang, second), f"/gangs/{gang.pk}/members/{second}/career/"):
        page = read(client, where)
        assert "Died." in page and "is dead" in page
        assert gang.book.conditions[0].name["en"] in page
        # They are shown with the gear they carried when they fell.
        assert gang.book.item[item.key].name["en"] in page
    for nobody in (third, item.id, 99999):
        assert client.get(address(campaign, gang, nobody)).status_code == 404
        assert client.get(f"/gangs/{gang.pk}/members/{nobody}/career/").status_code == 404
    builder = read(client, gang.get_absolute_url())
    assert f"/members/{second}/career/" in builder


def test_career_is_not_found_in_another_campaign(
    pair: tuple[Gang, Gang], bob: User, dora: User, as_user: Any
) -> None:
    hers, _ = pair
    other = make_campaign(bob, POINTS)
    where = address(other, hers, hers.roster.members[0].id)
    assert as_user(bob).get(where).status_code == 404


def test_a_career_leaves_out_notes_recruits_and_hires(client: Client, alice: User) -> None:
    campaign = make_campaign(alice, POINTS)
    gang = make_player(campaign, alice)
    member = gang.roster.members[0].id
    rank = gang.book.ranks[-1].key
    writer.append(
        gang,
        [
            played(gang.book, "g1", member),
            kinds.Noted(member=member, text="Secret note"),
            kinds.Recruited(rank=rank, name="Zoe"),
            kinds.Hired(game="g2", gang=str(gang.pk), member=member, name="Other", rank=rank),
        ],
        expected_version=gang.version,
        actor=alice,
    )
    client.force_login(alice)
    page = read(client, f"/gangs/{gang.pk}/members/{member}/career/")
    told = page.split('<ol class="history">')[1].split("</ol>")[0]
    assert "Took part." in told and "Game 1: A game" in told
    assert "notes changed" not in told and "Zoe" not in told and "hired" not in told


@pytest.mark.long
def test_career_queries_do_not_grow(
    wild: Campaign, pair: tuple[Gang, Gang], alice: User, dora: User, as_user: Any
) -> None:
    hers, theirs = pair
    member = hers.roster.members[0].id
    browser = as_user(dora)
    counts = []
    for _ in range(3):
        fight_quietly(wild, alice, dora, hers, theirs)
        browser.get(address(wild, hers, member))
        with CaptureQueriesContext(connection) as queries:
            assert browser.get(address(wild, hers, member)).status_code == 200
        counts.append(len(queries))
    assert len(set(counts)) == 1 and counts[0] <= 10


def fight_quietly(wild: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang) -> None:
    game = make_game(wild, alice, hers, theirs)
    game = confirmed(reported(game, alice, result="victory"), dora)
    finish_postgames(game, hers, theirs)


@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_career_shows_the_gang_that_the_post_game_showed(
    slug: str, alice: User, bob: User, dora: User
) -> None:
    campaign = make_campaign(bob, slug)
    hers, theirs = make_player(campaign, alice), make_player(campaign, dora)
    for number in (1, 2):
        game = make_game(campaign, alice, hers, theirs)
        result = campaign.book.campaign.results[0]
        # A member who did not take part has no advance to choose.
        bystanders = {str(gang.pk): Report() for gang in (hers, theirs)}
        game = reported(game, alice, result=result.key, reports=bystanders)
        game = confirmed(game, dora)
        saw = Gang.objects.get(pk=hers.pk)
        finish_postgames(game, hers, theirs)
        after = Gang.objects.get(pk=hers.pk)
        named = {(stop.kind, stop.game): stop for stop in stops(after)}
        before = named.get(("before", number)) or named[("after", number - 1)]
        assert dump_stored(roster_at(after, before.place)) == saw.snapshot
        assert dump_stored(roster_at(after, named[("after", number)].place)) == after.snapshot
        moment = timelines.load_timelines([after])[after.pk].moments[-1]
        assert (moment.rating, moment.size, moment.games) == (after.rating, after.size, number)
        assert moment.treasury == after.roster.treasury
        assert moment.place == named[("after", number)].place
