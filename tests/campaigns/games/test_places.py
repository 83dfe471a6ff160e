"""Draws that the rulebook does not have, places of three or more sides, and members with an
injury roll still due."""

from __future__ import annotations

from html import unescape

import pytest
from django.urls import reverse

from accounts.models import User
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.how import ClubResults, ResultRules, pay_side
from campaigns.engine.report import Report
from campaigns.games import results
from campaigns.games.report_forms import DRAW, ReportForms
from campaigns.models import Campaign, Game, Side
from campaigns.postgames import drafts
from campaigns.season.chronicle_text import chronicle_lines, plain
from campaigns.season.loading import load_season
from campaigns.season.standings.text import rank_gangs
from tests.campaigns.games.test_results import report_data
from tests.campaigns.postgames.test_drafts import committed
from tests.world.campaigns import confirmed, make_game, make_player, reported, side_of


@pytest.fixture
def eve(db):
    return User.objects.create_user("eve", "eve@example.org", "correct horse battery")


@pytest.fixture
def third(campaign, eve):
    return make_player(campaign, eve)


@pytest.fixture
def big(campaign, hers, theirs, third, alice):
    """A planned game of three."""
    return make_game(campaign, alice, hers, theirs, third)


def send(browser, game, **values):
    data = report_data(browser, game)
    data |= {"winner": "", "result": "", **values}
    url = reverse("campaigns:game-report", args=[game.pk])
    return browser.post(url, {name: value for name, value in data.items() if value != ""})


def placed(game, *places):
    sides = game.sides.order_by("pk")
    return {f"place-{side.pk}": str(place) for side, place in zip(sides, places, strict=True)}


class TestPlaces:
    def test_form_asks_for_places_only_with_three_or_more_sides(
        self, campaign, hers, theirs, big, alice
    ):
        two = make_game(campaign, alice, hers, theirs)
        assert not ReportForms(two, list(two.sides.all())).result.places()
        assert len(ReportForms(big, list(big.sides.all())).result.places()) == 3

    def test_places_name_the_winner_and_are_agreed_on(self, big, alice, dora, eve, as_user):
        browser = as_user(alice)
        assert send(browser, big, result="crushing", **placed(big, 2, 1, 3)).status_code == 302
        game = confirmed(Game.objects.get(), dora, eve)
        assert game.status == "confirmed" and game.how == "played"
        sides = list(game.sides.order_by("pk"))
        assert [side.finish for side in sides] == [2, 1, 3]
        assert [side.side for side in sides] == ["loser", "winner", "loser"]
        page = unescape(browser.get(game.get_absolute_url()).content.decode())
        assert "1. " in page and "place 2" in page

    @pytest.mark.parametrize("places", [(1, 2, 2), (1, 1, 3), (1, 1, 1)])
    def test_equal_sides_share_a_place(self, big, alice, as_user, places):
        winner = {"result": "crushing"} if places[1] > 1 else {}
        assert send(as_user(alice), big, **winner, **placed(big, *places)).status_code == 302
        game = Game.objects.get()
        assert tuple(side.finish for side in game.sides.order_by("pk")) == places
        assert game.how == ("played" if winner else "recorded")

    @pytest.mark.parametrize("places", [(1, 2, ""), (1, 1, 2), (2, 2, 3), (1, 3, 3)])
    def test_impossible_places_are_refused_in_words(self, big, alice, as_user, places):
        answer = send(as_user(alice), big, result="crushing", **placed(big, *places))
        assert answer.status_code == 422
        assert "equal sides share one" in unescape(answer.content.decode())

    def test_places_must_not_contradict_the_winner(self, big, alice, as_user):
        first = big.sides.order_by("pk").first()
        answer = send(
            as_user(alice), big, result="crushing", winner=str(first.pk), **placed(big, 2, 1, 3)
        )
        assert answer.status_code == 422
        assert "another winner" in answer.content.decode()

    def test_different_places_are_different_accounts(self, big, alice, dora, as_user):
        send(as_user(alice), big, result="crushing", **placed(big, 1, 2, 3))
        send(as_user(dora), Game.objects.get(), result="crushing", **placed(big, 1, 3, 2))
        game = Game.objects.get()
        assert game.status == "disputed"
        page = unescape(as_user(alice).get(game.get_absolute_url()).content.decode())
        assert "the place" in page

    @pytest.mark.long
    def test_club_pays_by_place_in_points_and_money(self, campaign, big, alice, dora, eve, as_user):
        club = ClubResults(place_points=(5, 3), place_money=(9, 4))
        campaign.special_results = club.model_dump(mode="json")
        campaign.save()
        send(as_user(alice), big, result="crushing", **placed(big, 2, 1, 3))
        game = confirmed(Game.objects.get(), dora, eve)
        points = {row.gang: row.points for row in rank_gangs(load_season(campaign.pk).season)}
        sides = list(game.sides.select_related("gang").order_by("pk"))
        assert [points[str(side.gang_id)] for side in sides] == [3, 5, 0]
        side = committed(side_of(game, sides[0].gang), alice)
        earned = side.gang.entries.filter(kind="earned", data__why="result")
        assert [row.data["amount"] for row in earned] == [4]

    @pytest.mark.long
    def test_shared_win_is_told_in_the_chronicle(self, campaign, big, alice, dora, eve, as_user):
        send(as_user(alice), big, **placed(big, 1, 1, 3))
        confirmed(Game.objects.get(), dora, eve)
        season = load_season(campaign.pk).season
        sentences = [plain(season.book, line) for line in chronicle_lines(season)]
        assert any("shared the win over" in sentence for sentence in sentences)
        lines = {row.gang: row for row in rank_gangs(season)}
        assert sorted((row.level, row.lost) for row in lines.values()) == [(0, 1), (1, 0), (1, 0)]


class TestRecordedDraw:
    @pytest.fixture
    def game(self, campaign, hers, theirs, alice):
        return make_game(campaign, alice, hers, theirs)

    def test_draw_is_reported_where_the_rulebook_has_none(
        self, game, alice, dora, as_user, monkeypatch
    ):
        book = game.campaign.book
        forms = ReportForms(game, list(game.sides.all()))
        assert DRAW not in [ending.value for ending in forms.result.endings()]
        rows = tuple(row for row in book.campaign.results if row.kind == "decided")
        campaign = book.campaign.model_copy(update={"results": rows})
        bare = book.model_copy(update={"campaign": campaign})
        monkeypatch.setattr(Campaign, "book", property(lambda _campaign: bare))
        browser = as_user(alice)
        assert send(browser, game, winner=DRAW).status_code == 302
        game = Game.objects.get()
        assert (game.status, game.how, game.result) == ("reported", "recorded", "")
        assert {side.side for side in game.sides.all()} == {"level"}
        page = browser.get(reverse("campaigns:game-report", args=[game.pk]))
        chosen = [one.value for one in page.context["forms"].result.endings() if one.is_chosen]
        assert chosen == [DRAW]

    @pytest.mark.long
    def test_recorded_draw_has_a_postgame_and_the_points_of_the_club(
        self, campaign, hers, theirs, alice, dora, as_user
    ):
        campaign.special_results = ClubResults(
            results={"recorded": ResultRules(each_points=1, counts_draw=True, each_money=3)}
        ).model_dump(mode="json")
        campaign.save()
        game = make_game(campaign, alice, hers, theirs)
        sides = list(game.sides.select_related("gang"))
        fielded = {
            side.pk: Report(fielded=tuple(member.id for member in side.gang.roster.members))
            for side in sides
        }
        account = Account(
            result="",
            how="recorded",
            played_on=game.played_on,
            sides={pk: SideAccount("level", report) for pk, report in fielded.items()},
        )
        results.report(game, account, actor=alice, expected_version=game.version)
        game = confirmed(Game.objects.get(), dora)
        lines = {row.gang: row for row in rank_gangs(load_season(campaign.pk).season)}
        assert {(row.level, row.points) for row in lines.values()} == {(1, 1)}
        side = committed(side_of(game, hers), alice)
        assert drafts.is_done(side)
        played = side.gang.entries.get(kind="played")
        assert (played.data["result"], played.data["side"]) == ("", "level")
        assert side.gang.entries.get(kind="earned", data__why="result").data["amount"] == 3
        for url in (
            game.get_absolute_url(),
            reverse("gangs:history", args=[hers.pk]),
            reverse("campaigns:chronicle", args=[campaign.pk]),
        ):
            page = as_user(alice).get(url)
            assert page.status_code == 200
            assert "Draw" in page.content.decode() or "drew" in page.content.decode()


class TestDueFates:
    @pytest.fixture
    def fallen(self, hers):
        return hers.roster.members[1]

    @pytest.fixture
    def first(self, campaign, hers, theirs, alice, fallen):
        fielded = tuple(member.id for member in hers.roster.members)
        game = make_game(campaign, alice, hers, theirs)
        mark = next(row.key for row in campaign.rules.marks if not row.stands)
        report = Report(fielded=fielded, marks={fallen.id: mark})
        return reported(game, alice, reports={str(hers.pk): report})

    def test_second_report_names_the_member_and_does_not_tick_them(
        self, campaign, first, hers, third, alice, fallen, as_user
    ):
        second = make_game(campaign, alice, hers, third)
        page = as_user(alice).get(reverse("campaigns:game-report", args=[second.pk]))
        form = next(
            form for form in page.context["forms"].side_forms if form.side.gang_id == hers.pk
        )
        assert not form[f"in-{fallen.id}"].value()
        assert form.fielded == len(hers.roster.members) - 1
        assert "the injury roll is still due" in unescape(page.content.decode())

    def test_member_who_took_part_all_the_same_is_questioned_once(
        self, campaign, first, hers, third, alice, fallen, as_user
    ):
        second = make_game(campaign, alice, hers, third)
        browser = as_user(alice)
        side = Side.objects.get(game=second, gang=hers)
        data = report_data(browser, second) | {f"side{side.pk}-in-{fallen.id}": "on"}
        del data["sure"]
        url = reverse("campaigns:game-report", args=[second.pk])
        answer = browser.post(url, data)
        assert answer.status_code == 422 and "Did they take part?" in answer.content.decode()
        assert browser.post(url, data | {"sure": "1"}).status_code == 302

    @pytest.mark.long
    def test_rolled_injury_is_no_longer_due(
        self, campaign, first, hers, third, alice, dora, as_user
    ):
        committed(side_of(confirmed(first, dora), hers), alice)
        second = make_game(campaign, alice, hers, third)
        page = as_user(alice).get(reverse("campaigns:game-report", args=[second.pk]))
        assert "still due" not in page.content.decode()


def test_kind_of_result_decides_what_a_side_gets(points):
    rules = points.under(points.default_settings())
    club = ClubResults(place_points=(4, 2, 1))
    assert pay_side(rules, club, "played", "winner", 1, 2).points is None
    assert pay_side(rules, club, "played", "loser", 2, 3).points == 2
    assert pay_side(rules, club, "played", "loser", 4, 4).points == 0
    assert pay_side(rules, club, "no-show", "loser", None, 3).counts is None
    assert pay_side(rules, club, "void", "level", None, 2).counts is None
