"""Building, weapons, tables and the campaign of Cran, case by case."""

from fractions import Fraction
from itertools import product
from typing import Literal

import pytest

from rules.book.fates import DiceTable, Outcome
from rules.book.model import Book
from rules.book.reference import Reference
from rules.book.schema import Item
from rules.book.vocabulary import Settings, Text, applies
from rules.engine.costing import price, rating
from rules.engine.dice import look_up, parse_roll, row_chance
from rules.engine.figure import Figure
from rules.engine.profiles import profile
from rules.engine.reference_odds import drawn_modifiers, work_out_cells
from tests.world.gangs import shipped

ONE_OFF: Settings = {"play": "one_off"}
SIZES = {"D6": 6, "D8": 8, "D10": 10}


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("cran")


@pytest.fixture
def settings(book: Book) -> Settings:
    return book.default_settings()


def _figure(
    rank: str = "novice",
    *,
    traits: tuple[str, ...] = (),
    items: tuple[str, ...] = (),
    conditions: tuple[str, ...] = (),
) -> Figure:
    return Figure(
        rank=rank,
        worth_rank=rank,
        base_rank=rank,
        traits=traits,
        items=items,
        conditions=conditions,
    )


def _reference(book: Book, key: str) -> Reference:
    (found,) = [row for row in book.references if row.key == key]
    return found


def _cells(reference: Reference) -> dict[str, tuple[str, ...]]:
    """Return the cells of each line of a reference, by its English name."""
    return {
        line.name["en"]: tuple(
            cell["en"] if isinstance(cell, Text) else cell for cell in line.cells
        )
        for line in reference.lines
    }


def _worked_out(book: Book, key: str) -> dict[str, list[Fraction]]:
    """Return the computed cells of each line of a reference, by its English name."""
    row = _reference(book, key)
    lines = zip(row.lines, work_out_cells(book, row), strict=True)
    return {line.name["en"]: [cell.value for cell in cells if cell] for line, cells in lines}


def _said(item: Item, column: str) -> str:
    cell = item.columns[column]
    return cell["en"] if isinstance(cell, Text) else cell


# Ranks, prices, infamy


@pytest.mark.parametrize(
    ("rank", "grit", "worth", "cost", "skills"),
    [("hero", "D10", 3, 18, 3), ("veteran", "D8", 2, 10, 2), ("novice", "D6", 1, 4, 1)],
)
def test_each_rank_has_its_cost_and_profile(
    book: Book, settings: Settings, rank: str, grit: str, worth: int, cost: int, skills: int
) -> None:
    figure = _figure(rank)
    scores = profile(book.under(settings), figure)
    assert str(scores.scores["grit"].value) == grit
    assert [scores.number(key) for key in ("move", "shooting", "combat")] == [4, 3, 3]
    assert price(book.under(settings | ONE_OFF), figure).total == cost
    assert rating(book.under(settings), figure).total == worth
    assert book.rank[rank].maximum_traits == skills


def test_ranks_are_listed_from_the_highest_down(book: Book) -> None:
    assert [rank.key for rank in book.ranks] == ["hero", "veteran", "novice"]


@pytest.mark.parametrize(("rank", "later"), [("novice", 4), ("veteran", 10), ("hero", 18)])
def test_the_first_members_of_a_campaign_gang_are_free(
    book: Book, settings: Settings, rank: str, later: int
) -> None:
    armed = _figure(rank, items=("rifle",))
    assert price(book.under(settings), armed).total == 5
    assert price(book.under(settings), armed, playing=True).total == later + 5


def test_roles_are_free_in_a_campaign_and_an_arcanist_costs_10_otherwise(
    book: Book, settings: Settings
) -> None:
    figure = _figure("veteran", traits=("boss", "arcanist", "bow_user", "bare_hands"))
    assert price(book.under(settings), figure).total == 0
    assert price(book.under(settings | ONE_OFF), figure).total == 20


def test_heroes_cannot_be_recruited_between_games(book: Book) -> None:
    assert book.campaign.recruiting is not None
    (quota,) = book.campaign.recruiting.quotas
    assert (quota.ranks, quota.most) == (("hero",), 0)


def test_the_budget_follows_the_settings(book: Book, settings: Settings) -> None:
    assert book.under(settings).budget == 22
    assert book.under(settings | ONE_OFF).budget == 75
    assert book.under(settings | ONE_OFF | {"one_off_budget": 90}).budget == 90
    (kept,) = [budget for budget in book.budgets if applies(budget.when, settings)]
    assert kept.kept


def test_a_new_gang_has_7_infamy_and_8_with_an_arcanist(book: Book, settings: Settings) -> None:
    """G13."""
    novices = sum(rating(book.under(settings), _figure(items=("rifle",))).total for _ in range(5))
    boss = rating(
        book.under(settings), _figure("veteran", traits=("boss",), items=("revolver",))
    ).total
    arcanist = rating(book.under(settings), _figure("veteran", traits=("boss", "arcanist"))).total
    assert novices + boss == 7
    assert novices + arcanist == 8


def test_infamy_counts_skills(book: Book, settings: Settings) -> None:
    figure = _figure("hero", traits=("boss", "arcanist", "brawler", "dogged", "bow_user"))
    assert rating(book.under(settings), figure).total == 3 + 1 + 2


def test_the_sample_equipment_costs_17(book: Book, settings: Settings) -> None:
    """G14: five of the $22 are left."""
    boss = price(
        book.under(settings), _figure("veteran", traits=("boss",), items=("revolver",))
    ).total
    kit = ("revolver", "revolver", "carbine", "shotgun", "rifle")
    assert boss + sum(price(book.under(settings), _figure(items=(key,))).total for key in kit) == 17


# Traits


SKILLS = {
    "Shooting": ["steady_aim", "long_sight", "gun_care"],
    "Fighting": ["brawler", "guarded", "iron_fist"],
    "Gumption": ["tough_hide", "dogged", "cool_head"],
}


def test_skills_are_in_three_lists(book: Book) -> None:
    found: dict[str, list[str]] = {}
    for trait in book.traits:
        if "skill" in trait.tags:
            assert trait.family is not None
            found.setdefault(trait.family["en"], []).append(trait.key)
            assert (trait.price, trait.worth, trait.counted, trait.source) == (6, 1, True, "house")
            assert applies(trait.sold_when, ONE_OFF)
            assert not applies(trait.sold_when, {"play": "campaign"})
    assert found == SKILLS


def test_roles_do_not_count_as_skills(book: Book) -> None:
    roles = {trait.key: (trait.price, trait.worth) for trait in book.traits if not trait.counted}
    assert roles == {"boss": (0, 0), "arcanist": (10, 1), "bow_user": (0, 0), "bare_hands": (0, 0)}


# Weapons


RANGED = [
    ("revolver", "Revolver", "4 8 12", "D10", 2, "basic"),
    ("carbine", "Rifle", "6 12 18", "D10", 3, "basic"),
    ("shotgun", "Shotgun", "4 8 12", "D10", 3, "basic"),
    ("bow", "–", "6 12 18", "D10", 2, "basic"),
    ("rifle", "Rifle", "8 16 24", "D8", 5, "basic"),
    ("heavy_revolver", "Revolver", "4 8 12", "D8", 6, "special"),
    ("double_action", "Revolver", "4 8 12", "D6", 5, "special"),
    ("lemat", "Revolver", "4 8 12", "D8", 4, "special"),
    ("repeating_carbine", "Rifle", "6 12 18", "D6", 11, "special"),
    ("hunting_rifle", "Rifle", "10 20 30", "D6", 15, "special"),
    ("sawn_off", "Shotgun", "6 corridor – –", "Always jams", 8, "special"),
    ("musket", "Rifle", "6 12 18", "Always jams", 1, "basic"),
    ("thrown", "–", "6 6 6", "None", 1, "basic"),
]


@pytest.mark.parametrize(("key", "sort", "ranges", "jam", "cost", "tier"), RANGED)
def test_every_ranged_weapon_has_its_printed_values(
    book: Book, key: str, sort: str, ranges: str, jam: str, cost: int, tier: str
) -> None:
    item = book.item[key]
    assert item.group == "ranged"
    assert _said(item, "class") == sort
    reach = " ".join(_said(item, column) for column in ("short", "medium", "long"))
    assert reach.replace('"', "") == ranges
    assert (_said(item, "jam"), item.price) == (jam, cost)
    assert _said(item, "tier") == tier.capitalize()
    assert tier in item.tags


SPECIAL = {
    "revolver": "–",
    "carbine": "–",
    "shotgun": '+1 die up to 4", -1 die at 9–12"',
    "bow": 'Bow users only; target’s save +1 at 7–12", +2 at 13–18"',
    "rifle": "–",
    "heavy_revolver": 'Target’s save -1 up to 4"',
    "double_action": "May shoot twice per action",
    "lemat": "Once per game may shoot as a sawn-off shotgun",
    "repeating_carbine": "May shoot twice per action",
    "hunting_rifle": 'Target’s save -1 up to 10"',
    "sawn_off": "Always jams after a shot; a fire corridor",
    "musket": "Always jams after a shot",
    "thrown": "At the end of any move; a shooting test of 1 die, never modified",
    "unarmed": "No effect",
    "spear": "As defender, may re-roll all own 1s",
    "sword": "May re-roll one own die, in attack or defence",
    "two_handed": "-1 die to own combat tests; opponent’s save -1 if hit; no derringer with it",
}


def test_every_weapon_names_its_special_rules(book: Book) -> None:
    assert {item.key: _said(item, "special") for item in book.items} == SPECIAL


@pytest.mark.parametrize(("key", "cost"), [("spear", 1), ("sword", 2), ("two_handed", 2)])
def test_every_melee_weapon_has_its_price(book: Book, key: str, cost: int) -> None:
    item = book.item[key]
    assert (item.group, item.price, item.house) == ("melee", cost, ("price",))
    assert {"basic", "capped"} <= item.tags


def test_every_member_can_fight_unarmed(book: Book) -> None:
    assert [item.key for item in book.items if item.innate] == ["unarmed"]
    assert book.item["unarmed"].price == 0


def test_only_revolvers_and_muskets_are_unlimited(book: Book) -> None:
    sold = [item for item in book.items if not item.innate]
    assert {item.key for item in sold if "capped" not in item.tags} == {"revolver", "musket"}
    assert {item.key for item in sold if "capped_strictly" not in item.tags} == {"revolver"}


def test_prices_that_no_source_gives_are_marked(book: Book) -> None:
    assert {item.key for item in book.items if "price" in item.house} == {
        "musket",
        "thrown",
        "spear",
        "sword",
        "two_handed",
    }
    assert "price" in book.rank["hero"].house
    assert "price" not in book.rank["novice"].house


def test_house_readings_are_marked_in_their_rows(book: Book) -> None:
    """Rounding halves up and the rule for empty hands are readings; no printed range is."""
    (cards,) = [row for row in book.references if row.key == "cards"]
    assert set(cards.house) == {"text", "lines"}
    assert set(book.roll["cards"].house) == {"text", "steps"}
    marked = {item.key: set(item.house) for item in book.items if item.house}
    assert marked == {
        **dict.fromkeys(("shotgun", "double_action", "lemat", "repeating_carbine"), {"text"}),
        **dict.fromkeys(("musket", "thrown", "spear", "sword", "two_handed"), {"price"}),
        **{"sawn_off": {"text"}, "unarmed": {"special"}},
    }


# Tables to read while playing


def test_the_save_table_has_its_printed_scores(book: Book) -> None:
    saves = _cells(_reference(book, "save"))
    assert saves == {
        "1": ("5+",),
        "2": ("6+",),
        "3": ("7+",),
        "4": ("8+",),
        "5": ("9+",),
        "6 or more": ("10+",),
    }


def test_the_damage_table_has_its_printed_results(book: Book) -> None:
    assert _cells(_reference(book, "damage")) == {
        "1–2": ("Shaken",),
        "3–4": ("Down",),
        "5+": ("Casualty",),
    }


def _after_save(hits: int, roll: int) -> int:
    """0 saved, 1 shaken, 2 down, 3 casualty."""
    failed = 4 + min(hits, 6) - roll
    return 0 if failed <= 0 else 1 if failed <= 2 else 2 if failed <= 4 else 3


@pytest.mark.parametrize(
    ("hits", "roll", "result"),
    [(3, 4, 2), (1, 1, 2), (2, 1, 3), (7, 10, 0), (1, 5 - 1, 1), (2, 4 + 2, 0)],
    ids=["G1", "G2", "G3", "G4", "G5", "G6"],
)
def test_a_save_gives_the_result_of_each_golden_case(
    book: Book, hits: int, roll: int, result: int
) -> None:
    """A player reads the score off the save table, then the result off the damage table."""
    saves = [int(line[0].rstrip("+")) for line in _cells(_reference(book, "save")).values()]
    failed = saves[min(hits, 6) - 1] - roll
    steps = [int(name[0]) for name in _cells(_reference(book, "damage"))]
    assert steps == [1, 3, 5]
    assert sum(failed >= step for step in steps) == result == _after_save(hits, roll)


@pytest.mark.parametrize("die", SIZES)
def test_the_save_table_shows_exact_odds(book: Book, die: str) -> None:
    faces = SIZES[die]
    lines = _worked_out(book, f"save_odds_{die.lower()}")
    assert list(lines) == ["1", "2", "3", "4", "5", "6 or more"]
    for hits, cells in enumerate(lines.values(), start=1):
        results = [_after_save(hits, roll) for roll in range(1, faces + 1)]
        chances = [Fraction(results.count(result), faces) for result in range(4)]
        assert cells == chances


def _chances(dice: int, faces: int) -> list[Fraction]:
    """Return the chance of each number of successes."""
    rolls = [sum(face >= 5 for face in roll) for roll in product(range(1, faces + 1), repeat=dice)]
    return [Fraction(rolls.count(number), len(rolls)) for number in range(dice + 1)]


def test_the_test_table_shows_the_odds_of_a_success(book: Book) -> None:
    for die, cells in _worked_out(book, "tests").items():
        assert cells == [_chances(1, SIZES[die])[1]]


def test_the_jam_table_shows_the_odds_of_each_die(book: Book) -> None:
    assert _worked_out(book, "jam") == {
        "D10": [Fraction(2, 5)],
        "D8": [Fraction(1, 2)],
        "D6": [Fraction(2, 3)],
        "Always jams": [],
        "None": [],
    }
    written = _cells(_reference(book, "jam"))
    assert (written["Always jams"], written["None"]) == (("Always",), ("Never",))


def test_the_recovery_table_shows_results_and_odds(book: Book) -> None:
    """G10 and its odds: three successes stand up, shaken."""
    lines = _cells(_reference(book, "recovery"))
    assert lines == {"0": ("Casualty",), "1–2": ("Stays down",), "3+": ("Stands up, shaken",)}
    odds = _worked_out(book, "recovery_odds")
    assert len(odds) == 6
    for name, cells in odds.items():
        dice, die = name.split()
        likely = _chances(int(dice), SIZES[die])
        expected = [likely[0], likely[1] + likely[2], sum(likely[3:])]
        assert cells == expected


def test_the_nerve_table_shows_thresholds_and_odds(book: Book) -> None:
    """G15: nine are tested when four remain."""
    thresholds = {int(n): int(cells[0]) for n, cells in _cells(_reference(book, "nerve")).items()}
    assert [thresholds[size] for size in range(6, 11)] == [3, 3, 4, 4, 5]
    assert all(threshold == size // 2 for size, threshold in thresholds.items())
    for die, cells in _worked_out(book, "nerve_odds").items():
        likely = [1 - _chances(dice, SIZES[die])[0] for dice in (3, 1)]
        assert cells == likely


def test_the_card_table_counts_cards_by_figures(book: Book) -> None:
    """G12: six figures with an able boss have four cards; halves are rounded up."""
    lines = {
        int(n): tuple(map(int, cells)) for n, cells in _cells(_reference(book, "cards")).items()
    }
    assert lines[6] == (4, 3)
    assert lines == {size: ((size + 1) // 2 + 1, (size + 1) // 2) for size in range(1, 11)}


@pytest.mark.parametrize(
    ("key", "modifiers"),
    [
        ("shooting_modifiers", ["-1", "-1", "+1", "+1", "+1"]),
        ("combat_modifiers", ["+1", "-1", "-1 each", "-1"]),
    ],
)
def test_each_modifier_table_shows_its_modifiers(
    book: Book, key: str, modifiers: list[str]
) -> None:
    drawn = drawn_modifiers(book, _reference(book, key))
    shown = [row.shown["en"] if row.shown else f"{row.amount:+d}" for row in drawn]
    assert shown == modifiers


def test_a_veteran_throws_two_dice_at_a_target_in_cover(book: Book, settings: Settings) -> None:
    """G11, at medium range."""
    scores = profile(book.under(settings), _figure("veteran"))
    drawn = drawn_modifiers(book, _reference(book, "shooting_modifiers"))
    assert [row.name["en"] for row in drawn] == [
        "Target in cover",
        "Long range",
        "Short range",
        "In the back",
        "Shooter higher",
    ]
    cover = drawn[0].amount
    assert isinstance(cover, int)
    assert scores.number("shooting") + cover == 2
    assert str(scores.scores["grit"].value) == "D8"


def test_the_state_table_shows_each_change(book: Book) -> None:
    """G8: shaken and shaken again is down."""
    assert _cells(_reference(book, "changes")) == {
        "Ready": ("Shaken", "Down", "Casualty"),
        "Shaken": ("Down", "Down", "Casualty"),
    }
    assert list(_cells(_reference(book, "states"))) == ["Shaken", "Down", "Casualty"]


# The campaign


def _row(table: DiceTable, roll: int) -> tuple[str, tuple[Outcome, ...]]:
    row = look_up(table, parse_roll(table.dice, str(roll)))
    return row.name["en"], row.outcomes


@pytest.mark.parametrize(
    ("roll", "name", "kinds"),
    [
        (1, "Dead", ["dies"]),
        (2, "Maimed", ["rolls_on"]),
        (3, "Laid up", ["suffers"]),
        (4, "Laid up", ["suffers"]),
        (5, "Full recovery", []),
        (6, "Full recovery", []),
        (7, "Full recovery", []),
        (8, "Full recovery", []),
        (9, "Full recovery", []),
        (10, "Hardened", ["learns"]),
    ],
)
def test_each_roll_gives_its_injury(book: Book, roll: int, name: str, kinds: list[str]) -> None:
    found, outcomes = _row(book.table["injury"], roll)
    assert found == name
    assert [outcome.kind for outcome in outcomes] == kinds


def test_injuries_have_their_printed_outcomes(book: Book) -> None:
    outcomes = {
        outcome.kind: outcome for row in book.table["injury"].rows for outcome in row.outcomes
    }
    assert outcomes["dies"].model_dump() == {"kind": "dies", "gear": "lost"}
    assert outcomes["learns"].model_dump(exclude_none=True) == {"kind": "learns", "amount": "1"}
    laid_up = book.condition["laid_up"]
    assert (laid_up.games, laid_up.absent, laid_up.uncounted) == (1, True, False)


@pytest.mark.parametrize("roll", range(1, 11))
def test_an_odd_roll_maims_shooting_and_an_even_roll_combat(
    book: Book, settings: Settings, roll: int
) -> None:
    _, outcomes = _row(book.table["maimed"], roll)
    (outcome,) = outcomes
    assert outcome.kind == "suffers"
    hurt, whole = ("shooting", "combat") if roll % 2 else ("combat", "shooting")
    scores = profile(book.under(settings), _figure(conditions=(outcome.condition,)))
    assert (scores.number(hurt), scores.number(whole)) == (2, 3)


def test_injuries_always_leave_one_die(book: Book, settings: Settings) -> None:
    scores = profile(book.under(settings), _figure(conditions=("maimed_combat",) * 4))
    assert scores.number("combat") == 1


@pytest.mark.parametrize(("rank", "die"), [("novice", "D6"), ("veteran", "D8"), ("hero", "D10")])
def test_a_member_who_ends_down_tests_their_grit(book: Book, rank: str, die: str) -> None:
    (step,) = [step for step in book.campaign.steps if step.kind == "fates"]
    assert step.table == "injury"
    (fate,) = [fate for fate in step.fates if fate.of.ranks == (rank,)]
    assert fate.marks == ("down",)
    assert fate.table is not None
    table = book.table[fate.table]
    assert table.dice == f"1{die.lower()}"
    injured, fine = table.rows
    assert [outcome.kind for outcome in injured.outcomes] == ["rolls_on"]
    assert not fine.outcomes
    assert row_chance(table, fine) == _chances(1, SIZES[die])[1]


def test_a_member_who_fled_is_unhurt(book: Book) -> None:
    (step,) = [step for step in book.campaign.steps if step.kind == "fates"]
    (fate,) = [fate for fate in step.fates if fate.marks == ("fled",)]
    assert fate.table is None
    assert not fate.outcomes


def test_a_game_pays_its_income(book: Book) -> None:
    results = {row.key: (row.winner, row.loser, row.each) for row in book.campaign.results}
    assert results == {"victory": (8, 4, 0), "draw": (0, 0, 6)}
    loot = {row.key: (row.per, row.money) for row in book.campaign.tallies}
    assert loot == {"taken_out": ("member", 0), "loot": ("gang", 1)}
    (underdog,) = book.campaign.underdog
    assert (underdog.step, underdog.most) == (2, 5)


Sides = tuple[Literal["winner", "loser", "level"], ...]


@pytest.mark.parametrize(
    ("key", "boss", "each", "most", "sides", "underdog_by"),
    [
        ("took_part", False, None, None, (), None),
        ("took_out", False, "taken_out", 2, (), None),
        ("boss_won", True, None, None, ("winner",), None),
        ("boss_underdog", True, None, None, (), 4),
    ],
)
def test_each_award_gives_its_experience(
    book: Book,
    key: str,
    boss: bool,
    each: str | None,
    most: int | None,
    sides: Sides,
    underdog_by: int | None,
) -> None:
    (award,) = [award for award in book.campaign.awards if award.key == key]
    assert award.of.trait_tags == (("boss",) if boss else ())
    assert (award.amount, award.each, award.most) == (1, each, most)
    assert (award.sides, award.underdog_by, award.everyone) == (sides, underdog_by, False)


def test_every_fourth_experience_brings_an_advance(book: Book) -> None:
    advancement = book.campaign.advancement
    assert advancement is not None
    assert advancement.experience == 4
    assert advancement.cycle == ("trait", "rank")
    assert advancement.trait_tags == ("skill",)
    assert {row.trigger for row in book.campaign.promotions} == {"advance"}
    rises = [(row.start, row.to, row.below) for row in book.campaign.promotions]
    assert rises == [("novice", "veteran", 1000), ("veteran", "hero", 1000), ("veteran", "hero", 1)]
    _novice, boss, other = book.campaign.promotions
    assert (boss.of.trait_tags, other.of.not_trait_tags) == (("boss",), ("boss",))


def test_a_dead_boss_is_replaced(book: Book) -> None:
    (succession,) = book.campaign.successions
    assert succession.post.trait_tags == ("boss",)
    assert (succession.by, succession.trait) == (("rank", "experience"), "boss")


def test_the_post_game_follows_the_order_of_the_rules(book: Book, settings: Settings) -> None:
    assert [step.kind for step in book.under(settings).steps] == [
        "income",
        "fates",
        "experience",
        "advances",
        "succession",
        "recruits",
    ]
    assert not book.under(settings | ONE_OFF).steps
    assert book.campaign.standings == ("wins", "rating")


def test_scenarios_name_deployments_that_have_a_diagram(book: Book) -> None:
    drawn = {row.key for row in book.deployments if row.zones}
    named = {key for scenario in book.scenarios for key in scenario.deployments}
    assert named == drawn == {row.key for row in book.deployments}
