"""The post-game's script, played without a database."""

from __future__ import annotations

from functools import partial

import pytest

from campaigns.engine import answers as engine_answers
from campaigns.engine import rolls
from campaigns.engine.report import TAKEN_OUT, Answers, PromotionAnswer, Report
from campaigns.engine.script import play, points_earned
from common.errors import Refusal
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from gangs.engine.valuation import gang_rating, member_rating
from rules.book.model import Book
from rules.engine.dice import BadFaces, DiceRoll
from tests.world.campaigns import make_situation
from tests.world.gangs import rostered

NOBODY = Answers(done=("promotions", "recruits", "new_leader"))


def founded(book: Book, sample: int = 0, **settings: str | int) -> Roster:
    entries = actions.found_from_sample(book, book.samples[sample])
    roster = rostered(book, entries)
    return roster.model_copy(update={"settings": roster.settings | settings})


def ranked(roster: Roster, rank: str) -> list[int]:
    return [member.id for member in roster.members if member.rank == rank]


def rise(member: int, promotion: str = "new_leader") -> PromotionAnswer:
    return PromotionAnswer(promotion=promotion, member=member)


def table(*faces: int, dice: str = "") -> DiceRoll:
    return DiceRoll(dice=dice or f"{len(faces)}d6", faces=faces, thrown_by="table")


def everyone(roster: Roster) -> tuple[int, ...]:
    return tuple(member.id for member in roster.members)


class TestGold:
    @pytest.mark.parametrize(
        "result, side, money",
        [
            ("crushing", "winner", 4),
            ("crushing", "loser", 1),
            ("inglorious", "winner", 2),
            ("inglorious", "loser", 1),
            ("draw", "level", 2),
            ("nobody_one", "level", 1),
        ],
    )
    def test_it_pays_the_result(self, gold: Book, result: str, side: str, money: int) -> None:
        roster = founded(gold)
        through = play(gold, roster, 100, make_situation(roster, result, side), NOBODY)
        assert through.complete
        assert through.roster.treasury == money
        assert roster.treasury == 0

    def test_what_was_agreed_on_is_paid(self, gold: Book) -> None:
        roster = founded(gold, players="more")
        report = Report(fielded=everyone(roster), money=3)
        game_report = make_situation(roster, "agreed", "level", report=report)
        assert play(gold, roster, 100, game_report, NOBODY).roster.treasury == 3

    def test_the_removed_are_dead_and_a_second_becomes_leader(self, gold: Book) -> None:
        roster = founded(gold)
        [leader], second = ranked(roster, "leader"), ranked(roster, "second")[0]
        report = Report(fielded=everyone(roster), marks={leader: "dead"})
        game_report = make_situation(roster, "crushing", "winner", report=report)
        answers = NOBODY.model_copy(update={"promotions": (rise(second),)})
        through = play(gold, roster, 100, game_report, answers)
        assert through.complete
        assert ranked(through.roster, "leader") == [second]
        assert through.roster.treasury == 4 - 2
        assert through.roster.departed[0].fate == "dead"
        assert member_rating(gold, through.roster, through.roster.member(second)).total >= 4

    def test_no_two_leaders(self, gold: Book) -> None:
        roster = founded(gold)
        second = ranked(roster, "second")[0]
        answers = Answers(promotions=(rise(second),))
        through = play(gold, roster, 100, make_situation(roster, "crushing", "winner"), answers)
        assert [unmet.refusal.code for unmet in through.step("promotions").refused] == [
            "promotion_full"
        ]
        assert not through.complete

    def test_a_henchman_does_not_become_leader(self, gold: Book) -> None:
        roster = founded(gold)
        [leader], henchman = ranked(roster, "leader"), ranked(roster, "henchman")[0]
        report = Report(fielded=everyone(roster), marks={leader: "dead"})
        game_report = make_situation(roster, "crushing", "winner", report=report)
        answers = Answers(promotions=(rise(henchman),))
        state = play(gold, roster, 100, game_report, answers).step("promotions")
        assert [unmet.refusal.code for unmet in state.refused] == ["gone"]

    def test_a_second_rises_and_a_henchman_after_them(self, gold: Book) -> None:
        roster = founded(gold)
        [leader], [second] = ranked(roster, "leader"), ranked(roster, "second")
        henchman = ranked(roster, "henchman")[0]
        report = Report(fielded=everyone(roster), marks={leader: "dead"})
        game_report = make_situation(roster, "crushing", "winner", report=report)
        both = (rise(henchman, "new_second"), rise(second))
        answers = NOBODY.model_copy(update={"promotions": both})
        through = play(gold, roster, 100, game_report, answers)
        assert through.complete
        assert through.roster.treasury == 4 - 1 - 2
        assert ranked(through.roster, "second") == [henchman]

    def test_nobody_rises_twice(self, gold: Book) -> None:
        roster = founded(gold)
        [leader], henchman = ranked(roster, "leader"), ranked(roster, "henchman")[0]
        report = Report(fielded=everyone(roster), marks={leader: "dead"})
        game_report = make_situation(roster, "crushing", "winner", report=report)
        answers = Answers(promotions=(rise(henchman, "new_second"), rise(henchman)))
        state = play(gold, roster, 100, game_report, answers).step("promotions")
        assert [unmet.refusal.code for unmet in state.refused] == ["gone"]

    def test_recruits_are_paid_from_the_treasury(self, gold: Book) -> None:
        roster = founded(gold)
        hire = {"rank": "henchman", "name": "Marie"}
        answers = Answers.model_validate(
            {"recruits": [hire] * 2, "done": ["promotions", "recruits"]}
        )
        game_report = make_situation(roster, "crushing", "winner")
        through = play(gold, roster, 100, game_report, answers)
        assert through.complete
        assert through.roster.treasury == 2
        assert len(through.roster.members) == len(roster.members) + 2

    def test_no_more_recruits_than_the_treasury_pays(self, gold: Book) -> None:
        roster = founded(gold)
        hire = {"rank": "henchman", "name": ""}
        answers = Answers.model_validate(
            {"recruits": [hire] * 2, "done": ["promotions", "recruits"]}
        )
        game_report = make_situation(roster, "crushing", "loser")
        through = play(gold, roster, 100, game_report, answers)
        assert [unmet.refusal.code for unmet in through.step("recruits").refused] == ["too_dear"]
        assert through.roster.treasury == 0

    @pytest.mark.parametrize("cap, room", [("session", 2), ("size", 0), ("total", 2)])
    def test_the_cap_on_recruits(self, gold: Book, cap: str, room: int) -> None:
        roster = founded(gold, recruit_cap=cap)
        game_report = make_situation(roster, "crushing", "winner")
        answers = Answers(done=("promotions",))
        hiring = play(gold, roster, 100, game_report, answers).step("recruits").hiring
        assert hiring is not None
        # As many again as there are, or none (the band never grows), but never over seven in all.
        assert (len(roster.members), hiring.room) == (5, room)


class TestPoints:
    def injured(self, points: Book, *faces: int, rolls: dict[str, DiceRoll] | None = None):
        roster = founded(points)
        member = roster.members[1].id
        report = Report(fielded=everyone(roster), marks={member: "out"})
        game_report = make_situation(roster, "victory", "winner", report=report)
        key = f"injuries:{member}:injury"
        answered = {key: table(*faces)} | {
            name.format(key=key): roll for name, roll in (rolls or {}).items()
        }
        answers = Answers(rolls=answered, done=("new_leader", "recruits"))
        return roster, member, play(points, roster, 1000, game_report, answers)

    def test_it_waits_for_the_roll(self, points: Book) -> None:
        roster = founded(points)
        member = roster.members[1].id
        report = Report(fielded=everyone(roster), marks={member: "out"})
        game_report = make_situation(roster, "victory", "winner", report=report)
        through = play(points, roster, 1000, game_report, Answers())
        [state, *later] = through.steps
        assert [asked.dice for asked in state.waiting] == ["2d6"]
        assert {other.status for other in later} == {"later"}

    def test_snake_eyes_kill(self, points: Book) -> None:
        _, member, through = self.injured(points, 1, 1)
        assert member not in everyone(through.roster)
        assert any(isinstance(entry, kinds.Rolled) for entry in through.entries)

    def test_a_critical_injury_asks_which_and_lasts_the_next_game(self, points: Book) -> None:
        _, member, waiting = self.injured(points, 2, 2)
        assert [asked.dice for asked in waiting.steps[0].waiting] == ["1d6"]
        key = waiting.steps[0].waiting[0].key
        roster, member, through = self.injured(points, 2, 2, rolls={key: table(3)})
        [suffered] = through.roster.member(member).afflictions
        assert (suffered.condition, suffered.games_left) == ("weak_sta", 1)
        game_report = make_situation(through.roster, "victory", "loser")
        after = play(points, through.roster, 2000, game_report, NOBODY)
        assert after.roster.member(member).afflictions == ()

    def test_a_weapon_is_lost_to_a_die(self, points: Book) -> None:
        roster, member, through = self.injured(points, 3, 3)
        before = len(roster.member(member).items)
        if through.steps[0].waiting:
            [asked] = through.steps[0].waiting
            rolls = {asked.key: table(1, dice=asked.dice)}
            roster, member, through = self.injured(points, 3, 3, rolls=rolls)
        assert len(through.roster.member(member).items) == before - 1

    def test_experience_is_given_per_award(self, points: Book) -> None:
        roster = founded(points)
        first, second = roster.members[0].id, roster.members[1].id
        report = Report(fielded=(first, second), counts={TAKEN_OUT: {first: 2}})
        game_report = make_situation(
            roster, "victory", "winner", report=report, rating=100, opponents=(110,)
        )
        through = play(points, roster, 1000, game_report, NOBODY)
        earned = {member.id: member.experience for member in through.roster.members}
        assert earned[first] == 1 + 2 + 1 + 1
        assert earned[second] == 1 + 1 + 1
        # The others were not there: they earn only what everybody does.
        assert {earned[member.id] for member in roster.members[2:]} == {1}
        more = points_earned(points, roster, through.roster)
        assert {member.id: count for member, count in more} == {first: 1}
        before = gang_rating(points, roster).total
        assert gang_rating(points, through.roster).total == before + sum(earned.values())

    def test_facing_an_intimidating_gang_teaches_everybody(self, points: Book) -> None:
        """Also those who did not play; the dead learn nothing."""
        roster = founded(points)
        ids = [member.id for member in roster.members]
        game_report = make_situation(
            roster,
            "victory",
            "loser",
            rating=100,
            opponents=(110,),
            report=Report(fielded=tuple(ids[1:]), marks={ids[1]: "out"}),
        )
        asked = play(points, roster, 1000, game_report, NOBODY).requests
        answers = Answers(rolls=dict.fromkeys(asked, table(1, 1)))
        through = play(points, roster, 1000, game_report, answers)
        experience = {member.id: member.experience for member in through.roster.members}
        assert experience == {ids[0]: 1, **dict.fromkeys(ids[2:], 2)}

    def test_just_short_of_intimidating(self, points: Book) -> None:
        roster = founded(points)
        game_report = make_situation(roster, "victory", "loser", rating=100, opponents=(109,))
        through = play(points, roster, 1000, game_report, NOBODY)
        assert {member.experience for member in through.roster.members} == {1}

    def test_the_ceiling_holds(self, points: Book) -> None:
        roster = founded(points, xp_ceiling=2)
        game_report = make_situation(roster, "victory", "winner", rating=100, opponents=(200,))
        through = play(points, roster, 1000, game_report, NOBODY)
        assert {member.experience for member in through.roster.members} == {2}

    def test_income_counts_the_nuggets(self, points: Book) -> None:
        roster = founded(points)
        report = Report(fielded=everyone(roster), tallies={"nuggets": 3})
        game_report = make_situation(roster, "victory", "winner", report=report)
        assert play(points, roster, 1000, game_report, NOBODY).roster.treasury == 10 + 15

    def test_money_may_be_left_out(self, points: Book) -> None:
        roster = founded(points, money="no")
        game_report = make_situation(roster, "victory", "winner")
        through = play(points, roster, 1000, game_report, NOBODY)
        assert through.roster.treasury == 0
        assert "income" not in [state.step.key for state in through.steps]

    @pytest.mark.parametrize(
        "decision, in_gang, held", [("stay", 1, 1), ("freed", 1, 0), ("lost", 0, 0)]
    )
    def test_a_captive(self, points: Book, decision: str, in_gang: int, held: int) -> None:
        _, member, through = self.injured(points, 1, 2)
        state = through.step("ransoms")
        assert [(one.member.id, one.chosen.value, one.about.fresh) for one in state.questions] == [
            (member, "stay", True)
        ]
        # Nobody is asked whether they were rescued from those who have taken them in this game.
        assert state.status == "done"
        with pytest.raises(Refusal, match="not_offered"):
            engine_answers.choose(through, NOBODY, f"ransoms:{member}", "freed")
        captured = through.roster
        game_report = make_situation(captured, "victory", "winner")
        waiting = play(points, captured, 2000, game_report, NOBODY).step("ransoms")
        assert (waiting.status, waiting.questions[0].about.fresh) == ("open", False)
        answers = Answers(choices={f"ransoms:{member}": decision}, done=NOBODY.done)
        after = play(points, captured, 2000, game_report, answers)
        assert after.complete
        assert (member in everyone(after.roster)) == bool(in_gang)
        if held:
            assert after.roster.member(member).afflictions[0].condition == "captured"


class TestAnswering:
    def playthrough(self, points: Book, answers: Answers):
        roster = founded(points)
        report = Report(fielded=everyone(roster), marks={everyone(roster)[1]: "out"})
        game_report = make_situation(roster, "victory", "winner", report=report)
        return play(points, roster, 1000, game_report, answers)

    def test_what_the_app_threw_stands(self, points: Book) -> None:
        before = self.playthrough(points, Answers())
        [key] = before.requests
        thrown = partial(rolls.throw_one, key=key, by=lambda sides: 1)
        answers = engine_answers.roll(before, Answers(), thrown)
        after = self.playthrough(points, answers)
        assert answers.rolls[key].thrown_by == "app"
        for act in (rolls.throw_one, rolls.forget):
            with pytest.raises(Refusal, match="roll_final"):
                engine_answers.roll(after, answers, partial(act, key=key))

    def test_what_was_typed_may_be_corrected(self, points: Book) -> None:
        before = self.playthrough(points, Answers())
        [key] = before.requests
        typed = partial(rolls.take_over, key=key, faces="3+4")
        answers = engine_answers.roll(before, Answers(), typed)
        assert answers.rolls[key] == table(3, 4)
        after = self.playthrough(points, answers)
        assert engine_answers.roll(after, answers, partial(rolls.forget, key=key)).rolls == {}

    @pytest.mark.parametrize("faces", ["", "7", "3", "3 4 5", "0 6", "x y"])
    def test_impossible_dice(self, points: Book, faces: str) -> None:
        before = self.playthrough(points, Answers())
        [key] = before.requests
        with pytest.raises(BadFaces):
            engine_answers.roll(before, Answers(), partial(rolls.take_over, key=key, faces=faces))

    def test_nonsense_is_refused(self, points: Book) -> None:
        before = self.playthrough(points, Answers())
        for act in (
            lambda: engine_answers.roll(before, Answers(), partial(rolls.throw_one, key="nothing")),
            lambda: engine_answers.finish(before, Answers(), "nothing"),
            lambda: engine_answers.choose(before, Answers(), "ransoms:1", "stay"),
            lambda: engine_answers.promote(before, Answers(), "nothing", 1),
            lambda: engine_answers.hire(before, Answers(), "NO KEY", ""),
        ):
            with pytest.raises(Refusal):
                act()


def test_entries_fold_to_the_roster_shown(gold: Book) -> None:
    """What the preview shows is what the ledger makes of the entries."""
    entries = actions.found_from_sample(gold, gold.samples[0])
    roster = rostered(gold, entries)
    first = len(entries) + 1
    through = play(gold, roster, first, make_situation(roster, "draw", "level"), NOBODY)
    assert fold(gold, enumerate(through.entries, start=first), roster) == through.roster
