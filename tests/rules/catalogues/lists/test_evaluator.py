"""The evaluator's single words, each in a list as small as can be.

Each case expects the result that the format's documentation gives.
"""

from __future__ import annotations

from decimal import Decimal
from xml.etree.ElementTree import Element

import pytest

from tests.rules.catalogues.lists.building import (
    any_of,
    as_2_03,
    catalogue,
    category,
    cost_type,
    each,
    entry,
    group,
    limit,
    link,
    modify,
    node,
    share,
    system,
    when,
)
from tests.rules.catalogues.lists.by_hand import parse
from tests.rules.catalogues.lists.evaluator import Data, Evaluated, Misread

LIST = """
boss
  gem x2
ape
  nut x3
  gem
ape
"""


def evaluate(*parts: Element, words: str = LIST) -> Evaluated:
    """Return a list of a game in which a gem costs 10, with ``parts`` added to the gem."""
    game = system(
        "s",
        "Zoo",
        cost_type("fish", "Fish", 500),
        node("categoryEntry", id="c-boss", name="Bosses", hidden=False),
        node("categoryEntry", id="c-ape", name="Apes", hidden=False),
        node("categoryEntry", id="c-rich", name="Rich", hidden=False),
        node(
            "forceEntry",
            *(category("f", key) for key in ("c-boss", "c-ape", "c-rich")),
            id="f",
            name="Force",
            hidden=False,
        ),
    )
    zoo = catalogue(
        "zoo",
        "Zoo",
        "s",
        entry("boss", "Boss", "model", {"fish": 30}, category("boss", "c-boss", primary=True),
              link("boss-gem", "gem", "Gem")),
        entry("ape", "Ape", "model", {"fish": 20}, category("ape", "c-ape", primary=True),
              link("ape-gem", "gem", "Gem"),
              entry("nut", "Nut", "upgrade", {"fish": 1})),
    )  # fmt: skip
    share(zoo, entry("gem", "Gem", "upgrade", {"fish": 10}, *parts))
    return Evaluated(Data.read(as_2_03((game, zoo))), "zoo", parse(words))


def gems(found: Evaluated) -> list[Decimal]:
    """Return the price of one gem of the boss, and of the ape's."""
    chosen = [one for one in found.all if one.option.target["id"] == "gem"]
    return [found.costs(one)["fish"] / one.number for one in chosen]


def raised(*conditions: Element) -> list[Decimal]:
    """Return how much dearer the gems are that meet conditions, for boss and ape."""
    return [price - 10 for price in gems(evaluate(modify("increment", "fish", 1, *conditions)))]


@pytest.mark.parametrize(
    ("condition", "boss", "ape"),
    [
        (when("instanceOf", "boss"), 1, 0),
        (when("notInstanceOf", "boss"), 0, 1),
        (when("instanceOf", "c-ape", 1, "parent"), 0, 1),
        (when("instanceOf", "model", 1, "parent"), 1, 1),
        (when("instanceOf", "gem", 1, "self"), 1, 1),
        # Within a force or a roster, nothing is an instance of anything.
        (when("instanceOf", "boss", 1, "force"), 0, 0),
        (when("instanceOf", "boss", 1, "roster"), 0, 0),
        (when("instanceOf", "zoo", 1, "primary-catalogue"), 1, 1),
        (when("instanceOf", "other", 1, "primary-catalogue"), 0, 0),
        # There are three gems in the force, two with the boss.
        (when("equalTo", "gem", 3, "force"), 1, 1),
        (when("equalTo", "gem", 2, "parent"), 1, 0),
        (when("notEqualTo", "gem", 2, "parent"), 0, 1),
        (when("lessThan", "gem", 2, "parent"), 0, 1),
        (when("atMost", "gem", 2, "parent"), 1, 1),
        (when("greaterThan", "gem", 2, "roster"), 1, 1),
        # Those inside others count only with a flag.
        (when("atLeast", "gem", 1, "force", inside=False), 0, 0),
        (when("equalTo", "c-ape", 2, "force"), 1, 1),
        (when("equalTo", "any", 4, "parent"), 0, 1),
        (when("equalTo", "upgrade", 6, "roster"), 1, 1),
        # A link's id counts what it leads to, a scope's id is the nearest selection around.
        (when("atLeast", "ape-gem", 1, "force"), 1, 1),
        (when("equalTo", "nut", 3, "ape"), 0, 1),
        (when("equalTo", "nut", 3, "c-ape", inside=True), 1, 1),
        # Nothing is inside a gem.
        (when("atLeast", "gem", 1, "self"), 0, 0),
        # The limit of the list is 500; its gems cost 30 or more.
        (when("equalTo", "any", 500, "roster", field="limit::fish"), 1, 1),
        (when("atLeast", "ape", 40, "force", field="fish"), 1, 1),
        (when("greaterThan", "ape", 40, "force", field="fish"), 0, 0),
        # Two of three members are apes.
        (when("atLeast", "ape", 66, "force", inside=False, percent=True), 1, 1),
        (when("atLeast", "ape", 67, "force", inside=False, percent=True), 0, 0),
    ],
)
def test_condition_raises_the_price(condition: Element, boss: int, ape: int) -> None:
    assert raised(condition) == [boss, ape]


def test_conditions_are_joined_by_and_unless_a_group_says_or() -> None:
    yes, no = when("instanceOf", "gem", 1, "self"), when("instanceOf", "none")
    assert raised(yes, no) == [0, 0]
    assert raised(any_of(yes, no)) == [1, 1]
    assert raised(any_of(yes, no, kind="and")) == [0, 0]
    assert raised(any_of(no, any_of(yes, kind="and"))) == [1, 1]
    assert raised(any_of()) == [1, 1]


@pytest.mark.parametrize(
    ("repeats", "boss", "ape"),
    [
        ([each("nut", 1, "parent")], 0, 3),
        ([each("nut", 2, "parent")], 0, 1),
        ([each("nut", 2, "parent", up=True)], 0, 2),
        ([each("nut", 2, "parent", 5)], 0, 5),
        ([each("nut", 1, "parent"), each("gem", 1, "force")], 3, 6),
        ([each("nut", 0, "parent")], 0, 0),
    ],
)
def test_modifier_is_repeated(repeats: list[Element], boss: int, ape: int) -> None:
    assert raised(*repeats) == [boss, ape]


@pytest.mark.parametrize(
    ("modifiers", "price"),
    [
        ([("set", 4), ("increment", 3)], 7),
        ([("increment", 3), ("set", 4)], 4),
        ([("decrement", 12)], -2),
        ([("multiply", 3), ("divide", 2)], 15),
    ],
)
def test_modifiers_apply_in_order(modifiers: list[tuple[str, int]], price: int) -> None:
    rows = [modify(kind, "fish", value) for kind, value in modifiers]
    assert gems(evaluate(*rows)) == [price, price]


def test_group_of_modifiers_adds_its_conditions_and_repeats() -> None:
    inner = modify("increment", "fish", 1, each("nut", 1, "parent"))
    nested = node("modifierGroup", inner, each("gem", 1, "parent"))
    outer = node("modifierGroup", nested, when("instanceOf", "c-ape"))
    assert gems(evaluate(outer)) == [10, 13]


def test_categories_follow_their_modifiers() -> None:
    added = modify("add", "category", "c-rich", when("instanceOf", "boss"))
    found = evaluate(added, limit("max", "rich", 0, "parent"))
    rich = [one for one in found.all if "c-rich" in found.categories(one)[0]]
    assert [one.parent.option.name for one in rich if one.parent] == ["Boss"]
    changed = evaluate(
        modify("set-primary", "category", "c-rich"), modify("remove", "category", "c-rich")
    )
    (gem, *_others) = [one for one in changed.all if one.option.name == "Gem"]
    assert changed.categories(gem) == (set(), "c-rich")
    dropped = evaluate(
        modify("set-primary", "category", "c-rich"), modify("unset-primary", "category", "c-rich")
    )
    (gem, *_others) = [one for one in dropped.all if one.option.name == "Gem"]
    assert dropped.categories(gem) == ({"c-rich"}, "")


def test_names_follow_their_modifiers() -> None:
    found = evaluate(
        modify("set", "name", "Ruby"), modify("append", "name", "(red)"),
        modify("prepend", "name", "Fine"),
    )  # fmt: skip
    (gem, *_others) = [one for one in found.all if one.option.name == "Gem"]
    assert found.name(gem) == "Fine Ruby (red)"


@pytest.mark.parametrize(
    ("one", "is_broken"),
    [
        (limit("max", "x", 2), False),
        (limit("max", "x", 1), True),
        (limit("max", "x", -1), False),
        (limit("max", "x", 2, "force"), True),
        (limit("max", "x", 2, "force", shared=False), False),
        (limit("max", "x", 2, "force", inside=False), False),
        (limit("max", "x", 29, "roster", field="fish"), True),
        (limit("max", "x", 30, "roster", field="fish"), False),
        (limit("min", "x", 1), True),
        (limit("min", "x", 3, "force"), False),
        (limit("min", "x", 4, "force"), True),
        # A quarter of the ape's selections are gems, all of the boss's are.
        (limit("max", "x", 99, percent=True), True),
        (limit("max", "x", 100, percent=True), False),
    ],
)
def test_limits_are_checked_where_the_option_is_offered(one: Element, is_broken: bool) -> None:
    found = {broken.id for broken in evaluate(one).violations()}
    assert found == ({"x"} if is_broken else set())


def test_limit_follows_its_modifiers_and_a_hidden_option_has_none() -> None:
    lower = modify("set", "x", 1, when("instanceOf", "boss"))
    found = evaluate(limit("max", "x", 2), lower).violations()
    assert {(one.id, one.element) for one in found} == {("x", "boss-gem::gem")}
    hidden = modify("set", "hidden", True, when("instanceOf", "boss"))
    found = evaluate(limit("max", "x", 1), hidden).violations()
    assert {(one.id, one.element) for one in found} == {("hidden", "boss-gem::gem")}


def test_limit_of_the_whole_list_is_checked() -> None:
    assert not evaluate(words="boss x16").violations()
    assert {one.id for one in evaluate(words="boss x17").violations()} == {"limit"}


def test_price_that_depends_on_itself_is_refused() -> None:
    found = evaluate(modify("increment", "fish", 1, each("gem", 5, "force", field="fish")))
    with pytest.raises(Misread, match="itself"):
        found.total("fish")


@pytest.mark.parametrize("words", ["boss\n  nut", "nobody", "ape\n  nut\n  nut", "ape x0"])
def test_list_that_cannot_be_is_refused(words: str) -> None:
    with pytest.raises(Misread):
        evaluate(words=words)


def test_group_at_the_root_offers_its_entries() -> None:
    game = system(
        "s", "Zoo", cost_type("fish", "Fish"),
        node("forceEntry", id="f", name="Force", hidden=False),
    )  # fmt: skip
    zoo = catalogue("zoo", "Zoo", "s", link("pets", "pair", "Pets", to="selectionEntryGroup"))
    cat = entry("cat", "Cat", "model", {"fish": 3})
    share(zoo, group("pair", "Pair", limit("max", "pair-max", 1), cat))
    found = Evaluated(Data.read(as_2_03((game, zoo))), "zoo", parse("cat x2"))
    assert found.total("fish") == 6
    assert {(one.id, one.element) for one in found.violations()} == {("pair-max", "pets::pair")}
