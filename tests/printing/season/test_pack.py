"""Packs for a game: every member who plays, the scenario, a report to fill in."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from campaigns.club.people import joining
from campaigns.engine import rolls
from campaigns.games.report_forms import ReportForms
from campaigns.models import Campaign, Game, Participant
from campaigns.table.crews import preparing
from campaigns.text import side_names
from gangs.cards.sheet import life_label
from gangs.models import Gang
from gangs.text.formats import localize, shown_name
from printing.paper.orders import STYLES, Style
from printing.press import layout as press
from printing.press.jobs import Job
from printing.season import pack
from printing.season.counted import turn_track
from printing.season.pack import PackOrder
from printing.season.pack_views import tables_of
from tests.campaigns.table.crews.test_preparing import Evening
from tests.printing.kept_pages import same_picture
from tests.printing.reading import (
    fullness,
    is_tagged,
    language_of,
    pages_of,
    printed,
    sizes_of,
    squeezed,
    text_of,
    title_of,
    too_small,
    troubles,
)
from tests.random_cases import one_soon
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    make_player,
    reported,
)
from tests.world.gangs import GOLD, POINTS, SLUGS, make_big_gang
from typesetting.letters import LARGE, LARGE_LABEL, SMALLEST, SMALLEST_LABEL

SITE = "https://skirmish.example"
pytestmark = [pytest.mark.papers, pytest.mark.django_db]


@pytest.fixture
def dora(db: None) -> User:
    return User.objects.create_user("dora", "dora@example.org", "correct horse battery")


def meeting(campaign: Campaign, *players: User, scenario: bool = False) -> Game:
    """A game between a gang of each player."""
    gangs = [make_player(campaign, player) for player in players]
    game = make_game(campaign, players[0], *gangs)
    if scenario and campaign.book.scenarios:
        Game.objects.filter(pk=game.pk).update(scenario=campaign.book.scenarios[-1].key)
    return Game.objects.select_related("campaign").get(pk=game.pk)


def order(style: Style = "ink", language: str = "en") -> PackOrder:
    return PackOrder(language, "a4", style, site=SITE)


def job(game: Game, style: Style = "ink") -> Job:
    return pack.job(game.campaign, tables_of([game]), order(style))


@pytest.mark.long
@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_pack_prints_every_member_and_item_without_clipping(
    slug: str, bob: User, alice: User
) -> None:
    game = meeting(make_campaign(bob, slug), alice, bob, scenario=True)
    made = job(game, "illustrated")
    pages = [squeezed(page) for page in pages_of(printed(made))]
    book = game.campaign.book
    for side, page in zip(game.sides.select_related("gang"), pages, strict=False):
        assert side.gang is not None
        for member in side.gang.roster.members:
            assert squeezed(shown_name(book, member)) in page
            for owned in member.items:
                assert squeezed(localize(book.item[owned.key].name)) in page
            for trait in member.traits:
                assert squeezed(localize(book.trait[trait].text)) in page
    scenario, report = pages[-2:]
    row = book.scenario.get(game.scenario)
    if row is not None:
        assert squeezed(localize(row.text)) in scenario
        assert squeezed(localize(row.victory)) in scenario
    for mark in book.under(game.campaign.settings).marks:
        assert squeezed(localize(mark.name)) in report
    # A value that all share is printed once; a different value is printed with its member.
    innate = [row for row in book.under(game.campaign.settings).items if row.innate]
    for item in innate:
        assert all(squeezed(localize(item.name)) in page for page in pages[:-2])
    assert len(pages) == 4
    assert troubles(made) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("style", "least"),
    [("ink", (SMALLEST, SMALLEST_LABEL)), ("accessible", (LARGE, LARGE_LABEL))],
)
@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("slug", SLUGS)
def test_pack_is_legible_and_fills_its_pages(
    slug: str, chosen: bool, style: Style, least: tuple[float, float], bob: User, alice: User
) -> None:
    made = job(meeting(make_campaign(bob, slug), alice, bob, scenario=chosen), style)
    assert too_small(made, *least) == []
    assert troubles(made) == []
    assert fullness(made) >= 0.15


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
def test_pack_prints_every_possible_scenario_when_none_is_chosen(
    slug: str, bob: User, alice: User
) -> None:
    """Every scenario that can be chosen or rolled is printed with everything needed to play it."""
    game = meeting(make_campaign(bob, slug), alice, bob)
    text = text_of(printed(job(game)))
    book = game.campaign.book
    for row in book.under(game.campaign.settings).scenarios:
        told = [row.name, row.text, row.victory, row.length, *(role.name for role in row.roles)]
        assert [said["en"] for said in told if said and squeezed(said["en"]) not in text] == []
    if key := book.campaign.scenario_table:
        table = book.table[key]
        assert squeezed(f"roll {table.dice.upper()}") in text
        for line in table.rows:
            dice = f"{line.low}" if line.low == line.high else f"{line.low}–{line.high}"
            assert squeezed(dice + line.name["en"]) in text


@pytest.mark.long
def test_diagrams_show_measurements(bob: User, alice: User) -> None:
    game = meeting(make_campaign(bob, POINTS), alice, bob)
    text = text_of(printed(job(game)))
    assert text.count("Table48″×48″") == len(game.campaign.book.deployments)
    # A strip of a quarter along a side, a triangle in a corner, a circle in the middle.
    made = job(game).html
    drawn = re.findall(r'font-size="6.4">([^<]*)<', made)
    assert set(drawn) == {"12&quot;", "Ø 12&quot;"}


@pytest.mark.long
def test_two_small_crews_share_a_page(bob: User, alice: User) -> None:
    game = meeting(make_campaign(bob, GOLD), alice, bob)
    for side in game.sides.select_related("gang"):
        assert side.gang is not None
        side.crew = [side.gang.roster.members[0].id]
        side.save()
    pages = pages_of(printed(job(game)))
    assert len(pages) == 4 - 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "shown"), [(2, ["two_bands"]), (3, ["three_bands_long", "three_bands_square"])]
)
def test_pack_prints_only_deployments_for_the_number_of_gangs(
    players: int, shown: list[str], bob: User, alice: User, dora: User
) -> None:
    game = meeting(make_campaign(bob, "au-un-pour-un"), *(alice, bob, dora)[:players])
    Game.objects.filter(pk=game.pk).update(scenario="encounter")
    game = Game.objects.select_related("campaign").get(pk=game.pk)
    page = squeezed(pages_of(press.pdf(job(game)))[players])
    places = game.campaign.book.deployments
    assert [row.key for row in places if squeezed(row.name["en"]) in page] == shown


@pytest.mark.long
@pytest.mark.parametrize("slug", SLUGS)
def test_printed_report_has_the_labels_of_its_page(slug: str, bob: User, alice: User) -> None:
    """Every label of the page's own form is printed."""
    game = meeting(make_campaign(bob, slug), alice, bob)
    text = squeezed(pages_of(press.pdf(job(game)))[-1])
    (table,) = tables_of([game])
    forms = ReportForms(game, table.sides)
    asked = [localize(row.name) for row in forms.result.rows.values()]
    for form in forms.side_forms:
        asked += [localize(count) for count in form.counts.values()]
        asked += [str(field.label) for field in form.gang_fields()]
        asked += [shown_name(form.book, member) for member in form.members]
    assert [said for said in asked if squeezed(said) not in text] == []


@pytest.mark.long
@pytest.mark.parametrize("style", STYLES)
def test_pack_can_be_read_aloud(style: Style, bob: User, alice: User) -> None:
    game = meeting(make_campaign(bob, POINTS), alice, bob)
    pdf = press.pdf(job(game, style))
    assert is_tagged(pdf)
    assert language_of(pdf) == "en"
    sides = list(game.sides.select_related("gang__owner"))
    assert title_of(pdf) == " – ".join(side_names(sides).values())
    assert "(alice)" in title_of(pdf), "both gangs have the same name"


@pytest.mark.long
def test_pack_has_boxes_for_wounds(bob: User, alice: User) -> None:
    game = meeting(make_campaign(bob, POINTS), alice, bob)
    html = pack.html(game.campaign, tables_of([game]), order())
    book = game.campaign.book
    label = life_label(book, "en")
    gangs = [side.gang for side in game.sides.select_related("gang") if side.gang]
    members = sum(len(gang.roster.members) for gang in gangs)
    assert html.count(f"<title>{label} ") == members


@pytest.mark.long
def test_pack_prints_old_wounds_absent_members_and_hired_hands(
    bob: User, alice: User, dora: User
) -> None:
    """Old wounds have a roll, absent members are listed, hired hands have a block."""
    evening = Evening(bob, alice, dora)
    wounded = evening.wound("hers")
    evening.hire("hers", "theirs")
    hired = evening.gang("theirs").roster.departed[0].member
    pages = pages_of(press.pdf(job(Game.objects.get(pk=evening.game.pk))))
    gang, page = evening.gang("hers"), squeezed(pages[0])
    by_id = {member.id: shown_name(gang.book, member) for member in gang.roster.members}
    assert squeezed(f"{by_id[wounded]} Old war wound · 1D6, cannot play on 1: ______") in page
    assert squeezed(shown_name(gang.book, hired)) in page
    assert squeezed("hired for this game") in page

    side = evening.side("hers")
    key = preparing.prepare_crew(side, {}).waiting[0].key
    preparing.roll(
        side,
        partial(rolls.take_over, key=key, faces="1"),
        expected_version=side.draft_version,
        actor=alice,
    )
    page = squeezed(pages_of(press.pdf(job(Game.objects.get(pk=evening.game.pk))))[0])
    assert squeezed("cannot play on 1: sits this game out") in page
    assert squeezed(f"Cannot play {by_id[wounded]} BY THE DICE") in page


@pytest.mark.long
def test_pack_prints_only_the_picked_crew(bob: User, alice: User) -> None:
    game = meeting(make_campaign(bob, POINTS), alice, bob)
    side = game.sides.select_related("gang", "game__campaign").first()
    assert side is not None and side.gang is not None
    first, second = side.gang.roster.members[:2]
    preparing.pick(
        side,
        lambda _now: {str(first.id)},
        expected_version=side.draft_version,
        seen_gang=side.gang.version,
    )
    page = squeezed(pages_of(press.pdf(job(game)))[0])
    assert squeezed(first.name) in page
    assert squeezed(second.name) not in page


@pytest.mark.long
def test_large_gang_continues_on_another_page(bob: User, alice: User) -> None:
    """A large gang is printed completely, on as many pages as it takes."""
    campaign = make_campaign(bob, POINTS)
    big, rival = make_big_gang(alice, 40), make_player(campaign, bob)
    joining.join(campaign, big, actor=alice, expected_version=big.version)
    big = Gang.objects.get(pk=big.pk)
    game = make_game(campaign, alice, big, rival)
    made = job(Game.objects.get(pk=game.pk))
    assert troubles(made) == []
    text = text_of(printed(made))
    assert all(squeezed(f"Member number {number}") in text for number in range(40))


def turns_of(game: Game) -> list[list[str]]:
    """The headings of the track of turns, for each side that has the track."""
    html = pack.html(game.campaign, tables_of([game]), order())
    tracks = re.findall(r'<table class="grid turns">(.*?)</table>', html, re.S)
    return [re.findall(r'<th scope="col" class="tick">(\d+)', track) for track in tracks]


def test_pack_has_a_box_for_every_turn(bob: User, alice: User) -> None:
    """The game sets the number of turns; a scenario may change it."""
    game = meeting(make_campaign(bob, "cran"), alice, bob, scenario=True)
    assert turns_of(game) == [[str(turn) for turn in range(1, 9)]] * 2
    html = pack.html(game.campaign, tables_of([game]), order())
    head = html.split('<table class="grid turns">')[1].split("</table>")[0]
    assert head.count('class="box"') == 8
    book = game.campaign.book
    for turns, last in ((3, 3), (0, None)):
        told = [row.model_copy(update={"turns": turns}) for row in book.scenarios]
        track = turn_track(book.changed(scenarios=tuple(told)), game, "en")
        assert (track.turns[-1] if track else None) == last


@pytest.mark.long
def test_pack_has_a_field_for_the_purse_of_each_turn(bob: User, alice: User) -> None:
    """It is refilled each turn: the first turn's value is printed, the others are empty."""
    game = meeting(make_campaign(bob, GOLD), alice, bob, scenario=True)
    assert turns_of(game) == [[str(turn) for turn in range(1, 7)]] * 2
    for page in pages_of(press.pdf(job(game)))[:2]:
        assert squeezed("Turn 1 2 3 4 5 6 Turn purse, Po 12") in squeezed(page)
        assert squeezed("12 Po, minus the cost of each of your figures that died") in squeezed(page)
    more = turn_track(game.campaign.book, with_settings(game, players="more"), "en")
    assert more is not None and [line.start for line in more.counted] == [6]


def with_settings(game: Game, **settings: str) -> Game:
    game.campaign.settings = {**game.campaign.settings, **settings}
    return game


def test_pack_has_no_track_when_the_game_counts_no_turns(bob: User, alice: User) -> None:
    assert turns_of(meeting(make_campaign(bob, POINTS), alice, bob, scenario=True)) == []


def test_life_is_beside_the_characteristics(bob: User, alice: User) -> None:
    """It is there if it has room; a value with boxes is not printed twice."""
    game = meeting(make_campaign(bob, "zombstone"), alice, bob)
    html = pack.html(game.campaign, tables_of([game]), order())
    members = len(re.findall(r'<div class="fighter(?: turn)?">', html)) - html.count(
        "For everybody"
    )
    assert members and html.count('<td class="drawn"><svg') == members
    assert '<div class="life">' not in html
    label = life_label(game.campaign.book, "en")
    assert html.count(f'mm">{label}</th>') == html.count(f">{label}</th>") == members


@pytest.mark.long
def test_every_crews_page_prints_the_goal_of_the_scenario(bob: User, alice: User) -> None:
    game = meeting(make_campaign(bob, POINTS), alice, bob, scenario=True)
    row = game.campaign.book.scenario[game.scenario]
    pages = pages_of(press.pdf(job(game)))
    assert all(squeezed(row.victory["en"]) in squeezed(page) for page in pages[:3])


def test_corner_deployments_are_triangles(bob: User, alice: User) -> None:
    """Without a choice every deployment is drawn; two of them have triangles in corners."""
    game = meeting(make_campaign(bob, POINTS), alice, bob)
    html = pack.html(game.campaign, tables_of([game]), order())
    drawn = re.findall(r'<polygon points="([^"]*)"', html)
    assert drawn == ["0,0 25,0 0,25", "100,100 75,100 100,75", "0,100 25,100 0,75"]


@pytest.mark.long
def test_pack_looks_like_its_kept_picture(bob: User, alice: User) -> None:
    game = meeting(make_campaign(bob, "cran"), alice, bob, scenario=True)
    Game.objects.filter(pk=game.pk).update(played_on=date(2026, 5, 1))
    made = job(Game.objects.select_related("campaign").get(pk=game.pk))
    # Its address, and so its code, is different each time.
    html = re.sub(r'<div class="code">.*?</div>', "", made.html).replace(str(game.pk), "…")
    same_picture(press.pdf(replace(made, html=html)), "pack-cran")


# Access and addresses


@pytest.fixture
def game(bob: User, alice: User) -> Game:
    return meeting(make_campaign(bob, GOLD), alice, bob)


def test_players_of_the_game_print_the_pack(client: Client, game: Game, alice: User) -> None:
    address = f"/campaigns/games/{game.pk}/pack.pdf"
    client.force_login(alice)
    response = client.get(f"{address}?paper=letter&style=illustrated")
    assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
    assert set(sizes_of(response.content)) == {(612, 792)}
    etag = {"If-None-Match": response["ETag"]}
    assert client.get(f"{address}?paper=letter&style=illustrated", headers=etag).status_code == 304
    page = client.get(f"/campaigns/games/{game.pk}/").content.decode()
    assert f'action="{address}"' in page


def test_key_changes_with_the_crew(game: Game) -> None:
    def key() -> str:
        return pack.key(game.campaign, tables_of([game]), order(), None)

    before = key()
    assert key() == before
    side = game.sides.select_related("gang", "game__campaign").first()
    assert side is not None and side.gang is not None
    preparing.pick(
        side, lambda _now: (), expected_version=side.draft_version, seen_gang=side.gang.version
    )
    assert key() != before


def test_watch_link_does_not_give_the_pack(client: Client, game: Game, charlie: User) -> None:
    client.get(f"/campaigns/watch/{game.campaign.watch_key}/")
    assert client.get(f"/campaigns/games/{game.pk}/pack.pdf").status_code == 302
    page = client.get(f"/campaigns/games/{game.pk}/")
    assert page.status_code == 200
    assert "pack.pdf" not in page.content.decode()
    client.force_login(charlie)
    assert client.get(f"/campaigns/games/{game.pk}/pack.pdf").status_code == 404


def test_pack_redirects_to_the_game_when_its_result_is_confirmed(
    client: Client, game: Game, alice: User, bob: User
) -> None:
    client.force_login(alice)
    address = f"/campaigns/games/{game.pk}/pack.pdf"
    game = reported(game, alice)
    assert client.get(address).status_code == 200
    confirmed(game, bob)
    assert client.get(address)["Location"] == f"/campaigns/games/{game.pk}/"


@pytest.mark.long
def test_pack_of_a_night_has_all_its_games(client: Client, bob: User, alice: User) -> None:
    campaign = make_campaign(bob, POINTS)
    night = make_night(campaign, place="The <b>back</b> room")
    games = [meeting(campaign, alice, bob) for _ in range(2)]
    Game.objects.filter(pk__in=[game.pk for game in games]).update(night=night)
    client.force_login(alice)
    assert (
        f"/campaigns/nights/{night.pk}/pack.pdf"
        in client.get(night.get_absolute_url()).content.decode()
    )
    response = client.get(f"/campaigns/nights/{night.pk}/pack.pdf")
    pages = pages_of(response.content)
    assert len(pages) == 1 + 2 * 4
    assert squeezed("The <b>back</b> room") in squeezed(pages[0])
    empty = make_night(campaign)
    response = client.get(f"/campaigns/nights/{empty.pk}/pack.pdf")
    assert response["Location"] == empty.get_absolute_url()


@pytest.mark.long
def test_pack_queries_do_not_grow(client: Client, bob: User, alice: User) -> None:
    """Five games of larger gangs take as many queries as a single game."""
    campaign = make_campaign(bob, POINTS)
    night = make_night(campaign)
    client.force_login(alice)
    counted = []
    for games in (1, 4):
        for _ in range(games):
            game = meeting(campaign, alice, bob)
            Game.objects.filter(pk=game.pk).update(night=night)
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"/campaigns/nights/{night.pk}/pack.pdf").status_code == 200
        counted.append(len(captured))
    assert counted[0] == counted[1]


def test_spectator_with_an_account_reads_the_pack(
    client: Client, game: Game, charlie: User
) -> None:
    Participant.objects.create(
        campaign=game.campaign, user=charlie, role=Participant.Role.SPECTATOR
    )
    client.force_login(charlie)
    assert client.get(f"/campaigns/games/{game.pk}/pack.pdf").status_code == 200
