"""Currencies beside money, in two of the tests' games."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from campaigns.engine.income import income
from campaigns.engine.report import GameReport, Report
from common.errors import Refusal
from gangs.builder.offer_lines import archetype_offers
from gangs.cards.render import render
from gangs.engine import actions, offers
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.purses import balance
from gangs.engine.validation import findings
from gangs.engine.version_change import carry_over
from gangs.history.entry_form import EntryForm, EntryMoment
from gangs.text.entries import Describer
from gangs.text.formats import localize, say_price
from rules.book.limits import PurseLimit
from rules.book.model import Archetype, Book
from rules.loading.check_building import check
from tests.world.gangs import played

ANN = 2
FOUNDING: list[Entry] = [
    kinds.Founded(name="The Ninth", settings={}),
    kinds.Recruited(rank="caller", name="Ann"),
    kinds.Bought(item="bell", member=ANN),
]


def gang_after(book: Book, *more: Entry) -> ComputedGang:
    return ComputedGang.of(book, fold(book, enumerate([*FOUNDING, *more], start=1)))


def report_of(result: str, side: str) -> GameReport:
    return GameReport(
        game="g1",
        title="The mill",
        result=result,
        side=side,  # type: ignore[arg-type]
        report=Report(fielded=(ANN,)),
        rating=0,
        opponents=(),
    )


def test_founding_amount_pays_and_returns_what_is_given_back(circle: Book) -> None:
    gang = gang_after(circle)
    assert balance(circle, gang.roster) == {"favour": 2}
    [bought] = actions.buy(gang, ANN, "clapper")
    assert bought.costs == {"favour": 1}  # type: ignore[attr-defined]
    gang = gang_after(circle, bought)
    assert balance(circle, gang.roster) == {"favour": 1}
    purse = render(gang, "en").purses[0]
    assert (purse.amount, purse.unit) == (1, "favours")
    gang = gang_after(circle, bought, *actions.discard(gang, 4))
    assert balance(circle, gang.roster) == {"favour": 2}


def test_offer_beyond_the_currency_is_refused(circle: Book) -> None:
    clapper = kinds.Bought(item="clapper", member=ANN, costs={"favour": 1})
    gang = gang_after(circle, clapper, clapper)
    [offer] = [one for one in offers.items(gang, None) if one.row.key == "clapper"]
    assert offer.refusal is not None and offer.refusal.code == "lacks_currency"
    assert say_price(circle, offer.price, offer.costs) == "2 candles + 1 favours"
    with pytest.raises(Refusal, match="lacks_currency"):
        actions.buy(gang, ANN, "clapper")
    with pytest.raises(Refusal, match="lacks_currency"):
        actions.duplicate(gang, ANN, 9)


def test_after_the_first_game_payments_are_final(circle: Book) -> None:
    clapper = kinds.Bought(item="clapper", member=ANN, costs={"favour": 1})
    game = played(circle, "g1", ANN)
    gang = gang_after(circle, clapper, game)
    assert gang.roster.purses == {"favour": 1}
    gang = gang_after(circle, clapper, game, kinds.Discarded(item=4), clapper)
    assert balance(circle, gang.roster) == {"favour": 0}
    said = Describer(circle, gang.roster).describe(clapper)
    assert said == "Ann got Silver clapper (1 favours)."


def test_result_brings_each_side_its_reward(terraces: Book, circle: Book) -> None:
    rules = circle.under({})
    won = income(rules, report_of("won", "winner"))
    assert [(one.amount, one.currency) for one in won] == [(8, None), (2, "favour")]
    lost = income(rules, report_of("won", "loser"))
    assert [(one.amount, one.currency) for one in lost] == [(3, None)]
    lost = income(terraces.under(terraces.default_settings()), report_of("won", "loser"))
    assert (1, "esteem") in [(one.amount, one.currency) for one in lost]
    gang = gang_after(circle, played(circle, "g1", ANN), won[1])
    assert balance(circle, gang.roster) == {"favour": 4}
    assert gang.roster.treasury == gang_after(circle, played(circle, "g1", ANN)).roster.treasury
    said = Describer(circle, gang.roster).describe(won[1])
    assert said == "The gang earned 2 favours for the result of the game."


def test_limit_finds_a_currency_below_zero(circle: Book) -> None:
    limit = PurseLimit.model_validate(
        {
            "kind": "debt",
            "code": "OWING",
            "severity": "error",
            "currency": "favour",
            "text": {"en": "{amount} favours too many."},
            "source": "ledger",
        }
    )
    book = circle.changed(limits=(*circle.limits, limit))
    clapper = kinds.Bought(item="clapper", member=ANN)
    gang = gang_after(book, *[clapper] * 3)
    [found] = [one for one in findings(book, gang.roster, gang) if one.code == "OWING"]
    assert found.translated("en") == "1 favours too many."


def test_newer_rulebook_keeps_known_currencies(circle: Book) -> None:
    gang = gang_after(circle, played(circle, "g1", ANN))
    assert carry_over(circle, circle, gang.roster)[0].purses == {"favour": 2}
    assert carry_over(circle, circle.changed(currencies=()), gang.roster)[0].purses == {}


def test_entry_without_other_costs_is_stored_as_before() -> None:
    bought, earned = kinds.Bought(item="bell", member=ANN), kinds.Earned(amount=1, why="gift")
    assert "costs" not in kinds.dump(bought) and "currency" not in kinds.dump(earned)


def test_checker_names_an_unknown_currency(circle: Book) -> None:
    index = next(n for n, row in enumerate(circle.items) if row.key == "clapper")
    row = circle.items[index].model_copy(update={"costs": {"favor": 1}})
    items = (*circle.items[:index], row, *circle.items[index + 1 :])
    found = check(circle.changed(items=items))
    [(path, words)] = [one for one in found if one[0][:2] == ("items", index)]
    assert path[2] == "costs" and "favour" in str(words)


def test_archetype_beyond_the_currency_is_refused_and_not_hidden(circle: Book) -> None:
    rank = circle.rank["sitter"].model_copy(update={"costs": {"favour": 5}})
    row = Archetype.model_validate(
        {"key": "guest", "name": {"en": "Guest"}, "rank": "sitter", "source": "ledger"}
    )
    ranks = tuple(rank if one.key == "sitter" else one for one in circle.ranks)
    gang = gang_after(circle.changed(ranks=ranks, archetypes=(row,)))
    [offer] = offers.archetypes(gang)
    assert offer.refusal is not None and offer.refusal.code == "lacks_currency"
    assert offer.refusal.values["missing"] == 3
    # The panel lists it among those that the gang cannot afford.
    [line] = archetype_offers(gang, offers.ranks(gang))
    assert line.is_dear


def test_change_of_version_names_lost_currencies(circle: Book) -> None:
    newer = circle.changed(currencies=())
    for more in ([], [played(circle, "g1", ANN)]):
        losses = carry_over(circle, newer, gang_after(circle, *more).roster)[1]
        assert [(loss.kind, localize(loss.name)) for loss in losses] == [("currency", "Favours")]
    clapper = kinds.Bought(item="clapper", member=ANN, costs={"favour": 1})
    spent = gang_after(circle, clapper, clapper).roster
    assert carry_over(circle, newer, spent)[1] == ()


def corrected(book: Book, entry: Entry, **typed: str) -> EntryForm:
    """Return the form that corrects an entry of a gang that has played, with other values."""
    roster = gang_after(book, played(book, "g1", ANN)).roster
    moment = EntryMoment(book, roster, 40)
    asked = EntryForm(moment, entry.kind, entry)
    data = QueryDict(mutable=True)
    data.update({field.name: str(field.value()) for field in asked if field.value() is not False})
    data.update(typed)
    return EntryForm(moment, entry.kind, entry, data)


def test_correction_to_another_item_has_its_costs(circle: Book) -> None:
    clapper = kinds.Bought(item="clapper", member=ANN, paid=2, costs={"favour": 1})
    form = corrected(circle, clapper, item="bell", paid="3")
    assert form.is_valid(), form.errors
    assert form.new_entry == kinds.Bought(item="bell", member=ANN, paid=3)
    bell = kinds.Bought(item="bell", member=ANN, paid=3)
    form = corrected(circle, bell, item="clapper", paid="2")
    assert form.is_valid() and form.new_entry == clapper
    # Nobody pays for a gift, and another sum leaves the costs alone.
    gift = kinds.Bought(item="clapper", member=ANN)
    form = corrected(circle, gift, item="bell")
    assert form.is_valid() and form.new_entry == kinds.Bought(item="bell", member=ANN)
    form = corrected(circle, clapper, paid="1")
    assert form.is_valid() and form.new_entry == clapper.model_copy(update={"paid": 1})


def test_correction_of_a_fine_asks_for_its_currency(circle: Book) -> None:
    fined = kinds.Fined(paid=0, costs={"favour": 2})
    unchanged = corrected(circle, fined)
    assert list(unchanged.errors.values()) == [["Nothing has changed."]]
    form = corrected(circle, fined, paid="1")
    assert form.is_valid() and form.new_entry == kinds.Fined(paid=0, costs={"favour": 1})
    form = corrected(circle, fined, currency="")
    assert form.is_valid() and form.new_entry == kinds.Fined(paid=2)
    form = corrected(circle, kinds.Fined(paid=2), currency="favour")
    assert form.is_valid() and form.new_entry == fined
    form = corrected(circle, fined, paid="1.5")
    assert list(form.errors) == ["paid"]
    earned = kinds.Earned(amount=1, why="gift")
    form = corrected(circle, earned, amount="1.5", currency="favour")
    assert list(form.errors) == ["amount"]
