"""Every sort of fate and outcome, on small rulebooks made for it."""

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
    """A row of a table."""
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


def made(*outcomes: Data, step: Data | None = None, **changes: Any) -> Book:
    """The small rulebook, where a mark means a roll: 1 to 3 and these outcomes happen."""
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
    """A chief, a fighter with a sword, an axe and a rope, and a scout; in their second game."""
    return roster(
        book,
        member("chief", items=["sword"]),
        member("fighter", items=["sword", "axe", "rope"], conditions=conditions),
        member("scout"),
        games=1,
        earned=earned,
    )


def played(
    book: Book,
    before: Roster,
    *rolls: str,
    answers: Answers | None = None,
    marks: dict[int, str] | None = None,
    opponents: tuple[str, ...] = ("The others",),
) -> Playthrough:
    """The post-game of a lost game in which the fighter was put out. One of gold is earned."""
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
def test_dies(gear: str, stash: int) -> None:
    book = made({"kind": "dies", "gear": gear})
    through = played(book, gang(book), "3")
    assert through.complete
    assert [gone.fate for gone in through.roster.departed] == ["dead"]
    assert len(through.roster.stash) == stash
    assert played(book, gang(book), "4").roster.departed == ()


@pytest.mark.parametrize(
    ("gear", "stash", "taken"), [("lost", 0, 0), ("stash", 3, 0), ("kept", 0, 3)]
)
def test_leaves(gear: str, stash: int, taken: int) -> None:
    book = made({"kind": "leaves", "departure": "home", "gear": gear})
    through = played(book, gang(book), "1")
    (gone,) = through.roster.departed
    assert (gone.fate, len(gone.member.items), len(through.roster.stash)) == ("home", taken, stash)


def test_nothing_befalls_the_dead_any_more() -> None:
    book = made(
        {"kind": "dies"}, {"kind": "suffers", "condition": "lame"}, {"kind": "pays", "amount": "1"}
    )
    through = played(book, gang(book), "1")
    assert through.complete
    assert through.roster.treasury == 1


def test_a_mark_may_be_death_itself() -> None:
    book = made({"kind": "dies"})
    through = played(book, gang(book), marks={FIGHTER: "dead", SCOUT: "out"})
    assert [asked.member.id for asked in through.requests.values()] == [SCOUT]
    assert [gone.member.id for gone in through.roster.departed] == [FIGHTER]


# Whom a fate is for


def test_fates_by_rank_and_mark_the_first_counts() -> None:
    fates = [
        {"of": {"ranks": ["chief"]}},
        {"marks": ["dead"], "outcomes": [{"kind": "suffers", "condition": "lame"}]},
        {"of": {"ranks": ["fighter", "scout"]}, "marks": ["out"], "table": "other"},
    ]
    book = made(
        {"kind": "dies"},
        step={"fates": fates},
        tables=[table("other", "1d8", line(1, 8))],
    )
    before = gang(book)
    spared = played(book, before, marks={CHIEF: "dead"})
    assert spared.complete and spared.roster.departed == ()
    hurt = played(book, before, marks={FIGHTER: "dead"})
    assert hurt.complete and suffers(hurt) == [("lame", 0)]
    asked = played(book, before, marks={FIGHTER: "out"})
    assert [one.dice for one in asked.requests.values()] == ["1d8"]


def test_whom_a_step_is_about() -> None:
    book = made({"kind": "dies"}, step={"of": {"ranks": ["scout"]}})
    through = played(book, gang(book), marks={FIGHTER: "out", SCOUT: "out"})
    assert [asked.member.id for asked in through.requests.values()] == [SCOUT]


def test_a_step_without_a_table_only_buries_the_dead() -> None:
    book = made({"kind": "dies"}, step={"table": None})
    through = played(book, gang(book), marks={FIGHTER: "out", SCOUT: "dead"})
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
def test_how_long_a_condition_lasts(
    condition: Data, games: str | None, rolls: tuple[str, ...], left: int
) -> None:
    outcome = {"kind": "suffers", "condition": "sick", **({"games": games} if games else {})}
    book = made(outcome, conditions=[condition])
    through = played(book, gang(book), "1", *rolls)
    assert through.complete
    assert suffers(through) == [("sick", left)]


@pytest.mark.parametrize("had", [0, 1, 2])
def test_a_condition_that_comes_too_often(had: int) -> None:
    """An arm may be lost twice; once more, and they go home."""
    beyond = [{"kind": "leaves", "departure": "home"}]
    arm = told("arm", most=2, beyond=beyond, effects=[add("might", -1)])
    book = made({"kind": "suffers", "condition": "arm"}, conditions=[arm])
    through = played(book, gang(book, conditions=("arm",) * had), "1")
    assert through.complete
    if had == 2:
        assert [gone.fate for gone in through.roster.departed] == ["home"]
    else:
        assert suffers(through) == [("arm", 0)] * (had + 1)


def test_beyond_may_ask_for_another_roll() -> None:
    """Whoever is mad already rolls on the table again: a high roll changes nothing."""
    mad = told("mad", most=1, beyond=[{"kind": "rolls_on", "table": "more"}])
    more = table("more", "1d3", line(1, 1, {"kind": "dies"}), line(2, 3))
    book = made({"kind": "suffers", "condition": "mad"}, conditions=[mad], tables=[more])
    asked = played(book, gang(book, conditions=("mad",)), "1")
    assert [one.dice for one in asked.requests.values() if one.roll is None] == ["1d3"]
    assert played(book, gang(book, conditions=("mad",)), "1", "1").roster.departed
    assert suffers(played(book, gang(book, conditions=("mad",)), "1", "2")) == [("mad", 0)]


@pytest.mark.parametrize(
    ("opponents", "remembered"),
    [((), ""), (("Reds",), "Reds"), (("Reds", "Blues"), "Reds / Blues"), (("R" * 75,) * 3, 80)],
)
def test_whom_a_grudge_is_against(opponents: tuple[str, ...], remembered: str | int) -> None:
    book = made(
        {"kind": "suffers", "condition": "grudge"}, conditions=[told("grudge", against=True)]
    )
    through = played(book, gang(book), "1", opponents=opponents)
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
def test_loses_items(
    groups: list[str], every: bool, rolls: tuple[str, ...], left: list[str]
) -> None:
    book = made({"kind": "loses_item", "groups": groups, "every": every})
    through = played(book, gang(book), "1", *rolls)
    assert through.complete
    assert carried(through) == left
    assert through.roster.stash == ()


def test_who_carries_nothing_loses_nothing() -> None:
    book = made({"kind": "loses_item", "groups": ["arms"]})
    assert played(book, gang(book), "1", marks={SCOUT: "out"}).complete


@pytest.mark.parametrize(("amount", "rolls", "learned"), [("2", (), 2), ("1d3", ("3",), 3)])
def test_learns(amount: str, rolls: tuple[str, ...], learned: int) -> None:
    book = made({"kind": "learns", "amount": amount})
    through = played(book, gang(book), "1", *rolls)
    assert through.complete
    assert through.roster.member(FIGHTER).experience == learned


def test_no_more_than_the_rank_holds() -> None:
    ranks = [dict(row, experience=3) for row in small().model_dump(mode="json")["ranks"]]
    book = made(
        {"kind": "learns", "amount": "2"},
        ranks=ranks,
        awards=[row("there", amount=2)],
    )
    through = played(book, gang(book), "1")
    assert [one.experience for one in through.roster.members] == [2, 3, 2]


def test_gains_a_trait_but_only_once() -> None:
    book = made({"kind": "gains", "trait": "quick"}, {"kind": "gains", "trait": "quick"})
    assert played(book, gang(book), "1").roster.member(FIGHTER).traits == ("quick",)


# Tables that lead to tables


def test_again() -> None:
    book = small(
        tables=[table(TABLE, "1d6", line(1, 4, {"kind": "again"}), line(5, 6))],
        campaign__marks=[told("out")],
        campaign__steps=[told("fates", kind="fates", table=TABLE)],
    )
    before = gang(book)
    through = played(book, before, "1", "4", "5")
    assert through.complete
    assert [asked.again for asked in through.requests.values()] == [True, True, False]


@pytest.mark.parametrize(("times", "rolls"), [("1", ()), ("3", ()), ("1d3", ("2",))])
def test_rolls_on(times: str, rolls: tuple[str, ...]) -> None:
    other = table("other", "1d6", line(1, 6, {"kind": "learns", "amount": "1"}))
    book = made({"kind": "rolls_on", "table": "other", "times": times}, tables=[other])
    count = int(rolls[0]) if rolls else int(times)
    through = played(book, gang(book), "1", *rolls, *["5"] * count)
    assert through.complete
    assert through.roster.member(FIGHTER).experience == count


def test_rows_that_do_not_count_there() -> None:
    other = table(
        "other",
        "1d6",
        line(1, 2, {"kind": "dies"}, tags=["grave"]),
        line(3, 6, {"kind": "learns", "amount": "1"}),
    )
    outcome = {"kind": "rolls_on", "table": "other", "times": "2", "rerolling": ["grave"]}
    book = made(outcome, tables=[other])
    through = played(book, gang(book), "1", "1", "2", "3", "1", "6")
    assert through.complete
    assert through.roster.member(FIGHTER).experience == 2


def test_the_dead_roll_no_more() -> None:
    other = table("other", "1d6", line(1, 6, {"kind": "dies"}))
    book = made({"kind": "rolls_on", "table": "other", "times": "3"}, tables=[other])
    assert played(book, gang(book), "1", "5").complete


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
def test_a_fine_takes_what_there_is(
    amount: str, rolls: tuple[str, ...], had: int, left: int
) -> None:
    """One of gold is earned in the game, beside what they had."""
    book = made({"kind": "pays", "amount": amount})
    through = played(book, gang(book, earned=had), "1", *rolls)
    assert through.complete
    assert through.roster.treasury == left


CHOICE = {
    "kind": "chooses",
    "options": [
        option("Pay", {"kind": "pays", "amount": "1d6"}),
        option("Limp", {"kind": "suffers", "condition": "lame"}),
    ],
}


def chosen(book: Book, before: Roster, place: int, *rolls: str) -> Playthrough:
    asked = played(book, before, "1")
    (key,) = asked.questions
    answers = engine_answers.choose(asked, Answers(), key, str(place))
    return played(book, before, "1", *rolls, answers=answers)


def test_a_question_waits_for_its_answer() -> None:
    book = made(CHOICE)
    asked = played(book, gang(book, earned=9), "1")
    assert not asked.complete
    (question,) = asked.questions.values()
    refusals = [choice.refusal for choice in question.choices]
    assert (question.member.id, question.chosen, refusals) == (FIGHTER, None, [None, None])
    assert chosen(book, gang(book, earned=9), 0, "6").roster.treasury == 4
    assert suffers(chosen(book, gang(book, earned=9), 1)) == [("lame", 0)]


def test_what_cannot_be_paid_at_all_cannot_be_chosen() -> None:
    book = made(CHOICE)
    asked = played(book, gang(book, earned=-1), "1")
    (question,) = asked.questions.values()
    assert [one.refusal and one.refusal.code for one in question.choices] == ["too_dear", None]
    with pytest.raises(Refusal, match="too_dear"):
        engine_answers.choose(asked, Answers(), question.key, "0")
    for nonsense in ("2", "-1"):
        with pytest.raises(Refusal, match="not_offered"):
            engine_answers.choose(asked, Answers(), question.key, nonsense)


def test_a_fine_that_turns_out_too_dear_is_not_paid() -> None:
    """The dice stand, the choice does not: the member limps."""
    book = made(CHOICE)
    through = chosen(book, gang(book, earned=2), 0, "6")
    assert not through.complete
    (unmet,) = through.step("fates").refused
    assert (unmet.refusal.code, unmet.refusal.values["missing"]) == ("too_dear", 3)
    assert through.roster.treasury == 3
    limping = chosen(book, gang(book, earned=2), 1)
    assert limping.complete and limping.roster.treasury == 3


def test_if_all_there_is_to_choose_costs_they_pay_what_they_can() -> None:
    options = [
        option("Much", {"kind": "pays", "amount": "9"}),
        option("More", {"kind": "pays", "amount": "20"}),
    ]
    book = made({"kind": "chooses", "options": options})
    through = chosen(book, gang(book, earned=2), 1)
    assert through.complete
    assert through.roster.treasury == 0


def test_a_choice_within_a_choice() -> None:
    options = [option("Choose", CHOICE), option("Die", {"kind": "dies"})]
    book = made({"kind": "chooses", "options": options})
    before = gang(book, earned=9)
    answers = Answers()
    for place in (0, 1):
        asked = played(book, before, "1", answers=answers)
        (key,) = [key for key, one in asked.questions.items() if one.chosen is None]
        answers = engine_answers.choose(asked, answers, key, str(place))
    through = played(book, before, "1", answers=answers)
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


def held(book: Book, earned: int, *who: int) -> Roster:
    before = gang(book, earned=earned)
    taken = member("fighter", conditions=["held"]).afflictions
    members = tuple(
        one.model_copy(update={"afflictions": taken}) if one.id in who else one
        for one in before.members
    )
    return before.model_copy(update={"members": members})


def decided(book: Book, before: Roster, *decisions: tuple[int, str]) -> Playthrough:
    game_report = make_situation(before, "won", "loser")
    answers = Answers()
    for who, decision in decisions:
        through = play(book, before, 100, game_report, answers)
        answers = engine_answers.choose(through, answers, f"captives:{who}", decision)
    return play(book, before, 100, game_report, answers)


def test_a_rescue_only_where_the_rules_know_one() -> None:
    book = prison("agreed", rescue=False)
    before = held(book, 0, FIGHTER)
    with pytest.raises(Refusal, match="not_offered"):
        decided(book, before, (FIGHTER, "freed"))
    through = decided(book, before, (FIGHTER, "lost"))
    assert through.complete
    assert [gone.fate for gone in through.roster.departed] == ["dead"]
    # A draft of before the gang went over to these rules has no answer any more.
    answers = Answers(choices={f"captives:{FIGHTER}": "freed"})
    through = play(book, before, 100, make_situation(before, "won", "loser"), answers)
    assert through.step("captives").status == "open"
    assert [one.chosen for one in through.step("captives").questions] == [None]


def test_a_ransom_takes_two_gangs() -> None:
    book = prison("agreed")
    before = held(book, 10, FIGHTER)
    with pytest.raises(Refusal, match="not_offered"):
        decided(book, before, (FIGHTER, "ransom"))


def test_what_is_not_offered_is_no_answer() -> None:
    book = prison("agreed")
    before = held(book, 10, FIGHTER)
    answers = Answers(choices={f"captives:{FIGHTER}": "ransom"})
    through = play(book, before, 100, make_situation(before, "won", "loser"), answers)
    (captive,) = through.step("captives").questions
    assert captive.chosen is None and not through.complete
    assert (through.roster.treasury, suffers(through)) == (11, [("held", 0)])


def test_a_captive_stays_where_they_are() -> None:
    book = prison("agreed")
    through = decided(book, held(book, 0, FIGHTER), (FIGHTER, "freed"), (FIGHTER, "stay"))
    (captive,) = through.step("captives").questions
    assert captive.chosen.value == "stay"
    assert through.complete and suffers(through) == [("held", 0)]


def test_given_up_or_rescued() -> None:
    book = prison("worth")
    through = decided(book, held(book, 0, FIGHTER, SCOUT), (FIGHTER, "lost"), (SCOUT, "freed"))
    assert through.complete
    assert [gone.member.id for gone in through.roster.departed] == [FIGHTER]
    assert through.roster.treasury == 1
