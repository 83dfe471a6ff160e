"""Building, prices and the campaign of Du sang sur la lame."""

from fractions import Fraction

import pytest

from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.costing import price, rating
from rules.engine.dice import row_chance
from rules.engine.figure import Figure
from rules.engine.profiles import profile

SINGLE = ("leader", "second", "henchman")
UNITS = ("elite", "trained", "green")


def _figure(rank: str, *traits: str, items: tuple[str, ...] = ()) -> Figure:
    return Figure(rank=rank, worth_rank=rank, traits=traits, items=items)


@pytest.fixture
def settings(du_sang: Book) -> Settings:
    return du_sang.default_settings()


@pytest.mark.parametrize(
    ("rank", "quality", "cost", "traits", "wounds"),
    [
        ("leader", "4k2", 4, 2, 2),
        ("second", "3k2", 2, 1, 2),
        ("henchman", "2k2", 1, 0, 2),
        ("elite", "4k2", 4, 2, 5),
        ("trained", "3k2", 2, 1, 5),
        ("green", "2k2", 1, 0, 5),
    ],
)
def test_each_rank_has_its_cost_and_profile(
    du_sang: Book,
    settings: Settings,
    rank: str,
    quality: str,
    cost: int,
    traits: int,
    wounds: int,
) -> None:
    scores = profile(du_sang.under(settings), _figure(rank)).scores
    assert {str(scores[key].value) for key in ("quality", "duel", "throw")} == {quality}
    assert (scores["wounds"].value, scores["move"].value) == (wounds, 6)
    assert price(du_sang.under({}), _figure(rank)).total == cost
    assert du_sang.rank[rank].maximum_traits == traits
    assert du_sang.life == "wounds"


@pytest.mark.parametrize(
    ("chosen", "ranks"),
    [
        ({}, ["leader", "second", "henchman"]),
        ({"figures": "units"}, ["elite", "trained", "green"]),
        ({"figures": "mixed"}, ["leader", "second", "green"]),
        ({"players": "more"}, ["second", "henchman"]),
        ({"players": "more", "figures": "units"}, ["trained", "green"]),
        ({"players": "more", "figures": "mixed"}, ["second", "green"]),
    ],
)
def test_settings_decide_which_ranks_can_be_recruited(
    du_sang: Book, settings: Settings, chosen: Settings, ranks: list[str]
) -> None:
    found = du_sang.under(settings | chosen).ranks
    assert [row.key for row in found if row.recruited] == ranks


def test_the_purse_follows_the_number_of_players(du_sang: Book, settings: Settings) -> None:
    assert du_sang.under(settings).budget == 12
    assert du_sang.under(settings | {"players": "more"}).budget == 6


@pytest.mark.parametrize(
    ("shape", "cheapest", "dearest"),
    [
        ((1, 1, 1), 7, 10),
        ((1, 1, 2), 8, 11),
        ((1, 2, 1), 9, 13),
        ((1, 1, 5), 11, 14),
        ((1, 2, 4), 12, 16),
        ((1, 1, 6), 12, 15),
    ],
)
@pytest.mark.parametrize("ranks", [SINGLE, UNITS])
def test_each_gang_shape_has_its_lowest_and_highest_cost(
    du_sang: Book,
    ranks: tuple[str, ...],
    shape: tuple[int, ...],
    cheapest: int,
    dearest: int,
) -> None:
    rows = [
        du_sang.rank[rank] for rank, count in zip(ranks, shape, strict=True) for _ in range(count)
    ]
    assert sum(row.price for row in rows) == cheapest
    assert sum(row.price + (row.maximum_traits or 0) for row in rows) == dearest


def test_a_leader_with_weapon_mastery_costs_five(du_sang: Book, settings: Settings) -> None:
    """Their quality stays 4k2; a die is added in duels only."""
    figure = _figure("leader", "weapon-master")
    scores = profile(du_sang.under(settings), figure).scores
    assert price(du_sang.under({}), figure).total == 5
    assert [str(scores[key].value) for key in ("quality", "duel", "throw")] == ["4k2", "5k2", "4k2"]


@pytest.mark.parametrize(("rank", "pool"), [("leader", "5k2"), ("second", "4k2"), ("green", "3k2")])
def test_weapon_masters_and_throwers_have_an_extra_die(
    du_sang: Book, settings: Settings, rank: str, pool: str
) -> None:
    scores = profile(du_sang.under(settings), _figure(rank, "weapon-master", "thrower")).scores
    assert (str(scores["duel"].value), str(scores["throw"].value)) == (pool, pool)
    assert str(scores["quality"].value) == du_sang.rank[rank].values["quality"]


def test_riders_move_eight_inches(du_sang: Book, settings: Settings) -> None:
    assert profile(du_sang.under(settings), _figure("second", "mounted")).number("move") == 8
    assert profile(du_sang.under(settings), _figure("second", "flyer")).number("move") == 6


def test_the_pirates_of_the_rules_cost_12(du_sang: Book) -> None:
    """6 + 3 + 1 + 1 + 1 = 12 Po."""
    sample = du_sang.samples[0]
    costs = [
        price(du_sang.under({}), _figure(member.rank, *member.traits, items=member.items)).total
        for member in sample.members
    ]
    assert costs == [6, 3, 1, 1, 1]
    tags = [
        {tag for key in member.items for tag in du_sang.item[key].tags} for member in sample.members
    ]
    assert sum("ranged" in member for member in tags) == 2
    assert sum("reach" in member for member in tags) == 1


def test_worth_equals_price(du_sang: Book) -> None:
    figure = Figure(rank="leader", worth_rank="leader", traits=("lucky",), experience=9)
    assert rating(du_sang.under({}), figure).total == price(du_sang.under({}), figure).total == 5


def test_each_of_the_twelve_traits_costs_one(du_sang: Book) -> None:
    assert len(du_sang.traits) == 12
    assert {trait.price for trait in du_sang.traits} == {1}
    command = {trait.key for trait in du_sang.traits if "command" in trait.tags}
    assert command == {"cohesion", "inspire"}
    assert du_sang.trait["lucky"].name["fr"] == "Chance de cocu"


def test_weapons_are_free(du_sang: Book) -> None:
    assert {item.price for item in du_sang.items} == {0}


@pytest.mark.parametrize(
    ("key", "tags", "reach"),
    [
        ("bare_hands", set(), "Contact"),
        ("sabre", {"hand"}, "Contact"),
        ("axe", {"hand", "reach"}, '1"'),
        ("halberd", {"hand", "reach"}, '1"'),
        ("spear", {"hand", "reach", "ranged"}, '1"'),
        ("hatchet", {"ranged"}, '3"'),
        ("pistol", {"ranged"}, '3"'),
        ("musket", {"ranged"}, '6"'),
        ("crossbow", {"ranged"}, '6"'),
        ("heavy_object", set(), '1D6"'),
    ],
)
def test_every_weapon_has_its_tags_and_range(
    du_sang: Book, key: str, tags: set[str], reach: str
) -> None:
    item = du_sang.item[key]
    written = item.columns["range"]
    assert set(item.tags) == tags
    assert (written if isinstance(written, str) else written["en"]) == reach


def test_shooting_costs_two_and_throwing_one(du_sang: Book) -> None:
    costs = {item.group: item.columns["cost"] for item in du_sang.items}
    assert costs == {
        "duel": "1",
        "reach": "1",
        "thrown": "1",
        "shot": "2",
        "heavy": "2",
    }
    heads = {c.name["en"] for group in du_sang.groups for c in group.columns if c.key == "cost"}
    assert heads == {"Action\N{NO-BREAK SPACE}(Po)"}


def test_throwing_a_spear_costs_the_same_as_throwing_a_knife(du_sang: Book) -> None:
    (mode,) = du_sang.item["spear"].modes
    assert (mode.key, mode.group, mode.columns, mode.tags) == (
        "thrown",
        "thrown",
        du_sang.item["knife"].columns,
        du_sang.item["knife"].tags,
    )


def test_every_member_has_bare_hands(du_sang: Book) -> None:
    assert [item.key for item in du_sang.items if item.innate] == ["bare_hands"]


def test_house_readings_are_marked_in_their_rows(du_sang: Book) -> None:
    marked = {
        (kind, row.key): set(row.house)
        for kind in ("traits", "items", "groups", "glossary", "characteristics", "references")
        for row in getattr(du_sang, kind)
        if row.house and not row.is_house
    }
    assert marked == {
        ("traits", "cohesion"): {"text"},
        ("traits", "inspire"): {"text"},
        ("traits", "thrower"): {"text", "effects"},
        ("traits", "weapon-master"): {"text", "effects"},
        ("traits", "flyer"): {"text"},
        ("items", "spear"): {"tags"},
        ("items", "heavy_object"): {"text"},
        ("groups", "shot"): {"text"},
        ("groups", "heavy"): {"text"},
        ("glossary", "npc"): {"text"},
        ("glossary", "double_one"): {"text"},
        ("glossary", "double_six"): {"text"},
        ("characteristics", "duel"): {"text"},
        ("references", "scenario_roll"): {"lines"},
        **{
            ("references", key): {"text"}
            for key in (
                "turn", "turn_more", "activation", "roll", "tests", "watch", "movement", "heavy",
                "modifiers", "duel", "charge", "dodge", "dodge_opposed", "wounds", "units",
                "purses",
            )
        },
    }  # fmt: skip
    for key in ("cover", "target_in_duel"):
        assert "amount" in du_sang.modifier[key].house
    for key in ("wounded", "target_wounded"):
        assert "given" in du_sang.modifier[key].house, "units have no wounds"
    assert "steps" in du_sang.procedure["dodge"].house
    (mark,) = du_sang.campaign.marks
    assert set(mark.house) == {"text", "dies"}
    (lost,) = [limit for limit in du_sang.limits if limit.code == "DS-W03"]
    assert lost.source == "rules p.3 + house"


def test_every_row_names_its_page(du_sang: Book) -> None:
    pages = {
        row.source
        for kind in (
            "ranks", "traits", "items", "groups", "references", "glossary", "scenarios", "rolls",
            "modifiers", "circumstances", "states", "actions", "spends", "procedures",
        )
        for row in getattr(du_sang, kind)
    }  # fmt: skip
    assert pages == {f"rules p.{page}" for page in range(2, 12)}


SCENARIOS = [
    ("L’espion", 1),
    ("Contrebande", 2),
    ("Le convoi", 3),
    ("Un compte à régler", 4),
    ("La cache", 5),
    ("L’assassinat", 6),
    ("Passage secret", 5),
    ("Le prisonnier", 4),
    ("L’embuscade", 3),
    ("L’affrontement", 2),
    ("Scénario libre", 1),
]


def test_the_scenario_table_gives_each_scenario_its_chance(du_sang: Book) -> None:
    table = du_sang.table[du_sang.campaign.scenario_table or ""]
    assert [(row.name["fr"], row_chance(table, row)) for row in table.rows] == [
        (name, Fraction(ways, 36)) for name, ways in SCENARIOS
    ]
    assert [du_sang.scenario[row.scenario or ""].name for row in table.rows] == [
        row.name for row in table.rows
    ]
    assert len(du_sang.scenarios) == 11


@pytest.mark.parametrize(
    ("chosen", "results"),
    [
        (
            {},
            {
                "crushing": (4, 1, 0),
                "inglorious": (2, 1, 0),
                "draw": (0, 0, 2),
                "nobody_one": (0, 0, 1),
            },
        ),
        (
            {"nobody_met": "nothing"},
            {
                "crushing": (4, 1, 0),
                "inglorious": (2, 1, 0),
                "draw": (0, 0, 2),
                "nobody_nothing": (0, 0, 0),
            },
        ),
        ({"players": "more"}, {"agreed": (0, 0, 0)}),
    ],
)
def test_settings_decide_the_rewards_of_a_game(
    du_sang: Book, settings: Settings, chosen: Settings, results: dict[str, tuple[int, ...]]
) -> None:
    rows = du_sang.under(settings | chosen).results
    assert {row.key: (row.winner, row.loser, row.each) for row in rows} == results


def test_more_than_two_players_agree_on_amounts(du_sang: Book) -> None:
    kinds = {row.key: row.kind for row in du_sang.campaign.results}
    assert kinds["agreed"] == "open"
    assert kinds["draw"] == "level"


def test_a_promotion_costs_the_difference_between_the_ranks(du_sang: Book) -> None:
    for row in du_sang.campaign.promotions:
        assert row.price == du_sang.rank[row.to].price - du_sang.rank[row.start].price
        assert not row.keeps_price
    steps = {(row.start, row.to) for row in du_sang.campaign.promotions}
    assert ("henchman", "leader") not in steps


@pytest.mark.parametrize(
    ("chosen", "steps"),
    [
        ({}, [("second", "leader", 1), ("henchman", "second", 2)]),
        ({"figures": "units"}, [("trained", "elite", 1), ("green", "trained", 2)]),
        ({"figures": "mixed"}, [("second", "leader", 1)]),
        ({"players": "more"}, [("henchman", "second", 1)]),
    ],
)
def test_settings_decide_which_ranks_can_be_promoted(
    du_sang: Book, settings: Settings, chosen: Settings, steps: list[tuple[str, str, int]]
) -> None:
    rows = du_sang.under(settings | chosen).promotions
    assert [(row.start, row.to, row.below) for row in rows] == steps


def test_a_promoted_second_keeps_their_traits(du_sang: Book) -> None:
    assert price(du_sang.under({}), _figure("leader", "frenzied")).total == 4 + 1


def test_a_removed_member_dies_without_a_roll(du_sang: Book) -> None:
    (mark,) = du_sang.campaign.marks
    assert mark.dies
    (fates,) = [step for step in du_sang.campaign.steps if step.kind == "fates"]
    assert fates.table is None
    assert not du_sang.campaign.awards
    assert du_sang.campaign.growth is None


def test_the_cap_on_recruits_has_three_readings(du_sang: Book, settings: Settings) -> None:
    recruiting = du_sang.campaign.recruiting
    assert recruiting is not None
    cap = du_sang.setting[recruiting.cap]
    assert cap.kind == "choice"
    assert [choice.key for choice in cap.choices] == ["session", "size", "total"]
    assert settings[recruiting.cap] == "session"


def test_standings_rank_by_money_then_victories(du_sang: Book) -> None:
    assert du_sang.campaign.standings == ("money", "wins")
