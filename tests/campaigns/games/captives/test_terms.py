"""The two halves of a bargain, without a database."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.engine import captives
from campaigns.engine.captives import PARTIES, Terms
from common.errors import Refusal
from gangs.engine.fold import apply
from gangs.engine.roster import Roster
from rules.book.model import Book
from tests.campaigns.engine.test_outcomes import FIGHTER, SCOUT, gang_with_captives, prison

WHO = st.sampled_from([FIGHTER, SCOUT])
SUMS = st.integers(0, 60).map(lambda half: half / 2)


def after(book: Book, roster: Roster, terms: Terms, party: captives.Party) -> Roster:
    for number, entry in enumerate(captives.entries_for(terms, party, book, roster), start=100):
        roster = apply(book, roster, number, entry)
    return roster


@pytest.mark.long
@given(data=st.data())
def test_bargain_keeps_the_total_of_money(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(["worth", "agreed"]))
    book = prison(kind)
    gangs = {
        party: gang_with_captives(book, data.draw(st.integers(0, 50)), *data.draw(st.sets(WHO)))
        for party in PARTIES
    }
    frees = data.draw(st.sets(st.tuples(st.sampled_from(PARTIES), WHO), min_size=1))
    ransom = data.draw(SUMS | st.sampled_from([17, 34]))
    terms = Terms.model_validate(
        {"frees": sorted(frees), "ransom": ransom, "payer": data.draw(st.sampled_from(PARTIES))}
    )
    try:
        done = {party: after(book, gangs[party], terms, party) for party in PARTIES}
    except Refusal as refusal:
        assert refusal.code in ("not_held", "too_dear", "ransom_worth", "nobody_ransomed")
        return
    assert sum(gang.treasury for gang in done.values()) == sum(
        gang.treasury for gang in gangs.values()
    )
    assert all(gang.treasury >= 0 for gang in done.values())
    for party, member in frees:
        assert done[party].member(member).afflictions == ()


def test_ransom_is_the_worth_of_each_captive() -> None:
    book = prison("worth")
    before = gang_with_captives(book, 60, FIGHTER, SCOUT)
    prices = [one.price for one in captives.find_held(book, before)]
    assert prices[0] == 5 + 4 + 7 + 1
    terms = Terms(
        frees=(("giver", FIGHTER), ("giver", SCOUT)),
        ransom=sum(price or 0 for price in prices),
        payer="giver",
    )
    paid = [entry.paid for entry in captives.entries_for(terms, "giver", book, before)]  # type: ignore[union-attr]
    assert paid == prices
    [earned] = captives.entries_for(terms, "taker", book, before)
    assert (earned.amount, earned.why) == (terms.ransom, "ransom")  # type: ignore[union-attr]


def test_ransom_without_a_payer_is_not_paid() -> None:
    book = prison("agreed")
    terms = Terms(frees=(("giver", FIGHTER),), ransom=5)
    before = gang_with_captives(book, 10, FIGHTER)
    assert after(book, before, terms, "giver").treasury == before.treasury
    with pytest.raises(Refusal, match="not_held"):
        captives.entries_for(terms, "giver", book, gang_with_captives(book, 10))
