"""Building, prices and the campaign of Blackwater Gulch, case by case."""

from fractions import Fraction

import pytest

from rules.book.fates import Suffers
from rules.book.model import Book
from rules.book.vocabulary import Settings, applies
from rules.engine.costing import price, rating
from rules.engine.dice import look_up, parse_roll, row_chance
from rules.engine.figure import Figure
from rules.engine.profiles import excess_level, level_allowance, points_allowed, profile

ATTRIBUTES = ("str", "qui", "sta", "int", "rc", "mc")
WEAPONS = ("melee_one", "melee_two", "pistol", "longarm", "shotgun", "repeater", "thrown")


def _figure(rank: str = "henchman", values: tuple[int, ...] = (1,) * 6, **others: object) -> Figure:
    """Return a member of ``rank`` with points up to ``values``, before any profession bonus."""
    points = {key: value - 1 for key, value in zip(ATTRIBUTES, values, strict=True)}
    return Figure(rank=rank, worth_rank=rank, points=points, **others)  # type: ignore[arg-type]


@pytest.fixture
def settings(blackwater: Book) -> Settings:
    return blackwater.default_settings()


def test_a_leader_with_three_weapons_costs_112(blackwater: Book) -> None:
    figure = _figure("leader", items=("bowie_knife", "remington_army", "winchester"))
    assert price(blackwater.under({}), figure).total == 112
    assert sum(blackwater.group[blackwater.item[key].group].slots for key in figure.items) == 3


@pytest.mark.parametrize(
    ("rank", "cost", "points", "health"),
    [("leader", 100, 20, 3), ("professional", 75, 15, 2), ("henchman", 50, 10, 1)],
)
def test_each_rank_has_its_cost_points_and_health(
    blackwater: Book, settings: Settings, rank: str, cost: int, points: int, health: int
) -> None:
    figure = _figure(rank)
    assert price(blackwater.under({}), figure).total == cost
    assert points_allowed(blackwater, figure) == points == cost // 5
    scores = profile(blackwater.under(settings), figure)
    assert (scores.number("hp"), scores.number("dp")) == (health, health)
    assert [scores.number(key) for key in ATTRIBUTES] == [1] * 6


def test_ranks_say_which_members_need_a_profession(blackwater: Book) -> None:
    assert {rank.key: rank.profession for rank in blackwater.ranks} == {
        "leader": "required",
        "professional": "required",
        "henchman": "none",
    }
    assert [rank.key for rank in blackwater.ranks if rank.leads] == ["leader"]


def test_six_attributes_run_from_one_to_six(blackwater: Book) -> None:
    bought = [row for row in blackwater.characteristics if getattr(row, "bought_with_points", 0)]
    assert tuple(row.key for row in bought) == ATTRIBUTES
    assert {(row.start, row.minimum, row.maximum) for row in bought} == {(1, 1, 6)}  # type: ignore[union-attr]


def test_the_doctor_of_the_report_is_legal_and_worth_117(
    blackwater: Book, settings: Settings
) -> None:
    """3/6/6/5/6/1 with weapons of levels 6, 6 and 5: a legal leader worth 117."""
    figure = _figure(
        "leader",
        (3, 6, 6, 4, 6, 1),
        profession="doctor",
        first=True,
        items=("colt_pistol", "colt_pistol", "winchester"),
    )
    scores = profile(blackwater.under(settings), figure)
    assert [scores.number(key) for key in ATTRIBUTES] == [3, 6, 6, 5, 6, 1]
    assert sum(figure.points.values()) == points_allowed(blackwater, figure) == 20
    assert sum(scores.number(key) for key in ATTRIBUTES) == 27
    assert price(blackwater.under({}), figure).total == 117
    assert (scores.number("hp"), scores.number("dp")) == (4, 4)
    assert [trait.key for trait in scores.gained] == [
        "run_and_gun",
        "duck_and_cover",
        "hearty",
        "really_tough",
        "bravery",
        "quickdraw",
        "deadeye",
    ]


SKILLS = {
    "str": ("brute_strength", "strong_arms"),
    "qui": ("run_and_gun", "duck_and_cover"),
    "sta": ("hearty", "really_tough"),
    "int": ("bravery", "knowhow"),
    "rc": ("quickdraw", "deadeye"),
    "mc": ("duelist", "point_blank"),
}


@pytest.mark.parametrize("attribute", ATTRIBUTES)
@pytest.mark.parametrize("value", range(1, 7))
def test_an_attribute_gives_its_skills_at_four_and_six(
    blackwater: Book, settings: Settings, attribute: str, value: int
) -> None:
    values = tuple(value if key == attribute else 1 for key in ATTRIBUTES)
    scores = profile(blackwater.under(settings), _figure(values=values))
    expected = SKILLS[attribute][: (value >= 4) + (value >= 6)]
    assert tuple(trait.key for trait in scores.gained) == expected
    assert scores.number("hp") == 1 + (attribute == "sta" and value == 6)
    assert scores.number("dp") == 1 + (attribute == "qui" and value == 6)


def test_there_are_twelve_skills_and_none_is_for_sale(blackwater: Book) -> None:
    assert {trait.key for trait in blackwater.traits} == {
        key for pair in SKILLS.values() for key in pair
    }
    assert all(trait.gained_at and not trait.price for trait in blackwater.traits)


def test_a_bought_point_and_a_bonus_reach_a_threshold_together(
    blackwater: Book, settings: Settings
) -> None:
    figure = _figure("professional", (1, 1, 1, 1, 3, 1), profession="gunslinger", first=True)
    scores = profile(blackwater.under(settings), figure)
    assert scores.number("rc") == 4
    assert [trait.key for trait in scores.gained] == ["quickdraw"]


PROFESSIONS = {
    "bounty_hunter": "str",
    "gambler": "qui",
    "prospector": "sta",
    "doctor": "int",
    "wrassler": "mc",
    "gunslinger": "rc",
}


@pytest.mark.parametrize(("profession", "attribute"), PROFESSIONS.items())
@pytest.mark.parametrize(
    ("reading", "first", "bonus"),
    [("first_only", True, 1), ("first_only", False, 0), ("each", True, 1), ("each", False, 1)],
)
def test_a_profession_adds_its_bonus(
    blackwater: Book,
    settings: Settings,
    profession: str,
    attribute: str,
    reading: str,
    first: bool,
    bonus: int,
) -> None:
    figure = _figure("professional", profession=profession, first=first)
    scores = profile(blackwater.under(settings | {"profession_bonus": reading}), figure)
    assert {key: scores.number(key) for key in ATTRIBUTES} == {
        key: 1 + bonus * (key == attribute) for key in ATTRIBUTES
    }


def test_the_book_has_exactly_its_professions(blackwater: Book) -> None:
    assert {row.key for row in blackwater.professions} == set(PROFESSIONS)


@pytest.mark.parametrize(
    ("figure", "levels", "excess"),
    [
        (_figure(values=(1, 1, 1, 1, 2, 1)), (5,), (3,)),
        (
            _figure("professional", (1, 1, 1, 1, 3, 1), profession="bounty_hunter"),
            (4, 5, 6),
            (0, 1, 2),
        ),
        (
            _figure("professional", (1, 1, 1, 6, 3, 1), profession="bounty_hunter"),
            (4, 5, 6),
            (0, 0, 1),
        ),
        (_figure(values=(1, 1, 1, 6, 3, 1)), (4, 5, 6), (0, 1, 2)),
        (_figure(values=(1, 1, 1, 1, 6, 1)), (4, 5, 6), (0, 0, 0)),
    ],
)
def test_excess_level_counts_levels_above_the_members_own(
    blackwater: Book,
    settings: Settings,
    figure: Figure,
    levels: tuple[int, ...],
    excess: tuple[int, ...],
) -> None:
    pistols = {4: "remington_army", 5: "schofield", 6: "colt_pistol"}
    scores = profile(blackwater.under(settings), figure)
    assert excess == tuple(
        excess_level(blackwater, figure, scores, blackwater.item[pistols[level]])
        for level in levels
    )


def test_bounty_hunter_and_knowhow_add_up(blackwater: Book, settings: Settings) -> None:
    figure = _figure("professional", (1, 1, 1, 6, 3, 1), profession="bounty_hunter")
    assert level_allowance(blackwater, figure, profile(blackwater.under(settings), figure)) == 2
    assert (
        level_allowance(blackwater, _figure(), profile(blackwater.under(settings), _figure())) == 0
    )


def test_melee_weapons_are_compared_with_melee_combat(blackwater: Book, settings: Settings) -> None:
    figure = _figure(values=(1, 1, 1, 1, 6, 2))
    scores = profile(blackwater.under(settings), figure)
    assert excess_level(blackwater, figure, scores, blackwater.item["sword"]) == 4
    assert excess_level(blackwater, figure, scores, blackwater.item["fists"]) == 0
    assert excess_level(blackwater, figure, scores, blackwater.item["war_horse"]) == 0


def test_a_weapon_costs_its_level_and_takes_one_slot(blackwater: Book) -> None:
    weapons = [item for item in blackwater.items if item.group in WEAPONS]
    assert len(weapons) == 28
    assert all(item.price == item.level and 1 <= item.price <= 6 for item in weapons)
    assert {blackwater.group[item.group].slots for item in weapons} == {1}
    for key in WEAPONS:
        against = "mc" if key.startswith("melee") else "rc"
        assert blackwater.group[key].level_against == against


def test_every_member_has_fists_for_free(blackwater: Book) -> None:
    fists = blackwater.item["fists"]
    assert (fists.innate, fists.price, blackwater.group[fists.group].slots) == (True, 0, 0)
    assert [item.key for item in blackwater.items if item.innate] == ["fists"]


@pytest.mark.parametrize(
    ("key", "cells"),
    [
        ("mule", (7, 3, 3, 2, 2, 10)),
        ("small_horse", (8, 4, 4, 3, 2, 20)),
        ("large_horse", (9, 5, 5, 4, 3, 40)),
        ("war_horse", (10, 6, 6, 5, 3, 80)),
    ],
)
def test_each_horse_has_its_printed_values(
    blackwater: Book, key: str, cells: tuple[int, ...]
) -> None:
    horse = blackwater.item[key]
    speed, *others = (str(horse.columns[name]) for name in ("speed", "str", "qui", "sta", "int"))
    assert (int(speed.rstrip('"')), *map(int, others), horse.price) == cells
    assert horse.columns["dp"] == horse.columns["sta"]
    assert set(horse.house) == {"hp", "dp"}


def test_a_horse_counts_for_the_gang_and_not_for_its_rider(blackwater: Book) -> None:
    receipt = price(blackwater.under({}), _figure("leader", items=("winchester", "war_horse")))
    assert (receipt.own, receipt.total) == (105, 185)
    group = blackwater.group["horse"]
    assert (group.slots, group.most_per_member) == (0, 1)


def test_house_values_of_weapons_are_marked(blackwater: Book) -> None:
    known = {"knife": True, "bowie_knife": True, "winchester": True, "fists": False}
    assert {key: blackwater.cites_house(blackwater.item[key]) for key in known} == known
    assert blackwater.item["bowie_knife"].house == ("strength",)
    assert blackwater.item["long_shotgun"].house == ("level", "price", "short", "long")
    assert blackwater.item["dynamite"].house == ("group", "hands", "level", "price", "short")


def test_fame_counts_experience_once(blackwater: Book) -> None:
    figure = _figure("leader", items=("winchester",), experience=7)
    assert price(blackwater.under({}), figure).total == 105
    assert rating(blackwater.under({}), figure).total == 112


@pytest.mark.parametrize(("experience", "points"), [(0, 10), (4, 10), (5, 11), (14, 12), (15, 13)])
def test_every_five_experience_allow_another_point(
    blackwater: Book, experience: int, points: int
) -> None:
    assert points_allowed(blackwater, _figure(experience=experience)) == points


def test_weapons_allow_no_points(blackwater: Book) -> None:
    assert points_allowed(blackwater, _figure("leader", items=("winchester",) * 4)) == 20


def test_a_promoted_leader_keeps_their_price_and_points(
    blackwater: Book, settings: Settings
) -> None:
    """A leader's health, but their own price and points."""
    (promotion,) = blackwater.campaign.promotions
    assert (promotion.start, promotion.to, promotion.price) == ("professional", "leader", 0)
    assert (promotion.below, promotion.keeps_price) == (1, True)
    figure = Figure(rank="leader", worth_rank="professional", profession="doctor", experience=10)
    assert profile(blackwater.under(settings), figure).number("hp") == 3
    assert rating(blackwater.under({}), figure).total == 85
    assert points_allowed(blackwater, figure) == 17


INJURIES = {
    "Dead": Fraction(1, 36),
    "Captured": Fraction(2, 36),
    "Critical injury": Fraction(7, 36),
    "Lost weapon": Fraction(5, 36),
    "Full recovery": Fraction(18, 36),
    "A lesson": Fraction(2, 36),
    "Hardened": Fraction(1, 36),
}


def test_injuries_have_their_chances(blackwater: Book) -> None:
    table = blackwater.table["injury"]
    assert {row.name["en"]: row_chance(table, row) for row in table.rows} == INJURIES
    assert [row.name["en"] for row in table.rows if row.source == "house"] == list(INJURIES)[3:]


def test_each_critical_injury_lowers_its_attribute(blackwater: Book, settings: Settings) -> None:
    """In the add-on's order, melee combat comes before ranged combat."""
    table = blackwater.table["critical_injury"]
    critical = INJURIES["Critical injury"]
    for face, key in enumerate(("str", "qui", "sta", "int", "mc", "rc"), start=1):
        row = look_up(table, parse_roll("1d6", str(face)))
        assert row_chance(table, row) * critical == Fraction(7, 216)
        (outcome,) = row.outcomes
        assert isinstance(outcome, Suffers)
        condition = blackwater.condition[outcome.condition]
        assert condition.games == 1
        hurt = _figure(values=(4,) * 6, conditions=(condition.key,))
        scores = profile(blackwater.under(settings), hurt)
        assert {name: scores.number(name) for name in ATTRIBUTES} == {
            name: 4 - (name == key) for name in ATTRIBUTES
        }
        assert len(scores.gained) == 6, "skills already learned stay"
        assert scores.natural(key) == 4


def test_an_injury_can_lower_an_attribute_to_zero(blackwater: Book, settings: Settings) -> None:
    scores = profile(blackwater.under(settings), _figure(conditions=("weak_str",)))
    assert scores.number("str") == 0


def test_an_injury_raises_the_excess_level(blackwater: Book, settings: Settings) -> None:
    figure = _figure(values=(1, 1, 1, 1, 5, 1), conditions=("weak_rc",))
    scores = profile(blackwater.under(settings), figure)
    assert excess_level(blackwater, figure, scores, blackwater.item["winchester"]) == 1


def test_captives_miss_games_until_they_are_freed(blackwater: Book) -> None:
    captured = blackwater.condition["captured"]
    assert (captured.absent, captured.games) == (True, 0)


def test_the_book_has_its_scenarios_and_deployments(blackwater: Book) -> None:
    assert [row.name["fr"] for row in blackwater.scenarios] == [
        "La ville n’est pas assez grande\u00a0!!",
        "Chasse à l’homme",
        "Sursis à l’exécution",
        "Ruée vers l’or",
    ]
    assert [row.name["en"] for row in blackwater.deployments] == [
        "High Noon",
        "Cornered",
        "Trapped",
        "Trapped and Cornered",
    ]


def test_a_game_pays_its_money(blackwater: Book) -> None:
    results = {row.key: row for row in blackwater.campaign.results}
    assert (results["victory"].winner, results["victory"].loser) == (10, 5)
    assert results["draw"].kind == "level"
    tallies = {row.key: row for row in blackwater.campaign.tallies}
    assert (tallies["nuggets"].per, tallies["nuggets"].money) == ("gang", 5)
    # Only one scenario puts nuggets on the table.
    assert tallies["nuggets"].scenarios == ("gold_rush",) and not tallies["taken_out"].scenarios
    assert (tallies["taken_out"].per, tallies["taken_out"].money) == ("member", 0)


def test_a_game_awards_its_experience(blackwater: Book) -> None:
    awards = {row.key: row for row in blackwater.campaign.awards}
    assert {award.amount for award in awards.values()} == {1}
    assert awards["took_out"].each == "taken_out"
    assert awards["won"].sides == ("winner",)
    assert awards["intimidating"].underdog == 110
    assert [key for key, award in awards.items() if award.everyone] == ["intimidating"]
    assert awards["took_part"].sides == ()


@pytest.mark.parametrize(
    ("off", "left"),
    [
        ({}, ["injuries", "experience", "income", "ransoms", "new_leader", "recruits"]),
        ({"injuries": "no"}, ["experience", "income", "new_leader", "recruits"]),
        ({"experience": "no"}, ["injuries", "income", "ransoms", "new_leader", "recruits"]),
        ({"money": "no"}, ["injuries", "experience", "ransoms", "new_leader"]),
    ],
)
def test_settings_switch_off_parts_of_the_post_game(
    blackwater: Book, settings: Settings, off: Settings, left: list[str]
) -> None:
    steps = blackwater.under(settings | off).steps
    assert [step.key for step in steps] == left


def test_awards_are_off_when_experience_is(blackwater: Book, settings: Settings) -> None:
    without = settings | {"experience": "no"}
    assert not [award for award in blackwater.campaign.awards if applies(award.when, without)]


def test_the_level_of_fame_is_a_setting(blackwater: Book, settings: Settings) -> None:
    assert blackwater.under(settings).budget == 400
    assert blackwater.under(settings | {"fame_level": 650}).budget == 650


def test_leader_two_professionals_and_two_henchmen_cost_350(blackwater: Book) -> None:
    ranks = ("leader", "professional", "professional", "henchman", "henchman")
    assert sum(price(blackwater.under({}), _figure(rank)).total for rank in ranks) == 350


def test_the_doctors_text_leaves_the_result_of_a_1_to_the_setting(blackwater: Book) -> None:
    assert {choice.key for choice in blackwater.setting["doctor_one_fails"].choices} == {
        "yes",
        "no",
    }
    text = blackwater.profession["doctor"].text
    assert "a 1 fails unless agreed otherwise" in text["en"]
    assert "un 1 est un échec, sauf accord contraire" in text["fr"]
