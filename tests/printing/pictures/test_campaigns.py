"""Pictures of games and standings to save, and the link of the standings."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

from django.test import Client
from django.urls import reverse
from PIL import Image

from accounts.models import User
from campaigns.engine.report import TAKEN_OUT, Report
from campaigns.games import results
from campaigns.games.unfought import account_without_battle
from campaigns.models import Campaign, Game, Side
from campaigns.season.loading import load_season
from gangs.models import Gang
from printing.pictures import games as game_picture
from printing.pictures import standings as standings_picture
from printing.pictures.values import SIZES, Ranking, Spotlight, Versus
from tests.world.campaigns import confirmed, make_game, reported

AsUser = Callable[[User], Client]


def play(campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang) -> Game:
    """Return a confirmed game in which the first member of each gang took enemies out."""
    reports = {}
    for gang, out in ((hers, 2), (theirs, 1)):
        fielded = tuple(member.id for member in gang.roster.members)
        reports[str(gang.pk)] = Report(fielded=fielded, counts={TAKEN_OUT: {fielded[0]: out}})
    game = reported(make_game(campaign, alice, hers, theirs), alice, reports=reports)
    return confirmed(game, dora)


def sides_of(game: Game) -> list[Side]:
    """Return the sides as the page of a game reads them."""
    sides = list(game.sides.with_standing().select_related("gang__owner"))
    for side in sides:
        side.game = game
    return sides


def test_picture_of_a_game_shows_winner_and_hero(
    campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    game = play(campaign, alice, dora, hers, theirs)
    preview = game_picture.picture_of(game, sides_of(game), "tall")
    assert preview.title.endswith("won") and preview.above == campaign.name
    versus, spotlight = preview.blocks
    assert isinstance(versus, Versus) and isinstance(spotlight, Spotlight)
    assert [side.name for side in versus.best] == [f"{hers.name} (alice)"]
    assert spotlight.named.name == hers.roster.members[0].name
    assert spotlight.named.value == "2 enemies out of action"


def test_picture_of_an_undone_game_has_no_hero(
    campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    game = play(campaign, alice, dora, hers, theirs)
    Game.objects.filter(pk=game.pk).update(status=Game.Status.STRUCK)
    game.refresh_from_db()
    preview = game_picture.picture_of(game, sides_of(game), "wide")
    assert preview.title == "Undone" and len(preview.blocks) == 1


def test_planned_game_is_a_picture_of_its_sides(
    as_user: AsUser, campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    game = make_game(campaign, alice, hers, theirs)
    client = as_user(alice)
    page = client.get(reverse("campaigns:game-pictures", args=[game.pk])).content.decode()
    for shape in SIZES:
        address = reverse("campaigns:game-picture", args=[game.pk, shape])
        assert f'href="{address}" download=' in page
        with Image.open(BytesIO(client.get(address).content)) as opened:
            assert opened.size == SIZES[shape]


def test_standings_are_a_picture_in_their_order(
    as_user: AsUser, campaign: Campaign, alice: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    play(campaign, alice, dora, hers, theirs)
    preview = standings_picture.picture_of(load_season(campaign.pk), "wide")
    [ranking] = preview.blocks
    assert isinstance(ranking, Ranking)
    assert [row.name for row in ranking.rows] == [f"{hers.name} (alice)", f"{theirs.name} (dora)"]
    assert preview.facts == "Standings after 1 game"
    address = reverse("campaigns:standings-picture", args=[campaign.pk, "tall"])
    with Image.open(BytesIO(as_user(alice).get(address).content)) as opened:
        assert opened.size == SIZES["tall"]


def test_standings_name_a_game_without_a_battle_separately(
    campaign: Campaign, alice: User, bob: User, dora: User, hers: Gang, theirs: Gang
) -> None:
    play(campaign, alice, dora, hers, theirs)
    game = make_game(campaign, alice, hers, theirs)
    absent = game.sides.get(gang=theirs)
    account = account_without_battle(game, sides_of(game), "walk-over", {absent.pk})
    results.decide(game, account=account, actor=bob, expected_version=game.version)
    preview = standings_picture.picture_of(load_season(campaign.pk), "wide")
    assert preview.facts == "Standings after 1 game · 1 more not fought"


def test_link_of_the_standings_previews_them_and_opens_the_page(
    campaign: Campaign, hers: Gang, theirs: Gang
) -> None:
    link = reverse("campaigns:watch-standings", args=[campaign.watch_key])
    page = Client().get(link).content.decode()
    picture = reverse("campaigns:watch-standings-preview", args=[campaign.watch_key])
    assert f'property="og:image" content="http://testserver{picture}"' in page
    answer = Client().get(picture)
    assert (answer["Content-Type"], answer["X-Robots-Tag"]) == ("image/png", "noindex")
    browser = Client()
    there = browser.get(link, headers={"sec-fetch-mode": "navigate"})
    assert there["Location"] == reverse("campaigns:standings", args=[campaign.pk])
    assert browser.get(there["Location"]).status_code == 200


def test_hidden_campaign_has_no_pictures_behind_its_links(
    campaign: Campaign, hers: Gang, theirs: Gang
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(hidden_why="It insults somebody")
    for name in ("watch-standings", "watch-standings-preview"):
        link = reverse(f"campaigns:{name}", args=[campaign.watch_key])
        assert Client().get(link).status_code == 404
