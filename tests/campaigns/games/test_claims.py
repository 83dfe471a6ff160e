"""Claims about a game: all have equal weight until the players agree or an organiser decides."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.urls import reverse

from accounts import notices
from accounts.models import Notice
from campaigns.engine.claims import (
    Account,
    ClaimData,
    ClaimRow,
    SideAccount,
    find_agreed,
    standing,
)
from campaigns.engine.report import Report
from campaigns.games import results
from campaigns.holds import find_unsettled
from campaigns.models import Claim, Game, Side
from common.errors import Refusal, Stale
from gangs.models import Gang
from tests.campaigns.games.test_results import report_data
from tests.campaigns.postgames.test_drafts import committed
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    side_of,
)


@pytest.fixture
def game(campaign, hers, theirs, alice):
    return make_game(campaign, alice, hers, theirs)


@pytest.fixture
def third(campaign, charlie):
    """A third player's gang."""
    return make_player(campaign, charlie)


def fresh(game):
    return Game.objects.get(pk=game.pk)


def standing_of(game):
    game = fresh(game)
    return results.claims_of(game, list(game.sides.select_related("gang")))


def claim_of(game, user):
    return next(claim.pk for claim in standing_of(game) if claim.actor == user.pk)


def verdicts(game):
    return [side.verdict for side in game.sides.all()]


def winners(game):
    return [side.name for side in game.sides.all() if side.side == "winner"]


def tell(game, actor, winner=0, note=""):
    """Report that the side with number ``winner`` won."""
    game = fresh(game)
    sides = list(game.sides.select_related("gang"))
    told = {
        side.pk: SideAccount(
            "winner" if place == winner else "loser",
            Report(fielded=tuple(member.id for member in side.gang.roster.members)),
        )
        for place, side in enumerate(sides)
    }
    results.report(
        game,
        Account(result="crushing", played_on=game.played_on, note=note, sides=told),
        actor=actor,
        expected_version=game.version,
    )
    return fresh(game)


def account(game, winner=0, note=""):
    """Return the account that ``tell`` reports."""
    sides = list(game.sides.select_related("gang"))
    told = {
        side.pk: SideAccount(
            "winner" if place == winner else "loser",
            Report(fielded=tuple(member.id for member in side.gang.roster.members)),
        )
        for place, side in enumerate(sides)
    }
    return Account(result="crushing", played_on=game.played_on, note=note, sides=told)


class TestEqualWeight:
    @pytest.mark.parametrize("whose", ["first", "second"])
    def test_either_claim_can_be_agreed_on(self, game, alice, dora, whose):
        """The order of the claims does not matter."""
        tell(game, alice, winner=0)
        game = tell(game, dora, winner=1)
        assert game.status == "disputed" and len(standing_of(game)) == 2
        gives_in, wins = (dora, alice) if whose == "first" else (alice, dora)
        results.confirm(
            game, actor=gives_in, expected_version=game.version, claim=claim_of(game, wins)
        )
        game = fresh(game)
        assert game.status == "confirmed" and verdicts(game) == ["confirmed", "confirmed"]
        assert [side.side for side in game.sides.all()].index("winner") == (wins == dora)

    def test_disputed_game_locks_no_gang_and_opens_no_post_game(
        self, game, hers, theirs, alice, dora
    ):
        tell(game, alice, winner=0)
        tell(game, dora, winner=1)
        for gang in (hers, theirs):
            assert find_unsettled(Gang.objects.get(pk=gang.pk)) is None
        with pytest.raises(Refusal, match="not_confirmed"):
            committed(side_of(fresh(game), hers), alice)

    def test_changed_claim_clears_confirmations(
        self, campaign, hers, theirs, third, alice, dora, charlie
    ):
        game = make_game(campaign, alice, hers, theirs, third)
        game = confirmed(tell(game, alice), charlie)
        assert verdicts(game) == ["confirmed", "", "confirmed"]
        game = tell(game, alice, note="Rain")
        assert verdicts(game) == ["confirmed", "", ""]
        assert game.note == "Rain" and game.status == "reported"

    def test_each_of_three_sides_counts_for_itself(
        self, campaign, hers, theirs, third, alice, dora, charlie
    ):
        """Two sides agree on one claim, then the third joins them."""
        game = make_game(campaign, alice, hers, theirs, third)
        tell(game, alice, winner=0)
        tell(game, dora, winner=1)
        game = fresh(game)
        results.confirm(
            game, actor=charlie, expected_version=game.version, claim=claim_of(game, dora)
        )
        game = fresh(game)
        assert game.status == "disputed" and winners(game) == [hers.name]
        results.confirm(
            game, actor=alice, expected_version=game.version, claim=claim_of(game, dora)
        )
        game = fresh(game)
        assert game.status == "confirmed" and game.reported_by == dora
        assert [side.side for side in game.sides.all()] == ["loser", "winner", "loser"]

    def test_objection_in_words_disputes_a_report(self, game, alice, dora):
        game = tell(game, alice)
        results.dispute(game, comment="I won that!", actor=dora, expected_version=game.version)
        assert fresh(game).status == "disputed" and len(standing_of(game)) == 1
        game = confirmed(fresh(game), dora)
        assert game.status == "confirmed"
        assert side_of(game, game.sides.last().gang).comment == ""

    def test_equal_claims_still_need_an_agreement(self, game, alice, dora):
        """Two equal claims are still two: one of them has to be agreed on."""
        tell(game, alice)
        game = tell(game, dora)
        assert len(standing_of(game)) == 2 and game.status == "disputed"

    def test_playing_organiser_confirms_only_their_own_side(
        self, campaign, hers, third, alice, bob
    ):
        bobs = make_player(campaign, bob)
        game = tell(make_game(campaign, alice, hers, third, bobs), alice)
        game = confirmed(game, bob)
        assert game.status == "reported" and verdicts(game) == ["confirmed", "", "confirmed"]

    def test_same_claim_sent_twice_is_stored_once(self, game, alice):
        game = tell(game, alice)
        results.report(
            game,
            Account(result="crushing", played_on=game.played_on, sides=account(game).sides),
            actor=alice,
            expected_version=0,
        )
        assert Claim.objects.count() == 1 and fresh(game).version == game.version

    def test_confirming_twice_is_harmless(self, game, alice, dora):
        game = tell(game, alice)
        claim = claim_of(game, alice)
        for _ in range(2):
            results.confirm(fresh(game), actor=dora, expected_version=game.version, claim=claim)
        assert fresh(game).status == "confirmed"

    def test_confirming_a_replaced_claim_is_refused(self, game, alice, dora):
        first = claim_of(tell(game, alice), alice)
        game = tell(game, alice, note="Rain")
        with pytest.raises(Stale):
            results.confirm(game, actor=dora, expected_version=game.version - 1, claim=first)

    def test_disputed_own_claim_can_still_be_agreed_on(self, game, alice, dora):
        """Its author no longer supports it, but it is still the claim in force."""
        game = tell(game, alice)
        results.dispute(game, comment="No.", actor=alice, expected_version=game.version)
        game = confirmed(fresh(game), dora)
        assert game.status == "disputed" and verdicts(game) == ["disputed", "confirmed"]
        game = confirmed(fresh(game), alice)
        assert game.status == "confirmed"
        assert ClaimData.model_validate(Claim.objects.get().data).behind == tuple(
            side.pk for side in game.sides.all()
        )

    def test_reporter_cannot_withdraw_a_game_that_others_reported(self, game, alice, dora):
        tell(game, alice)
        game = tell(game, dora, winner=1)
        assert game.reported_by == alice
        with pytest.raises(Refusal, match="told_otherwise"):
            results.withdraw(game, actor=alice, expected_version=game.version)


class TestDeciding:
    @pytest.fixture
    def quarrel(self, game, alice, dora):
        tell(game, alice, winner=0)
        return tell(game, dora, winner=1)

    def test_organiser_decides_for_a_claim(self, quarrel, dora, bob):
        claim = claim_of(quarrel, dora)
        results.decide(quarrel, claim=claim, actor=bob, expected_version=quarrel.version)
        game = fresh(quarrel)
        assert game.status == "confirmed" and game.reported_by == dora
        assert [side.side for side in game.sides.all()] == ["loser", "winner"]
        said = ClaimData.model_validate(game.claim.data)
        assert said.decided and said.taken == claim and game.claim.actor == bob

    def test_organiser_decides_with_their_own_account(self, quarrel, bob):
        statement = account(quarrel, winner=1, note="I was there")
        results.decide(quarrel, account=statement, actor=bob, expected_version=quarrel.version)
        game = fresh(quarrel)
        assert game.status == "confirmed" and game.note == "I was there"

    def test_player_cannot_decide(self, quarrel, alice, dora):
        with pytest.raises(Refusal, match="not_organiser"):
            results.decide(quarrel, claim=claim_of(quarrel, alice), actor=alice, expected_version=0)

    def test_decision_from_a_stale_page_is_refused(self, quarrel, alice, bob):
        with pytest.raises(Stale):
            results.decide(
                quarrel,
                claim=claim_of(quarrel, alice),
                actor=bob,
                expected_version=quarrel.version - 1,
            )

    def test_correction_needs_a_reason_and_reopens_the_post_game(
        self, game, hers, theirs, alice, dora, bob, as_user
    ):
        """Only a committed post-game is opened to be played again."""
        game = confirmed(tell(game, alice, winner=0), dora)
        side = answered(side_of(game, hers))
        committed(side, alice)
        game = fresh(game)
        other = account(game, winner=1)
        with pytest.raises(Refusal, match="reason_missing"):
            results.decide(game, account=other, actor=bob, expected_version=game.version)
        before = side_of(game, hers).draft
        results.decide(
            game, account=other, actor=bob, expected_version=game.version, why="Wrong way round"
        )
        game = fresh(game)
        assert game.status == "confirmed" and winners(game) == [theirs.name]
        assert ClaimData.model_validate(game.claim.data).why == "Wrong way round"
        side = side_of(game, hers)
        assert side.correcting and side.kept_draft == before
        assert not side_of(game, theirs).correcting
        told = Notice.objects.filter(user=alice).first()
        assert told is not None and told.kind == "game_corrected"
        assert hers.name in notices.describe(told)
        page = as_user(alice).get(game.get_absolute_url()).content.decode()
        assert "play your post-game again" in page

    def test_correction_of_the_note_reopens_no_post_game(self, game, hers, alice, dora, bob):
        game = confirmed(tell(game, alice), dora)
        committed(answered(side_of(game, hers)), alice)
        game = fresh(game)
        told = account(game, note="Rain")
        results.decide(
            game, account=told, actor=bob, expected_version=game.version, why="A note was missing"
        )
        assert fresh(game).note == "Rain" and not side_of(game, hers).correcting

    def test_order_of_members_reopens_no_post_game(self, game, hers, alice, dora, bob):
        game = confirmed(tell(game, alice), dora)
        committed(answered(side_of(game, hers)), alice)
        game = fresh(game)
        told = account(game)
        side = side_of(game, hers)
        turned = told.sides[side.pk].report.fielded[::-1]
        assert len(turned) > 1
        report = told.sides[side.pk].report.model_copy(update={"fielded": turned})
        told.sides[side.pk] = SideAccount(told.sides[side.pk].side, report)
        results.decide(
            game, account=told, actor=bob, expected_version=game.version, why="Looked at it again"
        )
        assert not side_of(game, hers).correcting

    def test_struck_game_accepts_no_claim_decision_or_withdrawal(self, game, alice, dora, bob):
        game = tell(game, alice)
        Game.objects.update(status="struck")
        game = fresh(game)
        told = account(game)
        with pytest.raises(Refusal, match="game_struck"):
            tell(game, dora, winner=1)
        with pytest.raises(Refusal, match="game_struck"):
            results.decide(game, account=told, actor=bob, expected_version=game.version, why="!")
        with pytest.raises(Refusal, match="game_struck"):
            results.withdraw(game, actor=bob, expected_version=game.version)


class TestPages:
    def test_claims_are_shown_side_by_side_with_their_differences(
        self, game, alice, dora, bob, as_user
    ):
        tell(game, alice, winner=0)
        game = tell(game, dora, winner=1)
        page = as_user(dora).get(game.get_absolute_url())
        text = page.content.decode()
        assert "alice says" in text and "dora says" in text
        assert "I agree with this one" in text and "You agree with this one" in text
        assert "Decide for the report of" not in text
        ours, theirs = game.sides.all()
        assert page.context["differences"] == [
            (f"{ours.name} (alice): the outcome", ["won", "lost"]),
            (f"{theirs.name} (dora): the outcome", ["lost", "won"]),
        ]
        assert (
            "Decide for alice’s version"
            in as_user(bob).get(game.get_absolute_url()).content.decode()
        )

    def test_outcome_is_repeated_above_the_button_that_confirms_it(
        self, game, alice, dora, as_user
    ):
        game = tell(game, alice, winner=0)
        ours, theirs = game.sides.all()
        said = f"Crushing victory · {ours.name} (alice) won"
        text = as_user(dora).get(game.get_absolute_url()).content.decode()
        assert text.rindex(said) > text.index("Is that how it went?")
        assert text.rindex(said) < text.index("Yes, confirm")
        game = tell(game, dora, winner=1)
        page = as_user(dora).get(game.get_absolute_url())
        other = f"Crushing victory · {theirs.name} (dora) won"
        assert [line.outcome for line in page.context["claims"]] == [said, other]

    def test_only_an_organiser_decides_on_the_page(self, game, alice, dora, bob, as_user):
        tell(game, alice, winner=0)
        game = tell(game, dora, winner=1)
        url = reverse("campaigns:game-verdict", args=[game.pk])
        data = {"seen": game.version, "claim": claim_of(game, dora), "confirm": "1"}
        assert as_user(bob).get(url).status_code == 405
        decide = {"seen": game.version, "decide": claim_of(game, alice)}
        assert as_user(dora).post(url, decide).status_code == 422
        assert as_user(bob).post(url, decide).status_code == 302
        assert fresh(game).status == "confirmed"
        text = as_user(dora).get(game.get_absolute_url()).content.decode()
        assert "bob, an organiser, decided for alice’s version." in text
        assert as_user(alice).post(url, data).status_code == 422

    def test_player_sends_another_claim_once(self, game, alice, dora, as_user):
        tell(game, alice, winner=0)
        browser, game = as_user(dora), fresh(game)
        data = report_data(browser, game)
        data |= {"winner": str(game.sides.last().pk)}
        url = reverse("campaigns:game-report", args=[game.pk])
        assert browser.post(url, data).status_code == 302
        assert browser.post(url, data).status_code == 302  # a double click
        assert fresh(game).status == "disputed" and Claim.objects.count() == 2

    def test_organiser_corrects_a_confirmed_result_on_the_page(
        self, game, alice, dora, bob, as_user
    ):
        game = confirmed(tell(game, alice), dora)
        browser = as_user(bob)
        url = reverse("campaigns:game-report", args=[game.pk])
        data = report_data(browser, game) | {"winner": str(game.sides.last().pk)}
        answer = browser.post(url, data)
        assert answer.status_code == 422
        answer = browser.post(url, data | {"why": "Wrong way round"}, follow=True)
        assert answer.redirect_chain and [one.level_tag for one in answer.context["messages"]]
        text = as_user(alice).get(game.get_absolute_url()).content.decode()
        assert "bob, an organiser, decided how it went." in text and "Wrong way round" in text
        assert as_user(alice).get(url).status_code == 302


def test_last_supported_claim_of_each_person_is_standing(game):
    """The claim of a person without a side is standing even without support."""
    told = account(game)

    def claim(pk, actor, *behind):
        return ClaimRow(pk, actor, ClaimData(account=told, behind=behind))

    claims = [claim(1, 7, 1), claim(2, 8, 2), claim(3, 7), claim(4, 9), claim(5, None, 3)]
    assert [one.pk for one in standing(claims, [7, 8])] == [2, 4, 5]
    assert find_agreed(claims, [2]).pk == 2
    assert find_agreed(claims, [1, 2]) is None


def test_agreeing_with_another_claim_withdraws_the_own_claim(game, alice, dora, bob):
    """Otherwise the other player could agree with a claim that nobody supports."""
    game = tell(game, bob, winner=0)
    game = tell(game, alice, winner=1)
    own, theirs = claim_of(game, alice), claim_of(game, bob)
    results.confirm(game, actor=alice, expected_version=game.version, claim=theirs)
    assert [one.pk for one in standing_of(game)] == [theirs]
    with pytest.raises(Stale):
        results.confirm(fresh(game), actor=dora, expected_version=fresh(game).version, claim=own)
    assert fresh(game).status == "reported"


@pytest.mark.django_db(transaction=True)
def test_all_confirmations_at_the_same_time_succeed(bob, alice, dora, charlie):
    campaign = make_campaign(bob)
    players = [dora, charlie]
    gangs = [make_player(campaign, user) for user in (alice, dora, charlie)]
    game = tell(make_game(campaign, alice, *gangs), alice)
    claim = claim_of(game, alice)
    start = threading.Barrier(len(players))

    def confirm(user) -> str:
        try:
            own = Game.objects.select_related("campaign").get(pk=game.pk)
            start.wait()
            results.confirm(own, actor=user, expected_version=game.version, claim=claim)
        except (Stale, Refusal) as error:
            return type(error).__name__
        finally:
            connection.close()
        return "agreed"

    with ThreadPoolExecutor(len(players)) as pool:
        assert list(pool.map(confirm, players)) == ["agreed", "agreed"]
    assert fresh(game).status == "confirmed"
    assert Side.objects.filter(game=game, verdict="confirmed").count() == 3


@pytest.mark.django_db(transaction=True)
def test_only_one_of_two_reports_at_the_same_time_is_stored(bob, alice, dora):
    """The slower player gets a message, and the first report is kept whole."""
    campaign = make_campaign(bob)
    gangs = [make_player(campaign, user) for user in (alice, dora)]
    game = make_game(campaign, alice, *gangs)
    start = threading.Barrier(2)

    def say(place: int) -> str:
        try:
            own = Game.objects.select_related("campaign").get(pk=game.pk)
            told = account(own, winner=place)
            start.wait()
            results.report(
                own,
                Account(result="crushing", played_on=own.played_on, sides=told.sides),
                actor=(alice, dora)[place],
                expected_version=0,
            )
        except Stale:
            return "told"
        finally:
            connection.close()
        return "written"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(say, (0, 1))) == ["told", "written"]
    assert Claim.objects.count() == 1 and fresh(game).status == "reported"
