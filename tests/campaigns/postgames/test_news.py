"""The news of a post-game: who died, who was hurt, who rose, and by whose hand."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.engine.report import Credit, Report
from campaigns.models import Campaign, Game, Side
from campaigns.postgames import drafts
from campaigns.postgames.news import News, find_news
from gangs.engine import entries as kinds
from gangs.ledger import writer
from gangs.models import Gang
from tests.world.campaigns import answered, confirmed, make_campaign, make_game, reported, side_of
from tests.world.gangs import POINTS, played

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(bob: User) -> Campaign:
    """A campaign of a game with lasting conditions."""
    return make_campaign(bob, POINTS)


@pytest.fixture
def fallen(campaign: Campaign, hers: Gang, theirs: Gang, alice: User, dora: User) -> Game:
    """A confirmed game in which the first member of one gang was put out by the other's first."""
    mine = [member.id for member in hers.roster.members]
    yours = [member.id for member in theirs.roster.members]
    mark = campaign.book.campaign.marks[0].key
    credit = Credit(gang=str(theirs.pk), member=yours[0])
    reports = {
        str(hers.pk): Report(fielded=tuple(mine), marks={mine[0]: mark}, credits={mine[0]: credit}),
        str(theirs.pk): Report(fielded=tuple(yours)),
    }
    result = campaign.book.campaign.results[0].key
    game = make_game(campaign, alice, theirs, hers)
    return confirmed(reported(game, dora, result=result, reports=reports), alice)


def sides_of(game: Game) -> list[Side]:
    return list(game.sides.select_related("gang__owner").order_by("pk"))


def news_of(game: Game, gang: Gang) -> list[News]:
    [side] = [side for side in sides_of(game) if side.gang_id == gang.pk]
    return find_news(side, sides_of(game))


def test_a_death_comes_first_and_names_the_hand(fallen: Game, hers: Gang, theirs: Gang) -> None:
    book, hers = hers.book, Gang.objects.get(pk=hers.pk)
    dead, hurt, rising = hers.roster.members[:3]
    condition = book.conditions[0]
    characteristic = book.characteristics[0]
    writer.append(
        hers,
        [
            played(book, str(fallen.pk), dead.id, hurt.id, rising.id),
            kinds.Rose(member=rising.id, characteristic=characteristic.key, amount=1),
            kinds.Suffered(member=hurt.id, condition=condition.key),
            kinds.Rose(member=hurt.id, characteristic=characteristic.key, amount=-1),
            kinds.Died(member=dead.id),
        ],
        expected_version=hers.version,
        actor=None,
    )
    found = news_of(fallen, hers)
    assert [(one.sort, one.member, one.is_dead) for one in found] == [
        ("gone", dead.id, True),
        ("hurt", hurt.id, False),
        ("rose", rising.id, False),
    ]
    killer = theirs.roster.members[0]
    assert killer.name in found[0].words and theirs.name in found[0].words
    assert condition.name["en"] in found[1].words
    assert "\N{MINUS SIGN}1" in found[1].words
    assert found[2].words.endswith("+1")
    assert news_of(fallen, theirs) == []


def test_the_page_of_a_saved_post_game_opens_with_its_news(
    fallen: Game, hers: Gang, alice: User, client: Client
) -> None:
    side = answered(side_of(fallen, hers), lambda _sides: 1)
    gang = Gang.objects.get(pk=hers.pk)
    side.gang = gang
    drafts.commit(side, seen_draft=side.draft_version, seen_gang=gang.version, actor=alice)
    client.force_login(alice)
    page = client.get(reverse("campaigns:postgame", args=[fallen.pk, side.pk]))
    expected = news_of(fallen, hers)
    assert expected and page.context["news"] == expected
    text = unescape(page.content.decode())
    assert all(one.name in text and one.words in text for one in expected)
    career = reverse("campaigns:career", args=[fallen.campaign_id, hers.pk, 0])[:-2]
    assert text.count(f'href="{career}') == len(expected)
