"""Races about a post-game: committing, answering, and correcting its result."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.urls import reverse

from accounts.models import Notice
from campaigns import throws
from campaigns.engine import answers as engine_answers
from campaigns.engine import rolls
from campaigns.engine.claims import Account, SideAccount
from campaigns.games import results
from campaigns.models import Game, Side, Throw
from campaigns.postgames import drafts, playing_all
from common.errors import Refusal, Stale
from gangs.engine.entries import Earned
from gangs.models import Gang
from tests.campaigns.racing import VICTORY, Evening, both, carrying_out, fresh, race, told
from tests.world.campaigns import answered, side_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def evening() -> Iterator[Evening]:
    """Two gangs; in the end every gang still replays."""
    made = Evening()
    yield made
    made.check()


@pytest.fixture
def both_have_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make two commits wait until both have read the post-game."""
    read, gang_of, thread = threading.Barrier(2), drafts.gang_of, threading.local()

    def wait(side: Side) -> Gang:
        gang = gang_of(side)
        is_commit = threading.current_thread() is not threading.main_thread()
        if is_commit and not hasattr(thread, "has_read"):
            thread.has_read = read.wait(120)
        return gang

    monkeypatch.setattr(drafts, "gang_of", wait)


@pytest.mark.usefixtures("both_have_read")
def test_only_one_of_two_windows_commits(evening: Evening) -> None:
    game = evening.confirmed()
    answers = race(*(evening.committing(game, evening.hers) for _ in range(2)))
    assert evening.gang(evening.hers).name in told(answers, 302, 409)
    assert evening.gang(evening.hers).entries.filter(kind="played").count() == 1


def test_both_players_can_commit_at_the_same_time(evening: Evening) -> None:
    game = evening.confirmed()
    gangs = evening.hers, evening.theirs
    told(race(*(evening.committing(game, gang) for gang in gangs)), 302, 302)
    assert all(evening.gang(gang).roster.played == (str(game.pk),) for gang in gangs)


def test_two_presses_for_all_post_games_play_each_once(evening: Evening) -> None:
    game = evening.confirmed()
    keys = list(game.sides.order_by("pk").values_list("pk", flat=True))
    press = partial(playing_all.play_all, evening.campaign, keys, actor=evening.bob)
    told(race(carrying_out(press), carrying_out(press), in_step=True), 302, 302)
    for gang in (evening.hers, evening.theirs):
        assert evening.gang(gang).entries.filter(kind="played").count() == 1
    assert Notice.objects.filter(kind="postgame_played").count() == 2


@pytest.mark.parametrize("in_step", [False, True])
def test_player_and_press_for_all_play_a_post_game_once(evening: Evening, in_step: bool) -> None:
    game = evening.confirmed()
    side = side_of(game, evening.hers)
    press = partial(playing_all.play_all, evening.campaign, [side.pk], actor=evening.bob)
    answers = race(evening.committing(game, evening.hers), carrying_out(press), in_step=in_step)
    assert answers[0][0] in (302, 409) and answers[1][0] == 302
    assert evening.gang(evening.hers).entries.filter(kind="played").count() == 1


def test_commit_during_a_strike_is_whole_or_refused(evening: Evening) -> None:
    """The strike includes the commit, or comes first and prevents it."""
    game = evening.confirmed()
    evening.settle(game, evening.theirs)
    answers = race(evening.committing(game, evening.hers), evening.striking(game, evening.bob))
    if fresh(game).status == "struck":
        assert answers[1][0] == 302
        assert answers[0][0] == 302 and answers[0][1]
        assert evening.gang(evening.hers).roster.played == ()
    else:
        assert "has changed in the meantime" in told(answers, 302, 409)
        assert evening.gang(evening.hers).roster.played == (str(game.pk),)


def test_commit_from_before_the_strike_is_refused(evening: Evening) -> None:
    """The same, one after the other: data loaded before the strike does not count."""
    game = evening.confirmed()
    side = answered(side_of(game, evening.hers))
    evening.striking(game, evening.bob)()
    assert side.game.status == "confirmed" and side.gang is not None
    with pytest.raises(Refusal, match="not_confirmed"):
        drafts.commit(
            side, seen_draft=side.draft_version, seen_gang=side.gang.version, actor=evening.alice
        )
    assert evening.gang(evening.hers).roster.played == ()


@pytest.mark.long
def test_each_button_of_a_struck_game_leads_to_the_game(evening: Evening) -> None:
    """The post-game is still open in a browser; the game's page shows the reason."""
    game = evening.confirmed()
    side = answered(side_of(game, evening.hers))
    evening.striking(game, evening.bob)()
    browser = evening.browser(evening.alice)
    for name in ("answer", "correct", "commit"):
        address = reverse(f"campaigns:postgame-{name}", args=[game.pk, side.pk])
        answer = browser.post(address, {"seen": side.draft_version}, follow=True)
        assert answer.redirect_chain == [(game.get_absolute_url(), 302)]
        assert "This game is undone" in answer.content.decode()
    answer = browser.post(address, headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == game.get_absolute_url()
    stranger = evening.browser(evening.charlie)
    assert stranger.post(address).status_code == 404


def deciding(evening: Evening, game: Game, winner: Gang) -> Callable[[], None]:
    """Return the press by which the organiser corrects a confirmed result."""
    game = fresh(game)
    sides = list(game.sides.select_related("gang"))
    account = results.account_of(game, sides)
    said = {
        side.pk: SideAccount(
            "winner" if side.gang == winner else "loser", account.sides[side.pk].report
        )
        for side in sides
    }
    return partial(
        results.decide,
        game,
        account=Account(result=VICTORY, played_on=account.played_on, note="", sides=said),
        actor=evening.bob,
        expected_version=game.version,
        why="The other way round.",
    )


def test_answer_waits_for_a_correction_of_the_result(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No answer gets in between the organiser's read of the post-games and their write."""
    game = evening.confirmed(marks={1: "out"})
    side = side_of(game, evening.hers)
    key = next(iter(drafts.load(side).playthrough.requests))
    decide = deciding(evening, game, evening.theirs)
    going_on = threading.Event()
    write = results._write

    def slowly(*args: Any) -> None:
        going_on.set()
        time.sleep(0.3)
        write(*args)

    monkeypatch.setattr(results, "_write", slowly)

    def answer() -> None:
        assert going_on.wait(120)
        change = partial(engine_answers.roll, change=partial(rolls.throw_one, key=key))
        with pytest.raises(Stale):
            drafts.answer(
                drafts.load(side), change, expected_version=side.draft_version, actor=evening.alice
            )

    both(decide, answer)
    assert side_of(game, evening.hers).draft_version == side.draft_version + 1


def test_commit_during_a_correction_is_reopened(evening: Evening) -> None:
    """A commit based on the earlier result is opened to be played again."""
    game = evening.confirmed()
    commit, decide = evening.committing(game, evening.hers), deciding(evening, game, evening.theirs)
    outcome = []

    def correct() -> Any:
        try:
            decide()
            outcome.append("decided")
        except Stale:
            outcome.append("stale")
        return evening.post(evening.bob, "game-verdict", game.pk, seen=-1)()

    answers = race(commit, correct)
    assert outcome == ["decided"]
    side = side_of(game, evening.hers)
    assert side.kind == "loser"
    if answers[0][0] == 302:
        assert drafts.is_done(side) and side.correcting
    else:
        assert answers[0][0] == 409 and "changed in another window" in answers[0][1]
        assert not drafts.is_done(side)


def test_throw_during_a_correction_does_not_deadlock(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One locks the side and writes a throw, the other locks the game and writes the side."""
    game = evening.confirmed(marks={1: "out"})
    side = side_of(game, evening.hers)
    key = next(iter(drafts.load(side).playthrough.requests))
    decide = deciding(evening, game, evening.theirs)
    going_on = threading.Event()
    keep = throws.keep_changes

    def slowly(*args: Any) -> None:
        going_on.set()
        time.sleep(0.3)
        keep(*args)

    monkeypatch.setattr(throws, "keep_changes", slowly)

    def throw() -> None:
        change = partial(engine_answers.roll, change=partial(rolls.throw_one, key=key))
        drafts.answer(
            drafts.load(side), change, expected_version=side.draft_version, actor=evening.alice
        )

    def correct() -> None:
        assert going_on.wait(120)
        decide()

    both(throw, correct)
    assert Throw.objects.filter(side=side, key=key).count() == 1
    assert side_of(game, evening.hers).draft_version > side.draft_version


def test_correction_and_commit_at_the_same_time_agree(evening: Evening) -> None:
    evening.give(evening.hers, Earned(amount=3, why="gift"))
    game = evening.confirmed()
    answers = race(evening.committing(game, evening.hers), evening.correcting(evening.hers))
    words = told(answers, 302, 409)
    assert "changed in another window" in words or "in the meantime" in words
    hers = evening.gang(evening.hers)
    corrected = hers.strikes.count()
    assert corrected + len(hers.roster.played) == 1


def test_correction_of_the_result_and_of_the_post_game_agree(
    evening: Evening, request: pytest.FixtureRequest
) -> None:
    """Two people open the post-game to be played again: it is played again once."""
    game = evening.confirmed()
    evening.settle(game)
    side = side_of(game, evening.hers)
    data = {"seen": side.draft_version}
    opening = [
        evening.post(user, "postgame-correct", game.pk, side.pk, **data)
        for user in (evening.bob, evening.alice)
    ]
    told(race(*opening), 302, 302)
    side = side_of(game, evening.hers)
    request.getfixturevalue("both_have_read")
    assert side.correcting and side.draft_version == data["seen"] + 1
    data = {
        "seen": side.draft_version,
        "seen_gang": evening.gang(evening.hers).version,
        "reason": "A die was read wrongly.",
    }
    both = [
        evening.post(user, "postgame-commit", game.pk, side.pk, **data)
        for user in (evening.bob, evening.alice)
    ]
    told(race(*both), 302, 409)
    assert evening.gang(evening.hers).strikes.count() == 1
