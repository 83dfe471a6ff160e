"""Holdings, income per holder and upkeep, in the tests' own games."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.engine.holdings import haul_amount
from campaigns.engine.report import Answers, Capture, GameReport, LostHolding, Report
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from common.errors import Refusal
from common.wording.texts import in_language
from gangs.engine import entries as kinds
from gangs.engine import holdings
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.fold import apply, fold
from gangs.engine.roster import HeldPlace, Roster
from gangs.engine.validation import findings
from gangs.engine.version_change import carry_over
from printing.sheets import blank
from rules.book.amounts import Each
from rules.book.model import Book
from rules.book.season import RollsStep
from rules.book.vocabulary import Selector
from rules.engine.dice import DiceRoll
from rules.loading.check_building import check
from rules.loading.examining import notes
from rules.reference_pages.holdings import holdings as holdings_sections
from rules.reference_pages.tables import each_in_words
from rules.reference_pages.words import BookWording


def _fold(book: Book, *entries: Entry) -> Roster:
    return fold(book, list(enumerate(entries, start=1)))


@pytest.fixture
def household(terraces: Book) -> Roster:
    """Return a household: an elder, two pickers with a billhook each, three holdings."""
    return _fold(
        terraces,
        kinds.Founded(name="Aubert", settings={}),
        kinds.Recruited(rank="elder", name="Odile"),
        kinds.Recruited(rank="picker", name="Luc"),
        kinds.Recruited(rank="picker", name="Ida"),
        kinds.Bought(item="billhook", member=3, paid=4),
        kinds.HoldingGained(holding="south", paid=8),
        kinds.HoldingGained(holding="steep", paid=6),
        kinds.HoldingGained(holding="press", name="Old Screw", paid=5),
    )


def _report(side: str = "winner", report: Report | None = None, **more: Any) -> GameReport:
    values: dict[str, Any] = {
        "game": "g1",
        "title": "Bertin",
        "result": "won",
        "side": side,
        "report": report or Report(fielded=(2, 3, 4)),
        "rating": 30,
        "opponents": (30,),
    }
    return GameReport(**(values | more))


def _play(
    book: Book, roster: Roster, report: GameReport, answers: Answers | None = None
) -> Playthrough:
    answers = answers or Answers()
    # Nobody looks for anything rare.
    nothing = {f"cellars:{member.id}": "nothing" for member in roster.members}
    answers = answers.model_copy(update={"choices": nothing | answers.choices})
    return play(book, roster, 100, report, answers)


def _earned(playthrough: Playthrough) -> dict[str | None, int | float]:
    """The money that came in, by what brought it."""
    earned = [entry for entry in playthrough.entries if isinstance(entry, kinds.Earned)]
    return {entry.key: entry.amount for entry in earned if entry.currency is None}


def test_holdings_change_the_members_that_they_pick(terraces: Book, household: Roster) -> None:
    profiles = ComputedGang.of(terraces, household).profiles
    assert {key: found.number("arm") for key, found in profiles.items()} == {2: 3, 3: 2, 4: 2}


def test_holdings_count_in_the_founding_price(terraces: Book, household: Roster) -> None:
    computed = ComputedGang.of(terraces, household)
    assert computed.price == 20 + 5 + 5 + 4 + 8 + 6 + 5
    assert computed.left == 100 - 53


def test_income_counts_holdings_and_items_and_baskets(terraces: Book, household: Roster) -> None:
    report = Report(fielded=(2, 3, 4), tallies={"baskets": 4})
    played = _play(terraces, household, _report(report=report))
    assert _earned(played) == {"won": 10, "terraces": 6, "blades": 1, "baskets": 7}
    # 47 of the founding budget, 24 earned, wages of 4 and a wall of 1.
    assert played.roster.treasury == 47 + 24 - 5


@pytest.mark.parametrize(
    ("count", "size", "amount"), [(0, 3, 0), (1, 0, 4), (4, 3, 7), (4, 4, 5), (99, 12, 9)]
)
def test_haul_looks_up_count_and_size(terraces: Book, count: int, size: int, amount: int) -> None:
    assert haul_amount(terraces.campaign.hauls[0], count, size) == amount


def test_income_asks_for_the_dice_of_a_holding(terraces: Book, household: Roster) -> None:
    held = (*household.holdings, HeldPlace(id=50, key="spring"))
    roster = household.changed(holdings=held)
    waiting = _play(terraces, roster, _report())
    assert waiting.current is not None
    (request,) = waiting.current.waiting
    assert (request.what, request.dice, request.member) == ("money", "1d6", None)
    roll = DiceRoll(dice="1d6", faces=(5,), thrown_by="table")
    played = _play(terraces, roster, _report(), Answers(rolls={request.key: roll}))
    assert _earned(played)["water"] == 5


def test_winner_and_loser_write_their_halves_of_a_capture(
    terraces: Book, household: Roster
) -> None:
    capture = Capture(gang="aubert", place=6, holding="south")
    won = _report(report=Report(fielded=(2,), captures=(capture,)), names={"aubert": "Aubert"})
    winner = _fold(
        terraces,
        kinds.Founded(name="Bertin", settings={}),
        kinds.Recruited(rank="elder", name="Zoé"),
    )
    gained = _play(terraces, winner, won)
    assert [held.key for held in gained.roster.holdings] == ["south"]
    assert kinds.HoldingGained(holding="south", captured_from="Aubert") in gained.entries

    lost = _report("loser", lost_holdings=(LostHolding(place=6, by="Bertin"),))
    after = _play(terraces, household, lost)
    assert kinds.HoldingLost(place=6, captured_by="Bertin") in after.entries
    assert [held.key for held in after.roster.holdings] == ["steep", "press"]
    # The captured terrace brings its new holder money in the same post-game.
    assert _earned(gained)["terraces"] == 3 and _earned(after)["terraces"] == 3


def test_capture_of_a_holding_lost_since_changes_nothing(terraces: Book, household: Roster) -> None:
    lost = _report("loser", lost_holdings=(LostHolding(place=77, by="Bertin"),))
    assert len(_play(terraces, household, lost).roster.holdings) == 3


def test_members_who_are_not_paid_leave(terraces: Book, household: Roster) -> None:
    answers = Answers(choices={"wages:wages:3": "unpaid", "wages:walls:7": "unpaid"})
    played = _play(terraces, household, _report(), answers)
    paid = [entry for entry in played.entries if isinstance(entry, kinds.UpkeepPaid)]
    assert paid == [kinds.UpkeepPaid(upkeep="wages", paid=2, members=(4,))]
    assert [member.id for member in played.roster.members] == [2, 4]
    assert played.roster.departed[0].fate == "emigrated"
    assert [held.key for held in played.roster.holdings] == ["south", "press"]


def test_upkeep_asks_when_the_treasury_cannot_pay_everything(terraces: Book) -> None:
    poor = _fold(
        terraces,
        kinds.Founded(name="Bertin", settings={}),
        *(kinds.Recruited(rank="picker") for _ in range(20)),
    )
    loser = _report("loser", Report(fielded=(2,)))
    waiting = _play(terraces, poor, loser)
    step = waiting.step("wages")
    assert len(step.questions) == 20 and step.next_question is not None
    keys = [question.key for question in step.questions]
    paying = Answers(choices=dict.fromkeys(keys[:2], "paid") | dict.fromkeys(keys[2:], "unpaid"))
    played = _play(terraces, poor, loser, paying)
    assert len(played.roster.members) == 2 and played.roster.treasury == 0
    # A third member cannot be paid from a treasury of 4.
    third = Answers(choices=dict.fromkeys(keys[:3], "paid"))
    refused = _play(terraces, poor, loser, third).questions[keys[2]]
    assert refused.chosen is None and refused.choices[0].refusal is not None


def test_takes_gives_a_holding_that_nobody_has(circle: Book) -> None:
    sitters = _fold(
        circle,
        kinds.Founded(name="The Ninth", settings={}),
        kinds.Recruited(rank="caller"),
    )
    report = Report(fielded=(2,), marks={2: "out"})
    six = Answers(rolls={"frights:2:frights": DiceRoll(dice="1d6", faces=(6,), thrown_by="table")})
    taken = _play(circle, sitters, _report("loser", report), six).roster
    assert [held.key for held in taken.holdings] == ["house"]
    assert ComputedGang.of(circle, taken).profiles[2].number("will") == 5
    elsewhere = _report("loser", report, held_elsewhere=frozenset({"house"}))
    assert _play(circle, sitters, elsewhere, six).roster.holdings == ()


def test_upkeep_counts_the_items_of_a_member(circle: Book) -> None:
    ringer = _fold(
        circle,
        kinds.Founded(name="The Ninth", settings={}),
        kinds.Recruited(rank="caller"),
        kinds.Recruited(rank="sitter"),
        kinds.Bought(item="bell", member=3),
        kinds.Bought(item="bell", member=3),
        kinds.HoldingGained(holding="cellar", name="Under the mill"),
    )
    report = _report("loser", Report(fielded=(2, 3)))
    played = _play(circle, ringer, report)
    paid = [entry for entry in played.entries if isinstance(entry, kinds.UpkeepPaid)]
    assert [(entry.upkeep, entry.paid) for entry in paid] == [("bells", 2), ("rent", 2)]
    answers = Answers(choices={"rent:bells:3": "unpaid"})
    sulking = _play(circle, ringer, report, answers).roster.member(3)
    assert [suffered.condition for suffered in sulking.afflictions] == ["sulking"]


def test_upkeep_is_not_due_for_members_with_an_excluded_condition(circle: Book) -> None:
    circle_of_two = _fold(
        circle,
        kinds.Founded(name="The Ninth", settings={}),
        kinds.Recruited(rank="caller"),
        kinds.Recruited(rank="sitter"),
        kinds.Recruited(rank="sitter"),
        kinds.Bought(item="bell", member=3),
        kinds.Bought(item="bell", member=4),
        kinds.Suffered(member=4, condition="sulking", games=2),
    )
    played = _play(circle, circle_of_two, _report("loser", Report(fielded=(2, 3))))
    paid = [entry for entry in played.entries if isinstance(entry, kinds.UpkeepPaid)]
    assert paid == [kinds.UpkeepPaid(upkeep="bells", paid=1, members=(3,))]


def test_upkeep_can_be_due_only_for_members_who_took_part(terraces: Book) -> None:
    pruners = _fold(
        terraces,
        kinds.Founded(name="Bertin", settings={}),
        kinds.Recruited(rank="pruner"),
        kinds.Recruited(rank="pruner"),
    )
    played = _play(terraces, pruners, _report("loser", Report(fielded=(3,))))
    paid = [entry for entry in played.entries if isinstance(entry, kinds.UpkeepPaid)]
    assert paid == [kinds.UpkeepPaid(upkeep="day_wages", paid=1, members=(3,))]


def test_income_can_count_only_members_who_took_part(terraces: Book, household: Roster) -> None:
    (blades,) = [row for row in terraces.campaign.yields if row.key == "blades"]
    changed = blades.model_copy(update={"of": Selector(ranks=("picker",)), "fielded": True})
    campaign = terraces.campaign.model_copy(update={"yields": (changed,)})
    book = terraces.changed(campaign=campaign)
    here, away = (_report(report=Report(fielded=fielded)) for fielded in ((2, 3), (2, 4)))
    assert _earned(_play(book, household, here)) == {"won": 10, "blades": 1}
    assert _earned(_play(book, household, away)) == {"won": 10}


def test_take_offers_what_the_gang_can_have(terraces: Book, household: Roster) -> None:
    computed = ComputedGang.of(terraces, household)
    assert [offer.row.key for offer in holdings.offers(computed)] == ["press"]
    assert holdings.take(computed, "press", "New Screw") == [
        kinds.HoldingGained(holding="press", name="New Screw", paid=5)
    ]
    with pytest.raises(Refusal, match="not_offered"):
        holdings.take(computed, "south")
    with pytest.raises(Refusal, match="not_offered"):
        holdings.take(computed, "spring")


def test_give_up_takes_a_holding_away(terraces: Book, household: Roster) -> None:
    (entry,) = holdings.give_up(ComputedGang.of(terraces, household), 6)
    after = apply(terraces, household, 9, entry)
    assert [held.id for held in after.holdings] == [7, 8]
    with pytest.raises(Misfit, match="no_holding"):
        apply(terraces, after, 10, entry)


def test_other_version_without_a_holding_drops_it(terraces: Book, household: Roster) -> None:
    rows = tuple(row for row in terraces.holdings if row.key != "south")
    carried, losses = carry_over(terraces, terraces.changed(holdings=rows), household)
    assert [held.key for held in carried.holdings] == ["steep", "press"]
    assert [(loss.kind, str(in_language(loss.name, "en"))) for loss in losses] == [
        ("holding", "South terrace")
    ]


def _mistakes(book: Book, **changes: Any) -> list[str]:
    campaign = {key: value for key, value in changes.items() if key != "holdings"}
    changed = book.campaign.model_copy(update=campaign)
    book = book.changed(holdings=changes.get("holdings", book.holdings), campaign=changed)
    return [sentence for _path, sentence in check(book)]


def test_checker_names_senseless_rows(terraces: Book) -> None:
    season = terraces.campaign
    wages, _day_wages, walls = season.upkeep
    haul = season.hauls[0]
    without = tuple(step for step in season.steps if step.kind not in ("holdings", "upkeep"))
    assert _mistakes(terraces) == []
    found = _mistakes(terraces, upkeep=(wages.model_copy(update={"unpaid": ()}),))
    assert found == ["is missing: say what happens to members who are not paid"]
    both = walls.model_copy(update={"of": wages.of, "unpaid": wages.unpaid})
    assert len(_mistakes(terraces, upkeep=(both,))) == 2
    assert _mistakes(terraces, hauls=(haul.model_copy(update={"sizes": (4, 1)}),)) == [
        "each number must be higher than the one before"
    ]
    short = haul.model_copy(update={"sizes": (1, 4, 7)})
    assert set(_mistakes(terraces, hauls=(short,))) == {"has 2 amounts for 3 sizes"}
    missing = _mistakes(terraces, steps=without)
    assert missing.count("has no effect: add a step “upkeep”") == 3
    assert "has no effect: add a step “holdings”" in missing
    fixed = tuple(row.model_copy(update={"captured": False}) for row in terraces.holdings)
    assert _mistakes(terraces, holdings=fixed) == ["needs at least one holding with “captured”"]
    stash = season.yields[2].model_copy(update={"fielded": True})
    assert _mistakes(terraces, yields=(stash,)) == ["is only used with “of”"]
    unknown = season.yields[0].model_copy(update={"holdings": ("moon",)})
    assert _mistakes(terraces, yields=(unknown,)) == ["unknown holding “moon”"]


def test_checker_notes_a_holding_that_nobody_can_have(terraces: Book) -> None:
    free = tuple(row.model_copy(update={"price": None}) for row in terraces.holdings)
    noted = [sentence for _path, sentence in notes(terraces.changed(holdings=free))]
    hint = "“south” has no price, and no outcome brings this holding: no gang can have it"
    assert hint in noted and not any("“spring”" in sentence for sentence in noted)


def test_blank_roster_has_a_line_for_holdings(terraces: Book) -> None:
    html = blank.job(terraces, blank.BlankOrder("en", part="roster")).html
    assert ">Holdings" in html
    bare = terraces.changed(holdings=())
    assert ">Holdings" not in blank.job(bare, blank.BlankOrder("en", part="roster")).html


def test_limit_counts_members_by_the_holdings_of_their_gang(
    terraces: Book, household: Roster
) -> None:
    roster = fold(terraces, [(20, kinds.Recruited(rank="pruner", name="Pia"))], household)
    assert "IDLE" not in {one.code for one in findings(terraces, roster)}
    without = roster.changed(holdings=())
    assert "IDLE" in {one.code for one in findings(terraces, without)}


def test_table_is_rolled_for_each_holding(terraces: Book, household: Roster) -> None:
    (step,) = [one for one in terraces.campaign.steps if one.key == "weather"]
    assert isinstance(step, RollsStep)
    each = Each(holdings=("south", "steep", "spring"))
    changed = step.model_copy(update={"each": each, "sides": ()})
    campaign = terraces.campaign.model_copy(update={"steps": (changed,)})
    played = play(terraces.changed(campaign=campaign), household, 100, _report(), Answers())
    assert len(played.step("weather").waiting) == 2
    assert (
        each_in_words(BookWording(terraces, "en"), each) == "South terrace, Steep terrace, Spring"
    )


def test_selector_by_holding_in_words(terraces: Book) -> None:
    selector = Selector(holdings=("south",), not_holdings=("press",))
    assert BookWording(terraces, "en").whom(selector) == "South terrace · not Press"


def test_upkeep_in_words_names_those_who_took_part(terraces: Book, circle: Book) -> None:
    found = {
        row.anchor: [str(fact) for fact in row.facts]
        for book in (terraces, circle)
        for part in holdings_sections(BookWording(book, "en"))
        for row in part.pieces
    }
    assert any("Pruner, those who took part" in fact for fact in found["upkeep-day_wages"])
    assert any("Sitter · not Sulking" in fact for fact in found["upkeep-bells"])
