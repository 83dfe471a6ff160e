"""Spending on rolled dice: the figures that may spend, the dice that change and those that stay."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid5

import pytest

from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.roll import (
    Faces,
    PendingRoll,
    find_offers,
    find_roll,
    foresee_offers,
    keep_dice,
    play_faces,
    replay,
    spend,
    spent_in_with,
    take_faces,
    throw_more,
)
from campaigns.table.taps import Rolled
from rules.book.model import Book
from rules.engine.compiling import ready
from rules.engine.odds import odds
from rules.engine.playing import Missing, Wanted
from rules.odds.chances import Patience, with_spend
from rules.odds.results import with_spends
from tests.world.attempts import Bout, figure, table
from tests.world.tables import NAMESPACE


def lay(bout: Bout, made: Attempt, faces: Faces) -> PendingRoll:
    """Put rolled dice on the table, as the log has them."""
    played = play_faces(made.question(bout.start, bout.now), faces)
    tap = keep_dice(made, played, thrown=False, is_open=True)
    data = tap.model_dump(exclude_defaults=True, exclude={"kind"})
    bout.tap("rolled", act="lies", **data)
    found = find_roll(bout.folded, uuid5(NAMESPACE, "lies"))
    assert found is not None
    return found


def thrown(bout: Bout, made: Attempt, face: Callable[[Wanted], int]) -> PendingRoll:
    """Put dice on the table that show the results of ``face``."""
    asked, faces = made.question(bout.start, bout.now), list[tuple[int, ...]]()
    while True:
        try:
            play_faces(asked, tuple(faces))
        except Missing as missing:
            wanted = missing.wanted
            faces.append((face(wanted),) * wanted.dice)
        else:
            return lay(bout, made, tuple(faces))


def offers_of(bout: Bout, pending: PendingRoll) -> list[tuple[str, str, int | None]]:
    found = find_offers(bout.folded, pending)
    return [(one.spend.key, one.payer, one.left) for one in found]


@pytest.fixture
def western(blackwater: Book) -> Bout:
    gambler = figure("leader", "remington_army", profession="gambler")
    return Bout(
        table(
            blackwater,
            [gambler, figure("henchman", "winchester")],
            [figure("henchman", "knife"), figure("leader", "navy_revolver")],
        )
    )


def test_leader_may_spend_luck_and_gambler_more(western: Bout) -> None:
    pending = lay(western, western.attempt("shot", "1.1", "2.1", "remington_army"), ((1,),))
    assert pending.rolled.open and not pending.is_settled
    assert offers_of(western, pending) == [
        ("luck_die_hit", "1.1", 3),
        ("luck_again_hit", "1.1", 3),
        ("gambler_hit", "1.1", 1),
    ]
    western.tap("set", figure="1.1", track="luck", to=0)
    assert offers_of(western, pending) == [("gambler_hit", "1.1", 1)]


def test_target_may_repeat_a_save(western: Bout) -> None:
    shot = western.attempt("shot", "1.2", "2.2", "winchester")
    pending = thrown(western, shot, lambda wanted: 6 if wanted.step == "hits" else 1)
    assert offers_of(western, pending) == [
        ("luck_die_save", "2.2", 3),
        ("luck_again_save", "2.2", 3),
    ]


def test_leader_lends_their_luck(western: Bout) -> None:
    shot = western.attempt("shot", "1.2", "2.1", "winchester", near_leader=1)
    pending = thrown(western, shot, lambda wanted: 1)
    assert offers_of(western, pending) == [("lent_hit", "1.1", 3)]
    western.tap("out", figure="1.1")
    assert offers_of(western, pending) == []


def test_spending_luck_rolls_only_new_dice(western: Bout) -> None:
    pending = lay(western, western.attempt("shot", "1.1", "2.1", "remington_army"), ((1,),))
    asked = pending.attempt.question(western.start, pending.before)
    with pytest.raises(Missing) as missing:
        spend(asked, pending.rolled, "luck_again_hit", take_faces(()))
    wanted = missing.value.wanted
    assert (wanted.dice, wanted.sides, wanted.again) == (1, 6, True)
    played = spend(asked, pending.rolled, "luck_again_hit", take_faces(((6,), (1,))))
    assert [one.faces for one in played.throws] == [(1,), (6,), (1,)]
    assert played.outcome == "out"
    one_more = spend(asked, pending.rolled, "luck_die_hit", take_faces(((6,), (6,))))
    assert [one.faces for one in one_more.throws] == [(1, 6), (6,)]
    assert one_more.outcome == "saved"


def test_earlier_spending_is_kept_when_more_is_spent(western: Bout) -> None:
    pending = lay(western, western.attempt("shot", "1.1", "2.1", "remington_army"), ((1,),))
    asked = pending.attempt.question(western.start, pending.before)
    once = spend(asked, pending.rolled, "luck_again_hit", take_faces(((2,),)))
    rolled = keep_dice(pending.attempt, once, thrown=False, spent=("luck_again_hit",), is_open=True)
    assert play_faces(asked, rolled.faces, rolled.spent).throws == once.throws
    twice = spend(asked, rolled, "luck_die_hit", throw_more(lambda sides: 6))
    assert [one.faces for one in twice.throws][:2] == [(1, 6), (2,)]


def test_trait_used_once_a_turn_returns_next_turn(du_sang: Book) -> None:
    lucky = figure("leader", "pistol", traits=("lucky",))
    bout = Bout(table(du_sang, [lucky], [figure("henchman", "sabre")]))
    shot = bout.attempt("shot", "1.1", "2.1", "pistol")
    pending = lay(bout, shot, ((1, 1, 1, 1), (6, 6)))
    assert [key for key, _who, _left in offers_of(bout, pending)] == ["lucky"]
    bout.tap("rolled", **{**pending.rolled.model_dump(exclude={"kind"}), "spent": ("lucky",)})
    assert offers_of(bout, pending) == []
    bout.tap("turn")
    again = PendingRoll(shot, bout.now, pending.rolled, is_settled=False, seen=1)
    assert [key for key, _who, _left in offers_of(bout, again)] == ["lucky"]
    # Dice that still wait from the turn before are dice of that turn.
    assert offers_of(bout, pending) == []
    bout.tap("rolled", **{**pending.rolled.model_dump(exclude={"kind"}), "spent": ("lucky",)})
    assert offers_of(bout, again) == []


def test_trait_used_this_turn_is_still_there_for_dice_of_the_turn_before(du_sang: Book) -> None:
    lucky = figure("leader", "pistol", traits=("lucky",))
    bout = Bout(table(du_sang, [lucky], [figure("henchman", "sabre")]))
    pending = lay(bout, bout.attempt("shot", "1.1", "2.1", "pistol"), ((1, 1, 1, 1), (6, 6)))
    bout.tap("turn")
    bout.tap("rolled", **{**pending.rolled.model_dump(exclude={"kind"}), "spent": ("lucky",)})
    assert [key for key, _who, _left in offers_of(bout, pending)] == ["lucky"]


@pytest.fixture
def gunfight(blackwater: Book) -> Bout:
    leader = figure(
        "leader", "navy_revolver", "navy_revolver", profession="doctor", points={"rc": 1}
    )
    foes = [figure("leader", "knife"), figure("henchman", "knife")]
    return Bout(table(blackwater, [leader], foes))


def rounds_of(bout: Bout, pending: PendingRoll) -> list[str]:
    return [one.value for one in find_offers(bout.folded, pending)]


def test_luck_is_offered_for_each_attack_that_was_rolled(gunfight: Bout) -> None:
    shots = gunfight.attempt("two_shots", "1.1", "2.1", "navy_revolver")
    pending = thrown(gunfight, shots, lambda wanted: 1)
    assert rounds_of(gunfight, pending) == [
        "luck_die_hit 1",
        "luck_die_hit 2",
        "luck_again_hit 1",
        "luck_again_hit 2",
    ]
    # Here the first shot ends the roll: there is no second, and nothing better to come.
    weak = gunfight.attempt("two_shots", "1.1", "2.2", "navy_revolver")
    pending = thrown(gunfight, weak, lambda wanted: 6 if wanted.step == "hits" else 1)
    assert pending.rolled.faces == ((6, 6), (1,))
    assert rounds_of(gunfight, pending) == []
    # Here the second one did: after one more hit it would be free.
    pending = lay(gunfight, shots, ((6, 6), (1, 1, 1), (6, 1), (1, 1, 1)))
    assert pending.rolled.outcome == "out"
    assert rounds_of(gunfight, pending)[0] == "luck_die_hit 1"


def spent(bout: Bout, pending: PendingRoll, key: str, faces: Faces, *rounds: int) -> PendingRoll:
    """Return the roll after something was spent on it, with these new dice."""
    asked = pending.attempt.question(bout.start, pending.before)
    played = spend(asked, pending.rolled, key, take_faces(faces), rounds)
    rolled = keep_dice(
        pending.attempt,
        played,
        thrown=False,
        spent=(*pending.rolled.spent, key),
        spent_in=spent_in_with(pending.rolled, rounds),
        is_open=True,
    )
    # The log gives back the same dice.
    assert Rolled.model_validate_json(rolled.model_dump_json()) == rolled
    again = replay(asked, rolled)
    assert (again.throws, again.outcome) == (played.throws, played.outcome)
    return pending.with_dice(rolled)


def test_luck_rolls_one_die_for_the_chosen_attack_only(gunfight: Bout) -> None:
    shots = gunfight.attempt("two_shots", "1.1", "2.1", "navy_revolver")
    pending = thrown(gunfight, shots, lambda wanted: 1)
    assert pending.rolled.faces == ((1, 1), (1, 1))
    second = spent(gunfight, pending, "luck_die_hit", ((6,), (1, 1, 1)), 2)
    assert second.rolled.faces == ((1, 1), (1, 1, 6), (1, 1, 1))
    assert (second.rolled.spent_in, second.rolled.numbers) == (((2,),), {"total": 1})
    # Then the other player spends on the same attack, and the first on the other attack.
    saved = spent(gunfight, second, "luck_again_save", ((6,),), 2)
    assert saved.rolled.faces == ((1, 1), (1, 1, 6), (1, 1, 1), (6,))
    assert saved.rolled.numbers == {"total": 0}
    both = spent(gunfight, saved, "luck_again_hit", ((6,), (1, 1, 1)), 1)
    assert both.rolled.faces == ((1, 1), (6,), (1, 1, 1), (1, 1, 6), (1, 1, 1), (6,))
    assert (both.rolled.spent_in, both.rolled.numbers) == (((2,), (2,), (1,)), {"total": 1})


def test_spending_of_an_older_log_counts_in_every_round(gunfight: Bout) -> None:
    shots = gunfight.attempt("two_shots", "1.1", "2.1", "navy_revolver")
    asked = shots.question(gunfight.start, gunfight.now)
    faces = ((1, 1, 1), (1, 1, 1))
    played = play_faces(asked, faces, ("luck_die_hit",))
    assert [one.faces for one in played.throws] == [*faces]
    rolled = keep_dice(shots, played, thrown=True, spent=("luck_die_hit",), is_open=True)
    assert rolled.spent_in == () and replay(asked, rolled).outcome == "unhurt"
    # Anything spent on it today counts once.
    pending = PendingRoll(shots, gunfight.now, rolled, is_settled=False, seen=1)
    later = spent(gunfight, pending, "luck_die_hit", ((1,),), 2)
    assert later.rolled.faces == ((1, 1, 1), (1, 1, 1, 1))
    assert later.rolled.spent_in == ((), (2,))


def test_spending_outside_loops_is_logged_without_rounds(western: Bout) -> None:
    pending = lay(western, western.attempt("shot", "1.1", "2.1", "remington_army"), ((1,),))
    again = spent(western, pending, "luck_again_hit", ((2,),))
    assert again.rolled.spent_in == ()
    assert rounds_of(western, again) == ["luck_die_hit"]


def test_odds_of_spending_are_those_of_its_best_round(gunfight: Bout) -> None:
    shots = gunfight.attempt("two_shots", "1.1", "2.1", "navy_revolver")
    asked = shots.question(gunfight.start, gunfight.now)
    row = asked.book.spend["luck_die_hit"]
    [change] = with_spend(asked, row, Patience(60))
    made = [ready(asked.rules, "two_shots", (row.key,), ((number,),)) for number in (1, 2)]
    scores = [asked.measure.score(odds(one, asked.names)) for one in made]
    assert change.score == max(scores) > asked.score
    assert scores[change.path[0][1] - 1] == max(scores)
    every = asked.measure.score(odds(ready(asked.rules, "two_shots", (row.key,)), asked.names))
    assert change.score < every
    [shown] = with_spends(asked, [row])
    assert "Shot" in shown.name


def test_offers_exclude_spending_without_effect(western: Bout) -> None:
    shot = western.attempt("shot", "1.2", "2.1", "winchester")
    assert offers_of(western, thrown(western, shot, lambda wanted: 6)) == []


def test_final_dice_are_settled(western: Bout) -> None:
    pending = lay(western, western.attempt("shot", "1.1", "2.1", "remington_army"), ((1,),))
    data = pending.rolled.model_copy(update={"open": False}).model_dump(
        exclude_defaults=True, exclude={"kind"}
    )
    western.tap("rolled", act="lies", **data)
    found = find_roll(western.folded, uuid5(NAMESPACE, "lies"))
    assert found is not None and found.is_settled and found.seen == 2
    assert isinstance(found.rolled, Rolled)
    assert find_roll(western.folded, uuid5(NAMESPACE, "nothing")) is None


def test_odds_are_shown_with_and_without_spending(western: Bout) -> None:
    """Includes everything that thrower and target still have, and nothing that is used up."""
    shot = western.attempt("shot", "1.1", "2.1", "remington_army")

    def shown() -> list[str]:
        offers = foresee_offers(western.folded, shot)
        rows = [one.spend for one in offers]
        asked = shot.question(western.start, western.now)
        found = [*with_spends(asked, rows)]
        assert len(found) <= len(rows) and all(row.value and row.change for row in found)
        return [row.key for row in rows]

    assert shown() == ["luck_die_hit", "luck_again_hit", "gambler_hit"]
    western.tap("set", figure="1.1", track="luck", to=0)
    assert shown() == ["gambler_hit"]
