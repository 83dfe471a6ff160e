"""Peoples, prices and equipment of Au un pour un, case by case."""

import pytest

from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.costing import price, rating
from rules.engine.figure import Figure
from rules.engine.profiles import profile
from tests.world.gangs import shipped

STATS = ("mvt", "cd", "ct", "ccc", "f", "r", "pv")
RANKS = ("chef", "sous_chef", "sous_fifre")
RACES = ("humain", "ork", "elfe", "nain", "homme_rat", "gobelin_snotling", "homme_serpent")
GOBLINS: Settings = {"race": "gobelin_snotling"}


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("au-un-pour-un")


@pytest.fixture
def settings(book: Book) -> Settings:
    return book.default_settings()


def _figure(rank: str = "sous_fifre", origin: str | None = None, **others: object) -> Figure:
    base: dict[str, object] = {"worth_rank": rank, "base_rank": rank, **others}
    return Figure(rank=rank, origin=origin, **base)  # type: ignore[arg-type]


def _scores(book: Book, settings: Settings, figure: Figure) -> tuple[int, ...]:
    found = profile(book.under(settings), figure)
    return tuple(found.number(key) for key in STATS)


PROFILES = """
- 9 11 3 4 5 4 4 50 / 8 8 4 5 4 3 3 25 / 6 6 5 6 3 2 2 10
humain 9 11 2 4 5 4 4 50 / 8 8 3 5 4 3 3 25 / 6 7 4 6 3 2 2 10
ork 9 10 3 3 5 5 4 50 / 8 7 4 4 4 4 3 25 / 6 6 5 5 3 3 2 10
elfe 9 11 3 4 5 3 4 50 / 8 10 3 5 4 2 3 25 / 6 8 3 6 3 2 2 10
nain 7 11 3 4 5 4 4 50 / 6 8 4 5 4 4 3 25 / 4 6 4 6 3 4 2 10
homme_rat 11 10 2 4 4 3 4 50 / 10 7 3 5 3 2 3 25 / 8 5 3 6 2 1 2 10
gobelin_snotling 11 9 2 4 5 4 4 25 / 10 7 2 5 4 3 3 13 / 8 5 3 6 3 2 2 5
homme_serpent 8 11 4 4 5 6 4 50 / 7 10 5 5 4 5 3 25 / 5 9 6 6 3 3 2 10
"""
CASES = [
    (race, rank, tuple(int(number) for number in numbers.split()))
    for race, _, rest in (line.partition(" ") for line in PROFILES.strip().splitlines())
    for rank, numbers in zip(RANKS, rest.split("/"), strict=True)
]


@pytest.mark.parametrize(("race", "rank", "numbers"), CASES)
def test_every_people_has_its_printed_profiles_and_costs(
    book: Book, settings: Settings, race: str, rank: str, numbers: tuple[int, ...]
) -> None:
    origin = None if race == "-" else race
    figure = _figure(rank, origin)
    own = settings | {"race": origin or "none"}
    assert _scores(book, own, figure) == numbers[:7]
    assert price(book.under(own), figure).total == numbers[7]


@pytest.mark.parametrize(
    ("option", "level", "chief", "lieutenant", "underling"),
    [
        ("speed", "one", (11, 11, 3, 4, 5, 3), (10, 8, 4, 5, 4, 2), (8, 6, 5, 6, 3, 1)),
        ("command", "one", (9, 11, 3, 4, 5, 4), (8, 9, 5, 5, 4, 3), (6, 7, 6, 6, 3, 2)),
        ("brawler", "one", (7, 11, 3, 3, 6, 3), (6, 8, 4, 4, 5, 2), (4, 6, 5, 5, 4, 1)),
        ("speed", "two", (13, 11, 3, 4, 5, 2), (12, 8, 4, 5, 4, 1), (8, 6, 5, 6, 3, 1)),
        ("command", "two", (9, 11, 3, 4, 5, 4), (8, 10, 6, 5, 4, 3), (6, 7, 6, 6, 3, 2)),
        ("brawler", "two", (5, 11, 3, 2, 7, 2), (4, 8, 4, 3, 6, 1), (4, 6, 5, 5, 4, 1)),
    ],
)
def test_undefined_aliens_have_the_chosen_profile(
    book: Book,
    settings: Settings,
    option: str,
    level: str,
    chief: tuple[int, ...],
    lieutenant: tuple[int, ...],
    underling: tuple[int, ...],
) -> None:
    """Natural values stay within their bounds, so that every price is paid in full."""
    own = settings | {"race": "alien", "alien_option": option, "alien_level": level}
    for rank, numbers in zip(RANKS, (chief, lieutenant, underling), strict=True):
        found = profile(book.under(own), _figure(rank, "alien"))
        assert tuple(found.number(key) for key in STATS[:6]) == numbers
        assert tuple(found.natural(key) for key in STATS[:6]) == numbers
        assert found.number("pv") == book.rank[rank].values["pv"]


def test_action_points_follow_the_present_role(book: Book, settings: Settings) -> None:
    points = [profile(book.under(settings), _figure(rank)).number("ap") for rank in RANKS]
    assert points == [3, 2, 2]
    risen = _figure("chef", base_rank="sous_fifre")
    assert profile(book.under(settings), risen).number("ap") == 3
    assert _scores(book, settings, risen) == (6, 6, 5, 6, 3, 2, 2)
    assert price(book.under(settings), risen).total == 50


@pytest.mark.parametrize("race", RACES)
@pytest.mark.parametrize("rank", RANKS)
def test_a_promoted_member_keeps_the_profile_of_their_people(
    book: Book, settings: Settings, race: str, rank: str
) -> None:
    risen = _figure("chef", race, base_rank=rank)
    assert _scores(book, settings, risen) == _scores(book, settings, _figure(rank, race))


# Prices


def test_a_base_band_costs_130(book: Book, settings: Settings) -> None:
    ranks = ("chef", "sous_chef", "sous_chef", "sous_fifre", "sous_fifre", "sous_fifre")
    assert sum(price(book.under(settings), _figure(rank)).total for rank in ranks) == 130
    assert book.under(settings).budget == 150
    assert book.under(settings | {"budget": 300}).budget == 300


def _lines(book: Book, settings: Settings, figure: Figure) -> list[int | float]:
    return [line.amount for line in price(book.under(settings), figure).lines]


def test_half_points_are_rounded_up_unless_counted_exactly(book: Book, settings: Settings) -> None:
    figure = _figure("sous_chef", "gobelin_snotling", items=("couteau_jet", "lance"))
    own = settings | GOBLINS
    assert _lines(book, own, figure) == [13, 2, 8]
    assert _lines(book, own | {"halves": "exact"}, figure) == [12.5, 1.5, 7.5]


@pytest.mark.parametrize(
    ("race", "universe", "lines"),
    [
        ("gobelin_snotling", "mod", [5, 2, 6, 4, 2]),
        ("gobelin_snotling", "pa", [5, 2, 6, 4, 2]),
        ("gobelin_snotling", "any", [5, 6, 6, 4, 2]),
        ("ork", "mod", [5, 0, 4, 4, 2]),
        ("ork", "sf", [5, 4, 4, 4, 2]),
    ],
)
def test_pistols_cost_a_goblin_half_price_after_the_first(
    book: Book, settings: Settings, race: str, universe: str, lines: list[int]
) -> None:
    """The first pistol is free, or half price among goblins; armour and gear never cost more."""
    dear = tuple(
        row.model_copy(update={"price": 4}) if "sidearm" in row.tags else row for row in book.items
    )
    figure = _figure(
        origin="gobelin_snotling", items=("revolver", "pistolet_auto", "cuir", "corde_grappin")
    )
    own = settings | {"race": race, "universe": universe}
    assert _lines(book.changed(items=dear), own, figure) == lines


def test_an_ork_chief_of_goblins_pays_ork_prices(book: Book, settings: Settings) -> None:
    own = settings | GOBLINS | {"universe": "pa"}
    figure = _figure("chef", "ork", items=("revolver", "revolver", "hache"))
    assert _lines(book, own, figure) == [50, 0, 3, 4]
    assert _scores(book, own, figure) == (9, 10, 3, 3, 5, 5, 4)


def test_the_dearest_sidearm_is_free(book: Book, settings: Settings) -> None:
    figure = _figure("chef", items=("pistolet_poudre", "revolver"))
    assert _lines(book, settings | {"universe": "mod"}, figure) == [50, 2, 0]
    assert _lines(book, settings, figure) == [50, 2, 3]


@pytest.mark.parametrize(("experience", "total"), [(0, 62), (4, 62), (5, 63), (23, 66)])
def test_worth_equals_the_cost_of_a_mercenary(
    book: Book, settings: Settings, experience: int, total: int
) -> None:
    """A chief with 12 points of gear and 23 experience: 66."""
    figure = _figure("chef", items=("hallebarde", "cuir"), experience=experience)
    assert rating(book.under(settings), figure).total == total


READINGS = {
    "settings": {
        "passive_actions": {"default"},
        **dict.fromkeys(
            ("passive_charge", "passive_charged", "passive_sight", "passive_fire"), {"default"}
        ),
        **{"race": {"text"}, "universe": {"choices"}},
    },
    "ranks": {
        **{"chef": {"experience"}, "sous_chef": {"experience"}},
        "sous_fifre": {"experience", "ap"},
    },
    "adjustments": {"goblins_half": {"of"}, "first_sidearm": {"first"}},
    "circumstances": {
        **{"out_of_sight": {"text"}, "underlings": {"name"}, "enemy_underlings": {"name"}},
    },
    "states": {"unready": {"lasts"}},
    "rolls": {
        **dict.fromkeys(("shot", "burst"), {"steps", "outcomes"}),
        **{"hit": {"outcomes"}, "will_to_live": {"usable"}},
        **{"charged_test": {"steps", "outcomes"}, "fire_test": {"steps"}},
    },
    "modifiers": {"further_target": {"on"}, "charge": {"given"}},
    "references": {
        **dict.fromkeys(("before", "turn", "action_points", "shooting", "targets"), {"lines"}),
        **dict.fromkeys(("malfunctions", "melee", "wounds", "passive"), {"lines"}),
        **{"victory_points": {"text"}, "careers": {"lines"}, "mercenaries": {"lines"}},
    },
}


@pytest.mark.parametrize("table", READINGS)
def test_house_readings_are_marked_in_their_rows(book: Book, table: str) -> None:
    marked = {row.key: set(row.house) for row in getattr(book, table) if row.house}
    if table == "references":
        assert marked.pop("command")
    assert marked == READINGS[table]


def test_band_worth_and_goblin_roles_are_house_rules(book: Book) -> None:
    (worth,) = [row for row in book.glossary if row.key == "worth"]
    assert worth.is_house
    sources = {row.code: row.source for row in book.limits}
    assert sources["E_GOBLIN_ROLE"] == "rules + house"


# Weapons and equipment: key, universes, hands, three ranges, strength, targets, price.

SHOOTING = """
couteau_jet all 1 2 4 6 Pers. 1 1
javelot med 1 3 6 10 Pers. 1 2
fronde med 1 4 8 12 Pers. 1 1
arc_court med|pa 2 6 12 18 3 1 3
arc_long med|pa 2 8 16 24 4 1 4
arbalete med|bp|pa 2 8 16 24 5 1 5
arbalete_poing med|pa 1 3 6 9 3 1 3
pistolet_poudre bp 1 3 6 10 4 1 2
mousquet bp 2 6 12 20 5 1 4
tromblon bp 2 2 4 8 4 3 5
canon bp 2 10 20 40 8 3 25
revolver mod|pa 1 4 8 12 4 1 3
pistolet_auto mod|pa 1 4 8 12 4 1 3
fusil_un_coup mod|pa 2 8 16 28 5 1 3
carabine mod|pa 2 7 14 24 5 1 6
fusil_pompe mod|pa 2 3 6 12 5 2 6
pistolet_mitrailleur mod|pa 2 4 8 14 4 3 8
fusil_assaut mod|pa 2 8 16 28 5 2 9
fusil_precision mod|pa|sf 2 12 24 40 6 1 10
mitrailleuse mod|pa 2 8 18 32 6 4 15
lance_flammes mod|pa|sf 2 2 4 6 5 3 12
lance_roquettes mod|pa|sf 2 8 16 32 9 3 18
grenades mod|pa|sf 1 3 5 8 6 3 5
piece_artillerie mod 2 12 30 60 9 4 30
pistolet_laser sf 1 5 10 15 4 1 4
fusil_laser sf 2 9 18 30 6 1 10
"""
COLUMNS = ("short", "medium", "long", "force", "targets")


def _eras(book: Book, key: str) -> str:
    when = book.item[key].when
    return "|".join(era for era in when["universe"] if era != "any") if when else "all"


@pytest.mark.parametrize("line", SHOOTING.strip().splitlines(), ids=lambda line: line.split()[0])
def test_every_shooting_weapon_has_its_printed_values(book: Book, line: str) -> None:
    key, eras, hands, *cells, cost = line.split()
    item = book.item[key]
    assert (_eras(book, key), item.hands, item.price) == (eras, int(hands), int(cost))
    written = [item.columns[column] for column in COLUMNS]
    assert [cell if isinstance(cell, str) else cell["fr"] for cell in written] == cells


def test_shooting_weapons_carry_the_tags_of_the_rules(book: Book) -> None:
    shooting = [row for row in book.items if row.group == "shooting"]
    assert [row.key for row in shooting] == [line.split()[0] for line in SHOOTING.split("\n")[1:-1]]
    tagged = {row.key: row.tags for row in shooting}
    slow = {key for key, tags in tagged.items() if "slow" in tags}
    assert {"fusil_un_coup", "mousquet", "arc_court", "arc_long", "arbalete"} <= slow
    assert {"heavy"} <= tagged["mitrailleuse"] & tagged["lance_roquettes"]
    assert {"blackpowder"} <= tagged["mousquet"] & tagged["pistolet_poudre"] & tagged["canon"]
    assert {"string"} <= tagged["arc_court"] & tagged["arbalete"] & tagged["couteau_jet"]
    assert {key for key, tags in tagged.items() if "ammo" in tags} == {
        "grenades",
        "lance_roquettes",
    }
    sidearms = {key for key, tags in tagged.items() if "sidearm" in tags}
    assert sidearms == {"pistolet_poudre", "revolver", "pistolet_auto"}
    assert {book.item[key].columns["targets"] for key in sidearms} == {"1"}
    assert int(str(book.item["pistolet_mitrailleur"].columns["targets"])) >= 3


@pytest.mark.parametrize(
    "line",
    [
        "mains_nues all 0 0 0",
        "couteau all 1 +1 2",
        "gourdin all 1 +1 2",
        "baionnette bp|mod|pa 0 +1 1",
        "epee all 1 +2 4",
        "hache all 1 +2 4",
        "lance med|pa 2 +2 5",
        "arme_deux_mains all 2 +3 7",
        "hallebarde med|bp 2 +3 8",
        "tronconneuse mod|pa 2 +4 10",
        "lame_energie sf 1 +3 8",
    ],
)
def test_every_melee_weapon_has_its_printed_values(book: Book, line: str) -> None:
    key, eras, hands, force, cost = line.split()
    item = book.item[key]
    assert (_eras(book, key), item.hands, item.price) == (eras, int(hands), int(cost))
    assert item.columns["force"] == force
    assert item.innate == (key == "mains_nues")


@pytest.mark.parametrize(
    ("key", "eras", "resistance", "movement", "cost"),
    [
        ("cuir", "all", 1, 0, 4),
        ("mailles", "med|bp", 2, 0, 9),
        ("gilet", "mod|pa|sf", 2, 0, 9),
        ("plates", "med|bp|pa", 3, -1, 15),
        ("armure_energetique", "sf", 4, 0, 25),
        ("bouclier", "all", 1, 0, 4),
        ("corde_grappin", "all", 0, 0, 2),
        ("potion_soin", "all", 0, 0, 5),
        ("potion_force", "med|sf", 0, 0, 4),
        ("potion_courage", "all", 0, 0, 3),
        ("trousse_secours", "bp|mod|pa|sf", 0, 0, 6),
        ("lunette", "mod|pa|sf", 0, 0, 4),
        ("detecteur", "mod|sf", 0, 0, 8),
        ("munitions", "mod|pa|sf", 0, 0, 3),
    ],
)
def test_armour_and_equipment_have_their_printed_effects(
    book: Book, settings: Settings, key: str, eras: str, resistance: int, movement: int, cost: int
) -> None:
    assert (_eras(book, key), book.item[key].price) == (eras, cost)
    bare = profile(book.under(settings), _figure("chef"))
    worn = profile(book.under(settings), _figure("chef", items=(key,)))
    assert worn.number("r") == bare.number("r") + resistance
    assert worn.number("mvt") == bare.number("mvt") + movement


def test_all_equipment_is_a_house_value(book: Book) -> None:
    assert len(book.items) == 26 + 11 + 14
    assert all(row.is_house for row in book.items)
