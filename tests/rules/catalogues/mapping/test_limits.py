"""Limits: on members, on what each of them has, and on what the whole gang has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from rules.catalogues.mapping import make_game
from rules.catalogues.model import Category, CategoryLink, Choice, Force, Info
from rules.catalogues.results import Imported
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
    row,
    rule,
    system,
)

SWORD = entry("sword", 10, info=blade("sword"), limits=[at_most(1)])
AXE = entry("axe", 5, info=blade("axe"), limits=[at_most(1)])
BOW = entry("bow", 8, info=blade("bow"), limits=[at_most(1)])


def make(*roots: Choice, shared: Sequence[Choice] = (), **more: Any) -> Imported:
    """Return the game of one catalogue."""
    return make_game(system(catalogue("reds", *roots, shared=tuple(shared)), **more), answers())


def limits(imported: Imported, kind: str) -> list[tuple[Any, ...]]:
    """Return limits of a kind: whom they are about, what they count, and their bounds."""
    return [
        (
            tuple(one.get("of", {}).get("ranks", ())),
            tuple(one.get("item_tags", one.get("trait_tags", ()))),
            one.get("minimum", 0),
            one.get("maximum"),
        )
        for one in imported.data["limits"]
        if one["kind"] == kind
    ]


def tagged(imported: Imported, tag: str) -> list[str]:
    """Return the items and traits with a tag."""
    rows = [*imported.data.get("items", ()), *imported.data.get("traits", ())]
    return sorted(one["key"] for one in rows if tag in one.get("tags", ()))


def test_a_limit_on_a_root_counts_members_of_the_rank() -> None:
    made = make(
        model("hero", 80, limits=[at_most(2, "force"), at_least(1, "roster")]), model("man")
    )
    assert limits(made, "count") == [(("hero",), (), 1, 2)]


def test_a_limit_on_what_several_links_share_counts_all_of_its_ranks() -> None:
    hero = model("hero", 80, limits=[at_most(2, "roster")])
    other = model("hero", 80, limits=[at_most(2, "roster")], name="Rider")
    made = make(hero, other, model("man"))
    assert limits(made, "count") == [(("hero", "rider"), (), 0, 2)]


def test_a_limit_is_worked_out_for_the_catalogue() -> None:
    hero = model(
        "hero",
        80,
        limits=[at_most(2, "roster", "few")],
        modifiers=(change("set", "few", 5, is_a("blues", "primary-catalogue")),),
    )
    reds = catalogue("reds", link("a", "hero"), model("man"))
    blues = catalogue("blues", link("b", "hero"))
    made = make_game(system(reds, blues, shared=(hero,)), answers())
    found = [one for one in made.data["limits"] if one["kind"] == "count"]
    assert {one["maximum"]: one["when"] for one in found} == {
        2: {"faction": ["reds"]},
        5: {"faction": ["blues"]},
    }


def test_a_limit_that_depends_on_the_list_has_a_note() -> None:
    more = change("increment", "few", 1, has("man", "roster"))
    made = make(
        model("hero", 80, limits=[at_most(2, "roster", "few")], modifiers=(more,)), model("man")
    )
    # The largest that it can be.
    assert limits(made, "count") == [(("hero",), (), 0, 3)]
    assert find_note(made, "limit_depends").values == {"value": "3"}
    assert made.counts["limits"]["noted"] == 1


def test_a_limit_on_a_category_counts_its_ranks() -> None:
    heroes = Category("heroes", "Heroes", constraints=(at_most(3, "force"),))
    made = make(
        model("hero", 80, of=["heroes"]),
        model("mage", 70, of=["heroes"]),
        model("man", of=["troops"]),
        categories=(heroes, Category("troops", "Troops")),
    )
    assert limits(made, "count") == [(("hero", "mage"), (), 0, 3)]


def test_limits_of_several_shapes_of_a_list_have_an_option() -> None:
    small = CategoryLink("l1", "", "heroes", constraints=(at_most(1),))
    large = CategoryLink("l2", "", "heroes", constraints=(at_most(4),))
    made = make(
        model("hero", 80, of=["heroes"]),
        model("man"),
        forces=(Force("s", "Patrol", categories=(small,)), Force("l", "Host", categories=(large,))),
    )
    assert [one["key"] for one in row(made, "settings", "force")["choices"]] == ["patrol", "host"]
    found = [one for one in made.data["limits"] if one["kind"] == "count"]
    assert {one["maximum"]: one["when"]["force"] for one in found} == {1: ["patrol"], 4: ["host"]}


def test_a_limit_of_every_shape_of_a_list_needs_no_option() -> None:
    few = CategoryLink("l1", "", "heroes", constraints=(at_most(1),))
    made = make(
        model("hero", 80, of=["heroes"]),
        model("man"),
        forces=(Force("s", "Patrol", categories=(few,)), Force("l", "Host", categories=(few,))),
    )
    (limit,) = [one for one in made.data["limits"] if one["kind"] == "count"]
    assert (limit["maximum"], "when" in limit) == (1, False)


def test_a_limit_on_a_category_is_worked_out_for_the_catalogue() -> None:
    depends = change("set", "few", 9, has("dragon", "roster"))
    by_catalogue = change("set", "few", 4, is_a("blues", "primary-catalogue"))
    heroes = Category(
        "heroes", "Heroes", False, (at_most(3, "force", "few"),), (depends, by_catalogue)
    )
    reds = catalogue("reds", model("hero", 80, of=["heroes"]), model("man"))
    blues = catalogue("blues", model("lord", 90, of=["heroes"]), model("boy"))
    made = make_game(system(reds, blues, categories=(heroes,)), answers())
    found = [one for one in made.data["limits"] if one["kind"] == "count"]
    assert {one["maximum"]: one["when"]["faction"] for one in found} == {3: ["reds"], 4: ["blues"]}
    assert codes(made) == []


def test_a_limit_on_a_category_of_options_counts_the_items_of_the_gang() -> None:
    relics = Category("relics", "Relics", constraints=(at_most(1, "roster"),))
    crown = entry("crown", 9, info=blade("crown"), of=["relics"])
    made = make(model("hero", 80, crown, SWORD), model("man"), categories=(relics,))
    (limit,) = [one for one in made.data["limits"] if one.get("item_tags")]
    assert (limit["per"], limit["maximum"]) == ("gang", 1)
    assert tagged(made, limit["item_tags"][0]) == ["crown"]


def test_a_kit_of_more_than_others_may_buy_is_allowed() -> None:
    pistols = entry("pistol", 7, info=blade("pistol"), limits=[at_least(2), at_most(2)])
    one = entry("pistol", 7, info=blade("pistol"), limits=[at_most(1)])
    made = make(model("hero", 80, pistols), model("man", 20, one))
    (more,) = [one for one in made.data["offers"] if "most_per_member" in one]
    assert (more["of"], more["most_per_member"]) == ({"ranks": ["hero"]}, 2)


def test_a_limit_in_per_cent_has_a_note() -> None:
    made = make(model("hero", 80, limits=[at_most(50, "force", is_percent=True)]), model("man"))
    assert (limits(made, "count"), codes(made)) == ([], ["limit_percent"])


def test_an_option_has_a_maximum_for_each_rank() -> None:
    made = make(
        model("hero", 80, entry("knife", 2, info=blade("knife"), limits=[at_most(2)])),
        model("man", 20, entry("knife", 2, info=blade("knife"), limits=[at_most(1)])),
        model("boy", 10, entry("knife", 2, info=blade("knife"), limits=[at_most(1)])),
    )
    assert row(made, "items", "knife")["most_per_member"] == 1
    (more,) = [one for one in made.data["offers"] if "most_per_member" in one]
    assert (more["of"], more["items"], more["most_per_member"]) == (
        {"ranks": ["hero"]},
        ["knife"],
        2,
    )


def test_a_rank_can_buy_only_what_the_catalogue_offers_it() -> None:
    made = make(model("hero", 80, SWORD, AXE), model("man", 20, AXE), model("hound", 15))
    shelves = {
        tuple(one.get("of", {}).get("ranks", ())): one["items"]
        for one in made.data["offers"]
        if one.get("only")
    }
    assert shelves == {("hero",): ["axe", "sword"], ("man",): ["axe"]}
    assert limits(made, "items") == [(("hound",), (), 0, 0)]


def test_a_rank_with_a_kit_and_nothing_to_buy_can_buy_nothing_else() -> None:
    teeth = entry("teeth", 3, info=blade("teeth"), limits=[at_least(1), at_most(1)])
    made = make(model("hero", 80, SWORD), model("hound", 15, teeth))
    shelves = {
        one["of"]["ranks"][0]: one["items"] for one in made.data["offers"] if one.get("only")
    }
    assert shelves == {"hero": ["sword"], "hound": ["teeth"]}
    assert limits(made, "items") == []


def test_a_shared_group_limits_all_its_ranks_with_one_row() -> None:
    arms = group("arms", SWORD, AXE, BOW, limits=[at_most(2)])
    roots = [model(one, 20, link(f"l-{one}", "arms", to_group=True)) for one in ("a", "b", "c")]
    made = make(*roots, model("d", 5, BOW), shared=[arms])
    assert limits(made, "items") == [(("a", "b", "c"), ("arms",), 0, 2)]
    assert tagged(made, "arms") == ["axe", "bow", "sword"]


def test_a_group_that_can_never_be_full_has_no_limit() -> None:
    made = make(model("man", 20, group("arms", SWORD, AXE, limits=[at_most(2)])))
    assert limits(made, "items") == []


def test_a_group_inside_a_group_has_its_own_limit() -> None:
    inner = group("blades", SWORD, AXE, limits=[at_most(1)])
    made = make(model("man", 20, group("arms", inner, BOW, limits=[at_least(1)])))
    assert sorted((tagged(made, one[1][0]), *one[2:]) for one in limits(made, "items")) == [
        (["axe", "bow", "sword"], 1, None),
        (["axe", "sword"], 0, 1),
    ]


def test_two_slots_for_the_same_things_limit_both_together() -> None:
    arms = group("arms", SWORD, AXE, BOW)
    slots = [
        group(f"slot{n}", link(f"l{n}", "arms", to_group=True), limits=[at_most(1)]) for n in (1, 2)
    ]
    made = make(model("man", 20, *slots), model("boy"), shared=[arms])
    (limit,) = [one for one in made.data["limits"] if one.get("item_tags")]
    assert limit["maximum"] == 2
    assert codes(made) == []


@pytest.mark.parametrize("scope", ["parent", "man"])
def test_a_limit_of_a_shared_entry_counts_all_ways_to_it(scope: str) -> None:
    sword = entry("sword", 5, info=blade("sword"), limits=[at_most(1, scope, in_children=True)])
    slots = [
        group(f"slot{n}", link(f"l{n}", "sword"), entry(f"e{n}", 3), limits=[at_most(1)])
        for n in (1, 2)
    ]
    made = make(model("man", 20, *slots), shared=[sword])
    assert row(made, "items", "sword")["most_per_member"] == 1


def test_a_part_that_a_member_has_once_is_on_one_of_their_things() -> None:
    sight = entry("sight", 5, info=blade("sight"), limits=[at_most(1, "man", in_children=True)])
    guns = [entry(f"gun{n}", 9, link(f"l{n}", "sight"), limits=[at_most(1)]) for n in (1, 2)]
    made = make(model("man", 20, *guns), shared=[sight])
    assert row(made, "items", "sight")["most_per_member"] == 1


def test_a_limit_on_things_that_are_also_free_of_it_forbids_no_legal_list() -> None:
    few = group("few", SWORD, AXE, limits=[at_most(1)])
    sword = entry("other", 10, name="Sword", info=blade("sword"), limits=[at_most(3)])
    made = make(model("man", 20, few, sword), model("boy"))
    (limit,) = [one for one in made.data["limits"] if one.get("item_tags")]
    assert (tagged(made, limit["item_tags"][0]), limit["maximum"]) == (["axe", "sword"], 4)


def test_a_group_inside_an_option_limits_its_parts() -> None:
    parts = group("parts", entry("sight", 2), entry("strap", 1), limits=[at_most(1)])
    made = make(model("man", 20, entry("gun", 9, parts, info=blade("gun"), limits=[at_most(2)])))
    (limit,) = [one for one in made.data["limits"] if one.get("item_tags")]
    assert (tagged(made, limit["item_tags"][0]), limit["maximum"]) == (["sight", "strap"], 2)


def test_an_option_that_the_gang_has_once_is_limited_by_copies() -> None:
    relic = entry("relic", 9, info=blade("relic"), limits=[at_most(1, "roster")])
    crown = entry("crown", 7, info=blade("crown"), limits=[at_most(1, "force")])
    made = make(model("hero", 80, relic, crown), model("man", 20, relic))
    (limit,) = [one for one in made.data["limits"] if one["kind"] == "items"]
    assert (limit["per"], limit["maximum"]) == ("copies", 1)
    assert tagged(made, limit["item_tags"][0]) == ["crown", "relic"]


def test_a_limit_on_the_copies_of_one_catalogue_leaves_others_free() -> None:
    few = entry("few", 9, name="Relic", info=blade("relic"), limits=[at_most(1, "roster")])
    many = entry("many", 9, name="Relic", info=blade("relic"))
    made = make_game(
        system(
            catalogue("reds", model("hero", 80, few)), catalogue("blues", model("lad", 9, many))
        ),
        answers(),
    )
    (limit,) = [one for one in made.data["limits"] if one["kind"] == "items"]
    assert (limit["maximum"], limit["when"]) == (1, {"faction": ["reds"]})


def test_limits_of_two_entries_that_are_one_item_add_up() -> None:
    one, other = (
        entry(own_id, 9, name="Relic", info=blade("relic"), limits=[at_most(1, "roster")])
        for own_id in ("one", "other")
    )
    made = make(model("hero", 80, one), model("man", 20, other))
    (limit,) = [one for one in made.data["limits"] if one["kind"] == "items"]
    assert (limit["per"], limit["maximum"]) == ("copies", 2)
    assert codes(made) == ["limit_shared", "limit_shared"]


def test_a_limit_of_the_gang_forbids_nothing_that_members_have_in_another_way() -> None:
    few = entry("few", 9, name="Relic", info=blade("relic"), limits=[at_most(1, "roster")])
    free = entry("free", 9, name="Relic", info=blade("relic"))
    made = make(model("hero", 80, few), model("man", 20, free))
    assert limits(made, "items") == []
    assert find_note(made, "limit_shared").place == ("Hero", "Relic")


def test_skills_become_traits_with_their_limit() -> None:
    skills = group(
        "skills",
        *(
            entry(one, 5, info=_rules(one), limits=[at_most(1)])
            for one in ("dodge", "climb", "swim")
        ),
        limits=[at_most(2)],
    )
    made = make(model("hero", 80, skills), model("man", 20))
    assert [one["key"] for one in made.data["traits"]] == ["dodge", "climb", "swim"]
    assert row(made, "traits", "dodge")["price"] == 5
    assert row(made, "traits", "dodge")["ranks"] == ["hero"]
    assert limits(made, "trait_count") == [(("hero",), ("skills",), 0, 2)]


def test_a_skill_at_two_prices_is_an_item() -> None:
    def skills(cost: int) -> Choice:
        return group("skills", entry("dodge", cost, info=_rules("dodge"), limits=[at_most(1)]))

    made = make(model("hero", 80, skills(5)), model("man", 20, skills(8)))
    assert "traits" not in made.data
    assert row(made, "items", "dodge")["text"]["en"] == "It is so."


def test_a_group_of_skills_and_gear_is_counted_together() -> None:
    mixed = group(
        "skills and gear",
        SWORD,
        entry("dodge", 5, info=_rules("dodge"), limits=[at_most(1)]),
        limits=[at_most(1)],
    )
    made = make(model("hero", 80, mixed), model("man"))
    assert len(limits(made, "items")) == 2
    assert made.ids["dodge"] == ("items", "dodge")


def _rules(own_id: str) -> Info:
    return Info(rules=(rule(own_id),))
