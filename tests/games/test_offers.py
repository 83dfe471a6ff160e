"""Offers in the vineyard's game: kits, lists, prices, and rare things that somebody finds."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.engine.report import Answers, GameReport, Report
from campaigns.engine.script import play
from campaigns.engine.script_state import Playthrough
from common.errors import Refusal
from gangs.engine import actions, entries, offers
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.plausibility import implausible
from gangs.engine.roster import Roster
from gangs.engine.validation import findings
from gangs.engine.version_change import carry_over
from gangs.text.entries import Describer
from gangs.text.formats import refusal_sentence
from rules.book.model import Book
from rules.engine.dice import DiceRoll
from rules.loading.check_building import check
from tests.world.campaigns import make_situation, rolled_out
from tests.world.gangs import played

ELDER, KEYS, COUSIN, PICKER = 2, 3, 4, 5
FOUNDING: list[Entry] = [
    kinds.Founded(name="Upper Terrace", settings={}),
    kinds.Recruited(rank="elder", name="Ada"),
    kinds.Bought(item="keys", member=ELDER, included=True),
    kinds.Recruited(rank="cousin", name="Cyr"),
    kinds.Recruited(rank="picker", name="Pia"),
]


def household(book: Book, *more: Entry) -> ComputedGang:
    return ComputedGang.of(book, fold(book, enumerate([*FOUNDING, *more], start=1)))


def refusals(gang: ComputedGang, member: int | None) -> dict[str, str]:
    """Return why a member, or the stash, cannot have each item; "" where they can."""
    holder = None if member is None else gang.roster.member(member)
    return {
        offer.row.key: offer.refusal.code if offer.refusal else ""
        for offer in offers.items(gang, holder)
    }


def settle(book: Book, roster: Roster, *faces: tuple[int, int], **choices: str) -> Playthrough:
    """Play the post-game of a game that the household won. ``choices``: what members look for, by
    "m" and their number; ``faces``: the dice for each of their searches."""
    steps = tuple(step for step in book.campaign.steps if step.kind in ("search", "recruits"))
    book = book.changed(campaign=book.campaign.model_copy(update={"steps": steps}))
    report = Report(fielded=(ELDER, COUSIN, PICKER))
    game = GameReport(
        game="g1",
        title="The slope",
        result="won",
        side="winner",
        report=report,
        rating=0,
        opponents=(),
    )
    answers: dict[str, Any] = {
        "choices": {f"cellars:{key[1:]}": value for key, value in choices.items()},
        "rolls": {
            f"cellars:{who}:old_vintage": DiceRoll(dice="2d6", faces=shown, thrown_by="table")
            for who, shown in zip((ELDER, COUSIN), faces, strict=False)
        },
        "done": ("hiring",),
    }
    return play(book, roster, 20, game, Answers.model_validate(answers))


def test_recruit_joins_with_the_kit_of_their_rank(terraces: Book) -> None:
    empty = ComputedGang.of(terraces, fold(terraces, [(1, FOUNDING[0])]))
    assert actions.recruit(empty, "elder", "Ada", next_id=2)[1:] == [FOUNDING[2]]
    assert len(actions.recruit(empty, "cousin", "Cyr", next_id=2)) == 1
    several = actions.recruit(empty, "elder", "Ada", 2, next_id=2)
    assert [vars(entry).get("member") for entry in several] == [None, 2, None, 4]


def test_kit_costs_nothing_and_stays_with_its_bearer(terraces: Book) -> None:
    gang = household(terraces)
    assert gang.price == 20 + 10 + 5
    with pytest.raises(Refusal, match="kit_stays"):
        actions.move(gang, KEYS, COUSIN)
    playing = household(terraces, played(terraces, "g1", ELDER))
    with pytest.raises(Refusal, match="not_sold"):
        actions.sell(playing, KEYS)
    # A second bunch of keys is bought like any other item.
    assert actions.buy(playing, ELDER, "keys") == [kinds.Bought(item="keys", member=ELDER, paid=6)]


def test_double_has_one_kit(terraces: Book) -> None:
    entries = actions.duplicate(household(terraces), ELDER, 6)
    assert [entry.kind for entry in entries] == ["recruited", "bought"]
    assert entries[1] == kinds.Bought(item="keys", member=6, included=True)


def test_list_is_closed_only_to_the_members_that_an_only_row_picks(terraces: Book) -> None:
    gang = household(terraces)
    assert refusals(gang, PICKER) == {
        "stave": "",
        "billhook": "not_listed",
        "keys": "not_listed",
        "vintage": "not_listed",
        "graft": "not_listed",
        "handle": "not_listed",
        "spike": "not_listed",
    }
    assert refusals(gang, COUSIN) == {
        "stave": "",
        "billhook": "",
        "keys": "",
        "vintage": "not_found",
        "graft": "not_found",
        "handle": "",
        "spike": "lacks_currency",
    }
    assert refusals(gang, None) == refusals(gang, COUSIN)
    with pytest.raises(Refusal, match="not_listed"):
        actions.buy(gang, PICKER, "billhook")


def test_item_of_the_gangs_own_is_on_every_list(terraces: Book) -> None:
    gang = household(terraces, kinds.ItemDeclared(name="Ladder", group="goods", price=2))
    assert refusals(gang, PICKER)["own-6"] == ""
    carried = [
        kinds.ItemDeclared(name="Ladder", group="goods", price=2),
        kinds.Bought(item="own-6", member=PICKER),
    ]
    assert not findings(terraces, household(terraces, *carried).roster)


def test_offer_price_replaces_the_list_price(terraces: Book) -> None:
    gang = household(terraces)
    assert actions.buy(gang, COUSIN, "billhook") == [
        kinds.Bought(item="billhook", member=COUSIN, paid=3)
    ]
    assert actions.buy(gang, ELDER, "billhook") == [
        kinds.Bought(item="billhook", member=ELDER, paid=4)
    ]
    # Nobody saves by buying for the stash.
    assert actions.buy(gang, None, "billhook") == [kinds.Bought(item="billhook", paid=4)]


def test_item_outside_the_list_is_a_warning_once_it_is_there(terraces: Book) -> None:
    bought = [kinds.Bought(item="billhook", member=COUSIN), kinds.Moved(item=6, member=PICKER)]
    gang = household(terraces, *bought)
    assert actions.move(household(terraces, bought[0]), 6, PICKER) == [bought[1]]
    [finding] = findings(terraces, gang.roster)
    assert finding.severity == "warning" and finding.members == (PICKER,)
    assert finding.translated("en") == "Pia would not have been sold this: Billhook."


def test_search_opens_an_offer_until_the_next_game(terraces: Book) -> None:
    roster = household(terraces).roster
    assert list(settle(terraces, roster).questions) == ["cellars:2", "cellars:4"]
    waiting = settle(terraces, roster, m2="offer:old_vintage", m4="offer:old_vintage")
    assert [request.dice for request in waiting.requests.values()] == ["2d6", "2d6"]
    through = settle(
        terraces, roster, (1, 2), (4, 5), m2="offer:old_vintage", m4="offer:old_vintage"
    )
    assert through.complete and through.roster.found == ("old_vintage",)
    texts = [
        Describer(terraces, entry.before).describe(entry.entry)
        for entry in through.played
        if isinstance(entry.entry, kinds.Searched)
    ]
    assert texts == [
        "Ada looked for The old vintage and found nothing: 1 + 2 (rolled at the table).",
        "Cyr found The old vintage: 4 + 5 (rolled at the table).",
    ]
    gang = ComputedGang.of(terraces, through.roster)
    assert refusals(gang, ELDER)["vintage"] == "" and refusals(gang, None)["vintage"] == ""
    assert refusals(gang, PICKER)["vintage"] == "not_listed"
    [bought] = actions.buy(gang, ELDER, "vintage")
    assert bought == kinds.Bought(item="vintage", member=ELDER, paid=8)
    later = fold(terraces, [(30, played(terraces, "g2", ELDER))], through.roster)
    assert later.found == ()
    assert [why.code for why in implausible(terraces, later, bought)] == ["not_found"]
    assert not list(implausible(terraces, through.roster, bought))


def test_offer_is_not_looked_for_again_once_it_is_found(terraces: Book) -> None:
    roster = household(terraces).roster
    through = settle(terraces, roster, (6, 6), m2="offer:old_vintage", m4="nothing")
    assert through.complete
    left = [choice.value for choice in through.questions["cellars:4"].choices]
    assert left == ["nothing", "offer:grafting_knife"]
    nobody = settle(terraces, roster, m2="nothing", m4="nothing")
    assert nobody.complete and nobody.roster.found == ()


def test_found_offer_is_dropped_when_a_newer_rulebook_has_none(terraces: Book) -> None:
    roster = household(terraces).roster.changed(found=("old_vintage",))
    assert carry_over(terraces, terraces, roster)[0].found == ("old_vintage",)
    assert carry_over(terraces, terraces.changed(offers=()), roster)[0].found == ()


def test_search_rolls_for_price_and_stock_of_what_it_finds(circle: Book) -> None:
    medium, found = 3, "attics:3:planchettes"
    founding = [
        kinds.Founded(name="The Ninth", settings={}),
        kinds.Recruited(rank="caller"),
        kinds.Recruited(rank="medium", name="Ines"),
        kinds.ProfessionChosen(member=medium, profession="listener"),
        kinds.TraitTaken(member=medium, trait="knocking"),
    ]
    roster = fold(circle, enumerate(founding, start=1))
    steps = tuple(step for step in circle.campaign.steps if step.kind == "search")
    book = circle.changed(campaign=circle.campaign.model_copy(update={"steps": steps}))
    game = make_situation(roster, "won", "winner")
    looks = Answers(choices={"attics:3": "offer:planchettes"})
    # One for everybody and one for the knocking: a 5 is enough.
    nothing = rolled_out(book, roster, game, looks, "4")
    assert nothing.complete and nothing.roster.found == ()
    waiting = rolled_out(book, roster, game, looks, "5")
    assert [str(one.amount) for one in waiting.requests.values()] == ["1D6 + 2", "2D6 + 4"]
    through = rolled_out(book, roster, game, looks, "5", "3 4", "2")
    [searched] = [one.entry for one in through.played if isinstance(one.entry, kinds.Searched)]
    assert entries.parse(entries.dump(searched)) == searched
    assert Describer(book, roster).describe(searched) == (
        "Ines found Planchettes in the attic: 5 + 2 (rolled at the table). "
        "Price: 11 candles. On offer: 2."
    )
    assert list(through.requests)[0] == found
    gang = ComputedGang.of(circle, through.roster)
    assert actions.buy(gang, medium, "planchette") == [
        kinds.Bought(item="planchette", member=medium, paid=11)
    ]
    [offer] = [one for one in offers.items(gang, None) if one.row.key == "planchette"]
    assert offer.caution is not None and refusal_sentence(offer.caution).startswith("2 left")
    bought = [(60, kinds.Bought(item="planchette", member=medium, paid=11))]
    one_left = fold(circle, bought, through.roster)
    assert one_left.found_left == {"planchettes": 1}
    sold_out = fold(circle, [(61, kinds.Bought(item="planchette", paid=11))], one_left)
    assert refusals(ComputedGang.of(circle, sold_out), None)["planchette"] == "none_left"
    # A gift of the dice takes nothing from the shelf.
    given = fold(circle, [(62, kinds.Bought(item="planchette", by_roll=True))], one_left)
    assert given.found_left == {"planchettes": 1}
    assert carry_over(circle, circle.changed(offers=()), one_left)[0].found_left == {}
    later = fold(circle, [(70, played(circle, "g2", medium))], sold_out)
    assert (later.found, later.found_prices, later.found_left) == ((), {}, {})


def test_fixed_stock_and_a_malus_count(terraces: Book) -> None:
    offer = terraces.offer["grafting_knife"]
    roll = DiceRoll(dice="2d6", faces=(4, 4), thrown_by="table")
    price = DiceRoll(dice="1d6", faces=(2,), thrown_by="table")
    searched = kinds.Searched(member=ELDER, offer=offer.key, roll=roll, price_roll=price)
    roster = household(terraces, searched).roster
    assert (roster.found_prices, roster.found_left) == ({offer.key: 5}, {offer.key: 1})
    unlucky = household(terraces, searched.model_copy(update={"plus": -1})).roster
    assert unlucky.found == ()


def test_double_leaves_finds_to_be_bought_at_their_price(terraces: Book) -> None:
    roll = DiceRoll(dice="2d6", faces=(6, 6), thrown_by="table")
    price = DiceRoll(dice="1d6", faces=(6,), thrown_by="table")
    searched = kinds.Searched(member=ELDER, offer="grafting_knife", roll=roll, price_roll=price)
    graft = kinds.Bought(item="graft", member=COUSIN)
    money = kinds.Earned(amount=100, why="gift")
    gang = household(terraces, graft, graft, played(terraces, "g0", COUSIN), money, searched)
    # One is left, for 9.
    [bought] = actions.buy(gang, COUSIN, "graft")
    assert vars(bought)["paid"] == 9
    double = actions.duplicate(gang, COUSIN, 20)
    assert [one for one in double if isinstance(one, kinds.Bought)] == []


def test_checker_names_senseless_offers(terraces: Book) -> None:
    knife = terraces.offer["grafting_knife"]

    def mistakes(**values: object) -> list[str]:
        changed = knife.model_copy(update=values)
        return [words for _path, words in check(terraces.changed(offers=(changed,)))]

    assert mistakes() == []
    assert mistakes(availability=None, only=True) == ["is only used with “availability”"] * 2
    assert mistakes(price=3) == ["give either “price” or “price_dice”, not both"]
    assert mistakes(stock="0") == ["must not be 0"]
    # A steward adds one.
    assert mistakes(availability="2d6 >= 13") == []
    assert mistakes(availability="2d6 >= 14") == ["never finds the item: change the number"]
