"""Selectors: every field, separately and combined."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.book.model import Book
from rules.book.vocabulary import Between, Selector
from rules.engine.figure import EVERYBODY, Figure, picks
from tests.rules.small import SMALL, add, figure, small, told

TRAITS = [told("quick", tags=["body"]), told("lucky", tags=["mind", "rare"]), told("plain")]
BOOK: Book = small(traits=TRAITS)
ANNE = figure(
    "chief",
    origin="hill",
    profession="smith",
    traits=("quick",),
    items=("sword", "rope"),
    conditions=("lame",),
)
NOBODY = figure("fighter")


@pytest.mark.parametrize(
    ("selector", "anne", "nobody"),
    [
        (Selector(), True, True),
        (Selector(ranks=("chief",)), True, False),
        (Selector(ranks=("fighter", "chief")), True, True),
        (Selector(not_ranks=("chief",)), False, True),
        (Selector(origins=("hill",)), True, False),
        (Selector(origins=("river", "sea")), False, False),
        (Selector(not_origins=("hill",)), False, True),
        (Selector(professions=("smith", "cook")), True, False),
        (Selector(not_professions=("smith",)), False, True),
        (Selector(not_professions=("cook",)), True, True),
        (Selector(item_tags=("blade",)), True, False),
        (Selector(item_tags=("heavy",)), False, False),
        (Selector(item_tags=("heavy", "blade")), True, False),
        (Selector(not_item_tags=("blade",)), False, True),
        (Selector(not_item_tags=("heavy",)), True, True),
        (Selector(trait_tags=("body",)), True, False),
        (Selector(trait_tags=("rare",)), False, False),
        (Selector(not_trait_tags=("body", "rare")), False, True),
        (Selector(traits=("quick", "lucky")), True, False),
        (Selector(traits=("lucky",)), False, False),
        (Selector(not_traits=("quick",)), False, True),
        (Selector(numbers=(Between(characteristic="might", minimum=4),)), True, False),
        (Selector(numbers=(Between(characteristic="might", maximum=4),)), False, True),
        (Selector(numbers=(Between(characteristic="might", minimum=3, maximum=3),)), False, True),
        (Selector(conditions=("lame",)), True, False),
        (Selector(conditions=("gone",)), False, False),
        (Selector(not_conditions=("lame",)), False, True),
        (Selector(ranks=("chief",), origins=("hill",), conditions=("lame",)), True, False),
        (Selector(ranks=("chief",), origins=("river",)), False, False),
        (Selector(ranks=("chief",), not_origins=("hill",)), False, False),
    ],
    ids=str,
)
def test_a_selector_picks_the_right_figures(selector: Selector, anne: bool, nobody: bool) -> None:
    assert (picks(BOOK, selector, ANNE), picks(BOOK, selector, NOBODY)) == (anne, nobody)


def test_a_selector_checks_the_present_rank() -> None:
    risen = figure("chief", worth_rank="fighter", base_rank="fighter")
    assert picks(BOOK, Selector(ranks=("chief",)), risen)
    assert not picks(BOOK, Selector(ranks=("fighter",)), risen)


def test_a_selector_needs_every_number() -> None:
    both = (
        Between(characteristic="might", minimum=5),
        Between(characteristic="aim", maximum=4),
    )
    assert not picks(BOOK, Selector(numbers=both), ANNE)
    assert picks(BOOK, Selector(numbers=both), replace(ANNE, told={"aim": 4}))


def test_a_selector_reads_a_number_under_the_options_of_the_gang() -> None:
    rise = add("might", 1, when={"halves": ["exact"]})
    book = small(traits=[told("quick", effects=[rise])])
    six = Selector(numbers=(Between(characteristic="might", minimum=6),))
    usual, exact = (replace(ANNE, settings={"halves": halves}) for halves in ("up", "exact"))
    assert (picks(book, six, usual), picks(book, six, exact)) == (False, True)


def test_a_number_counts_before_conditions() -> None:
    book = small(conditions=[told("lame", effects=[add("might", -3)]), told("gone")])
    five = Selector(numbers=(Between(characteristic="might", minimum=5),))
    assert picks(book, five, ANNE)


def test_keys_missing_from_the_book_have_no_tags() -> None:
    odd = figure(traits=("poetry",), items=("spoon",))
    assert not picks(BOOK, Selector(item_tags=("blade",)), odd)
    assert picks(BOOK, Selector(not_trait_tags=("body",)), odd)


POSITIVE: dict[str, tuple[list[str], Callable[[Figure], set[str | None]]]] = {
    "ranks": (["chief", "fighter", "scout"], lambda one: {one.rank}),
    "origins": (["hill", "river", "sea"], lambda one: {one.origin}),
    "professions": (["smith", "cook"], lambda one: {one.profession}),
    "item_tags": (
        ["blade", "heavy", "ranged"],
        lambda one: {tag for key in one.items for tag in TAGS.get(key, [])},
    ),
    "trait_tags": (
        ["body", "mind", "rare"],
        lambda one: {tag for key in one.traits for tag in TAGS.get(key, [])},
    ),
    "traits": (["quick", "lucky", "plain"], lambda one: set(one.traits)),
    "conditions": (["lame", "gone"], lambda one: set(one.conditions)),
    "holdings": (["mill", "mine"], lambda one: set(one.holdings)),
    "gang_ranks": (["chief", "scout"], lambda one: set(one.gang_ranks)),
}
TAGS: dict[str, list[str]] = {row["key"]: row.get("tags", []) for row in [*TRAITS, *SMALL["items"]]}


@st.composite
def figures(draw: st.DrawFn) -> Figure:
    some = {name: st.sampled_from([None, *keys]) for name, (keys, _) in POSITIVE.items()}
    return figure(
        draw(st.sampled_from(["chief", "fighter", "scout"])),
        origin=draw(some["origins"]),
        profession=draw(some["professions"]),
        traits=tuple(draw(st.lists(st.sampled_from(["quick", "lucky", "plain"]), max_size=2))),
        items=tuple(draw(st.lists(st.sampled_from(["sword", "axe", "bow", "rope"]), max_size=2))),
        conditions=tuple(draw(st.lists(st.sampled_from(["lame", "gone"]), max_size=2))),
        holdings=tuple(draw(st.lists(st.sampled_from(["mill", "mine"]), max_size=2))),
        gang_ranks=frozenset(draw(st.lists(st.sampled_from(["chief", "scout"]), max_size=2))),
    )


SELECTORS = st.fixed_dictionaries(
    {},
    optional={
        name: st.lists(st.sampled_from(POSITIVE[name.removeprefix("not_")][0]), max_size=2)
        for name in Selector.model_fields
        if name != "numbers"
    },
)


@pytest.mark.long
@given(figures(), SELECTORS)
def test_a_selector_requires_every_named_field(one: Figure, named: dict[str, list[str]]) -> None:
    selector = Selector.model_validate(named)
    wanted = True
    for name, keys in named.items():
        present = POSITIVE[name.removeprefix("not_")][1](one)
        if name.startswith("not_"):
            wanted = wanted and not present.intersection(keys)
        elif keys:
            wanted = wanted and bool(present.intersection(keys))
    assert picks(BOOK, selector, one) == wanted


@given(figures())
def test_an_empty_selector_picks_every_figure(one: Figure) -> None:
    assert picks(BOOK, EVERYBODY, one)
