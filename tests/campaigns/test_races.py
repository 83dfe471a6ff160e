"""Races about games, bargains, and who is in a campaign.

Each press in a thread, with a connection of its own, through the pages. Whatever comes first,
nobody waits for ever or sees an error of the server, whoever came second is told in words, and
every gang is what its entries say.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from functools import partial

import pytest
from django.urls import reverse

from accounts.models import User
from campaigns.engine.captives import Terms
from campaigns.games.captives import bargains
from campaigns.models import Bargain, Game, Membership, Participant, Side
from gangs.engine.entries import Earned, Suffered
from gangs.ledger import writer
from gangs.models import Gang
from tests.campaigns.games.test_results import new_data, report_data
from tests.campaigns.racing import PEOPLE, VICTORY, Evening, Press, fresh, race, told
from tests.world.campaigns import confirmed, make_game, make_player, reported, side_of
from tests.world.gangs import make_gang

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def evening() -> Iterator[Evening]:
    """Two gangs, and whatever came of it, every gang replays."""
    made = Evening()
    yield made
    made.check()


# Claims


def saying(evening: Evening, user: User, game: Game, winner: Gang) -> Press:
    """The report form, filled in."""
    client, game = evening.browser(user), fresh(game)
    data = report_data(client, game) | {"result": VICTORY, "winner": str(side_of(game, winner).pk)}
    address = reverse("campaigns:game-report", args=[game.pk])
    return lambda: client.post(address, data)


def agreeing(evening: Evening, user: User, game: Game) -> Press:
    game = fresh(game)
    claim = game.claim_id
    return evening.post(user, "game-verdict", game.pk, seen=game.version, claim=claim)


def test_both_claim_at_once(evening: Evening) -> None:
    """The one who is slower is told, and what they typed is in the form."""
    game = make_game(evening.campaign, evening.alice, evening.hers, evening.theirs)
    answers = race(
        saying(evening, evening.alice, game, evening.hers),
        saying(evening, evening.dora, game, evening.theirs),
    )
    words = told(answers, 302, 409)
    assert "Somebody else has sent a report in the meantime" in words
    assert fresh(game).status == "reported" and game.claims.count() == 1


@pytest.mark.long
def test_both_contradict_at_once(evening: Evening) -> None:
    """Two others tell a reported game differently: both claims stand, or one is sent again."""
    third = make_player(evening.campaign, evening.charlie)
    gangs = evening.hers, evening.theirs, third
    game = reported(
        make_game(evening.campaign, evening.alice, *gangs), evening.alice, result=VICTORY
    )
    answers = race(
        saying(evening, evening.dora, game, evening.theirs),
        saying(evening, evening.charlie, game, third),
    )
    assert "Somebody else has sent a report in the meantime" in told(answers, 302, 409)
    assert fresh(game).status == "disputed" and game.claims.count() == 2
    slower = evening.charlie if answers[1][0] == 409 else evening.dora
    again = saying(evening, slower, game, third if slower == evening.charlie else evening.theirs)
    assert again().status_code == 302
    assert fresh(game).status == "disputed" and game.claims.count() == 3


def test_both_confirm_at_once(evening: Evening) -> None:
    """It does not matter who was first: all agree."""
    third = make_player(evening.campaign, evening.charlie)
    gangs = evening.hers, evening.theirs, third
    game = reported(
        make_game(evening.campaign, evening.alice, *gangs), evening.alice, result=VICTORY
    )
    people = evening.dora, evening.charlie, evening.dora
    told(race(*(agreeing(evening, user, game) for user in people)), 302, 302, 302)
    assert fresh(game).status == "confirmed"
    assert Side.objects.filter(game=game, verdict="confirmed").count() == 3


def test_one_confirms_and_the_other_tells_it_again(evening: Evening) -> None:
    """Agreed as it was, or not agreed: never agreed on what nobody has read."""
    game = evening.game()
    before = game.claim_id
    answers = race(
        agreeing(evening, evening.dora, game),
        saying(evening, evening.alice, game, evening.theirs),
    )
    game = fresh(game)
    if game.status == "confirmed":
        assert answers[0][0] == 302 and game.claim_id == before
        assert answers[1][0] in (302, 409, 422) and answers[1][1]
    else:
        assert "in the meantime" in told(answers, 302, 409)
        assert answers[1][0] == 302 and game.status == "reported"
    assert evening.wins() == ([0, 1] if game.status == "confirmed" else [0, 0])


def test_a_confirmation_while_the_game_before_is_struck(evening: Evening) -> None:
    first = evening.confirmed()
    evening.settle(first)
    second = evening.game()
    told(
        race(evening.striking(first, evening.bob), agreeing(evening, evening.dora, second)),
        302,
        302,
    )
    assert [fresh(first).status, fresh(second).status] == ["struck", "confirmed"]
    assert evening.wins() == [0, 1]


def test_a_claim_while_the_game_before_is_struck(evening: Evening) -> None:
    first = evening.confirmed()
    evening.settle(first)
    second = make_game(evening.campaign, evening.alice, evening.hers, evening.theirs)
    claim = saying(evening, evening.dora, second, evening.theirs)
    worth = {gang.pk: [evening.gang(gang).rating] for gang in (evening.hers, evening.theirs)}
    told(race(claim, evening.striking(first, evening.bob)), 302, 302)
    assert [fresh(first).status, fresh(second).status] == ["struck", "reported"]
    # What the gangs are worth in the report is either before the strike or after it.
    for gang in (evening.hers, evening.theirs):
        worth[gang.pk].append(evening.gang(gang).rating)
        assert side_of(second, gang).rating in worth[gang.pk]


# Whole games


def test_two_organisers_strike_the_same_game(evening: Evening) -> None:
    evening.campaign.participants.create(user=evening.charlie, role=Participant.Role.ORGANISER)
    game = evening.confirmed()
    evening.settle(game)
    people = evening.bob, evening.charlie
    answers = race(*(evening.striking(game, user) for user in people))
    if sorted(status for status, _ in answers) == [302, 409]:
        assert "has changed in the meantime" in told(answers, 302, 409)
    else:
        # The second came when it was done: they are led to the game, which says who did it.
        told(answers, 302, 302)
    game = fresh(game)
    assert game.status == "struck" and game.struck_by in people
    assert [evening.gang(gang).strikes.count() for gang in (evening.hers, evening.theirs)] == [1, 1]
    assert evening.wins() == [0, 0]


def test_struck_and_put_back_at_once(evening: Evening) -> None:
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
    """Somebody of hers is theirs, and she offers eight for them."""
    game = evening.confirmed()
    evening.settle(game)
    for gang in (evening.hers, evening.theirs):
        evening.give(gang, Earned(amount=50, why="gift"))
    member = evening.gang(evening.hers).roster.members[0].id
    now = evening.gang(evening.hers)
    taken = [Suffered(member=member, condition="captured", captors=(str(evening.theirs.pk),))]
    batch = side_of(game, evening.hers).batch
    writer.append(now, taken, expected_version=now.version, actor=None, batch=batch)
    evening.give(evening.hers, Earned(amount=1, why="gift"))
    return bargains.offer(
        evening.campaign,
        evening.gang(evening.hers),
        evening.gang(evening.theirs),
        Terms(frees=(("giver", member),), ransom=8, payer="giver"),
        note="",
        actor=evening.alice,
        token=uuid.uuid4(),
    )


def answering_it(evening: Evening, bargain: Bargain, user: User, act: str) -> Press:
    """One answer to an offer."""
    giver, taker = (evening.gang(gang).version for gang in (evening.hers, evening.theirs))
    data = {"act": act, "seen_giver": giver, "seen_taker": taker}
    return evening.post(user, "bargain-answer", evening.campaign.pk, bargain.pk, **data)


def purses(evening: Evening) -> list[float]:
    """What the gangs have."""
    return [evening.gang(gang).roster.treasury for gang in (evening.hers, evening.theirs)]


@pytest.mark.parametrize("second", ["agree", "decline", "withdraw"])
def test_two_answers_to_a_bargain(evening: Evening, bargain: Bargain, second: str) -> None:
    before = purses(evening)
    other = {"agree": evening.bob, "decline": evening.dora, "withdraw": evening.alice}[second]
    answers = race(
        answering_it(evening, bargain, evening.dora, "agree"),
        answering_it(evening, bargain, other, second),
    )
    assert "Somebody was faster" in told(answers, 302, 409)
    bargain.refresh_from_db()
    paid = 8 if bargain.status == "agreed" else 0
    assert purses(evening) == [before[0] - paid, before[1] + paid]


def test_agreed_while_one_gang_is_corrected(evening: Evening, bargain: Bargain) -> None:
    before = purses(evening)
    answers = race(
        answering_it(evening, bargain, evening.dora, "agree"), evening.correcting(evening.hers)
    )
    words = told(answers, 302, 409)
    assert "Somebody was faster" in words or "in the meantime" in words
    bargain.refresh_from_db()
    if bargain.status == "agreed":
        assert purses(evening) == [before[0] - 8, before[1] + 8]
    else:
        assert purses(evening) == [before[0] - 1, before[1]]


def test_agreed_while_the_game_is_struck(evening: Evening, bargain: Bargain) -> None:
    """Whoever was taken in a game that is taken back was never taken."""
    before = sum(purses(evening))
    game = Game.objects.get()
    answers = race(
        answering_it(evening, bargain, evening.dora, "agree"), evening.striking(game, evening.bob)
    )
    bargain.refresh_from_db()
    if bargain.status == "agreed":
        assert answers[0][0] == 302 and answers[1][0] == 409 and answers[1][1]
        assert sum(purses(evening)) == before
    else:
        assert answers[1][0] == 302 and answers[0][0] in (409, 422) and answers[0][1]


# Coming and going


def planning_it(evening: Evening, *gangs: Gang) -> Press:
    """The form of a new game."""
    client = evening.browser(evening.bob)
    data = new_data(client, evening.campaign, *gangs)
    address = reverse("campaigns:game-new", args=[evening.campaign.pk])
    return lambda: client.post(address, data)


def test_leaving_while_a_game_is_planned(evening: Evening) -> None:
    plan = planning_it(evening, evening.hers, evening.theirs)
    leave = evening.post(evening.dora, "leave", evening.campaign.pk, evening.theirs.pk)
    words = told(race(plan, leave), 302, 422)
    stays = Membership.objects.filter(gang=evening.theirs, left_at=None).exists()
    assert Game.objects.exists() == stays
    assert (str(evening.campaign.pk) in evening.gang(evening.theirs).roster.campaigns) == stays
    assert 'role="alert"' in words or "invalid-feedback" in words


def test_joining_while_a_game_is_planned(evening: Evening) -> None:
    """Who joins is no part of a game that was planned without them."""
    third = make_gang(evening.charlie, PEOPLE)
    client = evening.browser(evening.charlie)
    address = reverse("campaigns:join", args=[evening.campaign.invite_key])
    data = {"gang": str(third.pk), f"seen-{third.pk}": third.version}
    plan = planning_it(evening, evening.hers, evening.theirs)
    told(race(lambda: client.post(address, data), plan), 302, 302)
    assert Membership.objects.filter(left_at=None).count() == 3
    assert Side.objects.count() == 2


def test_joining_twice_at_once(evening: Evening) -> None:
    third = make_gang(evening.charlie, PEOPLE)
    address = reverse("campaigns:join", args=[evening.campaign.invite_key])
    data = {"gang": str(third.pk), f"seen-{third.pk}": third.version}
    windows = [evening.browser(evening.charlie) for _ in range(2)]
    answers = race(*(partial(window.post, address, data) for window in windows))
    assert [status for status, _page in answers] == [302, 302]
    assert evening.gang(third).entries.filter(kind="joined").count() == 1
    assert Membership.objects.filter(gang=third).count() == 1


def test_taking_a_gang_along_while_a_game_is_planned(evening: Evening) -> None:
    """One that has played leaves, or plays on."""
    game = evening.confirmed()
    evening.settle(game)
    plan = planning_it(evening, evening.hers, evening.theirs)
    way = {f"gang-{evening.theirs.pk}": "take"}
    leave = evening.post(evening.dora, "leave", evening.campaign.pk, evening.theirs.pk, **way)
    told(race(plan, leave), 302, 422)
    stays = Membership.objects.filter(gang=evening.theirs, left_at=None).exists()
    assert Game.objects.count() == (2 if stays else 1)
