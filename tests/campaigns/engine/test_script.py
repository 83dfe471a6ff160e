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


def found_gang(book: Book, sample: int = 0, **settings: str | int) -> Roster:
    entries = actions.found_from_sample(book, book.samples[sample])
    roster = rostered(book, entries)
    return roster.model_copy(update={"settings": roster.settings | settings})


def members_of_rank(roster: Roster, rank: str) -> list[int]:
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
    def test_income_depends_on_the_result(
        self, gold: Book, result: str, side: str, money: int
    ) -> None:
        roster = found_gang(gold)
        through = play(gold, roster, 100, make_situation(roster, result, side), NOBODY)
        assert through.complete
        assert through.roster.treasury == money
        assert roster.treasury == 0

    def test_agreed_income_is_paid(self, gold: Book) -> None:
        roster = found_gang(gold, players="more")
        report = Report(fielded=everyone(roster), money=3)
        game_report = make_situation(roster, "agreed", "level", report=report)
        assert play(gold, roster, 100, game_report, NOBODY).roster.treasury == 3

    def test_second_becomes_leader_when_the_leader_is_dead(self, gold: Book) -> None:
        roster = found_gang(gold)
        [leader], second = members_of_rank(roster, "leader"), members_of_rank(roster, "second")[0]
        report = Report(fielded=everyone(roster), marks={leader: "dead"})
        game_report = make_situation(roster, "crushing", "winner", report=report)
        answers = NOBODY.model_copy(update={"promotions": (rise(second),)})
        through = play(gold, roster, 100, game_report, answers)
        assert through.complete
        assert members_of_rank(through.roster, "leader") == [second]
        assert through.roster.treasury == 4 - 2
        assert through.roster.departed[0].fate == "dead"
        assert member_rating(gold, through.roster, through.roster.member(second)).total >= 4

    def test_second_leader_is_refused(self, gold: Book) -> None:
        roster = found_gang(gold)
        second = members_of_rank(roster, "second")[0]
        answers = Answers(promotions=(rise(second),))
        through = play(gold, roster, 100, make_situation(roster, "crushing", "winner"), answers)
        assert [unmet.refusal.code for unmet in through.step("promotions").refused] == [
            "promotion_full"
        ]
        assert not through.complete

    def test_henchman_cannot_become_leader(self, gold: Book) -> None:
        roster = found_gang(gold)
        [leader], henchman = (
            members_of_rank(roster, "leader"),
            members_of_rank(roster, "henchman")[0],
        )
        report = Report(fielded=everyone(roster), marks={leader: "dead"})
        game_report = make_situation(roster, "crushing", "winner", report=report)
        answers = Answers(promotions=(rise(henchman),))
        state = play(gold, roster, 100, game_report, answers).step("promotions")
        assert [unmet.refusal.code for unmet in state.refused] == ["gone"]

    def test_henchman_takes_the_place_of_a_promoted_second(self, gold: Book) -> None:
        roster = found_gang(gold)
        [leader], [second] = members_of_rank(roster, "leader"), members_of_rank(roster, "second")
        henchman = members_of_rank(roster, "henchman")[0]
        report = Report(fielded=everyone(roster), marks={leader: "dead"})
        game_report = make_situation(roster, "crushing", "winner", report=report)
        both = (rise(henchman, "new_second"), rise(second))
        answers = NOBODY.model_copy(update={"promotions": both})
        through = play(gold, roster, 100, game_report, answers)
        assert through.complete
        assert through.roster.treasury == 4 - 1 - 2
        assert members_of_rank(through.roster, "second") == [henchman]

    def test_member_cannot_rise_twice(self, gold: Book) -> None:
        roster = found_gang(gold)
        [leader], henchman = (
            members_of_rank(roster, "leader"),
            members_of_rank(roster, "henchman")[0],
        )
        report = Report(fielded=everyone(roster), marks={leader: "dead"})
        game_report = make_situation(roster, "crushing", "winner", report=report)
        answers = Answers(promotions=(rise(henchman, "new_second"), rise(henchman)))
        state = play(gold, roster, 100, game_report, answers).step("promotions")
        assert [unmet.refusal.code for unmet in state.refused] == ["gone"]

    def test_recruits_are_paid_from_the_treasury(self, gold: Book) -> None:
        roster = found_gang(gold)
        hire = {"rank": "henchman", "name": "Marie"}
        answers = Answers.model_validate(
            {"recruits": [hire] * 2, "done": ["promotions", "recruits"]}
        )
        game_report = make_situation(roster, "crushing", "winner")
        through = play(gold, roster, 100, game_report, answers)
        assert through.complete
        assert through.roster.treasury == 2
        assert len(through.roster.members) == len(roster.members) + 2

    def test_recruits_are_limited_by_the_treasury(self, gold: Book) -> None:
        roster = found_gang(gold)
        hire = {"rank": "henchman", "name": ""}
        answers = Answers.model_validate(
            {"recruits": [hire] * 2, "done": ["promotions", "recruits"]}
        )
        game_report = make_situation(roster, "crushing", "loser")
        through = play(gold, roster, 100, game_report, answers)
        assert [unmet.refusal.code for unmet in through.step("recruits").refused] == ["too_dear"]
        assert through.roster.treasury == 0

    @pytest.mark.parametrize("cap, room", [("session", 2), ("size", 0), ("total", 2)])
    def test_recruits_are_limited_by_the_cap(self, gold: Book, cap: str, room: int) -> None:
        roster = found_gang(gold, recruit_cap=cap)
        game_report = make_situation(roster, "crushing", "winner")
        answers = Answers(done=("promotions",))
        hiring = play(gold, roster, 100, game_report, answers).step("recruits").hiring
        assert hiring is not None
        # The caps allow as many recruits as members, or none, but a band has at most seven members.
        assert (len(roster.members), hiring.room) == (5, room)


class TestPoints:
    def injure(self, points: Book, *faces: int, rolls: dict[str, DiceRoll] | None = None):
        roster = found_gang(points)
        member = roster.members[1].id
        report = Report(fielded=everyone(roster), marks={member: "out"})
        game_report = make_situation(roster, "victory", "winner", report=report)
        key = f"injuries:{member}:injury"
        answered = {key: table(*faces)} | {
            name.format(key=key): roll for name, roll in (rolls or {}).items()
        }
        answers = Answers(rolls=answered, done=("new_leader", "recruits"))
        return roster, member, play(points, roster, 1000, game_report, answers)

    def test_injury_step_waits_for_its_roll(self, points: Book) -> None:
        roster = found_gang(points)
        member = roster.members[1].id
        report = Report(fielded=everyone(roster), marks={member: "out"})
        game_report = make_situation(roster, "victory", "winner", report=report)
        through = play(points, roster, 1000, game_report, Answers())
        [state, *later] = through.steps
        assert [asked.dice for asked in state.waiting] == ["2d6"]
        assert {other.status for other in later} == {"later"}

    def test_double_one_kills(self, points: Book) -> None:
        _, member, through = self.injure(points, 1, 1)
        assert member not in everyone(through.roster)
        assert any(isinstance(entry, kinds.Rolled) for entry in through.entries)

    def test_critical_injury_rolls_an_attribute_and_lasts_a_game(self, points: Book) -> None:
        _, member, waiting = self.injure(points, 2, 2)
        assert [asked.dice for asked in waiting.steps[0].waiting] == ["1d6"]
        key = waiting.steps[0].waiting[0].key
        roster, member, through = self.injure(points, 2, 2, rolls={key: table(3)})
        [suffered] = through.roster.member(member).afflictions
        assert (suffered.condition, suffered.games_left) == ("weak_sta", 1)
        game_report = make_situation(through.roster, "victory", "loser")
        after = play(points, through.roster, 2000, game_report, NOBODY)
        assert after.roster.member(member).afflictions == ()

    def test_injury_takes_a_weapon_chosen_by_a_die(self, points: Book) -> None:
        roster, member, through = self.injure(points, 3, 3)
        before = len(roster.member(member).items)
        if through.steps[0].waiting:
            [asked] = through.steps[0].waiting
            rolls = {asked.key: table(1, dice=asked.dice)}
            roster, member, through = self.injure(points, 3, 3, rolls=rolls)
        assert len(through.roster.member(member).items) == before - 1

    def test_experience_is_given_per_award(self, points: Book) -> None:
        roster = found_gang(points)
        first, second = roster.members[0].id, roster.members[1].id
        report = Report(fielded=(first, second), counts={TAKEN_OUT: {first: 2}})
        game_report = make_situation(
            roster, "victory", "winner", report=report, rating=100, opponents=(110,)
        )
        through = play(points, roster, 1000, game_report, NOBODY)
        earned = {member.id: member.experience for member in through.roster.members}
        assert earned[first] == 1 + 2 + 1 + 1
        assert earned[second] == 1 + 1 + 1
        # The others did not play: they earn only the point that everybody gets.
        assert {earned[member.id] for member in roster.members[2:]} == {1}
        more = points_earned(points, roster, through.roster)
        assert {member.id: count for member, count in more} == {first: 1}
        before = gang_rating(points, roster).total
        assert gang_rating(points, through.roster).total == before + sum(earned.values())

    def test_intimidating_gang_teaches_everybody(self, points: Book) -> None:
        """Members who did not play also learn; the dead learn nothing."""
        roster = found_gang(points)
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

    def test_gang_just_short_of_intimidating_teaches_nobody_more(self, points: Book) -> None:
        roster = found_gang(points)
        game_report = make_situation(roster, "victory", "loser", rating=100, opponents=(109,))
        through = play(points, roster, 1000, game_report, NOBODY)
        assert {member.experience for member in through.roster.members} == {1}

    def test_experience_stops_at_the_ceiling(self, points: Book) -> None:
        roster = found_gang(points, xp_ceiling=2)
        game_report = make_situation(roster, "victory", "winner", rating=100, opponents=(200,))
        through = play(points, roster, 1000, game_report, NOBODY)
        assert {member.experience for member in through.roster.members} == {2}

    def test_income_counts_nuggets(self, points: Book) -> None:
        roster = found_gang(points)
        report = Report(fielded=everyone(roster), tallies={"nuggets": 3})
        game_report = make_situation(roster, "victory", "winner", report=report)
        assert play(points, roster, 1000, game_report, NOBODY).roster.treasury == 10 + 15

    def test_income_is_skipped_when_money_is_left_out(self, points: Book) -> None:
        roster = found_gang(points, money="no")
        game_report = make_situation(roster, "victory", "winner")
        through = play(points, roster, 1000, game_report, NOBODY)
        assert through.roster.treasury == 0
        assert "income" not in [state.step.key for state in through.steps]

    @pytest.mark.parametrize(
        "decision, in_gang, held", [("stay", 1, 1), ("freed", 1, 0), ("lost", 0, 0)]
    )
    def test_captive_stays_is_freed_or_is_lost(
        self, points: Book, decision: str, in_gang: int, held: int
    ) -> None:
        _, member, through = self.injure(points, 1, 2)
        state = through.step("ransoms")
        assert [(one.member.id, one.chosen.value, one.about.fresh) for one in state.questions] == [
            (member, "stay", True)
        ]
        # The step does not ask about a rescue in the game in which the member was captured.
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
        roster = found_gang(points)
        report = Report(fielded=everyone(roster), marks={everyone(roster)[1]: "out"})
        game_report = make_situation(roster, "victory", "winner", report=report)
        return play(points, roster, 1000, game_report, answers)

    def test_roll_made_by_the_app_is_final(self, points: Book) -> None:
        before = self.playthrough(points, Answers())
        [key] = before.requests
        thrown = partial(rolls.throw_one, key=key, by=lambda sides: 1)
        answers = engine_answers.roll(before, Answers(), thrown)
        after = self.playthrough(points, answers)
        assert answers.rolls[key].thrown_by == "app"
        for act in (rolls.throw_one, rolls.forget):
            with pytest.raises(Refusal, match="roll_final"):
                engine_answers.roll(after, answers, partial(act, key=key))

    def test_typed_roll_may_be_corrected(self, points: Book) -> None:
        before = self.playthrough(points, Answers())
        [key] = before.requests
        typed = partial(rolls.take_over, key=key, faces="3+4")
        answers = engine_answers.roll(before, Answers(), typed)
        assert answers.rolls[key] == table(3, 4)
        after = self.playthrough(points, answers)
        assert engine_answers.roll(after, answers, partial(rolls.forget, key=key)).rolls == {}

    @pytest.mark.parametrize("faces", ["", "7", "3", "3 4 5", "0 6", "x y"])
    def test_impossible_dice_are_refused(self, points: Book, faces: str) -> None:
        before = self.playthrough(points, Answers())
        [key] = before.requests
        with pytest.raises(BadFaces):
            engine_answers.roll(before, Answers(), partial(rolls.take_over, key=key, faces=faces))

    def test_unknown_keys_are_refused(self, points: Book) -> None:
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


def test_entries_fold_to_the_previewed_roster(gold: Book) -> None:
    entries = actions.found_from_sample(gold, gold.samples[0])
    roster = rostered(gold, entries)
    first = len(entries) + 1
    through = play(gold, roster, first, make_situation(roster, "draw", "level"), NOBODY)
    assert fold(gold, enumerate(through.entries, start=first), roster) == through.roster
