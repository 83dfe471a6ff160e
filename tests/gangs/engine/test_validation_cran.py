"""Every validation row of Cran: a gang that breaks it, and a gang that keeps it."""

import pytest

from gangs.engine.roster import Member, OwnItem, Roster
from gangs.engine.valuation import gang_rating
from rules.book.model import Book
from rules.book.vocabulary import Settings
from tests.gangs.rosters import codes, cost, member, only, ready_made, roster
from tests.world.gangs import shipped

RANKS = {"H": "hero", "V": "veteran", "N": "novice"}
ONE_OFF: Settings = {"play": "one_off"}
TWO_VETERANS: Settings = {"founding_mix": "two_veterans"}
ALL_DIFFERENT: Settings = {"type_cap": "all_different"}


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("cran")


def _gang(
    book: Book,
    shape: str,
    settings: Settings | None = None,
    games: int = 0,
    boss: int | None = 0,
    items: str = "revolver",
) -> Roster:
    """A gang by the letters of its ranks, each with the same ``items``; ``boss`` is its boss."""
    members = [
        member(RANKS[letter], traits=["boss"] if place == boss else [], items=items.split())
        for place, letter in enumerate(shape)
    ]
    return roster(book, *members, settings=settings, games=games)


def _armed(
    book: Book, *items: str, settings: Settings | None = None, games: int = 0, **first: list[str]
) -> Roster:
    """A veteran boss and five novices with these weapons, each a string of keys.

    ``first``: more traits for the first novice.
    """
    traits = first.get("traits", [])
    members = [
        member("novice", items=kit.split(), traits=traits if place == 0 else [])
        for place, kit in enumerate(items[1:])
    ]
    boss = member("veteran", traits=["boss"], items=items[0].split())
    return roster(book, boss, *members, settings=settings, games=games)


def _said(book: Book, gang: Roster, code: str) -> list[str]:
    return [found for found in codes(book, gang) if found.startswith(code)]


def test_every_code_of_the_sheet_has_a_limit(book: Book) -> None:
    wanted = {f"CR-E{number:02}" for number in range(1, 11)} | {"CR-W01"}
    assert wanted <= {limit.code for limit in book.limits}


@pytest.mark.parametrize(("place", "spent", "infamy"), [(0, 22, 7), (1, 22, 9), (2, 75, 10)])
def test_ready_made_gangs_have_no_findings(book: Book, place: int, spent: int, infamy: int) -> None:
    gang = ready_made(book, book.samples[place])
    assert codes(book, gang) == []
    assert cost(book, gang) == spent
    assert gang_rating(book, gang).total == infamy


def test_example_gang_with_equipment_for_17_is_legal(book: Book) -> None:
    """G14: valid, with $5 left; and G13, infamy 7."""
    gang = _armed(book, "revolver", "revolver", "revolver", "carbine", "shotgun", "rifle")
    assert codes(book, gang) == ["CR-W01 warning"]
    assert only(book, gang, "CR-W01").values["amount"] == 5
    assert cost(book, gang) == 17
    assert gang_rating(book, gang).total == 7


@pytest.mark.parametrize(
    ("shape", "settings", "games", "said"),
    [
        ("VNNNNN", {}, 0, False),
        ("VNNNN", {}, 0, True),
        ("VNNNNNN", {}, 0, True),
        ("VNNNN", {}, 1, False),
        ("VNNNNNNNNN", {}, 1, False),
        ("VNNNNNNNNNN", {}, 1, True),
        ("VNNNN", ONE_OFF, 0, True),
        ("VNNNNN", ONE_OFF, 0, False),
        ("VNNNNNNNNN", ONE_OFF, 0, False),
        ("VNNNNNNNNNN", ONE_OFF, 0, True),
    ],
)
def test_gang_size_is_limited(
    book: Book, shape: str, settings: Settings, games: int, said: bool
) -> None:
    found = _said(book, _gang(book, shape, settings, games), "CR-E01")
    assert found == (["CR-E01 error"] if said else [])


@pytest.mark.parametrize(
    ("shape", "settings", "games", "said"),
    [
        ("VNNNNN", {}, 0, 0),
        ("VVNNNN", {}, 0, 1),
        ("NNNNNN", {}, 0, 1),
        ("HNNNNN", {}, 0, 2),
        ("HVNNNN", {}, 0, 1),
        ("VVNNNN", TWO_VETERANS, 0, 0),
        ("VNNNNN", TWO_VETERANS, 0, 1),
        ("VVVNNN", TWO_VETERANS, 0, 1),
        ("HVVNNN", {}, 1, 0),
        ("HVVNNN", ONE_OFF, 0, 0),
    ],
)
def test_first_members_have_prescribed_ranks(
    book: Book, shape: str, settings: Settings, games: int, said: int
) -> None:
    found = _said(book, _gang(book, shape, settings, games), "CR-E02")
    assert found == ["CR-E02 error"] * said


def test_too_few_members_are_reported_once(book: Book) -> None:
    """The ranks of five are as legal as those of six, as long as there is a veteran."""
    assert codes(book, _gang(book, "VNNNN")) == ["CR-E01 error", "CR-W01 warning"]
    assert codes(book, _gang(book, "VNNNN", games=2)) == []


def test_amounts_are_written_in_each_language(book: Book) -> None:
    over = _armed(book, "rifle", *["rifle"] * 2, *["carbine"] * 2, "shotgun")
    found = only(book, over, "CR-E04")
    assert found.translated("en") == "$2 over the $22 that may be spent."
    assert found.translated("fr") == "2\u00a0$ de plus que les 22\u00a0$ à dépenser."


@pytest.mark.parametrize(
    ("shape", "boss", "games", "said"),
    [
        ("VNNNNN", 0, 0, []),
        ("VNNNNN", None, 0, ["CR-E03 error"]),
        ("VNNNNN", None, 1, ["CR-E03 warning"]),
        ("VNNNNN", 1, 0, ["CR-E03 error"]),
        ("VNNNNN", 1, 1, ["CR-E03 warning"]),
        ("VVNNNN", 1, 0, []),
    ],
)
def test_boss_has_the_highest_rank(
    book: Book, shape: str, boss: int | None, games: int, said: list[str]
) -> None:
    assert _said(book, _gang(book, shape, games=games, boss=boss), "CR-E03") == said


def test_gang_has_only_one_boss(book: Book) -> None:
    two = [member("veteran", traits=["boss"], items=["revolver"])] * 2
    gang = roster(book, *two, *[member("novice", items=["revolver"])] * 4, settings=TWO_VETERANS)
    assert codes(book, gang) == ["CR-E03 error", "CR-W01 warning"]


@pytest.mark.parametrize(
    ("settings", "boss", "over"),
    [
        ({}, "revolver revolver", 0),
        ({}, "rifle", 0),
        ({}, "rifle spear", 0),
        ({}, "rifle revolver", 1),
        ({}, "rifle rifle", 4),
        (ONE_OFF, "rifle rifle", 0),
    ],
)
def test_gang_keeps_to_its_budget(book: Book, settings: Settings, boss: str, over: int) -> None:
    kit = ("revolver", "carbine", "carbine", "shotgun", "rifle")
    gang = _armed(book, boss, *kit, settings=settings)
    assert _said(book, gang, "CR-E04") == (["CR-E04 error"] if over else [])
    if over:
        assert only(book, gang, "CR-E04").values["amount"] == over


@pytest.mark.parametrize(("budget", "said"), [(75, False), (42, False), (41, True)])
def test_one_off_gang_pays_for_everything(book: Book, budget: int, said: bool) -> None:
    gang = _gang(book, "VNNNNN", ONE_OFF | {"one_off_budget": budget})
    assert cost(book, gang) == 10 + 5 * 4 + 6 * 2
    assert _said(book, gang, "CR-E04") == (["CR-E04 error"] if said else [])


def test_treasury_in_debt_is_an_error(book: Book) -> None:
    novices = [member("novice", items=["revolver"])] * 5
    boss = member("veteran", traits=["boss"], items=["revolver"])
    poor = roster(book, boss, *novices, games=1, earned=8, spent=10)
    assert codes(book, poor) == ["CR-E04 error"]
    even = roster(book, boss, *novices, games=1, earned=10, spent=10)
    assert codes(book, even) == []


SPECIAL = [
    "heavy_revolver",
    "double_action",
    "lemat",
    "repeating_carbine",
    "hunting_rifle",
    "sawn_off",
]


@pytest.mark.parametrize("key", SPECIAL)
def test_special_weapons_are_not_for_the_first_game(book: Book, key: str) -> None:
    kit = (key, *["revolver"] * 5)
    assert _said(book, _armed(book, *kit), "CR-E05") == ["CR-E05 error"]
    assert not _said(book, _armed(book, *kit, games=1), "CR-E05")
    assert not _said(book, _armed(book, *kit, settings=ONE_OFF), "CR-E05")


def test_basic_weapons_are_for_the_first_game(book: Book) -> None:
    for item in book.items:
        if "basic" in item.tags:
            assert not _said(book, _armed(book, item.key, *["revolver"] * 5), "CR-E05")


def test_gear_is_not_for_the_founding(book: Book) -> None:
    """All gear is added by players."""
    charm = OwnItem(key="own-1", name="A rabbit’s foot", group="gear", price=1)
    kit = ("revolver own-1", *["revolver"] * 5)
    for games, said in ((0, ["CR-E05 error"]), (1, [])):
        gang = _armed(book, *kit, games=games).model_copy(update={"own_items": (charm,)})
        assert _said(book, gang, "CR-E05") == said


@pytest.mark.parametrize(
    ("kit", "settings", "said"),
    [
        ("carbine carbine revolver", {}, 0),
        ("carbine carbine carbine", {}, 1),
        ("spear spear spear", {}, 1),
        ("revolver revolver revolver", {}, 0),
        ("musket musket musket", {}, 0),
        ("revolver carbine spear", ALL_DIFFERENT, 0),
        ("revolver carbine carbine", ALL_DIFFERENT, 1),
        ("revolver musket musket", ALL_DIFFERENT, 1),
        ("revolver revolver revolver", ALL_DIFFERENT, 0),
    ],
)
def test_weapons_of_one_type_are_limited(
    book: Book, kit: str, settings: Settings, said: int
) -> None:
    weapons = kit.split()
    gang = _armed(book, *weapons, *["revolver"] * 3, settings=settings)
    assert _said(book, gang, "CR-E06") == ["CR-E06 error"] * said
    playing = _armed(book, *weapons, *["revolver"] * 3, settings=settings, games=1)
    assert _said(book, playing, "CR-E06") == ["CR-E06 error"] * said


def test_finding_names_the_type_of_weapon(book: Book) -> None:
    gang = _armed(book, "shotgun", "shotgun", "shotgun", *["revolver"] * 3)
    assert only(book, gang, "CR-E06").translated("en").startswith("Shotgun: 3")


def test_every_member_has_a_weapon(book: Book) -> None:
    kit = ("revolver", "", *["revolver"] * 4)
    assert _said(book, _armed(book, *kit), "CR-E07") == ["CR-E07 error"]
    assert _said(book, _armed(book, *kit, games=1), "CR-E07") == ["CR-E07 warning"]
    assert not _said(book, _armed(book, *["spear"] * 2, *["revolver"] * 4), "CR-E07")


def test_bare_hands_exclude_weapons(book: Book) -> None:
    bare = _armed(book, "revolver", "", *["revolver"] * 4, traits=["bare_hands"])
    assert not _said(book, bare, "CR-E07")
    armed = _armed(book, *["revolver"] * 6, traits=["bare_hands"])
    assert _said(book, armed, "CR-E07") == ["CR-E07 error"]


@pytest.mark.parametrize(
    ("kit", "said"),
    [("revolver revolver sword", False), ("revolver revolver sword spear", True)],
)
def test_members_carry_at_most_three_weapons(book: Book, kit: str, said: bool) -> None:
    found = _said(book, _armed(book, kit, *["revolver"] * 5), "CR-E08")
    assert found == (["CR-E08 error"] if said else [])


def test_bows_are_only_for_some_members(book: Book) -> None:
    kit = ("revolver", "bow", *["revolver"] * 4)
    gang = _armed(book, *kit)
    assert _said(book, gang, "CR-E09") == ["CR-E09 error"]
    assert only(book, gang, "CR-E09").members == (2,)
    assert not _said(book, _armed(book, *kit, traits=["bow_user"]), "CR-E09")


@pytest.mark.parametrize(
    ("shape", "settings", "games", "said"),
    [
        ("HNNNNN", ONE_OFF, 0, False),
        ("HHNNNN", ONE_OFF, 0, True),
        ("VHNNNN", {}, 3, False),
        ("HHNNNN", {}, 3, False),
        ("HHHNNN", {}, 3, True),
    ],
)
def test_gang_has_a_limited_number_of_heroes(
    book: Book, shape: str, settings: Settings, games: int, said: bool
) -> None:
    """In a campaign the boss may be a second hero."""
    found = _said(book, _gang(book, shape, settings, games), "CR-E10")
    assert found == (["CR-E10 error"] if said else [])


def _skilled(book: Book, rank: str, *skills: str, settings: Settings, games: int = 0) -> Roster:
    boss = member(rank, traits=["boss", *skills], items=["revolver"])
    return roster(
        book, boss, *[member("novice", items=["revolver"])] * 5, settings=settings, games=games
    )


@pytest.mark.parametrize(("rank", "most"), [("novice", 1), ("veteran", 2), ("hero", 3)])
def test_rank_limits_skills(book: Book, rank: str, most: int) -> None:
    skills = ["brawler", "guarded", "dogged", "cool_head"]
    legal = _skilled(book, rank, *skills[:most], settings=ONE_OFF)
    assert not _said(book, legal, "CR-E11")
    over = _skilled(book, rank, *skills[: most + 1], settings=ONE_OFF)
    assert _said(book, over, "CR-E11") == ["CR-E11 error"]


def test_new_campaign_gang_has_no_skills(book: Book) -> None:
    assert _said(book, _skilled(book, "veteran", "brawler", settings={}), "CR-E11")
    skills = ("brawler", "guarded", "dogged")
    assert not _said(book, _skilled(book, "veteran", *skills, settings={}, games=9), "CR-E11")


def test_member_has_a_skill_only_once(book: Book) -> None:
    twice = _skilled(book, "hero", "brawler", "brawler", settings=ONE_OFF)
    assert _said(book, twice, "CR-E12") == ["CR-E12 error"]
    assert not _said(book, _skilled(book, "hero", "brawler", settings=ONE_OFF), "CR-E12")


@pytest.mark.parametrize(("arcanists", "said"), [(1, False), (2, True)])
def test_gang_has_a_limited_number_of_arcanists(book: Book, arcanists: int, said: bool) -> None:
    members: list[Member] = [member("veteran", traits=["boss"], items=["revolver"])]
    members += [member("novice", traits=["arcanist"], items=["revolver"])] * arcanists
    members += [member("novice", items=["revolver"])] * (5 - arcanists)
    assert bool(_said(book, roster(book, *members), "CR-E13")) == said


def test_banned_weapon_is_an_error(book: Book) -> None:
    items = [
        item.model_copy(update={"status": "banned"}) if item.key == "musket" else item
        for item in book.items
    ]
    without = book.changed(items=tuple(items))
    kit = ("musket", *["revolver"] * 5)
    assert _said(without, _armed(without, *kit), "CR-E14") == ["CR-E14 error"]
    assert not _said(book, _armed(book, *kit), "CR-E14")


def test_unspent_money_is_a_warning(book: Book) -> None:
    kit = ("rifle", "rifle", "carbine", "carbine", "shotgun")
    assert _said(book, _armed(book, *kit, "revolver"), "CR-W01") == ["CR-W01 warning"]
    assert not _said(book, _armed(book, *kit, "shotgun"), "CR-W01")
    assert not _said(book, _armed(book, *kit, "revolver", games=1), "CR-W01")
    assert _said(book, _gang(book, "VNNNNN", ONE_OFF), "CR-W01") == ["CR-W01 warning"]


def test_missing_name_is_a_warning(book: Book) -> None:
    nameless = member("novice", name="", items=["revolver"])
    boss = member("veteran", traits=["boss"], items=["revolver"])
    gang = roster(book, boss, *[member("novice", items=["revolver"])] * 4, nameless)
    assert _said(book, gang, "CR-W02") == ["CR-W02 warning"]
    assert not _said(book, _gang(book, "VNNNNN"), "CR-W02")
