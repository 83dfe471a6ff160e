"""The game made of any catalogue passes the checker, in bounded time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.bounds.limits import BIGGEST_TEXT, MOST_ROWS, MOST_ROWS_OF
from rules.catalogues.mapping import guess_answers, make_game
from rules.catalogues.model import (
    Catalogue,
    CatalogueLink,
    Category,
    CategoryLink,
    Characteristic,
    Choice,
    Condition,
    ConditionGroup,
    Constraint,
    CostType,
    Force,
    Info,
    InfoGroup,
    InfoLink,
    Modifier,
    Profile,
    ProfileType,
    Publication,
    Query,
    Repeat,
    Rule,
    Source,
    System,
)
from rules.catalogues.results import Answers, Role
from rules.loading.check_size import too_large
from rules.loading.examining import examine_data
from tests.rules.catalogues.mapping.small import (
    MODEL,
    answers,
    catalogue,
    entry,
    group,
    link,
    model,
    system,
)

IDS = [*(f"id{number}" for number in range(14)), "", "any", "model", "pts"]
NAMES = ["Sword", "Leader", "Experience", "Skill", "Sabre", "{count}", "", " ", "剣", "Ω" * 90]
NAMES += ["An axe; of (some) \x00 kind", "12 pounder", "a" * 300, "Été", "options", "models"]
NUMBERS = [Decimal(one) for one in (*range(-3, 12), "0.5", "1e30", "NaN", "Infinity", 150)]
SCOPES = ["self", "parent", "ancestor", "force", "roster", "primary-catalogue", "parent", "parent"]
FIELDS = ["selections", "forces", "hidden", "name", "category", "limit::pts", "pts", "hidden"]
KINDS = ["set", "increment", "decrement", "append", "add", "divide", "multiply", "remove", "odd"]
VALUES = ["true", "false", "1", "0", "-2", "0.5", "text", "id1", "", "1e99", "nan"]


class Maker:
    """Makes systems of random values, of which most lead to others."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def any[T](self, values: Sequence[T]) -> T:
        return self.random.choice(values)

    def is_so(self, chance: float = 0.2) -> bool:
        return self.random.random() < chance

    def some[T](self, make: Callable[[], T], most: int = 2) -> tuple[T, ...]:
        return tuple(make() for _ in range(self.random.randint(0, most)))

    def query(self) -> Query:
        field, scope = self.any([*FIELDS, *IDS]), self.any([*SCOPES, *IDS])
        return Query(
            field, scope, self.any(NUMBERS), self.any(IDS), self.is_so(0.1), self.is_so(0.8)
        )

    def constraint(self) -> Constraint:
        field, scope = self.any(["selections", "selections", "pts"]), self.any([*SCOPES, *IDS])
        own = Query(field, scope, self.any(NUMBERS), "", self.is_so(0.1), self.is_so(0.8))
        return Constraint(self.any(IDS), self.any(["min", "max"]), own)

    def modifier(self) -> Modifier:
        when = ConditionGroup(self.any(["and", "or"]), self.some(self.condition))
        repeats = self.some(lambda: Repeat(self.query(), self.random.randint(-1, 3)), 1)
        field = self.any([*FIELDS, *IDS])
        return Modifier(self.any(KINDS), field, self.any(VALUES), when, repeats)

    def condition(self) -> Condition:
        kinds = ["instanceOf", "notInstanceOf", "atLeast", "lessThan", "equalTo", "odd"]
        return Condition(self.any(kinds), self.query())

    def cell(self) -> Characteristic:
        written = self.any(["4", '5"', "3+", "-", "D6", "-2", "+1", "1000", *NAMES])
        return Characteristic(self.any(IDS), self.any(NAMES), written)

    def profile(self) -> Profile:
        own, kind = self.any(IDS), self.any(IDS)
        cells, changes = self.some(self.cell, 4), self.some(self.modifier)
        source = self.source()
        return Profile(own, self.any(NAMES), kind, "", cells, self.is_so(), changes, source=source)

    def rule(self) -> Rule:
        text = self.any([*NAMES, "Some\nlines.", "x" * 5_000])
        return Rule(self.any(IDS), self.any(NAMES), text, self.is_so(), self.some(self.modifier, 1))

    def source(self) -> Source:
        return Source(self.any(IDS), self.any(["", "12", "p. 3\n4", "x" * 60]))

    def info(self, depth: int = 0) -> Info:
        groups = self.some(self.info_group, 1) if depth < 1 else ()
        links = self.some(self.info_link)
        return Info(self.some(self.profile), self.some(self.rule), groups, links)

    def info_group(self) -> InfoGroup:
        own = self.some(self.modifier, 1)
        return InfoGroup(self.any(IDS), self.any(NAMES), self.info(1), self.is_so(), own)

    def info_link(self) -> InfoLink:
        own = self.some(self.modifier, 1)
        return InfoLink(self.any(IDS), "", self.any(IDS), "profile", self.is_so(), own)

    def category_link(self) -> CategoryLink:
        limits = self.some(self.constraint, 1)
        return CategoryLink("", "", self.any(IDS), self.is_so(0.5), False, limits)

    def choice(self, depth: int = 0) -> Choice:
        inside = self.some(lambda: self.choice(depth + 1), 4 - depth) if depth < 4 else ()
        kinds = ["model", "upgrade", "upgrade", "group", "entry link", "group link", "unit"]
        costs = self.some(lambda: (self.any(["pts", "pl"]), self.any(NUMBERS)))
        return Choice(
            self.any(IDS),
            self.any(NAMES),
            self.any(kinds),  # type: ignore[arg-type]
            target=self.any(IDS),
            is_hidden=self.is_so(0.1),
            costs=costs,
            categories=self.some(self.category_link),
            constraints=self.some(self.constraint),
            modifiers=self.some(self.modifier),
            info=self.info() if self.is_so(0.4) else Info(),
            choices=inside,
            source=self.source(),
        )

    def force(self) -> Force:
        return Force(self.any(IDS), self.any(NAMES), self.is_so(), self.some(self.category_link))

    def category(self) -> Category:
        limits, changes = self.some(self.constraint), self.some(self.modifier, 1)
        return Category(self.any(IDS), self.any(NAMES), False, limits, changes, self.info())

    def cost_type(self) -> CostType:
        limit = self.any([None, *NUMBERS])
        return CostType(self.any(["pts", "pl"]), self.any(NAMES), limit, self.is_so())

    def profile_type(self) -> ProfileType:
        rows = self.some(lambda: (self.any(IDS), self.any(NAMES)), 4)
        return ProfileType(self.any(IDS), self.any(NAMES), rows)

    def catalogue(self) -> Catalogue:
        def publication() -> Publication:
            return Publication(self.any(IDS), self.any(NAMES))

        def link_to() -> CatalogueLink:
            return CatalogueLink("", "", self.any(IDS), self.is_so(0.5))

        return Catalogue(
            self.any(IDS),
            self.any(NAMES),
            is_library=self.is_so(),
            author=self.any(NAMES),
            publications=self.some(publication),
            cost_types=self.some(self.cost_type),
            profile_types=self.some(self.profile_type, 3),
            categories=self.some(self.category, 3),
            forces=self.some(self.force),
            roots=self.some(self.choice, 5),
            shared=self.some(self.choice, 4),
            info=self.info(),
            shared_info=self.info(),
            links=self.some(link_to, 1),
        )

    def system(self) -> System:
        return System(self.catalogue(), self.some(self.catalogue, 3))

    def answers(self) -> Answers:
        roles: list[Role] = ["leader", "experience", "rise", "injury", "stash", "list"]
        return Answers(
            catalogues=self.some(lambda: self.any(IDS)),
            money=self.any(["pts", "pl", "", "id1"]),
            worth=self.any(["pts", "pl", "", "id1"]),
            member=self.any(IDS),
            life=self.any(IDS),
            roles={self.any(IDS): self.any(roles) for _ in range(2)},
            with_texts=self.is_so(0.7),
            language=self.any(["en", "fr", "de"]),
        )


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32))
def test_make_game_makes_a_rulebook_without_mistakes(seed: int) -> None:
    maker = Maker(seed)
    made = maker.system()
    chosen = guess_answers(made) if maker.is_so(0.4) else maker.answers()
    imported = make_game(made, chosen)
    assert [str(one) for one in examine_data("made", imported.data).mistakes] == []
    assert [*too_large(imported.data)] == []
    tables = imported.data
    for table, key in imported.ids.values():
        assert key in {one["key"] for one in tables[table]}


def test_make_game_follows_no_more_paths_than_it_may() -> None:
    levels = 11
    shared = [
        group(f"g{n}", *(link(f"l{n}-{way}", f"g{n + 1}", to_group=True) for way in range(8)))
        for n in range(levels)
    ]
    shared.append(group(f"g{levels}", model("deep", 5)))
    roots = [model(f"m{n}", 10, link(f"r{n}", "g0", to_group=True)) for n in range(20)]
    start = time.process_time()
    imported = make_game(system(catalogue("reds", *roots, shared=tuple(shared))), answers())
    assert time.process_time() - start < 10
    assert "too_many" in {one.code for one in imported.notes}
    assert not examine_data("made", imported.data).mistakes


def test_make_game_ends_for_groups_of_rules_inside_themselves() -> None:
    to_itself = InfoLink("l", "", "g", "infoGroup")
    shared = Info(groups=(InfoGroup("g", "Rules", Info(links=(to_itself,) * 3)),))
    own = Info(links=(to_itself,) * 3)
    made = system(catalogue("reds", model("m", 1, info=own), shared_info=shared))
    assert not examine_data("made", make_game(made, answers()).data).mistakes


def test_make_game_adds_no_more_options_than_it_may() -> None:
    two = (
        Constraint("a", "min", Query("selections", "parent", Decimal(1))),
        Constraint("b", "max", Query("selections", "parent", Decimal(2))),
    )
    shared = [
        entry(f"e{n}", 1, *(link(f"k{n}-{way}", f"e{n + 1}") for way in range(8)), limits=two)
        for n in range(11)
    ]
    roots = [model(f"m{n}", 1, link(f"z{n}", "e0")) for n in range(4)]
    start = time.process_time()
    made = system(catalogue("reds", *roots, shared=(*shared, entry("e11", 1))))
    imported = make_game(made, answers())
    assert time.process_time() - start < 10
    assert not examine_data("made", imported.data).mistakes


def test_guess_answers_ends_for_groups_inside_themselves() -> None:
    to_itself = (link("l1", "g", to_group=True), link("l2", "g", to_group=True))
    shared = (group("g", *to_itself, name="Advances"),)
    root = model("m", 1, link("l", "g", to_group=True))
    assert guess_answers(system(catalogue("reds", root, shared=shared))).roles == {"g": "rise"}


def test_make_game_ends_for_entries_inside_themselves() -> None:
    shared = (model("a", 1, link("to-b", "b")), model("b", 1, link("to-a", "a")))
    imported = make_game(system(catalogue("reds", link("x", "a"), shared=shared)), answers())
    assert not examine_data("made", imported.data).mistakes


def test_make_game_follows_long_chains_of_groups() -> None:
    length = 3_000
    shared = [group(f"g{n}", link(f"l{n}", f"g{n + 1}", to_group=True)) for n in range(length)]
    imported = make_game(
        system(
            catalogue("reds", model("m", 1, link("x", "g0", to_group=True)), shared=tuple(shared))
        ),
        answers(),
    )
    assert not examine_data("made", imported.data).mistakes


def test_make_game_compares_many_groups_in_bounded_time() -> None:
    arms = group("arms", *(link(f"a{n}", f"w{n}") for n in range(20)))
    shared = [arms, *(model_option(0, n) for n in range(20))]
    shared = [arms, *(replace(one, id=f"w{n}") for n, one in enumerate(shared[1:]))]
    most = Constraint("c", "max", Query("selections", "parent", Decimal(1)))
    slots = [group(f"s{n}", link(f"l{n}", "arms", to_group=True), limits=[most]) for n in range(60)]
    roots = [model(f"m{n}", n, *slots) for n in range(20)]
    start = time.process_time()
    imported = make_game(system(catalogue("reds", *roots, shared=tuple(shared))), answers())
    assert time.process_time() - start < 10
    assert not examine_data("made", imported.data).mistakes


@pytest.mark.parametrize("table", ["ranks", "items", "offers", "limits", "tags"])
def test_make_game_keeps_within_the_rows_of_a_table(table: str) -> None:
    roots = [
        model(
            f"m{n}",
            n,
            *(model_option(n, part) for part in range(4)),
        )
        for n in range(400)
    ]
    imported = make_game(system(catalogue("reds", *roots)), answers())
    assert len(imported.data.get(table, ())) <= MOST_ROWS_OF.get(table, MOST_ROWS)
    assert [*too_large(imported.data)] == []
    assert not examine_data("made", imported.data).mistakes


def test_make_game_cuts_tables_until_the_game_can_be_stored() -> None:
    rows = tuple((f"c{number}", f"Column {number}") for number in range(10))
    weapon = ProfileType("weapon", "Weapon", rows)

    def profile(number: int) -> Profile:
        cells = (Characteristic(key, name, f"{number} {'x' * 60}") for key, name in rows)
        return Profile(f"p{number}", f"Way {number}", "weapon", "Weapon", tuple(cells))

    inside = [
        entry(f"e{n}", 5, info=Info(tuple(profile(20 * n + way) for way in range(8))))
        for n in range(400)
    ]
    made = system(catalogue("reds", model("man", 10, *inside)), profile_types=(MODEL, weapon))
    imported = make_game(made, answers())
    assert len(json.dumps(imported.data, ensure_ascii=False).encode()) <= BIGGEST_TEXT
    count = int(
        next(one.values["count"] for one in imported.notes if one.values.get("table") == "items")
    )
    assert len(imported.data["items"]) + count == 400
    assert len([one for one in imported.notes if one.code == "texts_cut"]) == 1


def test_make_game_names_offers_that_it_cuts() -> None:
    def most(rank: int, item: int) -> Constraint:
        number = Decimal(1 + Random(f"{rank} {item}").randrange(9))
        return Constraint("c", "max", Query("selections", "parent", number))

    items = [[entry(f"e{n}", 5, limits=[most(rank, n)]) for n in range(60)] for rank in range(60)]
    roots = [model(f"m{rank}", 10, *inside) for rank, inside in enumerate(items)]
    imported = make_game(system(catalogue("reds", *roots)), answers())
    assert len(imported.data["offers"]) == MOST_ROWS_OF["offers"]
    assert ("rows_cut", "offers") in {(one.code, one.values.get("table")) for one in imported.notes}


def model_option(rank: int, part: int) -> Choice:
    """Return an option that no two ranks have alike."""
    limit = Constraint("c", "max", Query("selections", "roster", Decimal(1 + rank % 7)))
    return Choice(
        f"o{rank}-{part}",
        f"Thing {rank} {part}",
        "upgrade",
        costs=(("pts", Decimal(part)),),
        constraints=(limit,),
    )
