"""Results without a battle: settled with one press, and nothing else changes."""

from __future__ import annotations

from html import unescape

import pytest
from django.urls import reverse

from accounts.models import Notice, User
from accounts.notices import describe
from campaigns import holds
from campaigns.club.home.duties import games_waiting
from campaigns.club.people import joining
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.how import ClubResults, ResultRules
from campaigns.engine.report import Report
from campaigns.files.exporting import export_campaign
from campaigns.games import results
from campaigns.games.corrections import strikes
from campaigns.games.unfought import account_without_battle
from campaigns.models import Game, Side
from campaigns.postgames import drafts
from campaigns.season.chronicle_text import chronicle_lines, plain
from campaigns.season.loading import load_season
from campaigns.season.spreadsheets import TABLES
from campaigns.season.standings.text import rank_gangs
from campaigns.statistics.charts import figures
from common.errors import Refusal
from gangs.ledger import writer
from gangs.ledger.revision import instead
from gangs.ledger.storage import read_entry
from gangs.models import Gang
from tests.campaigns.files.test_files import import_text
from tests.campaigns.games.test_results import report_data
from tests.campaigns.postgames.test_drafts import committed
from tests.random_cases import one_soon
from tests.world.campaigns import confirmed, make_game, reported, side_of


@pytest.fixture
def game(campaign, hers, theirs, alice):
    return make_game(campaign, alice, hers, theirs)


def settled(game, actor, how="no-show", *absent, why=""):
    """Return the game settled by an organiser. ``absent``: the gangs that did not come."""
    sides = list(game.sides.select_related("gang__owner"))
    keys = [side.pk for side in sides if side.gang in absent]
    account = account_without_battle(game, sides, how, keys)
    results.decide(game, account=account, actor=actor, expected_version=game.version, why=why)
    return Game.objects.get(pk=game.pk)


def paying(campaign, how="no-show", **rules):
    campaign.special_results = ClubResults(results={how: ResultRules(**rules)}).model_dump(
        mode="json"
    )
    campaign.save()
    return campaign


def lines_of(campaign):
    return {row.gang: row for row in rank_gangs(load_season(campaign.pk).season)}


class TestSettling:
    def test_organiser_settles_a_planned_game_with_one_press(
        self, campaign, game, hers, theirs, bob, as_user
    ):
        absent = side_of(game, theirs)
        browser = as_user(bob)
        page = unescape(browser.get(game.get_absolute_url()).content.decode())
        assert "dora did not come" in page
        url = reverse("campaigns:game-settle", args=[game.pk])
        data = {"seen": game.version, "settle": f"no-show:{absent.pk}"}
        assert browser.post(url, data).status_code == 302
        game = Game.objects.get()
        assert (game.status, game.how, game.result) == ("confirmed", "no-show", "")
        assert side_of(game, hers).side == "winner" and side_of(game, theirs).side == "loser"
        page = unescape(browser.get(game.get_absolute_url()).content.decode())
        assert "did not come" in page and "Post-game still to play" not in page

    def test_players_are_notified_that_there_is_no_postgame(self, game, theirs, dora, bob):
        settled(game, bob, "walk-over", theirs)
        (notice,) = Notice.objects.filter(user=dora, kind="game_settled")
        assert "without a battle: Walk-over" in describe(notice)
        assert not Notice.objects.filter(kind="game_decided").exists()

    def test_second_press_is_stale_and_changes_nothing(self, game, hers, theirs, bob, as_user):
        url, browser = reverse("campaigns:game-settle", args=[game.pk]), as_user(bob)
        first = {"seen": game.version, "settle": f"no-show:{side_of(game, theirs).pk}"}
        second = {"seen": game.version, "settle": f"no-show:{side_of(game, hers).pk}"}
        assert browser.post(url, first).status_code == 302
        # A double click is no correction; another press needs a reason.
        assert browser.post(url, first).status_code == 302
        assert browser.post(url, second).status_code == 422
        assert browser.post(url, second | {"why": "a slip"}).status_code == 409
        assert side_of(game, theirs).side == "loser"

    def test_player_claims_it_and_the_other_player_confirms(
        self, game, theirs, alice, dora, as_user
    ):
        url = reverse("campaigns:game-settle", args=[game.pk])
        data = {"seen": game.version, "settle": f"conceded:{side_of(game, theirs).pk}"}
        assert as_user(alice).post(url, data).status_code == 302
        game = Game.objects.get()
        assert (game.status, game.how) == ("reported", "conceded")
        assert holds.find_unsettled(side_of(game, theirs).gang) is None
        game = confirmed(game, dora)
        assert game.status == "confirmed"

    def test_press_that_does_not_exist_is_refused_in_words(self, game, bob, as_user):
        url = reverse("campaigns:game-settle", args=[game.pk])
        answer = as_user(bob).post(url, {"seen": game.version, "settle": "played:1"})
        assert answer.status_code == 422
        assert Game.objects.get().status == "planned"

    def test_spectator_and_uninvolved_player_settle_nothing(self, campaign, game, theirs, as_user):
        eve = User.objects.create_user("eve", "eve@example.org", "correct horse battery")
        url = reverse("campaigns:game-settle", args=[game.pk])
        data = {"seen": game.version, "settle": f"no-show:{side_of(game, theirs).pk}"}
        assert as_user(eve).post(url, data).status_code == 404
        campaign.participants.create(user=eve, role="spectator")
        assert as_user(eve).post(url, data).status_code == 302
        campaign.participants.filter(user=eve).update(role="player")
        assert as_user(eve).post(url, data).status_code == 302
        assert Game.objects.get().status == "planned"
        assert not Game.objects.get().claims.exists()

    def test_report_of_an_organiser_can_settle_a_planned_game(
        self, game, hers, theirs, bob, as_user
    ):
        browser = as_user(bob)
        url = reverse("campaigns:game-report", args=[game.pk])
        data = report_data(browser, game) | {"decide": "1"}
        assert browser.post(url, data).status_code == 302
        assert Game.objects.get().status == "confirmed"


class TestUntouched:
    @pytest.mark.parametrize(
        "how", one_soon(["no-show", "walk-over", "conceded", "void", "abandoned"])
    )
    def test_result_without_a_battle_changes_no_gang_and_awaits_nothing(
        self, campaign, game, hers, theirs, alice, dora, bob, how
    ):
        before = {gang.pk: (gang.snapshot, gang.version) for gang in Gang.objects.all()}
        game = settled(game, bob, how, theirs)
        assert {gang.pk: (gang.snapshot, gang.version) for gang in Gang.objects.all()} == before
        for gang in (hers, theirs):
            assert holds.find_unsettled(gang) is None
            assert not joining.open_sides(gang).exists()
            with pytest.raises(Refusal, match="no_postgame"):
                drafts.load(side_of(game, gang))
        assert not games_waiting(alice) and not games_waiting(dora)
        assert not Side.objects.undone().exists() and not Side.objects.done().exists()

    def test_postgame_of_a_game_nobody_fought_has_no_page(
        self, game, hers, theirs, alice, bob, as_user
    ):
        game = settled(game, bob, "no-show", theirs)
        url = reverse("campaigns:postgame", args=[game.pk, side_of(game, hers).pk])
        assert as_user(alice).get(url).status_code == 404

    def test_absent_gang_can_leave_the_campaign(self, campaign, game, theirs, dora, bob):
        settled(game, bob, "no-show", theirs)
        joining.part(campaign, theirs, behind=False, actor=dora)
        assert campaign.memberships.get(gang=theirs).left_at is not None


class TestCounting:
    def test_only_the_side_that_came_has_a_win(self, campaign, game, hers, theirs, bob):
        settled(game, bob, "no-show", theirs)
        lines = lines_of(campaign)
        assert lines[str(hers.pk)].won == 1 and lines[str(hers.pk)].played == 1
        assert lines[str(theirs.pk)].played == 0

    @pytest.mark.parametrize("how", ["void", "abandoned"])
    def test_void_and_abandoned_games_count_for_nobody(
        self, campaign, game, hers, theirs, bob, how
    ):
        settled(game, bob, how)
        assert all(line.played == 0 for line in lines_of(campaign).values())

    def test_club_counts_a_no_show_as_a_loss_with_a_penalty(
        self, campaign, game, hers, theirs, bob
    ):
        paying(campaign, counts_loss=True, loser_points=-2, winner_points=3)
        settled(game, bob, "no-show", theirs)
        lines = lines_of(campaign)
        assert (lines[str(theirs.pk)].lost, lines[str(theirs.pk)].points) == (1, -2)
        assert (lines[str(hers.pk)].won, lines[str(hers.pk)].points) == (1, 3)

    def test_walk_over_is_a_line_of_the_chronicle_and_nothing_else(
        self, campaign, game, hers, theirs, bob
    ):
        settled(game, bob, "walk-over", theirs)
        season = load_season(campaign.pk).season
        assert not season.games and len(season.unfought) == 1
        sentences = [plain(season.book, line) for line in chronicle_lines(season)]
        assert any("by walk-over" in sentence for sentence in sentences)
        wins = figures(season, "wins")
        assert [row.who for row in wins.series] == [str(hers.pk)]
        assert not figures(season, "rating").series

    def test_changed_club_rules_change_the_standings(self, campaign, game, hers, theirs, bob):
        settled(game, bob, "no-show", theirs)
        assert lines_of(campaign)[str(theirs.pk)].lost == 0
        campaign.version += 1
        paying(campaign, counts_loss=True)
        assert lines_of(campaign)[str(theirs.pk)].lost == 1


class TestPaying:
    def test_buttons_say_what_the_result_brings(self, campaign, game, alice, as_user):
        paying(campaign, winner_money=7, counts_loss=True)
        page = as_user(alice).get(game.get_absolute_url())
        brings = [group.brings for group in page.context["unfought"].groups]
        assert brings[0].endswith("winner 7, loser 0 · a defeat for the side that did not come")
        assert not any(brings[1:])
        assert brings[0] in unescape(page.content.decode())

    def test_club_pays_the_side_that_came_with_one_entry(self, campaign, game, hers, theirs, bob):
        paying(campaign, winner_money=7)
        game = settled(game, bob, "no-show", theirs)
        hers.refresh_from_db()
        entry = hers.entries.order_by("seq").last()
        assert (entry.kind, entry.data["amount"], entry.data["why"]) == ("earned", 7, "unfought")
        assert entry.batch == side_of(game, hers).batch
        assert hers.roster.earned == 7
        assert lines_of(campaign)[str(hers.pk)].money == 7
        assert side_of(game, theirs).batch is None

    def test_undone_game_takes_the_payment_back_and_restoring_pays_it_again(
        self, campaign, game, hers, theirs, bob
    ):
        paying(campaign, winner_money=7)
        game = settled(game, bob, "no-show", theirs)
        versions = {gang.pk: gang.version for gang in Gang.objects.all()}
        strikes.strike_game(
            game,
            actor=bob,
            reason="wrong",
            expected_version=game.version,
            versions=versions,
            also={},
        )
        assert Gang.objects.get(pk=hers.pk).roster.earned == 0
        assert lines_of(campaign)[str(hers.pk)].won == 0
        game = Game.objects.get(pk=game.pk)
        strikes.restore_game(game, actor=bob, reason="right", expected_version=game.version)
        assert Gang.objects.get(pk=hers.pk).roster.earned == 7

    def test_correction_to_a_void_game_takes_the_payment_back(
        self, campaign, game, hers, theirs, bob
    ):
        paying(campaign, winner_money=7)
        game = settled(game, bob, "no-show", theirs)
        settled(game, bob, "void", why="both were ill")
        assert Gang.objects.get(pk=hers.pk).roster.earned == 0

    def test_correction_to_the_other_side_pays_the_other_side(
        self, campaign, game, hers, theirs, bob
    ):
        paying(campaign, winner_money=7)
        game = settled(game, bob, "no-show", theirs)
        settled(game, bob, "no-show", hers, why="the wrong one")
        assert Gang.objects.get(pk=hers.pk).roster.earned == 0
        assert Gang.objects.get(pk=theirs.pk).roster.earned == 7

    def test_game_that_was_fought_after_all_has_a_postgame(
        self, campaign, game, hers, theirs, alice, bob
    ):
        paying(campaign, winner_money=7)
        game = settled(game, bob, "no-show", theirs)
        sides = list(game.sides.select_related("gang"))
        told = {
            side.pk: SideAccount(
                "loser" if number else "winner",
                Report(fielded=tuple(member.id for member in side.gang.roster.members)),
            )
            for number, side in enumerate(sides)
        }
        account = Account(result="crushing", played_on=game.played_on, sides=told)
        version = game.version
        results.decide(game, account=account, actor=bob, expected_version=version, why="They came")
        assert Gang.objects.get(pk=hers.pk).roster.earned == 0
        side = committed(side_of(Game.objects.get(pk=game.pk), hers), alice)
        assert side.game.is_fought and drafts.is_done(side)

    def test_game_in_a_history_cannot_become_one_that_nobody_fought(
        self, game, hers, theirs, alice, dora, bob
    ):
        game = confirmed(reported(game, alice), dora)
        committed(side_of(game, hers), alice)
        game = Game.objects.get(pk=game.pk)
        with pytest.raises(Refusal, match="fought_already"):
            settled(game, bob, "void", why="no")

    def test_decision_keeps_a_battle_whose_income_somebody_gave_another_reason(
        self, game, hers, alice, dora, bob
    ):
        game = confirmed(reported(game, alice), dora)
        side = committed(side_of(game, hers), alice)
        gang = Gang.objects.get(pk=hers.pk)
        income = gang.entries.live().filter(kind="earned", batch=side.batch).first()
        reason = read_entry(income).model_copy(update={"why": "unfought", "key": None})
        strike, insert = instead(gang, income, reason)
        writer.revise(
            gang,
            strike=strike,
            insert=insert,
            expected_version=gang.version,
            actor=alice,
            batch=side.batch,
        )
        played, game = gang.roster, Game.objects.get(pk=game.pk)
        assert played.played and played.earned
        told = results.account_of(game, list(game.sides.select_related("gang")))
        version = game.version
        results.decide(game, account=told, actor=bob, expected_version=version, why="So it was")
        assert Gang.objects.get(pk=hers.pk).roster == played

    def test_payment_cannot_be_struck_in_one_gang_only(self, campaign, game, hers, theirs, bob):
        paying(campaign, winner_money=7)
        game = settled(game, bob, "no-show", theirs)
        side = side_of(game, hers)
        assert strikes.why_bound(side.gang, [side.batch]).code == "bound_to_game"


def test_file_carries_how_a_game_ended_and_what_it_paid(campaign, game, hers, theirs, alice, bob):
    paying(campaign, winner_money=7)
    settled(game, bob, "no-show", theirs)
    copy = import_text(export_campaign(campaign).decode(), alice)
    assert copy.special_results == campaign.special_results
    other = copy.games.get()
    assert (other.how, other.result, other.status) == ("no-show", "", "confirmed")
    assert other.claims.get().data["account"]["how"] == "no-show"
    assert sorted(line.money for line in lines_of(copy).values()) == [0, 7]


def test_spreadsheet_of_games_names_how_each_ended(campaign, game, theirs, bob):
    settled(game, bob, "no-show", theirs)
    _heading, rows = TABLES["games"][1](load_season(campaign.pk))
    assert [(row[3], row[6]) for row in rows] == [("No-show", "won"), ("No-show", "did not play")]
