"""Consumables in the circles' game: dearer copies, uses that run out, and resale."""

from __future__ import annotations

import pytest

from campaigns.engine.report import Answers, GameReport, Report
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from common.errors import Refusal
from gangs.cards.render import render
from gangs.engine import actions, offers
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from gangs.engine.version_change import carry_over
from gangs.text.entries import Describer
from rules.book.model import Book
from tests.world.gangs import played

ANN, BEN = 2, 3
INCENSE, SECOND, WARD = 4, 5, 6
FOUNDING: list[Entry] = [
    kinds.Founded(name="The Ninth", settings={}),
    kinds.Recruited(rank="caller", name="Ann"),
    kinds.Recruited(rank="sitter", name="Ben"),
    kinds.Bought(item="incense", member=ANN),
    kinds.Bought(item="incense", member=ANN),
    kinds.Bought(item="ward", member=BEN),
]


def circle_after(book: Book, *more: Entry) -> Roster:
    return fold(book, enumerate([*FOUNDING, *more], start=1))


def computed(book: Book, *more: Entry) -> ComputedGang:
    return ComputedGang.of(book, circle_after(book, *more))


def settle(book: Book, roster: Roster, **choices: str) -> Playthrough:
    """Play the post-game of a game that the circle won. ``choices``: how often each item was
    used, by "i" and the item's number."""
    report = Report(fielded=(ANN, BEN))
    game = GameReport(
        game="g1",
        title="The mill",
        result="won",
        side="winner",
        report=report,
        rating=0,
        opponents=(),
    )
    answers = Answers(
        choices={f"burnt:{key[1:]}": count for key, count in choices.items()}, done=("seats",)
    )
    return play(book, roster, 20, game, answers)


def test_each_further_copy_has_its_own_price(circle: Book) -> None:
    gang = computed(circle)
    # 15 + 4 + 6, and 6 + 5.
    assert gang.price == 36
    prices = {
        who: {offer.row.key: offer.price for offer in offers.items(gang, gang.roster.member(who))}
        for who in (ANN, BEN)
    }
    assert prices[ANN]["incense"] == 9 and prices[BEN]["incense"] == 4
    shown = render(gang, "en").cards[0].items
    assert [line.price for line in shown] == [4, 6]


def test_copy_in_the_stash_costs_as_much_as_the_dearest(circle: Book) -> None:
    """A copy that costs less in the stash could be handed over to save money."""
    gang = computed(circle)
    [price] = [row.price for row in offers.items(gang, None) if row.row.key == "incense"]
    assert price == 9
    moved = computed(circle, kinds.Moved(item=SECOND, member=None))
    assert moved.price == 15 + 4 + 9 + 11


def test_item_is_sold_for_a_share_of_its_list_price(circle: Book) -> None:
    before = [played(circle, "g1", ANN, BEN)]
    gang = computed(circle, *before)
    # 60 - 36 is left of the budget.
    assert gang.roster.treasury == 24
    [sold] = actions.sell(gang, SECOND)
    assert sold == kinds.Sold(item=SECOND, amount=2)
    after = circle_after(circle, *before, sold)
    assert after.treasury == 26
    assert [owned.id for owned in after.member(ANN).items] == [INCENSE]
    assert Describer(circle, gang.roster).describe(sold) == "Incense was sold for 2 candles."


@pytest.mark.parametrize(
    ("item", "game", "used", "code"),
    [
        (INCENSE, False, False, "not_sold"),
        (WARD, True, False, "not_sold"),
        (INCENSE, True, True, "worn"),
    ],
    ids=["before the first game", "without a resale price", "used"],
)
def test_item_cannot_be_sold_when_nobody_buys_it(
    circle: Book, item: int, game: bool, used: bool, code: str
) -> None:
    more: list[Entry] = [played(circle, "g1", ANN)] if game else []
    more += [kinds.Used(item=item)] if used else []
    with pytest.raises(Refusal) as refused:
        actions.sell(computed(circle, *more), item)
    assert refused.value.code == code


def test_item_is_gone_after_its_last_use(circle: Book) -> None:
    entries: list[Entry] = []
    sentences = []
    for left in (2, 1, None):
        gang = computed(circle, *entries)
        [used] = actions.use_item(gang, INCENSE)
        sentences.append(Describer(circle, gang.roster).describe(used))
        entries.append(used)
        items = render(computed(circle, *entries), "en").cards[0].items
        assert [line.left for line in items] == ([left, 3] if left else [3])
    assert sentences == ["Incense: 1 use.", "Incense: 1 use.", "Incense was used up."]
    first = render(computed(circle, *entries[:1]), "en").cards[0].items[0]
    assert first.text == "Uses left: 2 of 3. Add 1 to a calling."


def test_item_without_uses_cannot_be_used(circle: Book) -> None:
    bell = computed(circle, kinds.Bought(item="bell", member=BEN))
    with pytest.raises(Refusal, match="not_offered"):
        actions.use_item(bell, 7)


def test_post_game_asks_for_the_uses_of_each_item_and_takes_them(circle: Book) -> None:
    roster = circle_after(circle)
    through = settle(circle, roster)
    assert list(through.questions) == ["burnt:4", "burnt:5", "burnt:6"]
    assert [choice.value for choice in through.questions["burnt:4"].choices] == list("0123")
    assert not through.complete
    through = settle(circle, roster, i4="2", i5="0", i6="1")
    assert through.complete
    ann, ben = through.roster.members
    assert [(owned.id, owned.used) for owned in ann.items] == [(INCENSE, 2), (SECOND, 0)]
    assert not ben.items
    # The pay for the result, and the rest of the budget.
    assert through.roster.treasury == 24 + 8


def test_uses_fit_a_newer_rulebook_with_fewer(circle: Book) -> None:
    roster = circle_after(circle, kinds.Used(item=INCENSE, uses=2))
    for uses, used in ((2, 1), (None, 0)):
        items = [
            row.model_copy(update={"uses": uses}) if row.key == "incense" else row
            for row in circle.items
        ]
        carried, losses = carry_over(circle, circle.changed(items=tuple(items)), roster)
        assert not losses and carried.member(ANN).items[0].used == used
