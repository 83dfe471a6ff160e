"""Games against the book: gangs on one side, alone or together, in the watchers' game."""

from __future__ import annotations

import uuid
from datetime import date
from itertools import combinations
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.club.planning import plans
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.pairing import Candidate, Past, propose_groups
from campaigns.engine.report import Report
from campaigns.games import results
from campaigns.models import Campaign, Game
from campaigns.season.chronicle_text import chronicle_lines, plain
from campaigns.season.loading import load_season
from common.errors import Refusal
from gangs.engine import actions
from gangs.ledger import writer
from rules.book.model import Book
from rules.book.season import Play, Sides
from rules.library import load
from rules.loading.check_building import check
from tests.games.club import Club, Told
from tests.games.watchers import club_of_watchers
from tests.world.campaigns import make_game, side_of


def _lines(club: Club) -> list[str]:
    season = load_season(club.campaign.pk).season
    return [plain(season.book, line) for line in chronicle_lines(season)]


# The vocabulary ---------------------------------------------------------------------------------


def _wrong(book: Book) -> dict[str, str]:
    return {".".join(map(str, path)): str(message) for path, message in check(book)}


def test_checker_refuses_results_of_the_other_sort(vigil: Book, circle: Book) -> None:
    decided = vigil.campaign.results[0].model_copy(update={"kind": "decided"})
    book = vigil.changed(campaign=vigil.campaign.model_copy(update={"results": (decided,)}))
    assert "must be “won”, “lost” or “level”" in _wrong(book)["campaign.results.0.kind"]
    won = circle.campaign.results[0].model_copy(update={"kind": "won"})
    book = circle.changed(campaign=circle.campaign.model_copy(update={"results": (won,)}))
    assert "set “against” of “play” to “book”" in _wrong(book)["campaign.results.0.kind"]


def test_checker_refuses_what_needs_an_opponent(vigil: Book) -> None:
    campaign = vigil.campaign
    award = campaign.awards[0].model_copy(update={"underdog_by": 10})
    paid = campaign.results[0].model_copy(update={"loser": 3})
    book = vigil.changed(
        campaign=campaign.model_copy(
            update={"awards": (award,), "results": (paid, *campaign.results[1:])}
        ),
    )
    wrong = _wrong(book)
    assert "campaign.awards.0" in wrong
    assert "is not used for a game against the book" in wrong["campaign.results.0.loser"]


def test_checker_refuses_a_game_of_one_gang_against_each_other(circle: Book) -> None:
    book = circle.changed(play=Play(sides=Sides(minimum=1)))
    assert "play.sides.minimum" in _wrong(book)
    book = circle.changed(play=Play(sides=Sides(minimum=3, maximum=2)))
    assert "play.sides.maximum" in _wrong(book)


def test_checker_asks_for_a_ranking_of_gangs_against_each_other(circle: Book, vigil: Book) -> None:
    campaign = circle.campaign.model_copy(update={"standings": ()})
    assert "campaign.standings" in _wrong(circle.changed(campaign=campaign))
    assert not _wrong(vigil)


# Games ------------------------------------------------------------------------------------------


def test_report_of_a_gang_alone_needs_nobody(solo: Club) -> None:
    game = solo.stand_together(1, "laid", {"Ash": Told(tallies={"clues": 2})})
    assert game.status == Game.Status.CONFIRMED
    solo.after(game, "Ash")
    # 40 - 12 - 8 - 4 = 16, then 12 for the result, 2 x 2 for clues, 1 for lodgings.
    assert int(solo.gang("Ash").roster.treasury) == 31


def test_result_of_several_gangs_needs_each_of_them(three: Club, players: list[User]) -> None:
    alice, dora, charlie = players
    game = make_game(three.campaign, alice, *map(three.gang, three.keys))
    lost = SideAccount("loser", Report(fielded=(2, 3)))
    sides = dict.fromkeys(game.sides.values_list("pk", flat=True), lost)
    account = Account(result="driven", played_on=game.played_on, sides=sides)
    results.report(game, account, actor=alice, expected_version=game.version)
    game = Game.objects.get(pk=game.pk)
    results.confirm(game, actor=dora, expected_version=game.version)
    game = Game.objects.get(pk=game.pk)
    assert game.status == Game.Status.REPORTED
    results.confirm(game, actor=charlie, expected_version=game.version)
    assert Game.objects.get(pk=game.pk).status == Game.Status.CONFIRMED


def test_number_of_gangs_follows_the_rulebook(
    vigil: Book, bob: User, players: list[User], alice: User
) -> None:
    small = vigil.changed(play=Play(against="book", sides=Sides(minimum=2, maximum=2)))
    club = club_of_watchers(small, bob, players, "Ash", "Birch", "Cedar")
    gangs = [club.gang(name) for name in club.keys]
    for some, code in ((gangs[:1], "few_gangs"), (gangs, "many_gangs")):
        with pytest.raises(Refusal) as refused:
            plans.plan(
                club.campaign,
                some,
                plans.Plan(date(2026, 5, 1)),
                actor=alice,
                token=uuid.uuid4(),
            )
        assert refused.value.code == code


def test_chronicle_tells_of_games_without_an_opponent(three: Club) -> None:
    three.stand_together(1, "laid", {"Ash": Told()})
    three.stand_together(2, "kept", {"Ash": Told(), "Birch": Told({"Birch warden": "fled"})})
    three.stand_together(3, "dawn", {"Cedar": Told()})
    lines = _lines(three)
    assert "Ash won: Laid to rest." in lines
    assert "Ash and Birch lost: The house keeps them." in lines
    assert "Cedar played: Dawn came first." in lines


def test_chronicle_names_no_opponent_of_the_dead(three: Club) -> None:
    game = three.stand_together(1, "kept", {"Ash": Told({"Ash watcher": "fled"}), "Birch": Told()})
    three.after(game, "Ash", {"mornings Ash watcher": "1"})
    assert "Ash watcher (Ash) died." in _lines(three)


# Standings and pairing --------------------------------------------------------------------------


def test_standings_have_no_places(three: Club) -> None:
    three.stand_together(1, "laid", {"Cedar": Told(), "Ash": Told()})
    assert three.standings() == [(0, "Ash", 1, 12), (0, "Birch", 0, 0), (0, "Cedar", 1, 12)]


def test_standings_have_places_if_the_rulebook_ranks(
    vigil: Book, bob: User, players: list[User]
) -> None:
    campaign = vigil.campaign.model_copy(update={"standings": ("wins",)})
    club = club_of_watchers(vigil.changed(campaign=campaign), bob, players, "Ash", "Birch")
    club.stand_together(1, "laid", {"Birch": Told()})
    assert [(place, name) for place, name, *_rest in club.standings()] == [(1, "Birch"), (2, "Ash")]


def _players(count: int) -> list[Candidate]:
    return [Candidate(gang=letter, rating=0, owner=letter) for letter in "abcdefgh"[:count]]


def test_groups_bring_together_those_who_never_met() -> None:
    met = {frozenset("ab"): 2, frozenset("cd"): 1}
    found = propose_groups(_players(4), Past(meetings=met), 2, most=4)
    assert all(not group.met for group in found.pairs)
    assert [len(group.gangs) for group in found.pairs] == [2, 2]


@pytest.mark.parametrize(
    ("gangs", "size", "fewest", "most", "sizes", "waiting"),
    [
        (7, 3, 1, 4, [3, 2, 2], 0),
        (5, 2, 2, 2, [2, 2], 1),
        (1, 3, 1, 4, [1], 0),
        (1, 3, 2, 4, [], 1),
        (8, 4, 1, 4, [4, 4], 0),
        (5, 4, 1, None, [3, 2], 0),
    ],
)
def test_groups_have_sizes_that_the_rulebook_allows(
    gangs: int, size: int, fewest: int, most: int | None, sizes: list[int], waiting: int
) -> None:
    found = propose_groups(_players(gangs), Past(), size, fewest, most)
    assert sorted((len(group.gangs) for group in found.pairs), reverse=True) == sizes
    assert len(found.waiting) == waiting


class Asked(dict[frozenset[str], int]):
    """Meetings that count how often somebody reads one."""

    count = 0

    def get(self, key: frozenset[str], default: Any = None) -> Any:
        self.count += 1
        return super().get(key, default)


def test_two_large_groups_are_formed_with_one_comparison_of_each_pair() -> None:
    players = [Candidate(gang=f"{number:02}", rating=0) for number in range(40)]
    # Every third gang knows all others.
    pairs = [(one.gang, two.gang) for one, two in combinations(players, 2)]
    met = Asked({frozenset(pair): sum(int(gang) % 3 == 0 for gang in pair) for pair in pairs})
    found = propose_groups(players, Past(meetings=met), 20)
    assert [len(group.gangs) for group in found.pairs] == [20, 20]
    # In both directions, and once more for the figures of the result.
    assert met.count <= 3 * len(pairs)


def test_gang_that_rested_last_waits_less() -> None:
    rested, tired = (
        Candidate(gang="a", rating=0, rested=date(2026, 5, 8)),
        Candidate(gang="b", rating=0, played=3),
    )
    found = propose_groups([rested, tired, Candidate(gang="c", rating=0)], Past(), 2, 2, 2)
    assert [one.gang for one in found.waiting] == ["b"]


# Pages ------------------------------------------------------------------------------------------


def _post_report(client: Client, game: Game, **data: Any) -> Any:
    url = reverse("campaigns:game-report", args=[game.pk])
    posted = {"seen": game.version, "played_on": "2026-05-01", **data}
    return client.post(url, posted)


def test_report_page_asks_how_it_ended_not_who_won(solo: Club, client: Client, alice: User) -> None:
    client.force_login(alice)
    gang = solo.gang("Ash")
    game = make_game(solo.campaign, alice, gang)
    page = client.get(reverse("campaigns:game-report", args=[game.pk])).content.decode()
    assert "How did it end?" in page
    assert "Who won?" not in page
    assert "nobody else has to confirm it" in page
    played = f"side{side_of(game, gang).pk}-in-{gang.roster.members[0].id}"
    refused = _post_report(client, game, **{played: "on"})
    assert refused.status_code == 422
    assert "How did it end? Choose one of these." in refused.content.decode()
    _post_report(client, game, winner="driven", **{played: "on"})
    game.refresh_from_db()
    assert (game.status, game.result) == (Game.Status.CONFIRMED, "driven")
    assert [side.side for side in game.sides.all()] == ["loser"]
    # A correction begins with the result that was reported.
    page = client.get(reverse("campaigns:game-report", args=[game.pk])).content.decode()
    assert 'value="driven" checked' in page


def test_play_alone_starts_a_campaign_with_one_press(
    vigil: Book, client: Client, alice: User
) -> None:
    version, _created = load(vigil)
    gang = writer.found(version, actions.found(vigil, "Ash", {}), owner=alice)
    client.force_login(alice)
    press = reverse("campaigns:gang-alone", args=[gang.pk])
    assert press in client.get(reverse("campaigns:gang-play", args=[gang.pk])).content.decode()
    answer = client.post(press)
    campaign = Campaign.objects.get()
    assert answer["Location"] == client.post(press)["Location"] == campaign.get_absolute_url()
    assert campaign.is_run_by(alice)
    assert [row.gang for row in campaign.memberships.all()] == [gang]
    page = client.get(campaign.get_absolute_url()).content.decode()
    assert reverse("campaigns:game-new", args=[campaign.pk]) in page
    assert reverse("campaigns:league", args=[campaign.pk]) not in page
    assert client.get(reverse("campaigns:league", args=[campaign.pk])).status_code == 404
    assert press not in client.get(reverse("campaigns:gang-play", args=[gang.pk])).content.decode()


def test_play_alone_is_not_for_games_of_two_gangs(
    circle: Book, client: Client, alice: User
) -> None:
    version, _created = load(circle)
    gang = writer.found(version, actions.found(circle, "Ninth", {}), owner=alice)
    client.force_login(alice)
    assert client.post(reverse("campaigns:gang-alone", args=[gang.pk])).status_code == 404
    assert not Campaign.objects.exists()
