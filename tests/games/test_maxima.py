"""Maxima of some members, and rolls that would change nothing, in the tests' own games."""

from __future__ import annotations

import pytest

from campaigns.engine.report import Answers
from campaigns.engine.script_state import Playthrough
from common.errors import Refusal
from gangs.cards.stats import stat
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import apply, fold
from gangs.engine.roster import Roster
from rules.book.fates import Chooses, Gains, Option, Rises
from rules.book.model import Book
from rules.book.schema import Maximum, Threshold
from rules.book.season import AdvancesStep
from rules.book.vocabulary import Add, Between, Selector
from rules.engine.figure import Figure, Raise
from rules.engine.profiles import LIMITED, profile
from rules.loading.check_building import check
from rules.reference_pages.characters import characters
from rules.reference_pages.tables import table_chips
from rules.reference_pages.words import BookWording
from tests.world.campaigns import make_situation, rolled_out

CALLER, SITTER = 2, 3


def circle_of(book: Book, *more: Entry) -> Roster:
    first = [
        kinds.Founded(name="The Ninth", settings={}),
        kinds.Recruited(rank="caller", name="Vera"),
        kinds.Recruited(rank="sitter", name="Ann"),
        *more,
    ]
    return fold(book, enumerate(first, start=1))


def advanced(
    book: Book, roster: Roster, *rolls: str, answers: Answers | None = None
) -> Playthrough:
    """Play the step of advances of a sitter who has earned one."""
    steps = tuple(one for one in book.campaign.steps if isinstance(one, AdvancesStep))
    book = book.changed(campaign=book.campaign.model_copy(update={"steps": steps}))
    roster = apply(book, roster, 40, kinds.Learned(member=SITTER, amount=2))
    game = make_situation(roster, "won", "winner")
    return rolled_out(book, roster, game, answers or Answers(), *rolls)


def will(amount: int) -> kinds.Rose:
    return kinds.Rose(member=SITTER, characteristic="will", amount=amount)


def test_rise_stops_at_the_maximum_of_the_member(circle: Book) -> None:
    strong = circle_of(circle, will(1))
    through = advanced(circle, strong, "1")
    assert ComputedGang.of(circle, through.roster).profiles[SITTER].number("will") == 3
    # A second rise would be wasted: the roll does not count, and the next one does.
    through = advanced(circle, circle_of(circle, will(2)), "2", "5")
    assert through.complete
    assert through.roster.member(SITTER).raised == {"will": 2, "nerve": 1}
    assert through.roster.member(SITTER).advances == 1
    assert [one.again for one in through.requests.values()] == [True, False]


def test_roll_counts_if_every_row_would_change_nothing(circle: Book) -> None:
    nerves = kinds.Rose(member=SITTER, characteristic="nerve", amount=4)
    through = advanced(circle, circle_of(circle, will(2), nerves), "2")
    assert through.complete and len(through.requests) == 1
    assert through.roster.member(SITTER).advances == 1


def test_replay_rolls_again_after_an_earlier_rise_was_added(circle: Book) -> None:
    book = circle
    before, after = circle_of(book, will(1)), circle_of(book, will(2))
    rolls = advanced(book, before, "1").step("insights").rolls
    kept = Answers(rolls={one.key: one.roll for one in rolls if one.roll is not None})
    through = advanced(book, after, answers=kept)
    assert [one.roll is None for one in through.requests.values()] == [False, True]


def test_wasted_option_cannot_be_chosen(circle: Book) -> None:
    rises = [Rises(kind="rises", characteristic=key) for key in ("will", "nerve")]
    options = tuple(
        Option(name=circle.characteristic[one.characteristic].name, outcomes=(one,))
        for one in rises
    )
    table = circle.table["insights"]
    outcomes = (Chooses(kind="chooses", options=options),)
    rows = (table.rows[0].model_copy(update={"high": 6, "outcomes": outcomes}),)
    book = circle.changed(tables=(table.model_copy(update={"rows": rows}),))
    through = advanced(book, circle_of(book, will(2)), "3")
    [question] = through.questions.values()
    assert [one.refusal and one.refusal.code for one in question.choices] == ["no_effect", None]


def test_trait_that_the_member_has_is_rolled_again(terraces: Book) -> None:
    founding: list[Entry] = [
        kinds.Founded(name="The Lower Steps", settings={}),
        kinds.Recruited(rank="elder"),
        kinds.Recruited(rank="apprentice"),
        kinds.TraitTaken(member=SITTER, trait="surefooted"),
        kinds.TraitTaken(member=SITTER, trait="surefooted"),
        kinds.Rose(member=SITTER, characteristic="wind", amount=1),
    ]
    roster = fold(terraces, enumerate(founding, start=1))
    through = advanced(terraces, roster, "6", "5", "3")
    assert through.complete
    assert through.roster.member(SITTER).raised == {"wind": 1, "arm": 1}


def test_traits_stop_at_the_maximum_and_items_do_not(circle: Book) -> None:
    add = Add(kind="add", characteristic="will", amount=3)
    trait = circle.trait["mist"].model_copy(update={"effects": (add,)})
    item = circle.item["bell"].model_copy(update={"effects": (add,)})
    book = circle.changed(traits=(trait, circle.trait["knocking"]), items=(*circle.items, item))
    sitter = Figure(rank="sitter", worth_rank="sitter", traits=("mist",))
    score = profile(book.usual, sitter).scores["will"]
    assert (score.natural, score.room) == (3, 0)
    assert [one.amount for one in score.changes if one.cause == LIMITED] == [-1]
    caller = Figure(rank="caller", worth_rank="caller", traits=("mist",))
    assert profile(book.usual, caller).number("will") == 6
    armed = Figure(rank="sitter", worth_rank="sitter", items=("bell",))
    assert profile(book.usual, armed).scores["will"].natural == 4


def test_points_stop_at_the_maximum_of_the_member(circle: Book) -> None:
    rank = circle.rank["sitter"].model_copy(update={"points": 5})
    wills = circle.characteristic["will"].model_copy(update={"bought_with_points": True})
    book = circle.changed(
        ranks=tuple(rank if one.key == "sitter" else one for one in circle.ranks),
        characteristics=tuple(
            wills if one.key == "will" else one for one in circle.characteristics
        ),
    )
    computed = ComputedGang.of(book, circle_of(book))
    with pytest.raises(Refusal, match="at_maximum"):
        actions.spread_points(computed, SITTER, {"will": 3})
    [spread] = actions.spread_evenly(computed, SITTER)
    assert spread == kinds.PointsSpread(member=SITTER, characteristic="will", amount=2)
    score = computed.profiles[SITTER].scores["will"]
    assert stat(score, computed.roster.member(SITTER), "en").most == 3


def test_rules_name_the_maxima_and_the_rolls_that_are_made_again(circle: Book) -> None:
    words = BookWording(circle, "en")
    pieces = {row.anchor: row for part in characters(words) for row in part.pieces}
    facts = {one.label: one.values[0].text for one in pieces["characteristic-will"].facts}
    assert facts["Advances at most to"] == "3: Sitter"
    assert "rolled again if nothing would change" in list(
        table_chips(circle, circle.table["insights"])
    )


def test_checker_names_senseless_maxima(circle: Book) -> None:
    row = circle.characteristic["will"]

    def mistakes(**values: object) -> list[str]:
        changed = row.model_copy(update=values)
        rows = tuple(changed if one.key == "will" else one for one in circle.characteristics)
        return [words for _path, words in check(circle.changed(characteristics=rows))]

    assert mistakes() == []
    assert mistakes(maxima=(Maximum(maximum=7),)) == [
        "must be between the minimum and the maximum, 0 and 6"
    ]
    numbers = Selector(numbers=(Between(characteristic="nerve", minimum=2),))
    assert mistakes(maxima=(Maximum(of=numbers, maximum=3),)) == [
        "a maximum cannot depend on “numbers”"
    ]
    assert mistakes(better="low") == ["is only used where a high number is better"]
    frights = circle.table["frights"].model_copy(update={"rerolls_wasted": True})
    tables = tuple(frights if one.key == "frights" else one for one in circle.tables)
    assert [words for _path, words in check(circle.changed(tables=tables))] == [
        "has no effect: no row raises a characteristic or brings a trait"
    ]


def test_value_of_a_promotion_stands_above_the_maximum(circle: Book) -> None:
    """A promotion with the better of two profiles brings the rank’s value, and no rise more."""
    strong = circle.rank["caller"].model_copy(update={"values": {"will": 5}})
    ranks = tuple(strong if one.key == "caller" else one for one in circle.ranks)
    book = circle.changed(ranks=ranks)
    raised = Figure(rank="sitter", worth_rank="sitter", raises=(Raise("caller", 0),))
    score = profile(book.usual, raised).scores["will"]
    assert (score.natural, score.room) == (5, 0)
    more = Figure(
        rank="sitter", worth_rank="sitter", raises=(Raise("caller", 0),), raised={"will": 1}
    )
    assert profile(book.usual, more).scores["will"].natural == 5


def test_trait_of_the_rank_is_rolled_again(terraces: Book) -> None:
    """A trait that comes with the rank cannot be gained, so the roll counts as wasted."""
    founding: list[Entry] = [
        kinds.Founded(name="The Lower Steps", settings={}),
        kinds.Recruited(rank="elder"),
        kinds.Recruited(rank="apprentice"),
    ]
    known = terraces.rank["apprentice"].model_copy(update={"traits": ("counting",)})
    counting = terraces.trait["counting"].model_copy(update={"most": 1})
    book = terraces.changed(
        ranks=tuple(known if one.key == "apprentice" else one for one in terraces.ranks),
        traits=tuple(counting if one.key == "counting" else one for one in terraces.traits),
    )
    gains = Gains(kind="gains", trait="counting")
    table = book.table["lessons"]
    rows = (
        table.rows[0].model_copy(update={"low": 1, "high": 3, "outcomes": (gains,)}),
        table.rows[-1].model_copy(
            update={
                "low": 4,
                "high": 6,
                "outcomes": (Rises(kind="rises", characteristic="arm"),),
            }
        ),
    )
    lessons = table.model_copy(update={"rows": rows, "dice": "1d6", "rerolls_wasted": True})
    book = book.changed(
        tables=tuple(lessons if one.key == "lessons" else one for one in book.tables)
    )
    roster = fold(book, enumerate(founding, start=1))
    through = advanced(book, roster, "1", "5")
    assert through.complete
    assert [one.again for one in through.requests.values()] == [True, False]
    assert through.roster.member(SITTER).raised == {"arm": 1}


def test_trait_of_the_rank_with_a_threshold_counts_once(circle: Book) -> None:
    add = Add(kind="add", characteristic="will", amount=1)
    threshold = Threshold(characteristic="nerve", value=1)
    update = {"effects": (add,), "gained_at": threshold}
    voice = circle.trait["voice"].model_copy(update=update)
    traits = tuple(voice if one.key == "voice" else one for one in circle.traits)
    book = circle.changed(traits=traits)
    rank = next(one.key for one in circle.ranks if "voice" in one.traits)
    figure = Figure(rank=rank, worth_rank=rank)
    known = profile(book.usual, figure)
    usual = profile(circle.usual, figure)
    assert known.natural("will") == usual.natural("will") + 1
    assert [one.key for one in known.gained] == ["voice"]
