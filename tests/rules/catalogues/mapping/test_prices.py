"""Prices: of ranks with what they always have, of options for each rank, and of gangs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from rules.book.model import Book
from rules.catalogues.mapping import make_game
from rules.catalogues.model import (
    CategoryLink,
    Choice,
    Condition,
    ConditionGroup,
    CostType,
    Force,
    Repeat,
)
from rules.catalogues.results import Imported
from rules.engine.costing import price, rating
from rules.engine.figure import Figure
from rules.loading.reader import RawBook, parse
from tests.rules.catalogues.mapping.small import (
    answers,
    at_least,
    at_most,
    blade,
    catalogue,
    change,
    codes,
    entry,
    find_note,
    group,
    has,
    is_a,
    link,
    model,
    query,
    row,
    system,
)

SWORD = entry("sword", 10, info=blade("sword"), limits=[at_most(1)])
AXE = entry("axe", 5, info=blade("axe"), limits=[at_most(1)])


def make(*roots: Choice, shared: Sequence[Choice] = ()) -> Imported:
    """Return the game of one catalogue."""
    return make_game(system(catalogue("reds", *roots, shared=tuple(shared))), answers())


def read(imported: Imported) -> Book:
    """Return the rulebook, checked."""
    return parse(RawBook(imported.data, "made"))


def cost(
    imported: Imported, rank: str, *items: str, kit: Sequence[str] = (), traits: Sequence[str] = ()
) -> int:
    """Return what a member costs."""
    book = read(imported)
    figure = Figure(
        rank=rank, worth_rank=rank, items=(*kit, *items), kit=tuple(kit), traits=tuple(traits)
    )
    return int(price(book.usual, figure).total)


def kit_of(imported: Imported, rank: str) -> list[str]:
    """Return the items that members of a rank join with."""
    return [
        key
        for offer in imported.data.get("offers", ())
        if offer.get("included") and rank in offer.get("of", {"ranks": [rank]})["ranks"]
        for key in offer["items"]
    ]


def test_an_option_costs_what_the_catalogue_says() -> None:
    made = make(model("guard", 30, SWORD, AXE))
    assert cost(made, "guard") == 30
    assert cost(made, "guard", "sword", "axe") == 45


def test_an_option_of_two_ranks_has_a_price_for_each() -> None:
    dear = entry("sword", 14, name="Sword", info=blade("sword"), limits=[at_most(1)])
    made = make(model("guard", 30, SWORD), model("hero", 80, dear), model("scout", 20, SWORD))
    assert cost(made, "guard", "sword") == 40
    assert cost(made, "hero", "sword") == 94
    assert [one["key"] for one in made.data["items"]] == ["sword"]


def test_what_a_member_always_has_is_in_the_price_of_the_rank_once() -> None:
    own = entry("sword", 10, info=blade("sword"), limits=[at_least(1), at_most(1)])
    made = make(model("guard", 30, own, AXE))
    assert row(made, "ranks", "guard")["price"] == 40
    assert kit_of(made, "guard") == ["sword"]
    assert cost(made, "guard", kit=["sword"]) == 40
    assert cost(made, "guard", "axe", kit=["sword"]) == 45
    assert "sword" not in [
        key for one in made.data["offers"] if one.get("only") for key in one["items"]
    ]


def test_two_copies_that_a_member_always_has_are_both_in_the_price() -> None:
    own = entry("pistol", 7, info=blade("pistol"), limits=[at_least(2), at_most(3)])
    made = make(model("guard", 30, own))
    assert row(made, "ranks", "guard")["price"] == 44
    assert kit_of(made, "guard") == ["pistol", "pistol"]
    assert cost(made, "guard", "pistol", kit=["pistol", "pistol"]) == 51
    assert row(made, "items", "pistol")["most_per_member"] == 3


def test_a_choice_that_a_member_must_make_is_paid_by_what_is_chosen() -> None:
    arms = group("arms", SWORD, AXE, limits=[at_least(1), at_most(1)])
    made = make(model("guard", 30, arms))
    assert row(made, "ranks", "guard")["price"] == 30
    (limit,) = [one for one in made.data["limits"] if one["kind"] == "items"]
    assert (limit["per"], limit["minimum"], limit["maximum"]) == ("member", 1, 1)
    assert limit["item_tags"] == row(made, "items", "axe")["tags"]


def test_a_group_that_must_be_chosen_from_and_has_one_entry_is_part_of_the_rank() -> None:
    arms = group("arms", SWORD, entry("gone", 9, is_hidden=True), limits=[at_least(1), at_most(1)])
    made = make(model("guard", 30, arms))
    assert row(made, "ranks", "guard")["price"] == 40
    assert kit_of(made, "guard") == ["sword"]


def test_what_an_option_always_has_is_in_its_price() -> None:
    sight = entry("sight", 4, limits=[at_least(1), at_most(1)])
    rifle = entry("rifle", 20, sight, info=blade("rifle"), limits=[at_most(1)])
    made = make(model("guard", 30, rifle))
    assert cost(made, "guard", "rifle") == 54
    assert made.ids["sight"] == ("items", "rifle")


def test_a_part_of_an_option_has_its_own_price() -> None:
    sight = entry("sight", 4, limits=[at_most(1)])
    rifle = entry("rifle", 20, sight, info=blade("rifle"), limits=[at_most(1)])
    made = make(model("guard", 30, rifle))
    assert cost(made, "guard", "rifle", "sight") == 54
    assert row(made, "items", "sight")["fits"] == {"items": ["rifle"], "most": 1}


def test_the_costs_of_a_link_replace_those_of_its_target() -> None:
    more = link("l", "sword", costs=(("pts", Decimal(3)),))
    made = make(model("guard", 30, more), shared=[SWORD])
    assert cost(made, "guard", "sword") == 33
    assert made.ids["l::sword"] == ("items", "sword")


def test_a_price_for_one_rank_is_worked_out_there() -> None:
    sword = entry(
        "sword",
        10,
        info=blade("sword"),
        limits=[at_most(1)],
        modifiers=(
            change("set", "pts", 6, is_a("hero")),
            change("increment", "pts", 1, is_a("troops", "parent")),
        ),
    )
    made = make(
        model("hero", 80, link("a", "sword"), of=["heroes"]),
        model("guard", 30, link("b", "sword"), of=["troops"]),
        shared=[sword],
    )
    assert cost(made, "hero", "sword") == 86
    assert cost(made, "guard", "sword") == 41
    assert codes(made) == []


def test_a_price_by_catalogue_makes_a_rank_for_each() -> None:
    cheaper = change("decrement", "pts", 5, is_a("blues", "primary-catalogue"))
    guard = model("guard", 30, modifiers=(cheaper,))
    reds, blues = catalogue("reds", link("a", "guard")), catalogue("blues", link("b", "guard"))
    made = make_game(system(reds, blues, shared=(guard,)), answers())
    prices = {one["price"]: one["when"] for one in made.data["ranks"]}
    assert prices == {30: {"faction": ["reds"]}, 25: {"faction": ["blues"]}}


def test_equal_entries_of_two_catalogues_are_one_rank() -> None:
    guard = model("guard", 30, SWORD)
    reds, blues = catalogue("reds", link("a", "guard")), catalogue("blues", link("b", "guard"))
    made = make_game(system(reds, blues, shared=(guard,)), answers())
    assert [one["key"] for one in made.data["ranks"]] == ["guard"]
    assert "when" not in made.data["ranks"][0]
    assert made.ids["a::guard"] == made.ids["b::guard"] == ("ranks", "guard")


def test_a_condition_on_what_no_list_can_contain_is_false() -> None:
    guard = model("guard", 30, modifiers=(change("set", "pts", 1, has("dragon", "roster")),))
    made = make(guard)
    assert (cost(made, "guard"), codes(made)) == (30, [])


def test_a_condition_on_records_of_a_campaign_is_false() -> None:
    record = entry("scar", name="Lost eye")
    guard = model("guard", 30, record, modifiers=(change("decrement", "pts", 5, has("scar")),))
    made = make_game(system(catalogue("reds", guard)), answers(roles={"scar": "injury"}))
    assert (cost(made, "guard"), codes(made)) == (30, ["role_injury"])
    assert "items" not in made.data


def test_a_price_that_depends_on_the_rest_of_the_list_has_a_note() -> None:
    guard = model("guard", 30, modifiers=(change("set", "pts", 1, has("hero", "force")),))
    made = make(guard, model("hero", 80))
    assert cost(made, "guard") == 30
    note = find_note(made, "price_depends")
    assert (note.place, note.table, note.key) == (("Guard",), "ranks", "guard")
    assert made.counts["costs"] == {"exact": 1, "noted": 1}


@pytest.mark.parametrize("kind", ["and", "or"])
def test_groups_of_conditions_are_decided_as_far_as_they_can_be(kind: str) -> None:
    depends = has("hero", "force")
    decided = is_a("heroes", "self") if kind == "and" else is_a("troops", "self")
    either = ConditionGroup("or" if kind == "or" else "and", (depends, decided))
    guard = model("guard", 30, of=["troops"], modifiers=(change("set", "pts", 1, groups=[either]),))
    made = make(guard, model("hero", 80, of=["heroes"]))
    assert cost(made, "guard") == (30 if kind == "and" else 1)
    assert codes(made) == []


def test_a_repeat_for_each_option_raises_the_price_of_the_option() -> None:
    each = change("increment", "pts", 2, repeats=[Repeat(query(1, "self", "flag"))])
    guard = model("guard", 30, entry("flag", 1, limits=[at_most(4)]), modifiers=(each,))
    made = make(guard)
    assert cost(made, "guard", "flag", "flag") == 36
    assert codes(made) == []


def test_a_surcharge_for_an_option_raises_its_price() -> None:
    horse = entry("horse", 10, limits=[at_most(1)])
    guard = model("guard", 30, horse, modifiers=(change("increment", "pts", 5, has("horse")),))
    made = make(guard)
    assert (cost(made, "guard"), cost(made, "guard", "horse")) == (30, 45)
    assert codes(made) == []


def test_what_a_member_always_has_counts_for_conditions() -> None:
    horse = entry("horse", 10, limits=[at_least(1), at_most(1)])
    guard = model("guard", 30, horse, modifiers=(change("increment", "pts", 5, has("horse")),))
    made = make(guard)
    assert row(made, "ranks", "guard")["price"] == 45
    assert codes(made) == []


def test_a_condition_on_the_shape_of_the_list_is_decided_if_there_is_one() -> None:
    one = Condition("atLeast", query(1, "roster", "force", field="forces"))
    made = make(model("guard", 30, modifiers=(change("set", "pts", 9, one),)))
    assert (cost(made, "guard"), codes(made)) == (9, [])


def test_a_rating_by_worth_counts_a_kit_once() -> None:
    kinds = (CostType("pts", "points", Decimal(500)), CostType("pl", "power"))

    def with_power(choice: Choice, power: int) -> Choice:
        return replace(choice, costs=(*choice.costs, ("pl", Decimal(power))))

    own = with_power(entry("sword", 10, info=blade("sword"), limits=[at_least(1), at_most(1)]), 3)
    bought = with_power(SWORD, 3)
    roots = with_power(model("hero", 80, own), 9), with_power(model("man", 20, bought), 2)
    made = make_game(system(catalogue("reds", *roots), cost_types=kinds), answers(worth="pl"))
    book = read(made)
    hero = Figure(rank="hero", worth_rank="hero", items=("sword",), kit=("sword",))
    man = Figure(rank="man", worth_rank="man", items=("sword",))
    assert [rating(book.usual, one).total for one in (hero, man)] == [12, 5]


def test_a_repeat_on_the_whole_list_has_a_note() -> None:
    each = change("increment", "pts", 2, repeats=[Repeat(query(1, "roster", "hero"))])
    made = make(model("guard", 30, modifiers=(each,)), model("hero", 80))
    assert codes(made) == ["repeat_depends"]


@pytest.mark.parametrize(("kind", "value"), [("set", 5), ("multiply", 0)])
def test_a_change_for_each_of_something_leaves_the_price_without_one(kind: str, value: int) -> None:
    each = change(kind, "pts", value, repeats=[Repeat(query(1, "roster", "hero"))])
    made = make(model("guard", 30, modifiers=(each,)), model("hero", 80))
    assert (cost(made, "guard"), codes(made)) == (30, ["repeat_depends"])


def test_a_leader_who_costs_more_for_each_dog_makes_dogs_dearer() -> None:
    each = change("increment", "pts", 2, repeats=[Repeat(query(1, "force", "dog"))])
    boss = model("boss", 30, modifiers=(each,), of=["heroes"])
    one = (at_least(1, own_id="least"), at_most(1, own_id="most"))
    forces = (
        Force("force", "Warband", categories=(CategoryLink("l", "", "heroes", constraints=one),)),
    )
    made = make_game(system(catalogue("reds", boss, model("dog", 5)), forces=forces), answers())
    assert (cost(made, "boss"), cost(made, "dog")) == (30, 7)
    note = find_note(made, "price_moved")
    assert (note.place, note.values) == (("Boss",), {"name": "Dog", "cost": "2"})
    assert made.counts["costs"] == {"exact": 2}


def test_a_repeat_has_the_price_of_the_smallest_list() -> None:
    each = change("increment", "pts", 1, repeats=[Repeat(query(3, "force", "troops"), 1, True)])
    boss = model("boss", 30, modifiers=(each,), of=["heroes"])
    few = (at_least(2, own_id="least"),)
    forces = (
        Force("force", "Warband", categories=(CategoryLink("l", "", "troops", constraints=few),)),
    )
    roots = boss, model("man", 5, of=["troops"])
    made = make_game(system(catalogue("reds", *roots), forces=forces), answers())
    assert (cost(made, "boss"), codes(made)) == (31, ["repeat_depends"])


def test_a_price_beside_another_option_is_exact() -> None:
    bell = entry(
        "bell", 15, limits=[at_most(1)],
        modifiers=(change("decrement", "pts", 6, has("axe", "parent")),),
    )  # fmt: skip
    made = make(model("diver", 30, bell, AXE, SWORD))
    assert cost(made, "diver", "bell", "sword") == 55
    assert cost(made, "diver", "bell", "axe") == 44
    assert codes(made) == []
    assert made.counts["costs"] == {"exact": 4}


def test_a_price_by_a_category_that_an_option_gives_is_exact() -> None:
    old = change("add", "category", "veterans", has("years"))
    gun = entry(
        "gun", 12, limits=[at_most(1)],
        modifiers=(change("decrement", "pts", 2, is_a("veterans")),),
    )  # fmt: skip
    years = entry("years", 6, limits=[at_most(1)])
    made = make(model("hand", 14, gun, years, modifiers=(old,)))
    assert (cost(made, "hand", "gun"), cost(made, "hand", "gun", "years")) == (26, 30)
    assert "price_depends" not in codes(made)


def test_a_price_with_somebody_in_the_gang_is_exact() -> None:
    tent = entry(
        "tent", 12, limits=[at_most(1)],
        modifiers=(change("divide", "pts", 2, has("hero", "force")),),
    )  # fmt: skip
    made = make(model("guard", 30, tent), model("hero", 80))
    prices = []
    for ranks in ({"guard"}, {"guard", "hero"}):
        figure = Figure("guard", "guard", items=("tent",), gang_ranks=frozenset(ranks))
        prices.append(price(read(made).usual, figure).total)
    assert (prices, codes(made)) == ([42, 36], [])


def test_a_part_that_costs_more_for_each_of_another_makes_that_dearer() -> None:
    prism = entry(
        "prism", 5, limits=[at_most(1)],
        modifiers=(change("increment", "pts", 1, repeats=[Repeat(query(1, "lamp", "oil"))]),),
    )  # fmt: skip
    oil = entry("oil", 2, limits=[at_most(3)])
    made = make(model("guard", 30, entry("lamp", 10, oil, prism, limits=[at_most(1)])))
    assert cost(made, "guard", "lamp", "oil", "oil") == 44
    assert cost(made, "guard", "lamp", "prism", "oil", "oil") == 51
    assert codes(made) == []


def test_a_price_by_the_number_of_copies_is_exact() -> None:
    tail = entry(
        "tail", 3, limits=[at_most(4)],
        modifiers=(change("multiply", "pts", 2, has("tail", "parent", value=3)),),
    )  # fmt: skip
    made = make(model("flier", 20, tail))
    assert [cost(made, "flier", *["tail"] * n) for n in range(5)] == [20, 23, 26, 38, 44]
    assert codes(made) == []


def test_what_everybody_has_at_a_price_by_the_gang_must_be_bought() -> None:
    kite = model(
        "kite", 12, limits=[at_least(1), at_most(1)],
        modifiers=(change("divide", "pts", 2, has("hero", "force")),),
    )  # fmt: skip
    made = make(model("flier", 20, kite), model("hero", 80))
    assert (cost(made, "flier"), cost(made, "flier", "kite")) == (20, 32)
    (limit,) = [one for one in made.data["limits"] if one.get("minimum")]
    assert (limit["of"], limit["minimum"], limit["maximum"]) == ({"ranks": ["flier"]}, 1, 1)


def test_parts_of_an_option_are_bundled_with_it() -> None:
    oil = entry("oil", 2, limits=[at_least(1), at_most(3)])
    made = make(model("guard", 30, entry("lamp", 10, oil, limits=[at_most(1)])))
    assert (cost(made, "guard", "lamp"), made.bundled) == (42, {"oil": 1})
    assert made.ids["oil"] == ("items", "oil")


def test_an_entry_with_another_row_in_another_catalogue_has_both() -> None:
    cheaper = change("decrement", "pts", 5, is_a("blues", "primary-catalogue"))
    guard = model("guard", 30, modifiers=(cheaper,))
    made = make_game(system(catalogue("reds"), catalogue("blues"), roots=(guard,)), answers())
    rows = [made.ids[key] for key in ("guard", "blues::guard")]
    assert [row(made, *one)["price"] for one in rows] == [30, 25]


def test_one_option_at_two_prices_becomes_two_items() -> None:
    first = entry("d1", 0, name="Dagger", info=blade("dagger"), limits=[at_most(1)])
    second = entry("d2", 2, name="Dagger", info=blade("dagger"), limits=[at_most(1)])
    made = make(model("guard", 30, first, second))
    kinds = [made.ids[one][1] for one in ("d1", "d2")]
    assert (cost(made, "guard", kinds[0]), cost(made, "guard", kinds[1])) == (30, 32)


def test_a_fraction_is_rounded_with_a_note() -> None:
    made = make(model("guard", 30.5, SWORD))
    assert row(made, "ranks", "guard")["price"] == 31
    assert find_note(made, "cost_fraction").values == {"cost": "30.5", "price": "31"}


def test_a_discount_below_nothing_has_a_note() -> None:
    made = make(model("guard", 30, entry("rags", -5)))
    assert cost(made, "guard", "rags") == 30
    assert codes(made) == ["cost_range"]


def test_a_compulsory_discount_is_part_of_the_rank() -> None:
    made = make(model("guard", 30, entry("rags", -5, limits=[at_least(1), at_most(1)])))
    assert row(made, "ranks", "guard")["price"] == 25


def test_a_unit_of_one_model_is_one_member() -> None:
    man = model("man", 12, SWORD, limits=[at_least(1), at_most(1)])
    made = make(entry("unit", 5, man, AXE, kind="unit"))
    assert [one["key"] for one in made.data["ranks"]] == ["unit"]
    assert row(made, "ranks", "unit")["values"] == {"move": 5, "skill": 3, "wounds": 2}
    assert cost(made, "unit", "sword", "axe") == 32
    assert made.ids["man"] == made.ids["unit"] == ("ranks", "unit")


def test_models_of_a_free_unit_are_a_group() -> None:
    man = model("man", 12, SWORD, limits=[at_least(3), at_most(8)])
    made = make(entry("unit", 0, man, kind="unit"))
    assert row(made, "ranks", "man")["squad"] == {"minimum": 3, "maximum": 8, "together": True}
    assert cost(made, "man", "sword") == 22
    assert "squad" in [one["kind"] for one in made.data["limits"]]


def test_the_one_leader_of_a_unit_pays_for_the_unit() -> None:
    boss = model("boss", 20, limits=[at_least(1), at_most(1)])
    man = model("man", 12, limits=[at_least(3), at_most(8)])
    made = make(entry("unit", 50, boss, man, entry("drum", 6), kind="unit"))
    assert cost(made, "boss") + 3 * cost(made, "man") == 50 + 20 + 36
    assert cost(made, "boss", "drum") == 76


def test_a_unit_that_costs_something_and_has_no_leader_is_one_member() -> None:
    man = model("man", 12, SWORD, limits=[at_least(3), at_most(8)])
    made = make(entry("unit", 50, man, kind="unit"))
    assert row(made, "ranks", "unit")["price"] == 86
    assert kit_of(made, "unit") == ["man"] * 3
    assert cost(made, "unit", "man", "sword", kit=["man"] * 3) == 108
    assert find_note(made, "unit_as_one").key == "unit"


def test_another_cost_is_the_rating() -> None:
    kinds = (
        CostType("pts", "points", Decimal(500)),
        CostType("pl", "power"),
        CostType("rep", "favours", Decimal(7)),
    )
    guard = Choice(
        "guard",
        "Guard",
        "model",
        costs=(("pts", Decimal(30)), ("pl", Decimal(4)), ("rep", Decimal(2))),
    )
    made = make_game(system(catalogue("reds", guard), cost_types=kinds), answers(worth="pl"))
    book = read(made)
    figure = Figure(rank="guard", worth_rank="guard")
    assert (price(book.usual, figure).total, rating(book.usual, figure).total) == (30, 4)
    assert made.data["ranks"][0]["costs"] == {"favours": 2}
    assert made.data["currencies"][0]["start"] == 7
    assert made.data["budgets"] == [{"amount": 500, "kept": True}]


def test_an_upgrade_of_the_whole_list_is_something_that_the_gang_holds() -> None:
    made = make(model("guard", 30), entry("camp", 25, limits=[at_most(1, "roster")]))
    assert row(made, "holdings", "camp")["price"] == 25
    (limit,) = [one for one in made.data["limits"] if one["kind"] == "holdings"]
    assert (limit["holdings"], limit["maximum"]) == (["camp"], 1)
