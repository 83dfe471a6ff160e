"""Every validation row of Blackwater Gulch: a gang that breaks it, and a gang that keeps it."""

from collections.abc import Callable

import pytest

from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member, Roster
from gangs.engine.validation import findings
from rules.book.model import Book
from rules.book.vocabulary import Settings
from tests.gangs.rosters import codes, cost, member, only, roster
from tests.world.gangs import shipped

ATTRIBUTES = ("str", "qui", "sta", "int", "rc", "mc")


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("blackwater-gulch")


def _spread(*values: int) -> dict[str, int]:
    return {key: value for key, value in zip(ATTRIBUTES, values, strict=True) if value}


# All points spread, as the rules give them: 20, 15 and 10.
LEADER = _spread(3, 3, 3, 4, 4, 3)
PROFESSIONAL = _spread(3, 2, 2, 2, 3, 3)
HENCHMAN = _spread(2, 1, 2, 1, 2, 2)


def _leader(**others: object) -> Member:
    values: dict[str, object] = {"profession": "gambler", "points": LEADER, "name": "Lou"}
    return member("leader", **values | others)  # type: ignore[arg-type]


def _professional(**others: object) -> Member:
    values: dict[str, object] = {"profession": "doctor", "points": PROFESSIONAL, "name": "Doc"}
    return member("professional", **values | others)  # type: ignore[arg-type]


def _henchman(**others: object) -> Member:
    values: dict[str, object] = {"points": HENCHMAN, "name": "Hank"}
    return member("henchman", **values | others)  # type: ignore[arg-type]


def _gang(
    book: Book,
    leader: Member | None = None,
    *,
    professionals: int = 2,
    henchmen: int = 2,
    settings: Settings | None = None,
    games: int = 0,
    extra: tuple[Member, ...] = (),
) -> Roster:
    """A legal gang of five at exactly its level of fame, unless arguments change it."""
    members = [
        leader or _leader(),
        *[_professional() for _ in range(professionals)],
        *[_henchman() for _ in range(henchmen)],
        *extra,
    ]
    gang = roster(book, *members, games=games)
    level = {"fame_level": max(250, cost(book, gang))}
    return gang.model_copy(update={"settings": gang.settings | level | (settings or {})})


def test_legal_gang_has_no_findings(book: Book) -> None:
    assert codes(book, _gang(book)) == []


@pytest.mark.parametrize(("leaders", "said"), [(0, True), (1, False), (2, True)])
def test_gang_has_one_leader(book: Book, leaders: int, said: bool) -> None:
    members = [_leader() for _ in range(leaders)] + [_henchman() for _ in range(6)]
    assert ("one_leader error" in codes(book, roster(book, *members))) == said


def test_gang_has_one_leader_in_a_campaign(book: Book) -> None:
    gang = roster(book, *[_henchman() for _ in range(5)], games=1)
    assert "one_leader error" in codes(book, gang)


@pytest.mark.parametrize(
    ("henchmen", "games", "said"),
    [(3, 0, "min_size error"), (3, 4, "min_size warning"), (4, 0, ""), (40, 0, "")],
)
def test_gang_has_at_least_five_members(book: Book, henchmen: int, games: int, said: str) -> None:
    found = codes(book, _gang(book, professionals=0, henchmen=henchmen, games=games))
    assert [code for code in found if code.startswith("min_size")] == ([said] if said else [])


@pytest.mark.parametrize(
    ("professionals", "henchmen", "needed"),
    [
        (2, 2, None),
        (3, 1, 2),
        (3, 2, 3),
        (2, 3, None),
        (4, 3, 4),
        (4, 4, None),
        (0, 4, None),
        (4, 0, 2),
    ],
)
def test_half_the_members_are_henchmen_rounded_up(
    book: Book, professionals: int, henchmen: int, needed: int | None
) -> None:
    gang = _gang(book, professionals=professionals, henchmen=henchmen)
    if needed is None:
        assert codes(book, gang) == []
    else:
        finding = only(book, gang, "half_henchmen")
        assert finding.severity == "error"
        assert finding.values["needed"] == needed
        assert f"{needed} of {professionals + henchmen}" in finding.translated("en")


def test_too_few_henchmen_are_a_warning_once_the_gang_has_played(book: Book) -> None:
    assert codes(book, _gang(book, professionals=3, henchmen=1, games=1)) == [
        "half_henchmen warning"
    ]


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (_leader(profession=None), True),
        (_professional(profession=None), True),
        (_henchman(profession="doctor", points=_spread(2, 1, 2, 1, 2, 2)), True),
        (_henchman(), False),
    ],
    ids=["leader without", "professional without", "henchman with", "henchman without"],
)
def test_members_have_a_profession_of_their_rank(book: Book, one: Member, said: bool) -> None:
    gang = roster(book, one)
    assert ("profession error" in codes(book, gang)) == said
    if said:
        assert only(book, gang, "profession").members == (1,)


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (_spread(5, 1, 1, 1, 1, 1), False),
        (_spread(6, 1, 1, 1, 1, 0), True),
        (_spread(-1, 3, 2, 2, 2, 2), True),
        (_spread(0, 2, 2, 2, 2, 2), False),
    ],
    ids=["six", "seven", "zero", "one"],
)
def test_attributes_go_from_one_to_six(book: Book, points: dict[str, int], said: bool) -> None:
    gang = roster(book, _henchman(points=points))
    assert ("attr_range error" in codes(book, gang)) == said


def test_bonus_may_not_raise_an_attribute_above_six(book: Book) -> None:
    """Five points and the doctor's own make an intelligence of 7."""
    gang = roster(book, _professional(points=_spread(2, 2, 2, 5, 2, 2)))
    finding = only(book, gang, "attr_range")
    assert (finding.values["value"], finding.values["maximum"]) == (7, 6)
    assert finding.translated("fr") == "Doc\u00a0: Intelligence vaut 7, mais va de 1 à 6."


def test_attribute_lowered_by_an_injury_is_not_an_error(book: Book) -> None:
    gang = roster(book, _henchman(points=_spread(0, 2, 2, 2, 2, 2), conditions=["weak_str"]))
    assert "attr_range error" not in codes(book, gang)


@pytest.mark.parametrize(
    ("change", "experience", "said"),
    [
        (0, 0, None),
        (1, 0, "error"),
        (-1, 0, "warning"),
        (1, 5, None),
        (2, 5, "error"),
        (0, 5, "warning"),
        (0, 4, None),
    ],
)
@pytest.mark.parametrize("make", [_leader, _professional, _henchman])
def test_members_spend_their_attribute_points(
    book: Book, make: Callable[[], Member], change: int, experience: int, said: str | None
) -> None:
    one = make()
    points = one.points | {"qui": one.points["qui"] + change}
    gang = roster(book, one.model_copy(update={"points": points, "experience": experience}))
    found = [finding.severity for finding in findings(book, gang) if finding.code == "attr_points"]
    assert found == ([said] if said else [])


def test_a_promoted_leader_has_no_new_points(book: Book) -> None:
    promoted = _leader(worth_rank="professional", points=PROFESSIONAL)
    assert not [code for code in codes(book, roster(book, promoted)) if "attr_points" in code]


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (["knife"] * 3, False),
        (["knife"] * 4, True),
        (["remington_army"] * 2 + ["knife"], False),
        (["remington_army"] * 2 + ["knife"] * 2, True),
        (["knife"] * 3 + ["mule", "fists"], False),
        (["winchester", "miners_pick", "dynamite"], False),
        (["winchester", "miners_pick", "dynamite", "bowie_knife"], True),
    ],
)
def test_strength_limits_the_number_of_weapons(book: Book, items: list[str], said: bool) -> None:
    """Strength 3 allows three weapons of any size; horse and fists do not count."""
    gang = roster(book, _henchman(items=items))
    assert ("weapon_slots error" in codes(book, gang)) == said


def test_example_with_three_weapons_needs_strength_three(book: Book) -> None:
    items = ["bowie_knife", "remington_army", "winchester"]
    for strength, said in ((1, True), (2, False)):
        gang = roster(book, _leader(points={"str": strength}, items=items))
        assert ("weapon_slots error" in codes(book, gang)) == said
        assert cost(book, gang) == 112


def test_weakened_member_carries_the_same_weapons(book: Book) -> None:
    gang = roster(book, _henchman(items=["knife"] * 3, conditions=["weak_str"]))
    assert "weapon_slots error" not in codes(book, gang)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (_henchman(items=["navy_revolver"]), False),
        (_henchman(items=["remington_army"]), True),
        (_henchman(items=["bowie_knife"]), False),
        (_henchman(items=["tomahawk"]), True),
        (_professional(profession="bounty_hunter", items=["schofield"]), False),
        (_professional(profession="bounty_hunter", items=["colt_pistol"]), True),
        (_henchman(items=["war_horse", "fists"]), False),
        (_henchman(items=["navy_revolver"], conditions=["weak_rc"]), True),
    ],
)
def test_weapon_above_the_members_level_is_a_warning(book: Book, one: Member, said: bool) -> None:
    """Henchman: RC 3 and MC 3; bounty hunter: RC 4, and a level more."""
    assert ("weapon_level warning" in codes(book, roster(book, one))) == said


def test_two_pistols_that_are_too_hard_are_reported_once(book: Book) -> None:
    gang = roster(book, _henchman(items=["colt_pistol", "colt_pistol"]))
    finding = only(book, gang, "weapon_level")
    assert (finding.values["level"], finding.values["value"]) == (6, 3)
    assert [finding.translated(one).rpartition(" ")[2] for one in ("en", "fr")] == ["+3.", "+3."]
    assert finding.members == (1,)


def test_missing_name_is_a_warning(book: Book) -> None:
    gang = _gang(book, _leader(name=""))
    assert codes(book, gang) == ["names warning"]
    assert only(book, gang, "names").translated("fr") == "Chef de bande\u00a0: pas encore de nom."


@pytest.mark.parametrize(("horses", "said"), [(0, False), (1, False), (2, True)])
def test_member_has_one_horse(book: Book, horses: int, said: bool) -> None:
    gang = roster(book, _henchman(items=["mule", "war_horse"][:horses]))
    assert ("group error" in codes(book, gang)) == said


def test_every_member_may_have_a_horse(book: Book) -> None:
    riders = [one.model_copy() for one in (_leader(items=["mule"]), _henchman(items=["mule"]))]
    assert "group error" not in codes(book, roster(book, *riders))


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (350, []),
        (349, ["1 above the usual fame"]),
        (351, ["1 gold unspent (most gangs spend 351): what is not spent is lost"]),
    ],
)
def test_the_level_of_fame_is_a_note(book: Book, level: int, said: list[str]) -> None:
    """Leader, two professionals and two henchmen are worth 350 unarmed."""
    gang = _gang(book, settings={"fame_level": level})
    assert ComputedGang.of(book, gang).price == 350
    assert codes(book, gang) == ["fame_target note"] * len(said)
    for words in said:
        assert words in only(book, gang, "fame_target").translated("en")


def test_the_level_of_fame_is_for_new_gangs(book: Book) -> None:
    assert codes(book, _gang(book, settings={"fame_level": 250}, games=1)) == []


@pytest.mark.parametrize(("spent", "said"), [(10, False), (11, True)])
def test_treasury_below_zero_is_an_error(book: Book, spent: int, said: bool) -> None:
    gang = roster(book, _leader(), games=1, earned=10, spent=spent)
    assert ("treasury error" in codes(book, gang)) == said


def test_profession_excluded_by_options_is_a_finding(book: Book) -> None:
    """Nothing of this game depends on options, so the check is made on a book where it does."""
    doctor = book.profession["doctor"].model_copy(update={"when": {"injuries": ("yes",)}})
    others = tuple(row for row in book.professions if row.key != "doctor")
    strict = Book.model_validate(
        book.model_copy(update={"professions": (*others, doctor)}).model_dump()
    )
    for injuries, said in (("yes", False), ("no", True)):
        gang = roster(strict, _professional(), settings={"injuries": injuries})
        assert ("unavailable error" in codes(strict, gang)) == said


def test_errors_come_first(book: Book) -> None:
    gang = roster(book, _leader(name="", profession=None, items=["colt_pistol"]))
    severities = [finding.severity for finding in findings(book, gang)]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert len(set(severities)) == 3


@pytest.mark.parametrize(("reading", "values"), [("first_only", (4, 3)), ("each", (4, 4))])
def test_a_leader_uses_up_the_bonus_of_their_profession(
    book: Book, reading: str, values: tuple[int, int]
) -> None:
    """Even if a professional of the same calling was entered before them."""
    late = roster(
        book,
        _professional(profession="gambler", points={"qui": 2}),
        _leader(points={"qui": 2}),
        settings={"profession_bonus": reading},
    )
    profiles = ComputedGang.of(book, late).profiles
    assert (profiles[2].number("qui"), profiles[1].number("qui")) == values


def test_every_code_of_the_sheet_is_checked(book: Book) -> None:
    assert {limit.code for limit in book.limits} == {
        "one_leader",
        "min_size",
        "half_henchmen",
        "profession",
        "attr_range",
        "attr_points",
        "weapon_slots",
        "weapon_level",
        "group",
        "names",
        "unavailable",
        "fame_target",
        "treasury",
    }
