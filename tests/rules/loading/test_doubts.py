"""Notes on values that are probably slips: signs, promotions and prices."""

from __future__ import annotations

from typing import Any

import pytest

from rules.loading.doubts import find_doubts, find_slips, find_unlimited_leaders
from rules.loading.reader import RawBook, parse
from tests.rules.small import (
    SMALL,
    Data,
    add,
    limit,
    put,
    row,
    small,
    text,
    told,
    with_more,
)
from tests.rules.small import changed as small_data


def find(**changes: Any) -> dict[str, str]:
    """Return the notes on the small rulebook with these changes, by place."""
    return {".".join(map(str, path)): words for path, words in find_doubts(small(**changes))}


def test_small_rulebook_has_no_doubtful_value() -> None:
    assert not [*find_doubts(small())]


@pytest.mark.parametrize(
    ("effects", "named"),
    [
        ([add("might", -1)], "might"),
        # A low number is better.
        ([add("aim", 1)], "aim"),
        ([add("aim", 1), add("might", -2)], "aim, might"),
        ([add("aim", -1)], ""),
        ([add("might", 1)], ""),
        ([add("might", 1), add("aim", 1)], ""),
        ([put("might", 1)], ""),
    ],
)
def test_a_trait_that_costs_and_only_makes_members_worse_is_noted(
    effects: list[Data], named: str
) -> None:
    words = f"“brawny” only makes members worse ({named}): check the signs"
    expected = {"traits.0.effects": words} if named else {}
    assert find(traits=[told("brawny", price=3, effects=effects)]) == expected


@pytest.mark.parametrize(
    ("characteristic", "amount", "is_noted"),
    [("might", 1, False), ("might", -1, True), ("aim", 1, True), ("aim", -1, False)],
)
def test_a_rise_that_makes_a_member_worse_is_noted(
    characteristic: str, amount: int, is_noted: bool
) -> None:
    rise = {"kind": "rises", "characteristic": characteristic, "amount": amount}
    rows = [{"low": 1, "high": 6, "name": text("Luck"), "outcomes": [rise], "source": "house"}]
    found = find(tables=[row("luck", dice="1d6", rows=rows)])
    place = "tables.0.rows.0.outcomes.0.amount"
    words = f"makes “{characteristic}” worse: check the sign"
    assert found == ({place: words} if is_noted else {})


def test_an_advance_that_only_makes_members_worse_is_noted() -> None:
    worse = told("brawny", sold=False, tags=["lesson"], effects=[add("might", -1)])
    learned = {"experience": 2, "trait_tags": ["lesson"]}
    assert list(find(traits=[worse], campaign__advancement=learned)) == ["traits.0.effects"]
    # A drawback that is free, or that only injuries bring, is intended.
    assert not find(traits=[worse])


def rises(start: str, to: str, **fields: Any) -> Data:
    return row(f"{start}-{to}", start=start, to=to, **fields)


def test_a_promotion_into_a_rank_that_nobody_may_have_is_noted() -> None:
    promotions = [rises("fighter", "chief")]
    nobody = limit("count", code="no_chief", of={"ranks": ["chief"]}, maximum=0)
    assert find(campaign__promotions=promotions, limits=[nobody]) == {
        "campaign.promotions.0.to": "the limit “no_chief” allows no member of the rank “chief”"
    }
    for changed in ({"maximum": 1}, {"phase": "founding"}, {"later": "warning"}):
        assert not find(campaign__promotions=promotions, limits=[{**nobody, **changed}])
    banned = [{**one, "status": "banned"} for one in SMALL["ranks"] if one["key"] == "chief"]
    others = [one for one in SMALL["ranks"] if one["key"] != "chief"]
    assert find(campaign__promotions=promotions, ranks=[*banned, *others]) == {
        "campaign.promotions.0.to": "the rank “chief” is banned"
    }


def test_a_promotion_from_a_rank_that_nobody_has_is_noted() -> None:
    veteran = row("veteran", price=8, recruited=False)
    promotions = [rises("veteran", "chief")]
    ranks = [*SMALL["ranks"], veteran]
    assert list(find(campaign__promotions=promotions, ranks=ranks)) == [
        "campaign.promotions.0.start"
    ]
    reached = [*promotions, rises("scout", "veteran")]
    assert not find(campaign__promotions=reached, ranks=ranks)


def test_a_promotion_into_the_same_rank_is_noted() -> None:
    assert find(campaign__promotions=[rises("scout", "scout")]) == {
        "campaign.promotions.0.to": "is the same rank as before the promotion"
    }


def test_a_price_beyond_any_treasury_is_noted() -> None:
    dear = row("cannon", group="arms", price=2000)
    assert not [*find_doubts(with_more(items=dear))], "a purse of 1000, and income"
    assert find(items=[*SMALL["items"], {**dear, "price": 10001}]) == {
        "items.4.price": "“cannon” costs 10001, more than 10 times the founding budget of 1000"
    }
    items = [*SMALL["items"], dear]
    assert find(items=items, campaign__steps=[]) == {
        "items.4.price": "“cannon” costs 2000, more than the founding budget of 1000"
    }
    for changed in ({"innate": True}, {"status": "hidden"}):
        assert not find(items=[*SMALL["items"], {**dear, **changed}], campaign__steps=[])
    assert not find(items=items, campaign__steps=[], budgets=[]), "a game without a budget"


def test_power_without_an_item_is_noted_where_other_powers_have_one() -> None:
    mist = told("mist", value=3, item="rope")
    bare = told("song", value=2)
    column = {"key": "harm", "name": text("Harm"), "kind": "number", "blank": 0}
    reader = row("arms", columns=[{**column, "names": {"P": "by.power('song')"}}])
    words = "“song” has no “item”, unlike other powers"
    assert find(traits=[mist, bare]) == {"traits.1.value": words}
    assert find(traits=[bare]) == {}
    assert find(traits=[mist, bare], groups=[reader, row("goods")]) == {}


def test_upkeep_that_earns_if_it_is_not_paid_is_noted() -> None:
    def paid(*outcomes: Data) -> dict[str, str]:
        wages = row("pay", amount=1, of={}, unpaid=[*outcomes])
        steps = [told("income", kind="income"), told("upkeep", kind="upkeep")]
        return find(campaign__upkeep=[wages], campaign__steps=steps)

    place = "campaign.upkeep.0.unpaid"
    assert place in paid({"kind": "earns", "amount": "3"})
    assert paid({"kind": "suffers", "condition": "lame"}) == {}


def test_leaders_without_a_limit_are_noted() -> None:
    assert [path for path, _words in find_unlimited_leaders(small())] == [("ranks", 0, "leads")]
    of_chiefs = limit("count", of={"ranks": ["chief"]}, maximum=1)
    assert not [*find_unlimited_leaders(small(limits=[of_chiefs]))]
    of_all = limit("count", of={}, maximum=9)
    assert [*find_unlimited_leaders(small(limits=[of_all]))]


def test_value_of_another_kind_is_noted_with_the_value_as_read() -> None:
    data = small_data(
        traits=[told("quick", step="-1", sold=1), told("lucky", price=4.0)],
        campaign__results=[told("won", kind="decided", winner=True)],
    )
    found = find_slips(parse(RawBook(data, "small")), data)
    assert {".".join(map(str, path)): words for path, words in found} == {
        "traits.0.step": "is read as -1: write it like that",
        "traits.0.sold": "is read as true: write it like that",
        "traits.1.price": "is read as 4: write it like that",
        "campaign.results.0.winner": "is read as 1: write it like that",
    }
    assert not [*find_slips(small(), SMALL)]
