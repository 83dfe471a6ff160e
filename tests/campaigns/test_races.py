"""Races about games, bargains and membership of a campaign.

Each press runs in a thread with its own connection, through the pages. In any order, nobody waits
for ever or sees a server error, the second person gets an explanation, and every gang equals its
entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from django.urls import reverse

from accounts.models import User
from campaigns.models import Bargain, Game, Membership, Participant, Side
from gangs.models import Gang
from tests.campaigns.games.test_results import new_data, report_data
from tests.campaigns.racing import PEOPLE, VICTORY, Evening, Press, fresh, race, told
from tests.world.campaigns import confirmed, make_game, make_player, reported, side_of
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def evening() -> Iterator[Evening]:
    """Two gangs; in the end every gang still replays."""
    made = Evening()
    yield made
    made.check()


# Claims


def report_press(evening: Evening, user: User, game: Game, winner: Gang) -> Press:
    """Return the press that sends a filled-in report."""
    client, game = evening.browser(user), fresh(game)
    data = report_data(client, game) | {"result": VICTORY, "winner": str(side_of(game, winner).pk)}
    address = reverse("campaigns:game-report", args=[game.pk])
    return lambda: client.post(address, data)


def agree_press(evening: Evening, user: User, game: Game) -> Press:
    game = fresh(game)
    claim = game.claim_id
    return evening.post(user, "game-verdict", game.pk, seen=game.version, claim=claim)


@pytest.mark.long
def test_slower_of_two_reports_is_explained_and_kept(evening: Evening) -> None:
    """The form still shows the slower player's text."""
    game = make_game(evening.campaign, evening.alice, evening.hers, evening.theirs)
    answers = race(
        report_press(evening, evening.alice, game, evening.hers),
        report_press(evening, evening.dora, game, evening.theirs),
    )
    words = told(answers, 302, 409)
    assert "Somebody else has sent a report in the meantime" in words
    assert fresh(game).status == "reported" and game.claims.count() == 1


@pytest.mark.long
def test_two_contradictions_at_the_same_time_are_both_stored(evening: Evening) -> None:
    """Two players report the game differently: both claims are stored, or one is sent again."""
    third = make_player(evening.campaign, evening.charlie)
    gangs = evening.hers, evening.theirs, third
    game = reported(
        make_game(evening.campaign, evening.alice, *gangs), evening.alice, result=VICTORY
    )
    answers = race(
        report_press(evening, evening.dora, game, evening.theirs),
        report_press(evening, evening.charlie, game, third),
    )
    assert "Somebody else has sent a report in the meantime" in told(answers, 302, 409)
    assert fresh(game).status == "disputed" and game.claims.count() == 2
    slower = evening.charlie if answers[1][0] == 409 else evening.dora
    again = report_press(
        evening, slower, game, third if slower == evening.charlie else evening.theirs
    )
    assert again().status_code == 302
    assert fresh(game).status == "disputed" and game.claims.count() == 3


def test_two_confirmations_at_the_same_time_succeed(evening: Evening) -> None:
    third = make_player(evening.campaign, evening.charlie)
    gangs = evening.hers, evening.theirs, third
    game = reported(
        make_game(evening.campaign, evening.alice, *gangs), evening.alice, result=VICTORY
    )
    people = evening.dora, evening.charlie, evening.dora
    told(race(*(agree_press(evening, user, game) for user in people)), 302, 302, 302)
    assert fresh(game).status == "confirmed"
    assert Side.objects.filter(game=game, verdict="confirmed").count() == 3


@pytest.mark.long
def test_confirmation_and_new_report_at_the_same_time_agree(evening: Evening) -> None:
    """Nobody confirms an account that they have not read."""
    game = evening.game()
    before = game.claim_id
    answers = race(
        agree_press(evening, evening.dora, game),
        report_press(evening, evening.alice, game, evening.theirs),
    )
    game = fresh(game)
    if game.status == "confirmed":
        assert answers[0][0] == 302 and game.claim_id == before
        assert answers[1][0] in (302, 409, 422) and answers[1][1]
    else:
        assert "in the meantime" in told(answers, 302, 409)
        assert answers[1][0] == 302 and game.status == "reported"
    assert evening.wins() == ([0, 1] if game.status == "confirmed" else [0, 0])


@pytest.mark.long
def test_confirmation_and_strike_of_an_earlier_game_both_succeed(evening: Evening) -> None:
    first = evening.confirmed()
    evening.settle(first)
    second = evening.game()
    told(
        race(evening.striking(first, evening.bob), agree_press(evening, evening.dora, second)),
        302,
        302,
    )
    assert [fresh(first).status, fresh(second).status] == ["struck", "confirmed"]
    assert evening.wins() == [0, 1]


@pytest.mark.long
def test_report_and_strike_of_an_earlier_game_both_succeed(evening: Evening) -> None:
    first = evening.confirmed()
    evening.settle(first)
    second = make_game(evening.campaign, evening.alice, evening.hers, evening.theirs)
    claim = report_press(evening, evening.dora, second, evening.theirs)
    worth = {gang.pk: [evening.gang(gang).rating] for gang in (evening.hers, evening.theirs)}
    told(race(claim, evening.striking(first, evening.bob)), 302, 302)
    assert [fresh(first).status, fresh(second).status] == ["struck", "reported"]
    # The ratings in the report are from either before or after the strike.
    for gang in (evening.hers, evening.theirs):
        worth[gang.pk].append(evening.gang(gang).rating)
        assert side_of(second, gang).rating in worth[gang.pk]


# Whole games


@pytest.mark.long
def test_only_one_of_two_organisers_strikes_a_game(evening: Evening) -> None:
    evening.campaign.participants.create(user=evening.charlie, role=Participant.Role.ORGANISER)
    game = evening.confirmed()
    evening.settle(game)
    people = evening.bob, evening.charlie
    answers = race(*(evening.striking(game, user) for user in people))
    if sorted(status for status, _ in answers) == [302, 409]:
        assert "has changed in the meantime" in told(answers, 302, 409)
    else:
        # The second organiser came too late: the game's page names the first.
        told(answers, 302, 302)
    game = fresh(game)
    assert game.status == "struck" and game.struck_by in people
    assert [evening.gang(gang).strikes.count() for gang in (evening.hers, evening.theirs)] == [1, 1]
    assert evening.wins() == [0, 0]


@pytest.mark.long
def test_strike_and_restore_at_the_same_time_agree(evening: Evening) -> None:
    first, second = evening.confirmed(), evening.game()
    evening.settle(first)
    second = confirmed(second, evening.dora)
    evening.striking(first, evening.bob)()
    back = evening.post(evening.bob, "game-restore", first.pk, seen=fresh(first).version, reason="")
    evening.campaign.participants.create(user=evening.charlie, role=Participant.Role.ORGANISER)
    strike = evening.striking(second, evening.charlie)
    answers = race(back, strike)
    assert answers[0][0] == 302
    assert fresh(first).status == "confirmed"
    assert answers[1][0] in (302, 409) and answers[1][1]
    assert evening.gang(evening.hers).roster.played == (str(first.pk),)


# Bargains


@pytest.fixture
def bargain(evening: Evening) -> Bargain:
    """Return an open offer of alice's gang."""
    return evening.offer()


def purses(evening: Evening) -> list[float]:
    """Return the treasuries of the gangs."""
    return [evening.gang(gang).roster.treasury for gang in (evening.hers, evening.theirs)]


@pytest.mark.long
@pytest.mark.parametrize("second", ["agree", "decline", "withdraw"])
def test_only_one_of_two_answers_to_an_offer_counts(
    evening: Evening, bargain: Bargain, second: str
) -> None:
    before = purses(evening)
    other = {"agree": evening.bob, "decline": evening.dora, "withdraw": evening.alice}[second]
    answers = race(
        evening.answering(bargain, evening.dora, "agree"),
        evening.answering(bargain, other, second),
    )
    assert "Somebody was faster" in told(answers, 302, 409)
    bargain.refresh_from_db()
    paid = 8 if bargain.status == "agreed" else 0
    assert purses(evening) == [before[0] - paid, before[1] + paid]


@pytest.mark.long
def test_agreement_during_a_correction_keeps_the_total_of_money(
    evening: Evening, bargain: Bargain
) -> None:
    before = purses(evening)
    answers = race(
        evening.answering(bargain, evening.dora, "agree"), evening.correcting(evening.hers)
    )
    words = told(answers, 302, 409)
    assert "Somebody was faster" in words or "in the meantime" in words
    bargain.refresh_from_db()
    if bargain.status == "agreed":
        assert purses(evening) == [before[0] - 8, before[1] + 8]
    else:
        assert purses(evening) == [before[0] - 1, before[1]]


@pytest.mark.long
def test_agreement_during_a_strike_frees_no_struck_captive(
    evening: Evening, bargain: Bargain
) -> None:
    """A member captured in a struck game was never captured."""
    before = sum(purses(evening))
    game = Game.objects.get()
    answers = race(
        evening.answering(bargain, evening.dora, "agree"), evening.striking(game, evening.bob)
    )
    bargain.refresh_from_db()
    if bargain.status == "agreed":
        assert answers[0][0] == 302 and answers[1][0] == 409 and answers[1][1]
        assert sum(purses(evening)) == before
    else:
        assert answers[1][0] == 302 and answers[0][0] in (409, 422) and answers[0][1]


# Coming and going


def plan_press(evening: Evening, *gangs: Gang) -> Press:
    """Return the press that plans a new game."""
    client = evening.browser(evening.bob)
    data = new_data(client, evening.campaign, *gangs)
    address = reverse("campaigns:game-new", args=[evening.campaign.pk])
    return lambda: client.post(address, data)


def test_leaving_and_planning_at_the_same_time_agree(evening: Evening) -> None:
    plan = plan_press(evening, evening.hers, evening.theirs)
    leave = evening.post(evening.dora, "leave", evening.campaign.pk, evening.theirs.pk)
    words = told(race(plan, leave), 302, 422)
    stays = Membership.objects.filter(gang=evening.theirs, left_at=None).exists()
    assert Game.objects.exists() == stays
    assert (str(evening.campaign.pk) in evening.gang(evening.theirs).roster.campaigns) == stays
    assert 'role="alert"' in words or "invalid-feedback" in words


def test_joining_while_a_game_is_planned_succeeds(evening: Evening) -> None:
    """A gang that joins is no part of a game planned without it."""
    third = make_gang(evening.charlie, PEOPLE)
    client = evening.browser(evening.charlie)
    address = reverse("campaigns:join", args=[evening.campaign.invite_key])
    data = {"gang": str(third.pk), f"seen-{third.pk}": third.version}
    plan = plan_press(evening, evening.hers, evening.theirs)
    told(race(lambda: client.post(address, data), plan), 302, 302)
    assert Membership.objects.filter(left_at=None).count() == 3
    assert Side.objects.count() == 2


def test_joining_twice_at_the_same_time_joins_once(evening: Evening) -> None:
    third = make_gang(evening.charlie, PEOPLE)
    address = reverse("campaigns:join", args=[evening.campaign.invite_key])
    data = {"gang": str(third.pk), f"seen-{third.pk}": third.version}
    windows = [evening.browser(evening.charlie) for _ in range(2)]
    answers = race(*(partial(window.post, address, data) for window in windows))
    assert [status for status, _page in answers] == [302, 302]
    assert evening.gang(third).entries.filter(kind="joined").count() == 1
    assert Membership.objects.filter(gang=third).count() == 1


@pytest.mark.long
def test_taking_a_gang_along_and_planning_at_the_same_time_agree(evening: Evening) -> None:
    """A gang that has played either leaves or plays on."""
    game = evening.confirmed()
    evening.settle(game)
    plan = plan_press(evening, evening.hers, evening.theirs)
    way = {f"gang-{evening.theirs.pk}": "take"}
    leave = evening.post(evening.dora, "leave", evening.campaign.pk, evening.theirs.pk, **way)
    told(race(plan, leave), 302, 422)
    stays = Membership.objects.filter(gang=evening.theirs, left_at=None).exists()
    assert Game.objects.count() == (2 if stays else 1)
