"""Items fitted to other items, in two of the tests' games."""

from __future__ import annotations

import pytest

from campaigns.engine.report import Answers, Hire
from campaigns.engine.script import play
from common.errors import Refusal
from gangs.cards.render import render
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.fitting import arm, find_host
from gangs.engine.fold import fold
from gangs.engine.plausibility import implausible_entries
from gangs.engine.refounding import refound
from gangs.engine.roster import Roster
from gangs.engine.version_change import carry_over
from gangs.text.entries import Describer
from rules.book.model import Book
from rules.book.offers import ItemOffer
from rules.engine.cells import add_to_cell
from rules.engine.situations import Side, Situation, names_in
from rules.loading.check_building import check
from rules.reference_pages import goods
from rules.reference_pages.words import BookWording
from tests.world.campaigns import make_situation
from tests.world.gangs import played

ANN, BEN = 2, 3
BILLHOOK, STAVE = 4, 5
HANDLE = 6


def founding(book: Book) -> list[Entry]:
    ranks = [row.key for row in book.ranks if row.recruited]
    return [
        kinds.Founded(name="Vine", settings=book.default_settings()),
        kinds.Recruited(rank=ranks[0], name="Ann"),
        kinds.Recruited(rank=ranks[-1], name="Ben"),
        kinds.Bought(item="billhook", member=ANN),
        kinds.Bought(item="stave", member=ANN),
    ]


def roster_after(book: Book, *more: Entry) -> Roster:
    return fold(book, enumerate([*founding(book), *more], start=1))


def gang_after(book: Book, *more: Entry) -> ComputedGang:
    return ComputedGang.of(book, roster_after(book, *more))


FITTED = kinds.Bought(item="handle", member=ANN, on=BILLHOOK)


def test_buy_fits_an_item_to_the_nearest_that_can_take_it(terraces: Book) -> None:
    [bought] = actions.buy(gang_after(terraces), ANN, "handle")
    assert bought == kinds.Bought(item="handle", member=ANN, paid=2, on=STAVE)
    # A second of its kind goes to the other tool, a third to none.
    [second] = actions.buy(gang_after(terraces, bought), ANN, "handle")
    assert second.on == BILLHOOK  # type: ignore[attr-defined]
    [third] = actions.buy(gang_after(terraces, bought, second), ANN, "handle")
    assert third.on is None  # type: ignore[attr-defined]


def test_card_shows_the_changed_columns_and_both_names(terraces: Book) -> None:
    gang = gang_after(terraces, FITTED)
    card = render(gang, "en").cards[0]
    assert [(line.name, dict(line.cells)) for line in card.items] == [
        ("Billhook (Long handle)", {"Harm": "+2"}),
        ("Long handle", {}),
        ("Stave", {"Harm": "+2"}),
    ]
    assert card.carried == "Billhook (Long handle), Stave"
    # A fitted item without a text is only in the name of the other.
    assert [line.key for line in card.usable] == ["billhook", "stave"]
    assert gang.price == gang_after(terraces).price + 2


def test_replaced_column_and_text_are_shown(terraces: Book) -> None:
    spike = kinds.Bought(item="spike", member=ANN, on=STAVE)
    lines = render(gang_after(terraces, spike), "fr").cards[0].usable
    assert [(line.name, line.summary, line.text) for line in lines[1:]] == [
        ("Bâton (Pointe)", "Mal +4", ""),
        ("Pointe", "", "Enfonce aussi les portes."),
    ]


def test_fitted_item_moves_and_is_sold_and_lost_with_the_other(terraces: Book) -> None:
    [moved] = actions.move(gang_after(terraces, FITTED), BILLHOOK, BEN)
    ben = roster_after(terraces, FITTED, moved).member(BEN)
    assert [(owned.id, owned.on) for owned in ben.items] == [(BILLHOOK, None), (HANDLE, BILLHOOK)]
    game = played(terraces, "g1", ANN, BEN)
    gang = gang_after(terraces, FITTED, game)
    before = gang.roster.treasury
    # Tools are not bought back, so neither is what is fitted to them.
    with pytest.raises(Refusal, match="not_sold"):
        actions.sell(gang, BILLHOOK)
    [sold] = actions.sell(gang, HANDLE)
    assert roster_after(terraces, FITTED, game, sold).treasury == before + 1
    lost = roster_after(terraces, FITTED, kinds.ItemLost(member=ANN, item=BILLHOOK))
    assert [owned.id for owned in lost.member(ANN).items] == [STAVE]
    dead = roster_after(terraces, FITTED, game, kinds.Died(member=ANN, gear="stash"))
    assert (HANDLE, BILLHOOK) in [(owned.id, owned.on) for owned in dead.stash]


def test_item_is_refused_when_it_and_its_parts_are_too_many_together(terraces: Book) -> None:
    groups = tuple(
        row.model_copy(update={"most_per_member": 2}) if row.key == "fittings" else row
        for row in terraces.groups
    )
    items = tuple(
        row.model_copy(
            update={"fits": row.fits.model_copy(update={"groups": ("tools",), "most": 2})}
        )
        if row.fits is not None
        else row
        for row in terraces.items
    )
    book = terraces.changed(groups=groups, items=items)
    parts = [FITTED, kinds.Bought(item="spike", member=ANN, on=BILLHOOK)]
    [moved] = actions.move(gang_after(book, *parts), BILLHOOK, BEN)
    assert len(roster_after(book, *parts, moved).member(BEN).items) == 3
    # There is room for either part beside another one, but not for both.
    own = kinds.Bought(item="handle", member=BEN)
    with pytest.raises(Refusal, match="group_full"):
        actions.move(gang_after(book, *parts, own), BILLHOOK, BEN)


def test_item_is_fitted_elsewhere_and_taken_off(terraces: Book) -> None:
    gang = gang_after(terraces, FITTED)
    [moved] = actions.fit(gang, HANDLE, STAVE)
    assert moved == kinds.Moved(item=HANDLE, member=ANN, on=STAVE)
    [off] = actions.move(gang, HANDLE, ANN)
    sentences = [Describer(terraces, gang.roster).describe(entry) for entry in (moved, off)]
    assert sentences == [
        "Long handle was fitted to Stave.",
        "Long handle was taken off Billhook.",
    ]
    assert actions.fit(gang, HANDLE, BILLHOOK) == []
    with pytest.raises(Refusal, match="not_fitting"):
        actions.fit(gang, STAVE, BILLHOOK)
    full = gang_after(terraces, FITTED, kinds.Bought(item="handle", member=ANN))
    with pytest.raises(Refusal, match="not_fitting"):
        actions.fit(full, 7, BILLHOOK)


def test_entry_does_not_fit_without_the_item_that_it_is_fitted_to(terraces: Book) -> None:
    with pytest.raises(Misfit, match="no_item"):
        roster_after(terraces, kinds.Bought(item="handle", member=BEN, on=BILLHOOK))
    found = implausible_entries(
        terraces,
        enumerate(
            [*founding(terraces), kinds.Bought(item="spike", member=ANN, on=BILLHOOK)], start=1
        ),
    )
    assert (6, "not_fitting") in [(number, why.code) for number, why in found], found


def test_entry_without_a_host_is_stored_as_before() -> None:
    assert "on" not in kinds.dump(kinds.Bought(item="handle", member=ANN))
    assert kinds.parse(kinds.dump(FITTED)) == FITTED


def test_double_and_new_founding_keep_what_is_fitted(terraces: Book) -> None:
    gang = gang_after(terraces, FITTED)
    made = actions.duplicate(gang, ANN, 20)
    twin = fold(terraces, enumerate(made, start=20), start=gang.roster).member(20)
    hosts = {owned.id: owned.key for owned in twin.items}
    assert [(owned.key, hosts.get(owned.on or 0)) for owned in twin.items] == [
        ("keys", None),
        ("billhook", None),
        ("handle", "billhook"),
        ("stave", None),
    ]
    again = refound(terraces, terraces, gang.roster, "Vine").entries
    ann = fold(terraces, enumerate(again, start=1)).members[0]
    hosts = {owned.id: owned.key for owned in ann.items}
    assert [hosts[owned.on] for owned in ann.items if owned.on] == ["billhook"]


def test_item_stays_when_a_newer_rulebook_drops_the_other(terraces: Book) -> None:
    newer = terraces.changed(items=tuple(row for row in terraces.items if row.key != "billhook"))
    carried, _losses = carry_over(terraces, newer, roster_after(terraces, FITTED))
    assert {owned.key: owned.on for owned in carried.member(ANN).items} == {
        "stave": None,
        "handle": None,
    }


def test_rolls_know_the_item_with_its_changes(terraces: Book) -> None:
    roster = roster_after(terraces, FITTED)
    book, figure = arm(terraces, roster, roster.member(ANN))
    key, stave, handle = figure.items
    assert (stave, handle) == ("stave", "handle")
    row = book.item[key]
    assert row.row_key == "billhook" and row.columns == {"harm": "+2"}
    assert row.tags == {"blade", "long"}
    # One book for the whole gang, and the rulebook itself where nothing is fitted.
    assert arm(terraces, roster, roster.member(BEN))[0] is book
    bare = roster_after(terraces)
    assert arm(terraces, bare, bare.member(ANN))[0] is terraces


def test_two_can_be_fitted_where_the_rulebook_allows_it(circle: Book) -> None:
    entries: list[Entry] = [
        kinds.Founded(name="The Ninth", settings={}),
        kinds.Recruited(rank="caller", name="Ann"),
        kinds.Bought(item="bell", member=2),
    ]
    for number in (3, 3):
        gang = ComputedGang.of(circle, fold(circle, enumerate(entries, start=1)))
        [bought] = actions.buy(gang, 2, "clapper")
        assert bought.on == number  # type: ignore[attr-defined]
        entries.append(bought)
    # A third has no room.
    full = ComputedGang.of(circle, fold(circle, enumerate(entries, start=1)))
    [loose] = [owned.id for owned in full.roster.member(2).items if owned.on is None]
    assert loose == 3 and find_host(circle, full.roster.member(2).items, "clapper") is None
    [line, *_others] = render(full, "en").cards[0].items
    assert line.name == "Bell (Silver clapper, Silver clapper)" and line.summary == "Fright +2"


@pytest.mark.parametrize(
    ("cell", "more", "expected"),
    [
        ("12", 6, "18"),
        ("+1", 1, "+2"),
        ("8″", 4, "12″"),
        ("1D6", 2, "2+1D6"),
        ("-", 1, "-"),
        ("4+", 1, "5+"),
    ],
)
def test_amounts_are_added_to_cells(terraces: Book, cell: str, more: int, expected: str) -> None:
    [column] = terraces.group["tools"].columns
    assert add_to_cell(column, cell, more) == expected


@pytest.mark.parametrize(
    ("fits", "place", "message"),
    [
        ({}, (), "give “items”, “groups” or “item_tags” to fit it to"),
        ({"items": ["handle"]}, ("items",), "“handle” is itself fitted to other items"),
        ({"groups": ["goods"], "adds": {"harm": 1}}, ("adds", "harm"), "unknown column “harm”"),
        ({"groups": ["tools"], "columns": {"harm": "x"}}, (), "unknown name “x”"),
    ],
)
def test_checker_names_a_fitting_that_cannot_be(
    terraces: Book, fits: dict[str, object], place: tuple[str, ...], message: str
) -> None:
    index = next(n for n, row in enumerate(terraces.items) if row.key == "spike")
    spike = terraces.items[index].model_validate(
        terraces.items[index].model_dump() | {"fits": fits}
    )
    items = (*terraces.items[:index], spike, *terraces.items[index + 1 :])
    found = check(terraces.changed(items=items))
    assert any(
        path[:3] == ("items", index, "fits")
        and path[3 : 3 + len(place)] == place
        and message in str(words)
        for path, words in found
    ), found


def test_rules_say_where_an_item_is_fitted(terraces: Book) -> None:
    said = list(goods._dealings(BookWording(terraces, "en"), terraces.item["handle"]))
    assert said == ["Fitted to: Tools.", "That item: Harm +1."]


def test_roll_reads_the_changed_number_and_the_own_key(terraces: Book) -> None:
    roster = roster_after(terraces, FITTED)
    book, figure = arm(terraces, roster, roster.member(ANN))
    rules = book.under(roster.settings)
    names = names_in(rules, Situation(Side(figure, figure.items[0], own_book=book)))
    assert names["item.harm"] == 2
    assert names["item.is_item:billhook"] == 1 and names["item.tagged:long"] == 1
    assert names["by.carries:billhook"] == 1 and names["by.carries:handle"] == 1


@pytest.mark.parametrize("known", [(), (("", 300),), (("", 300), ("clapper", 200))])
def test_recruit_of_a_post_game_played_again_has_a_fitted_kit(
    circle: Book, known: tuple[tuple[str, int], ...]
) -> None:
    kit = ItemOffer.model_validate(
        {
            "key": "tools",
            "name": {"en": "Tools"},
            "of": {"ranks": ["medium"]},
            "items": ["bell", "clapper"],
            "included": True,
            "source": "house",
        }
    )
    book = circle.changed(offers=(*circle.offers, kit))
    entries = [
        kinds.Founded(name="Lodge", settings=book.default_settings()),
        kinds.Recruited(rank="caller", name="Vera"),
    ]
    roster = fold(book, enumerate(entries, start=1))
    game = make_situation(roster, "won", "winner")
    answers = Answers(recruits=(Hire(rank="medium", name="Ida"),), done=("seats",))
    # An earlier play brought a member without a kit: the recruit gets their number.
    after = play(book, roster, 100, game, answers, known).roster
    [ida] = [one for one in after.members if one.name == "Ida"]
    bell, clapper = ida.items
    assert clapper.on == bell.id
