"""Every sort of fate and outcome, on small rulebooks made for the tests."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.engine import answers as engine_answers
from campaigns.engine.report import Answers
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from common.errors import Refusal
from gangs.engine.roster import Roster
from rules.book.model import Book
from tests.gangs.rosters import member, roster
from tests.rules.small import Data, add, row, small, text, told
from tests.world.campaigns import make_situation, report_on, rolled_out

CHIEF, FIGHTER, SCOUT = 1, 2, 3
TABLE = "fate"


def line(low: int, high: int, *outcomes: Data, **fields: Any) -> Data:
    """Return a row of a table."""
    return {
        "low": low,
        "high": high,
        "name": text(f"Row {low}"),
        "outcomes": list(outcomes),
        "source": "house",
        **fields,
    }


def table(key: str, dice: str, *rows: Data) -> Data:
    return {"key": key, "name": text(key), "dice": dice, "rows": list(rows), "source": "house"}


def option(name: str, *outcomes: Data) -> Data:
    return {"name": text(name), "outcomes": list(outcomes)}


def make_book(*outcomes: Data, step: Data | None = None, **changes: Any) -> Book:
    """Return the small rulebook in which a marked member rolls: 1 to 3 brings these outcomes."""
    tables = changes.pop("tables", [])
    awards = changes.pop("awards", [])
    return small(
        tables=[table(TABLE, "1d6", line(1, 3, *outcomes), line(4, 6)), *tables],
        campaign__marks=[told("out"), told("dead", dies=True)],
        campaign__awards=awards,
        campaign__departures=[told("home", for_hire=True)],
        campaign__steps=[
            told("income", kind="income"),
            told("fates", kind="fates", **({"table": TABLE} | (step or {}))),
            told("experience", kind="experience"),
        ],
        **changes,
    )


def gang(book: Book, *, earned: int = 0, conditions: tuple[str, ...] = ()) -> Roster:
    """Return a chief, a fighter with sword, axe and rope, and a scout in their second game."""
    return roster(
        book,
        member("chief", items=["sword"]),
        member("fighter", items=["sword", "axe", "rope"], conditions=conditions),
        member("scout"),
        games=1,
        earned=earned,
    )


def run_postgame(
    book: Book,
    before: Roster,
    *rolls: str,
    answers: Answers | None = None,
    marks: dict[int, str] | None = None,
    opponents: tuple[str, ...] = ("The others",),
) -> Playthrough:
    """Play the post-game of a lost game in which the fighter was put out; it earns one gold."""
    report = report_on(before, marks={FIGHTER: "out"} if marks is None else marks)
    game_report = make_situation(before, "won", "loser", report=report, opponent_names=opponents)
    return rolled_out(book, before, game_report, answers or Answers(), *rolls)


def suffers(through: Playthrough) -> list[tuple[str, int]]:
    fighter = through.roster.member(FIGHTER)
    return [(got.condition, got.games_left) for got in fighter.afflictions]


def carried(through: Playthrough) -> list[str]:
    return [owned.key for owned in through.roster.member(FIGHTER).items]


# Dying and leaving


@pytest.mark.parametrize(("gear", "stash"), [("lost", 0), ("stash", 3)])
def test_outcome_dies_removes_the_member_and_their_gear(gear: str, stash: int) -> None:
    book = make_book({"kind": "dies", "gear": gear})
    through = run_postgame(book, gang(book), "3")
    assert through.complete
    assert [gone.fate for gone in through.roster.departed] == ["dead"]
    assert len(through.roster.stash) == stash
    assert run_postgame(book, gang(book), "4").roster.departed == ()


@pytest.mark.parametrize(
    ("gear", "stash", "taken"), [("lost", 0, 0), ("stash", 3, 0), ("kept", 0, 3)]
)
def test_outcome_leaves_removes_the_member_with_a_fate(gear: str, stash: int, taken: int) -> None:
    book = make_book({"kind": "leaves", "departure": "home", "gear": gear})
    through = run_postgame(book, gang(book), "1")
    (gone,) = through.roster.departed
    assert (gone.fate, len(gone.member.items), len(through.roster.stash)) == ("home", taken, stash)


def test_outcomes_after_a_death_do_not_touch_the_dead() -> None:
    book = make_book(
        {"kind": "dies"}, {"kind": "suffers", "condition": "lame"}, {"kind": "pays", "amount": "1"}
    )
    through = run_postgame(book, gang(book), "1")
    assert through.complete
    assert through.roster.treasury == 1


def test_mark_can_kill_without_a_roll() -> None:
    book = make_book({"kind": "dies"})
    through = run_postgame(book, gang(book), marks={FIGHTER: "dead", SCOUT: "out"})
    assert [asked.member.id for asked in through.requests.values()] == [SCOUT]
    assert [gone.member.id for gone in through.roster.departed] == [FIGHTER]


# Fates by member and mark


def test_first_fate_that_fits_rank_and_mark_counts() -> None:
    fates = [
        {"of": {"ranks": ["chief"]}},
        {"marks": ["dead"], "outcomes": [{"kind": "suffers", "condition": "lame"}]},
        {"of": {"ranks": ["fighter", "scout"]}, "marks": ["out"], "table": "other"},
    ]
    book = make_book(
        {"kind": "dies"},
        step={"fates": fates},
        tables=[table("other", "1d8", line(1, 8))],
    )
    before = gang(book)
    spared = run_postgame(book, before, marks={CHIEF: "dead"})
    assert spared.complete and spared.roster.departed == ()
    hurt = run_postgame(book, before, marks={FIGHTER: "dead"})
    assert hurt.complete and suffers(hurt) == [("lame", 0)]
    asked = run_postgame(book, before, marks={FIGHTER: "out"})
    assert [one.dice for one in asked.requests.values()] == ["1d8"]


def test_step_rolls_only_for_the_members_it_names() -> None:
    book = make_book({"kind": "dies"}, step={"of": {"ranks": ["scout"]}})
    through = run_postgame(book, gang(book), marks={FIGHTER: "out", SCOUT: "out"})
    assert [asked.member.id for asked in through.requests.values()] == [SCOUT]


def test_step_without_a_table_only_removes_the_dead() -> None:
    book = make_book({"kind": "dies"}, step={"table": None})
    through = run_postgame(book, gang(book), marks={FIGHTER: "out", SCOUT: "dead"})
    assert through.complete and not through.requests
    assert [gone.member.id for gone in through.roster.departed] == [SCOUT]


# Conditions


@pytest.mark.parametrize(
    ("condition", "games", "rolls", "left"),
    [
        (told("sick", games=2), None, (), 2),
        (told("sick", games=2), "3", (), 3),
        (told("sick"), "1d3", ("2",), 2),
        (told("sick"), None, (), 0),
    ],
)
def test_condition_lasts_the_games_of_its_rule_or_roll(
    condition: Data, games: str | None, rolls: tuple[str, ...], left: int
) -> None:
    outcome = {"kind": "suffers", "condition": "sick", **({"games": games} if games else {})}
    book = make_book(outcome, conditions=[condition])
    through = run_postgame(book, gang(book), "1", *rolls)
    assert through.complete
    assert suffers(through) == [("sick", left)]


@pytest.mark.parametrize("had", [0, 1, 2])
def test_condition_beyond_its_limit_has_another_outcome(had: int) -> None:
    """An arm may be lost twice; a third time sends the member home."""
    beyond = [{"kind": "leaves", "departure": "home"}]
    arm = told("arm", most=2, beyond=beyond, effects=[add("might", -1)])
    book = make_book({"kind": "suffers", "condition": "arm"}, conditions=[arm])
    through = run_postgame(book, gang(book, conditions=("arm",) * had), "1")
    assert through.complete
    if had == 2:
        assert [gone.fate for gone in through.roster.departed] == ["home"]
    else:
        assert suffers(through) == [("arm", 0)] * (had + 1)


def test_condition_beyond_its_limit_may_need_another_roll() -> None:
    """A member who is already mad rolls again, and a high roll changes nothing."""
    mad = told("mad", most=1, beyond=[{"kind": "rolls_on", "table": "more"}])
    more = table("more", "1d3", line(1, 1, {"kind": "dies"}), line(2, 3))
    book = make_book({"kind": "suffers", "condition": "mad"}, conditions=[mad], tables=[more])
    asked = run_postgame(book, gang(book, conditions=("mad",)), "1")
    assert [one.dice for one in asked.requests.values() if one.roll is None] == ["1d3"]
    assert run_postgame(book, gang(book, conditions=("mad",)), "1", "1").roster.departed
    assert suffers(run_postgame(book, gang(book, conditions=("mad",)), "1", "2")) == [("mad", 0)]


@pytest.mark.parametrize(
    ("opponents", "remembered"),
    [((), ""), (("Reds",), "Reds"), (("Reds", "Blues"), "Reds / Blues"), (("R" * 75,) * 3, 80)],
)
def test_grudge_names_the_opponents(opponents: tuple[str, ...], remembered: str | int) -> None:
    book = make_book(
        {"kind": "suffers", "condition": "grudge"}, conditions=[told("grudge", against=True)]
    )
    through = run_postgame(book, gang(book), "1", opponents=opponents)
    (grudge,) = through.roster.member(FIGHTER).afflictions
    assert grudge.against == remembered or len(grudge.against) == remembered


# Items, experience, traits


@pytest.mark.parametrize(
    ("groups", "every", "rolls", "left"),
    [
        (["arms"], True, (), ["rope"]),
        (["arms", "goods"], True, (), []),
        (["goods"], False, (), ["sword", "axe"]),
        (["arms"], False, ("1",), ["axe", "rope"]),
        (["arms", "goods"], False, ("3",), ["sword", "axe"]),
    ],
)
def test_outcome_loses_items_takes_the_named_groups(
    groups: list[str], every: bool, rolls: tuple[str, ...], left: list[str]
) -> None:
    book = make_book({"kind": "loses_item", "groups": groups, "every": every})
    through = run_postgame(book, gang(book), "1", *rolls)
    assert through.complete
    assert carried(through) == left
    assert through.roster.stash == ()


def test_member_without_items_loses_nothing() -> None:
    book = make_book({"kind": "loses_item", "groups": ["arms"]})
    assert run_postgame(book, gang(book), "1", marks={SCOUT: "out"}).complete


@pytest.mark.parametrize(("amount", "rolls", "learned"), [("2", (), 2), ("1d3", ("3",), 3)])
def test_outcome_learns_adds_experience(amount: str, rolls: tuple[str, ...], learned: int) -> None:
    book = make_book({"kind": "learns", "amount": amount})
    through = run_postgame(book, gang(book), "1", *rolls)
    assert through.complete
    assert through.roster.member(FIGHTER).experience == learned


def test_experience_stops_at_the_limit_of_the_rank() -> None:
    ranks = [dict(row, experience=3) for row in small().model_dump(mode="json")["ranks"]]
    book = make_book(
        {"kind": "learns", "amount": "2"},
        ranks=ranks,
        awards=[row("there", amount=2)],
    )
    through = run_postgame(book, gang(book), "1")
    assert [one.experience for one in through.roster.members] == [2, 3, 2]


def test_trait_is_gained_only_once() -> None:
    book = make_book({"kind": "gains", "trait": "quick"}, {"kind": "gains", "trait": "quick"})
    assert run_postgame(book, gang(book), "1").roster.member(FIGHTER).traits == ("quick",)


# Tables that lead to tables


def test_outcome_again_repeats_the_roll() -> None:
    book = small(
        tables=[table(TABLE, "1d6", line(1, 4, {"kind": "again"}), line(5, 6))],
        campaign__marks=[told("out")],
        campaign__steps=[told("fates", kind="fates", table=TABLE)],
    )
    before = gang(book)
    through = run_postgame(book, before, "1", "4", "5")
    assert through.complete
    assert [asked.again for asked in through.requests.values()] == [True, True, False]


@pytest.mark.parametrize(("times", "rolls"), [("1", ()), ("3", ()), ("1d3", ("2",))])
def test_outcome_rolls_on_uses_another_table(times: str, rolls: tuple[str, ...]) -> None:
    other = table("other", "1d6", line(1, 6, {"kind": "learns", "amount": "1"}))
    book = make_book({"kind": "rolls_on", "table": "other", "times": times}, tables=[other])
    count = int(rolls[0]) if rolls else int(times)
    through = run_postgame(book, gang(book), "1", *rolls, *["5"] * count)
    assert through.complete
    assert through.roster.member(FIGHTER).experience == count


def test_excluded_rows_are_rolled_again() -> None:
    other = table(
        "other",
        "1d6",
        line(1, 2, {"kind": "dies"}, tags=["grave"]),
        line(3, 6, {"kind": "learns", "amount": "1"}),
    )
    outcome = {"kind": "rolls_on", "table": "other", "times": "2", "rerolling": ["grave"]}
    book = make_book(outcome, tables=[other])
    through = run_postgame(book, gang(book), "1", "1", "2", "3", "1", "6")
    assert through.complete
    assert through.roster.member(FIGHTER).experience == 2


def test_dead_member_rolls_no_more() -> None:
    other = table("other", "1d6", line(1, 6, {"kind": "dies"}))
    book = make_book({"kind": "rolls_on", "table": "other", "times": "3"}, tables=[other])
    assert run_postgame(book, gang(book), "1", "5").complete


# Paying, and choosing


@pytest.mark.parametrize(
    ("amount", "rolls", "had", "left"),
    [
        ("2", (), 5, 4),
        ("1d6", ("6",), 5, 0),
        ("4", (), 3, 0),
        ("1d6", ("6",), 2, 0),
        ("3", (), 0, 0),
    ],
)
def test_fine_takes_at_most_the_treasury(
    amount: str, rolls: tuple[str, ...], had: int, left: int
) -> None:
    """The game earns one gold, added to the treasury before the fine."""
    book = make_book({"kind": "pays", "amount": amount})
    through = run_postgame(book, gang(book, earned=had), "1", *rolls)
    assert through.complete
    assert through.roster.treasury == left


CHOICE = {
    "kind": "chooses",
    "options": [
        option("Pay", {"kind": "pays", "amount": "1d6"}),
        option("Limp", {"kind": "suffers", "condition": "lame"}),
    ],
}


def choose_option(book: Book, before: Roster, place: int, *rolls: str) -> Playthrough:
    asked = run_postgame(book, before, "1")
    (key,) = asked.questions
    answers = engine_answers.choose(asked, Answers(), key, str(place))
    return run_postgame(book, before, "1", *rolls, answers=answers)


def test_choice_waits_for_an_answer() -> None:
    book = make_book(CHOICE)
    asked = run_postgame(book, gang(book, earned=9), "1")
    assert not asked.complete
    (question,) = asked.questions.values()
    refusals = [choice.refusal for choice in question.choices]
    assert (question.member.id, question.chosen, refusals) == (FIGHTER, None, [None, None])
    assert choose_option(book, gang(book, earned=9), 0, "6").roster.treasury == 4
    assert suffers(choose_option(book, gang(book, earned=9), 1)) == [("lame", 0)]


def test_option_that_cannot_be_paid_is_refused() -> None:
    book = make_book(CHOICE)
    asked = run_postgame(book, gang(book, earned=-1), "1")
    (question,) = asked.questions.values()
    assert [one.refusal and one.refusal.code for one in question.choices] == ["too_dear", None]
    with pytest.raises(Refusal, match="too_dear"):
        engine_answers.choose(asked, Answers(), question.key, "0")
    for nonsense in ("2", "-1"):
        with pytest.raises(Refusal, match="not_offered"):
            engine_answers.choose(asked, Answers(), question.key, nonsense)


def test_fine_that_turns_out_too_dear_is_not_paid() -> None:
    """The roll is kept, but the player has to choose the other option."""
    book = make_book(CHOICE)
    through = choose_option(book, gang(book, earned=2), 0, "6")
    assert not through.complete
    (unmet,) = through.step("fates").refused
    assert (unmet.refusal.code, unmet.refusal.values["missing"]) == ("too_dear", 3)
    assert through.roster.treasury == 3
    limping = choose_option(book, gang(book, earned=2), 1)
    assert limping.complete and limping.roster.treasury == 3


def test_fine_takes_the_whole_treasury_when_every_option_costs_money() -> None:
    options = [
        option("Much", {"kind": "pays", "amount": "9"}),
        option("More", {"kind": "pays", "amount": "20"}),
    ]
    book = make_book({"kind": "chooses", "options": options})
    through = choose_option(book, gang(book, earned=2), 1)
    assert through.complete
    assert through.roster.treasury == 0


def test_option_can_lead_to_another_choice() -> None:
    options = [option("Choose", CHOICE), option("Die", {"kind": "dies"})]
    book = make_book({"kind": "chooses", "options": options})
    before = gang(book, earned=9)
    answers = Answers()
    for place in (0, 1):
        asked = run_postgame(book, before, "1", answers=answers)
        (key,) = [key for key, one in asked.questions.items() if one.chosen is None]
        answers = engine_answers.choose(asked, answers, key, str(place))
    through = run_postgame(book, before, "1", answers=answers)
    assert through.complete
    assert suffers(through) == [("lame", 0)]


# Captives


def prison(ransom: str, **fields: Any) -> Book:
    return small(
        conditions=[told("held", absent=True)],
        campaign__steps=[
            told("income", kind="income"),
            told("captives", kind="captives", condition="held", ransom=ransom, **fields),
        ],
    )


def gang_with_captives(book: Book, earned: int, *who: int) -> Roster:
    before = gang(book, earned=earned)
    taken = member("fighter", conditions=["held"]).afflictions
    members = tuple(
        one.model_copy(update={"afflictions": taken}) if one.id in who else one
        for one in before.members
    )
    return before.model_copy(update={"members": members})


def decide_captives(book: Book, before: Roster, *decisions: tuple[int, str]) -> Playthrough:
    game_report = make_situation(before, "won", "loser")
    answers = Answers()
    for who, decision in decisions:
        through = play(book, before, 100, game_report, answers)
        answers = engine_answers.choose(through, answers, f"captives:{who}", decision)
    return play(book, before, 100, game_report, answers)


def test_captive_is_rescued_only_when_the_rules_allow_it() -> None:
    book = prison("agreed", rescue=False)
    before = gang_with_captives(book, 0, FIGHTER)
    with pytest.raises(Refusal, match="not_offered"):
        decide_captives(book, before, (FIGHTER, "freed"))
    through = decide_captives(book, before, (FIGHTER, "lost"))
    assert through.complete
    assert [gone.fate for gone in through.roster.departed] == ["dead"]
    # A draft saved under earlier rules has lost its answer.
    answers = Answers(choices={f"captives:{FIGHTER}": "freed"})
    through = play(book, before, 100, make_situation(before, "won", "loser"), answers)
    assert through.step("captives").status == "open"
    assert [one.chosen for one in through.step("captives").questions] == [None]


def test_ransom_cannot_be_decided_by_one_gang() -> None:
    book = prison("agreed")
    before = gang_with_captives(book, 10, FIGHTER)
    with pytest.raises(Refusal, match="not_offered"):
        decide_captives(book, before, (FIGHTER, "ransom"))


def test_stored_answer_that_is_not_offered_is_ignored() -> None:
    book = prison("agreed")
    before = gang_with_captives(book, 10, FIGHTER)
    answers = Answers(choices={f"captives:{FIGHTER}": "ransom"})
    through = play(book, before, 100, make_situation(before, "won", "loser"), answers)
    (captive,) = through.step("captives").questions
    assert captive.chosen is None and not through.complete
    assert (through.roster.treasury, suffers(through)) == (11, [("held", 0)])


def test_captive_can_stay_in_captivity() -> None:
    book = prison("agreed")
    through = decide_captives(
        book, gang_with_captives(book, 0, FIGHTER), (FIGHTER, "freed"), (FIGHTER, "stay")
    )
    (captive,) = through.step("captives").questions
    assert captive.chosen.value == "stay"
    assert through.complete and suffers(through) == [("held", 0)]


def test_captives_can_be_given_up_or_rescued() -> None:
    book = prison("worth")
    through = decide_captives(
        book, gang_with_captives(book, 0, FIGHTER, SCOUT), (FIGHTER, "lost"), (SCOUT, "freed")
    )
    assert through.complete
    assert [gone.member.id for gone in through.roster.departed] == [FIGHTER]
    assert through.roster.treasury == 1
