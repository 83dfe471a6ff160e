"""Effects: their members, their limits and their order; profiles after promotions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.book.characteristics import Value, clamp
from rules.book.model import Book
from rules.engine.figure import Figure, Raise
from rules.engine.profiles import Profile, profile
from tests.rules.small import SMALL, Data, add, figure, measured, put, row, small, told, with_more

KEYS = ("might", "aim", "quality", "nerve", "ammo", "grit")


def known(book: Book, one: Figure, **settings: Any) -> Profile:
    return profile(book.under(book.default_settings() | settings), one)


def shown(book: Book, one: Figure, *keys: str, **settings: Any) -> list[str]:
    scores = known(book, one, **settings).scores
    return [str(scores[key].value) for key in keys or KEYS]


def with_trait(*effects: Data) -> Book:
    return with_more(traits=told("changed", effects=list(effects)))


def why(book: Book, one: Figure, key: str) -> list[tuple[str, int]]:
    changes = known(book, one).scores[key].changes
    return [(change.cause["en"], change.amount) for change in changes]


CHANGED = figure(traits=("changed",))


# Effects on each kind of characteristic


def test_a_profile_has_the_values_of_the_rank_or_the_start() -> None:
    assert shown(small(), figure()) == ["3", "5", "3k2", "3/1", "WWR", "D6"]
    assert shown(small(), figure("chief")) == ["5", "5", "3k2", "3/1", "WWR", "D10"]


@pytest.mark.parametrize(
    ("effect", "value"),
    [
        (add("might", 2), "5"),
        (add("might", 9), "6"),
        (add("might", 2, limit=4), "4"),
        (add("aim", -2), "3"),
        (add("aim", -9), "2"),
        (add("aim", -2, limit=4), "4"),
        (add("quality", 1), "4k2"),
        (add("quality", 9, limit=5), "5k2"),
        (add("nerve", 1), "4/2"),
        (add("nerve", 1, part="first"), "4/1"),
        (add("nerve", 1, part="second"), "3/2"),
        (add("nerve", 9, part="second", limit=4), "3/4"),
        (add("ammo", 2), "WWWWR"),
        (add("ammo", -2), "R"),
        (add("grit", 1), "D8"),
        (add("grit", 9), "D10"),
        (put("might", 6), "6"),
        (put("aim", 2), "2"),
        (put("quality", "5k3"), "5k3"),
        (put("nerve", "0/0"), "0/0"),
        (put("ammo", "RR"), "RR"),
        (put("grit", "d8"), "D8"),
    ],
)
def test_an_effect_changes_its_characteristic(effect: Data, value: str) -> None:
    assert shown(with_trait(effect), CHANGED, effect["characteristic"]) == [value]


def test_a_profile_lists_the_change_of_each_effect() -> None:
    book = with_trait(
        add("nerve", 1), add("ammo", 2), add("grit", 1), put("might", 1), add("aim", 0)
    )
    told_of = {key: why(book, CHANGED, key) for key in KEYS}
    assert told_of == {
        "might": [("Changed", -2)],
        "aim": [],
        "quality": [],
        "nerve": [("Changed", 2)],
        "ammo": [("Changed", 2)],
        "grit": [("Changed", 1)],
    }


# Members whom an effect applies to


@pytest.mark.parametrize(
    ("rank", "might"), [("chief", "6"), ("fighter", "4"), ("scout", "3")], ids=str
)
def test_an_effect_applies_to_its_ranks_only(rank: str, might: str) -> None:
    book = with_trait(add("might", 1, ranks=["chief", "fighter"]))
    assert shown(book, figure(rank, traits=("changed",)), "might") == [might]


def test_a_set_effect_applies_to_its_ranks_only() -> None:
    book = with_trait(put("aim", 2, ranks=["scout"]))
    assert shown(book, figure("scout", traits=("changed",)), "aim") == ["2"]
    assert shown(book, CHANGED, "aim") == ["5"]


@pytest.mark.parametrize(("people", "might"), [("hill", "4"), ("river", "3")])
def test_an_effect_applies_under_its_setting_only(people: str, might: str) -> None:
    book = with_trait(add("might", 1, when={"people": ["hill"]}))
    assert shown(book, CHANGED, "might", people=people) == [might]


@pytest.mark.parametrize(("first", "might"), [(True, "4"), (False, "3")])
def test_an_effect_applies_to_the_first_of_a_profession_only(first: bool, might: str) -> None:
    book = small(professions=[told("smith", effects=[add("might", 1, first_only=True)])])
    assert shown(book, figure(profession="smith", first=first), "might") == [might]


# Origins


ORIGINS = [
    told("hill", effects=[put("aim", 3), add("might", 1, ranks=["fighter"]), add("ammo", -1)]),
    told("river", effects=[add("nerve", 1, part="second"), add("grit", 1)]),
    told("sea"),
]


@pytest.mark.parametrize(
    ("origin", "values"),
    [
        (None, ["3", "5", "3k2", "3/1", "WWR", "D6"]),
        ("hill", ["4", "3", "3k2", "3/1", "WR", "D6"]),
        ("river", ["3", "5", "3k2", "3/2", "WWR", "D8"]),
        ("sea", ["3", "5", "3k2", "3/1", "WWR", "D6"]),
        ("moon", ["3", "5", "3k2", "3/1", "WWR", "D6"]),
    ],
)
def test_an_origin_changes_the_profile_of_the_rank(origin: str | None, values: list[str]) -> None:
    assert shown(small(origins=ORIGINS), figure(origin=origin)) == values


def test_an_origin_applies_before_other_effects() -> None:
    """An origin sets the value that traits then change."""
    book = small(origins=ORIGINS, traits=[*SMALL["traits"], told("eye", effects=[add("aim", -1)])])
    one = figure(origin="hill", traits=("eye",))
    assert shown(book, one, "aim") == ["2"]
    assert why(book, one, "aim") == [("Hill", -2), ("Eye", -1)]


def test_an_origin_follows_the_rank_of_the_profile() -> None:
    """A member who was promoted and kept their profile keeps the effects of their origin on it."""
    book = small(origins=ORIGINS)
    risen = figure("chief", base_rank="fighter", origin="hill")
    assert shown(book, risen, "might") == ["4"]
    assert shown(book, figure("chief", origin="hill"), "might") == ["5"]


# Items


def test_a_carried_item_changes_the_profile() -> None:
    book = with_more(
        items=row("shield", group="goods", effects=[add("nerve", 1, part="second"), add("aim", 1)])
    )
    assert shown(book, figure(items=("shield",)), "nerve", "aim") == ["3/2", "6"]
    assert shown(book, figure(items=("shield", "shield")), "nerve", "aim") == ["3/3", "6"]
    assert why(book, figure(items=("shield",)), "aim") == [("Shield", 1)]


def test_a_carried_item_reaches_no_threshold() -> None:
    """Traits come from a member's own values, not from the items that they carry."""
    book = with_more(
        items=row("gauntlet", group="goods", effects=[add("might", 3)]),
        traits=told("mighty", gained_at={"characteristic": "might", "value": 5}),
    )
    with_item = known(book, figure(items=("gauntlet",)))
    assert (with_item.natural("might"), with_item.gained) == (6, ())
    assert [one.key for one in known(book, figure(points={"might": 2})).gained] == ["mighty"]


def test_conditions_apply_last_and_stay_within_bounds() -> None:
    weak = told("weak", effects=[add("might", -9), add("nerve", -9), add("ammo", -9)])
    book = with_more(conditions=weak, items=row("belt", group="goods", effects=[add("might", 1)]))
    one = figure(items=("belt",), conditions=("weak",))
    assert shown(book, one, "might", "nerve", "ammo") == ["1", "0/0", "R"]
    assert known(book, one).natural("might") == 4


# Promotions


def risen(before: int = 0, rank: str = "scout", **others: Any) -> Figure:
    """Return a fighter who got the better of two profiles after ``before`` traits."""
    return figure(rank, base_rank="fighter", raises=(Raise(rank, before),), **others)


def test_a_promotion_keeps_the_better_of_two_profiles() -> None:
    ranks = [
        *SMALL["ranks"],
        row("master", price=9, values={"might": 2, "aim": 3, "nerve": "2/4", "grit": "d8"}),
    ]
    book = small(ranks=ranks)
    assert shown(book, risen(rank="master")) == ["3", "3", "3k2", "3/4", "WWR", "D8"]
    assert why(book, risen(rank="master"), "aim") == [("Master", -2)]
    assert why(book, risen(rank="master"), "might") == []


def test_a_promotion_can_keep_the_former_profile() -> None:
    assert shown(small(), figure("scout", base_rank="chief"), "might", "aim") == ["5", "5"]
    assert figure("scout", base_rank="chief").profile_rank == "chief"
    assert figure("scout").profile_rank == "scout"


def test_traits_are_compared_before_a_promotion_and_added_after_it() -> None:
    """A fighter's aim is 5, a scout's 3, and each of two traits improves it by 1."""
    eyes = [told(key, effects=[add("aim", -1)]) for key in ("sharp", "hawk")]
    book = with_more(traits=eyes)
    aims = {
        before: known(book, risen(before, traits=("sharp", "hawk"))).natural("aim")
        for before in (0, 1, 2)
    }
    assert aims == {0: 1, 1: 2, 2: 3}


def test_two_promotions_apply_in_their_order() -> None:
    ranks = [
        row("lord", price=20, values={"might": 4, "grit": "d10"}),
        row("captain", price=9, values={"might": 6, "grit": "d8"}),
        *SMALL["ranks"],
    ]
    book = small(ranks=ranks)
    one = figure("lord", base_rank="fighter", raises=(Raise("captain", 0), Raise("lord", 0)))
    assert shown(book, one, "might", "grit") == ["6", "D10"]


def test_a_value_above_its_bounds_is_compared_at_the_bound() -> None:
    """A fighter of might 3 + 5 counts as 6: the rank above with 6 brings nothing."""
    ranks = [*SMALL["ranks"], row("giant", price=9, values={"might": 6})]
    book = small(ranks=ranks, traits=[told("huge", effects=[add("might", 5)])])
    one = risen(1, "giant", traits=("huge",))
    assert shown(book, one, "might") == ["6"]
    assert why(book, one, "might") == [("Huge", 5)]


def test_a_promotion_to_a_missing_rank_changes_nothing() -> None:
    one = figure(base_rank="fighter", raises=(Raise("pope", 0),))
    assert shown(small(), one, "aim") == ["5"]


def test_a_characteristic_can_follow_the_present_rank() -> None:
    """A promotion keeps the old profile, but this value comes from the present rank."""
    actions = measured("number", "actions", follows_rank=True)
    ranks = [
        row("chief", price=10, values={"actions": 3}),
        row("fighter", price=5, values={"actions": 2}),
    ]
    characteristics = [*SMALL["characteristics"], actions]
    book = small(ranks=ranks, characteristics=characteristics)
    assert shown(book, figure("chief", base_rank="fighter"), "actions") == ["3"]
    assert shown(book, figure("chief"), "actions") == ["3"]
    assert shown(book, figure("fighter", base_rank="chief"), "actions") == ["2"]


# Any effects


EFFECTS = st.lists(
    st.one_of(
        st.builds(
            lambda key, amount, limit: add(key, amount, limit=limit),
            st.sampled_from(KEYS),
            st.integers(-4, 4),
            st.one_of(st.none(), st.integers(0, 9)),
        ),
        st.sampled_from([put("might", 1), put("aim", 6), put("grit", "d8"), put("ammo", "R")]),
    ),
    max_size=6,
)


@pytest.mark.long
@given(bought=EFFECTS, carried=EFFECTS, suffered=EFFECTS)
def test_base_and_changes_add_up_to_the_value(
    bought: list[Data], carried: list[Data], suffered: list[Data]
) -> None:
    book = with_more(
        traits=told("changed", effects=bought),
        items=row("thing", group="goods", effects=carried),
        conditions=told("hurt", effects=suffered),
    )
    one = figure(traits=("changed",), items=("thing",), conditions=("hurt",))
    for key, score in known(book, one).scores.items():
        value: Value = score.value
        assert clamp(score.characteristic, value, suffering=True) == value, key
        if clamp(score.characteristic, score.natural) == score.natural:
            assert sum(change.amount for change in score.changes) == distance(
                score.base, score.value
            )


def distance(before: Value, after: Value) -> int:
    """Return the distance between two values, counted by hand."""
    return weight(after) - weight(before)


def weight(value: Value) -> int:
    shown = str(value)
    if isinstance(value, int):
        return value
    if "/" in shown:
        return sum(int(part) for part in shown.split("/"))
    if "k" in shown:
        return int(shown.split("k")[0])
    return ["D6", "D8", "D10"].index(shown) if shown.startswith("D") else len(shown)
