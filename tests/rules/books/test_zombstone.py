"""Profiles, dice tables and the Season of Zombstone, case by case."""

from fractions import Fraction

import pytest
from django.utils import translation

from rules.book.fates import Dies, Learns, Leaves, LosesItem, Suffers, TableRow
from rules.book.model import Book
from rules.book.reference import Reference
from rules.book.schema import TrackCharacteristic
from rules.book.season import FatesStep
from rules.book.vocabulary import HOUSE, Settings, Text, applies
from rules.engine.costing import price
from rules.engine.dice import look_up, parse_roll, row_chance
from rules.engine.figure import Figure, Raise
from rules.engine.profiles import profile
from rules.reference_pages.play import reference_piece
from rules.reference_pages.words import BookWording
from tests.world.gangs import shipped

STARS = {"vedette", "second_role"}
ADVANCES = [
    "talent",
    "dur_a_cuire",
    "inspire",
    "carcasse",
    "nerfs_solides",
    "gueule_patibulaire",
]
COMBINATIONS = ["Rien", "Paire", "2 Paires", "Brelan", "Full", "Carré", "Poker"]


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("zombstone")


def _figure(rank: str, *traits: str, base_rank: str = "", **others: object) -> Figure:
    """Return a member of ``rank`` with these advances, in their order."""
    return Figure(
        rank=rank,
        worth_rank=rank,
        base_rank=base_rank or rank,
        traits=traits,
        **others,  # type: ignore[arg-type]
    )


def _line(book: Book, figure: Figure) -> tuple[str, ...]:
    """Return a member's characteristics, as their card shows them."""
    scores = profile(book.usual, figure).scores
    return tuple(str(scores[key].value) for key in ("pot", "hand", "move", "barrel"))


def _read(text: str | Text) -> str:
    return text if isinstance(text, str) else text["fr"]


def _table(book: Book, key: str) -> Reference:
    (row,) = [row for row in book.references if row.key == key]
    return row


def _cells(row: Reference) -> dict[str, dict[str, str]]:
    """Return a reference table in French: line, column, cell."""
    columns = [column["fr"] for column in row.columns]
    return {
        line.name["fr"]: dict(zip(columns, map(_read, line.cells), strict=True))
        for line in row.lines
    }


# Statuses, roles and weapons


@pytest.mark.parametrize(
    ("rank", "line"),
    [
        ("vedette", ("3/2", "2", "4", "WWWRRR")),
        ("second_role", ("2/1", "1", "4", "WWWRR")),
        ("figurant", ("1/0", "0", "4", "WWR")),
        ("zombie", ("1/0", "0", "4", "WW")),
    ],
)
def test_each_type_has_its_profile(book: Book, rank: str, line: tuple[str, ...]) -> None:
    assert _line(book, _figure(rank)) == line


def test_statuses_are_listed_from_the_highest_down(book: Book) -> None:
    assert [rank.key for rank in book.ranks] == ["vedette", "second_role", "figurant", "zombie"]
    assert {rank.key for rank in book.ranks if rank.profession == "required"} == STARS
    assert [rank.key for rank in book.ranks if not rank.recruited] == ["zombie"]
    assert [rank.key for rank in book.ranks if rank.squad] == ["figurant"]
    squad = book.rank["figurant"].squad
    assert squad is not None
    assert (squad.minimum, squad.maximum) == (2, 4)


def test_extras_zombies_and_barrels_are_house_values(book: Book) -> None:
    """No source gives the lengths of barrels, nor the values of extras and zombies."""
    assert [row.key for row in book.ranks if row.is_house] == ["figurant", "zombie"]
    assert all(book.cites_house(rank) for rank in book.ranks)


def test_the_barrel_is_a_track_with_red_cartridges(book: Book) -> None:
    assert book.life == "barrel"
    barrel = book.characteristic["barrel"]
    assert isinstance(barrel, TrackCharacteristic)
    assert [(box.letter, box.marked) for box in barrel.boxes] == [("W", False), ("R", True)]


def test_the_game_has_no_rating_and_no_prices(book: Book) -> None:
    assert (book.rating, book.money, book.budgets, book.adjustments) == (None, None, (), ())
    assert not book.usual.pays
    for rank in book.ranks:
        items = tuple(item.key for item in book.items)
        assert price(book.usual, _figure(rank.key, *ADVANCES, items=items)).total == 0
    assert not any(promotion.price for promotion in book.campaign.promotions)


@pytest.mark.parametrize(
    ("rank", "published", "house"),
    [
        ("vedette", ["heros", "antiheros", "grand_mechant", "jeune_premier"], []),
        (
            "second_role",
            ["old_chap"],
            ["tireur_elite", "brute", "toubib", "croque_mort", "autre_role"],
        ),
    ],
)
def test_each_status_has_its_roles(
    book: Book, rank: str, published: list[str], house: list[str]
) -> None:
    roles = [row for row in book.professions if rank in row.ranks]
    assert [row.key for row in roles if not row.is_house] == published
    assert [row.key for row in roles if row.is_house] == house
    assert all(row.ranks == (rank,) for row in roles)
    assert not any(row.effects for row in roles)


WEAPONS = [
    ("colt", "firearm", "0", '12"'),
    ("colt_lourd", "firearm", "+1", '12"'),
    ("winchester", "firearm", "+1", '24"'),
    ("fusil_chasse", "firearm", "+2", '8"'),
    ("poing", "melee", "-1", None),
    ("arme_improvisee", "melee", "0", None),
    ("sabre", "melee", "+1", None),
    ("hache", "melee", "+1", None),
    ("lance", "melee", "+2", None),
]


def test_there_are_nine_weapons(book: Book) -> None:
    assert [item.key for item in book.items] == [key for key, *_ in WEAPONS]
    assert [item.key for item in book.items if item.innate] == ["poing"]
    assert {group.most_per_member for group in book.groups} == {1}


@pytest.mark.parametrize(("key", "group", "damage", "reach"), WEAPONS)
def test_every_weapon_has_its_group_damage_and_range(
    book: Book, key: str, group: str, damage: str, reach: str | None
) -> None:
    item = book.item[key]
    assert (item.group, item.columns["damage"], item.columns.get("range")) == (group, damage, reach)
    assert ("range" in item.house) == (reach is not None), "every range is a house value"
    assert ("damage" in item.house) == (key == "colt"), "the rules only imply the Colt’s 0"


def test_ranges_are_off_unless_agreed(book: Book) -> None:
    settings = book.default_settings()
    assert settings["ranges"] == "none"
    assert "ranges" not in _read_under(book, settings)
    assert "ranges" in _read_under(book, settings | {"ranges": "house"})
    ranges = {line.name["en"]: line.cells[0] for line in _table(book, "ranges").lines}
    firearms = [item for item in book.items if item.group == "firearm"]
    assert ranges == {item.name["en"]: item.columns["range"] for item in firearms}


# Reference tables


def test_combinations_are_listed_from_the_lowest_up(book: Book) -> None:
    rows = _cells(_table(book, "combinations"))
    assert list(rows) == COMBINATIONS
    assert [row["Rang"] for row in rows.values()] == [str(rank) for rank in range(7)]
    for name, row in rows.items():
        faces = row["Par exemple"].split("-")
        assert _combination(faces) == COMBINATIONS.index(name)


def _combination(faces: list[str]) -> int:
    """Return the rank of five faces, by how often each one shows; a straight has no rank."""
    shapes = ["11111", "2111", "221", "311", "32", "41", "5"]
    counts = sorted((faces.count(face) for face in set(faces)), reverse=True)
    return shapes.index("".join(map(str, counts)))


def test_a_straight_does_not_count_as_a_combination(book: Book) -> None:
    assert _cells(_table(book, "combinations"))["Rien"]["Par exemple"] == "9-10-V-D-R"


@pytest.mark.parametrize("loser", range(7))
@pytest.mark.parametrize("winner", range(1, 7))
def test_the_conflict_table_follows_its_formula(book: Book, loser: int, winner: int) -> None:
    cell = _cells(_table(book, "conflicts"))[COMBINATIONS[loser]][COMBINATIONS[winner]]
    assert cell == (str(winner - loser + 1) if winner >= loser else "–")


def test_the_conflict_table_has_all_27_cells(book: Book) -> None:
    rows = _cells(_table(book, "conflicts"))
    assert list(rows) == COMBINATIONS
    assert all(list(row) == COMBINATIONS[1:] for row in rows.values())
    assert sum(cell != "–" for row in rows.values() for cell in row.values()) == 27


@pytest.mark.parametrize(
    ("winner", "loser", "weapon", "damage"),
    [
        ("Full", "2 Paires", "colt", 3),
        ("Full", "2 Paires", "winchester", 4),
        ("Full", "2 Paires", "fusil_chasse", 5),
        ("Poker", "Rien", "colt", 7),
        ("Paire", "Paire", "colt", 1),
        ("Poker", "Poker", "colt", 1),
        ("Paire", "Paire", "poing", 0),
    ],
)
def test_the_conflict_table_gives_the_damage_of_each_example(
    book: Book, winner: str, loser: str, weapon: str, damage: int
) -> None:
    cell = int(_cells(_table(book, "conflicts"))[loser][winner])
    assert max(0, cell + int(str(book.item[weapon].columns["damage"]))) == damage


@pytest.mark.parametrize(
    ("potential", "first", "again"),
    [
        (-4, 1, 0),
        (-3, 2, 0),
        (-2, 3, 0),
        (-1, 4, 0),
        (0, 5, 0),
        (1, 5, 1),
        (2, 5, 2),
        (3, 5, 3),
        (4, 5, 4),
    ],
)
def test_each_potential_has_its_first_roll_and_re_rolls(
    book: Book, potential: int, first: int, again: int
) -> None:
    """Pot 3 with malus 2: 1 re-roll. Pot 3/2 returning fire: 1. A Wounded 2/1: -1, so 4 dice."""
    cells = _cells(_table(book, "dice_once"))[str(potential)]
    assert cells == {"Premier jet": str(first), "Relancés": str(again)}
    assert first == max(1, 5 + min(0, potential))
    assert again == max(0, potential)


def _drawn(book: Book, key: str) -> dict[str, list[str]]:
    """Return a table that is drawn from modifiers, as its French page shows it: line, cells."""
    with translation.override("fr"):
        grid = reference_piece(BookWording(book, "fr"), _table(book, key)).grid
        assert grid is not None
        return {line.name: [cell.text for cell in line.cells] for line in grid.lines}


def test_the_cover_table_shows_its_modifiers(book: Book) -> None:
    """A dodge: light to the shooter, heavy to the target. Return fire: heavy counts as light."""
    assert _drawn(book, "cover") == {
        "Riposte\u00a0: la cible": ["-2"],
        "Esquive\u00a0: couvert léger, au tireur": ["-1 chacun"],
        "Esquive\u00a0: couvert lourd, à la cible": ["+1 chacun"],
        "Riposte\u00a0: couvert léger ou lourd, au tireur": ["-1 chacun"],
        "Riposte\u00a0: couvert léger ou lourd, à la cible": ["-1 chacun"],
    }
    text = _table(book, "cover").text
    assert text is not None
    assert 'less than 1" from a shooter does not count against them' in text["en"]
    assert 'moins de 1"' in text["fr"]


def test_the_cover_example_adds_up(book: Book) -> None:
    """An obstacle within an inch of a shooter does not count against them.

    -2 for returning fire, then the light obstacle beside the first shooter and the heavy one in
    the middle.
    """
    rows = _table(book, "cover_example").lines
    assert [line.cells for line in rows] == [("0", "+1"), ("-1", "-4"), ("-1", "-3")]


def test_the_reaction_table_has_dodge_and_return_fire(book: Book) -> None:
    rows = _cells(_table(book, "reactions"))
    assert list(rows) == ["Esquive", "Riposte"]
    assert rows["Riposte"]["Jets"] == "Les deux jettent, la cible avec un malus."
    assert '2"' in rows["Esquive"]["Résultat"]


def test_the_turn_has_three_steps(book: Book) -> None:
    turn = _table(book, "turn")
    assert turn.numbered
    assert [line.name["en"].split()[0] for line in turn.lines] == [
        "Upkeep:",
        "Initiative:",
        "Activations",
    ]
    assert "to 5 cards, or to 3 once the gang has lost all its stars" in turn.lines[0].name["en"]


def test_the_guts_table_says_which_figures_test(book: Book) -> None:
    who = _table(book, "guts_who")
    assert who.text is not None
    assert "two pairs" in who.text["en"]
    assert [_read(line.cells[0]) for line in who.lines] == [
        "toutes les figurines de cette bande",
        "cette figurine",
        "cette figurine",
    ]
    failed = [line.name["en"] for line in _table(book, "guts_failed").lines]
    assert '6"' in failed[0]
    assert "lost" in failed[2]
    assert "removed" in failed[3]


def test_every_chapter_has_a_reference(book: Book) -> None:
    chapters = {row.chapter for row in book.references}
    assert chapters == {
        "setup",
        "turn",
        "actions",
        "shooting",
        "fighting",
        "wounds",
        "morale",
        "other",
    }


@pytest.mark.parametrize("key", ["band", "band_apart"])
def test_the_band_tables_match_the_profiles(book: Book, key: str) -> None:
    tables = (_table(book, name) for name in (key, "extras"))
    rows = {line.name["en"]: line.cells for table in tables for line in table.lines}
    barrels = {line.name["en"]: line.cells for line in _table(book, "barrels").lines}
    for rank in book.ranks:
        pot, hand, _, barrel = _line(book, _figure(rank.key))
        assert rows[rank.name["en"]][1:] == (pot, hand)
        assert barrels[rank.name["en"]] == (barrel,)


def test_printed_numbers_are_not_marked_as_house_values(book: Book) -> None:
    """Potential and Hand of stars and supporting roles are printed; no barrel is."""
    assert {rank.key: rank.house for rank in book.ranks if not rank.is_house} == {
        "vedette": ("barrel",),
        "second_role": ("barrel",),
    }
    house = {row.key: row.is_house or row.house for row in book.references}
    assert (house["band"], house["band_apart"], house["conflicts"]) == ((), (), ())
    assert (house["extras"], house["barrels"], house["cover_example"]) == (True, True, True)
    assert house["cover"] == ("text",)
    limits = {row.code: row.source for row in book.limits}
    assert (limits["E_ROLE"], limits["E_UNFIT"]) == (HOUSE, HOUSE)
    assert not [row.key for row in book.references if "+" in row.source]


@pytest.mark.parametrize(
    ("ranges", "columns"), [("none", ["damage"]), ("house", ["damage", "range"])]
)
def test_ranges_are_shown_when_the_players_agreed_on_them(
    book: Book, ranges: str, columns: list[str]
) -> None:
    settings = book.default_settings() | {"ranges": ranges}
    shown = [one.key for one in book.group["firearm"].columns if applies(one.when, settings)]
    assert shown == columns


def _read_under(book: Book, settings: Settings) -> set[str]:
    return {row.key for row in book.under(settings).references}


@pytest.mark.parametrize(
    ("chosen", "shown", "hidden"),
    [
        (
            {},
            {"band", "dice_once", "melee_base"},
            {"band_apart", "dice_several", "melee_potential"},
        ),
        ({"jeune_premier": "apart"}, {"band_apart"}, {"band"}),
        ({"rerolls": "several"}, {"dice_several"}, {"dice_once"}),
        ({"unarmed": "potential"}, {"melee_potential"}, {"melee_base"}),
    ],
)
def test_the_options_decide_which_references_are_shown(
    book: Book, chosen: Settings, shown: set[str], hidden: set[str]
) -> None:
    there = _read_under(book, book.default_settings() | chosen)
    assert shown <= there
    assert not hidden & there


def test_the_glossary_has_two_languages(book: Book) -> None:
    words = {row.key: (row.name["en"], row.name["fr"]) for row in book.glossary}
    assert len(words) == 22
    assert words["guts"] == ("Guts test", "Jet de Tripes")
    assert words["out"][1] == "HS"


# The Season


def _outcomes(row: TableRow) -> list[str]:
    """Return the outcomes of a row, each in one word."""
    said = []
    for outcome in row.outcomes:
        match outcome:
            case Dies():
                said.append("dies")
            case Leaves():
                said.append(outcome.departure)
            case Suffers():
                said.append(outcome.condition)
            case LosesItem():
                said.append("all " if outcome.every else "")
                said[-1] += " ".join(outcome.groups)
            case Learns():
                said.append(f"+{outcome.amount}")
            case _:
                said.append(outcome.kind)
    return said


def _by_face(book: Book, table: str, face: str) -> list[str]:
    row = book.table[table]
    names = [(name["en"], name["fr"]) for name in row.faces]
    return _outcomes(look_up(row, parse_roll(row.dice, face, names)))


@pytest.mark.parametrize(
    ("english", "french", "star", "extra"),
    [
        ("9", "9", ["dies"], ["gone"]),
        ("10", "10", ["scar"], ["gone"]),
        ("J", "V", ["recovering"], []),
        ("Q", "D", ["all firearm melee"], []),
        ("K", "R", [], []),
        ("A", "A", ["+1"], []),
    ],
)
def test_each_face_gives_its_fate(
    book: Book, english: str, french: str, star: list[str], extra: list[str]
) -> None:
    for face in (english, french, french.lower()):
        assert _by_face(book, "star_fate", face) == star
        assert _by_face(book, "extra_fate", face) == extra


def test_fates_have_their_chances(book: Book) -> None:
    star, extra = book.table["star_fate"], book.table["extra_fate"]
    assert [row_chance(star, row) for row in star.rows] == [Fraction(1, 6)] * 6
    assert [row_chance(extra, row) for row in extra.rows] == [Fraction(1, 3), Fraction(2, 3)]


def test_each_mark_and_status_has_its_fate_table(book: Book) -> None:
    (step,) = [step for step in book.campaign.steps if isinstance(step, FatesStep)]
    found = {(fate.marks, fate.of.ranks): fate.table for fate in step.fates}
    assert found == {
        (("fled",), ()): None,
        (("hs",), ("figurant",)): "extra_fate",
        (("hs",), ("vedette", "second_role")): "star_fate",
    }
    assert [mark.key for mark in book.campaign.marks] == ["hs", "fled"]
    assert not any(mark.dies for mark in book.campaign.marks)


@pytest.mark.parametrize(
    ("rank", "scars", "potential"),
    [
        ("vedette", 1, "3/1"),
        ("vedette", 2, "3/0"),
        ("vedette", 3, "3/0"),
        ("second_role", 1, "2/0"),
        ("second_role", 2, "2/0"),
    ],
)
def test_a_scar_lowers_the_wounded_potential(
    book: Book, rank: str, scars: int, potential: str
) -> None:
    assert _line(book, _figure(rank, conditions=("scar",) * scars))[0] == potential
    assert (book.condition["scar"].games, book.condition["scar"].absent) == (0, False)


def test_a_recovering_member_misses_one_game(book: Book) -> None:
    laid_up = book.condition["recovering"]
    assert (laid_up.games, laid_up.absent) == (1, True)


@pytest.mark.parametrize(
    ("rank", "advance", "line"),
    [
        ("vedette", "talent", ("4/2", "2", "4", "WWWRRR")),
        ("second_role", "talent", ("3/1", "1", "4", "WWWRR")),
        ("vedette", "dur_a_cuire", ("3/3", "2", "4", "WWWRRR")),
        ("second_role", "dur_a_cuire", ("2/2", "1", "4", "WWWRR")),
        ("vedette", "inspire", ("3/2", "3", "4", "WWWRRR")),
        ("second_role", "inspire", ("2/1", "2", "4", "WWWRR")),
        ("vedette", "carcasse", ("3/2", "2", "4", "WWWWRRR")),
        ("second_role", "carcasse", ("2/1", "1", "4", "WWWWRR")),
        ("vedette", "nerfs_solides", ("3/2", "2", "4", "WWWRRR")),
        ("vedette", "gueule_patibulaire", ("3/2", "2", "4", "WWWRRR")),
    ],
)
def test_each_advance_changes_the_profile(
    book: Book, rank: str, advance: str, line: tuple[str, ...]
) -> None:
    assert _line(book, _figure(rank, advance)) == line


@pytest.mark.parametrize(("rank", "most"), [("vedette", ("4", "3")), ("second_role", ("3", "2"))])
def test_advances_stop_at_their_maximum(book: Book, rank: str, most: tuple[str, str]) -> None:
    """Even advances taken twice stop at the maximum."""
    potential, hand, *_ = _line(book, _figure(rank, "talent", "talent", "inspire", "inspire"))
    assert (potential.split("/")[0], hand) == most


def test_the_wounded_potential_never_exceeds_the_healthy_potential(book: Book) -> None:
    assert _line(book, _figure("vedette", "dur_a_cuire", "dur_a_cuire"))[0] == "3/3"
    assert _line(book, _figure("vedette", "talent", "dur_a_cuire"))[0] == "4/3"


def test_hard_as_nails_makes_up_for_a_scar(book: Book) -> None:
    assert _line(book, _figure("vedette", "dur_a_cuire", conditions=("scar",)))[0] == "3/2"


def test_each_advance_names_its_statuses(book: Book) -> None:
    assert [trait.key for trait in book.traits] == ADVANCES
    for trait in book.traits:
        assert set(trait.ranks) == ({"vedette"} if trait.key == "gueule_patibulaire" else STARS)
        assert (trait.sold, list(trait.tags)) == (False, ["advance"])


def test_every_five_glory_bring_an_advance(book: Book) -> None:
    advancement = book.campaign.advancement
    assert advancement is not None
    assert (advancement.experience, advancement.cycle) == (5, ("trait",))
    assert set(advancement.of.ranks) == STARS
    assert advancement.trait_tags == ("advance",)


def _promotions(book: Book, chosen: Settings) -> list[tuple[str, str | None, int, int]]:
    rows = book.under(book.default_settings() | chosen).promotions
    return [(row.start, row.to, row.experience, row.below) for row in rows]


@pytest.mark.parametrize(("young_lead", "stars"), [("among", 2), ("apart", 3)])
def test_promotions_cost_their_glory(book: Book, young_lead: str, stars: int) -> None:
    assert _promotions(book, {"jeune_premier": young_lead}) == [
        ("figurant", "second_role", 5, 5),
        ("second_role", "vedette", 20, stars),
    ]
    for row in book.campaign.promotions:
        assert (row.trigger, row.profile, row.required) == ("experience", "best", False)
        assert row.restarts == (row.start == "figurant")


def test_a_promoted_extra_has_the_profile_of_a_supporting_role(book: Book) -> None:
    risen = _figure("second_role", base_rank="figurant", raises=(Raise("second_role", 0),))
    assert _line(book, risen) == _line(book, _figure("second_role"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ((), (), ("3/2", "2", "4", "WWWRRR")),
        (("talent", "dur_a_cuire", "inspire"), (), ("3/2", "2", "4", "WWWRRR")),
        (("carcasse",), (), ("3/2", "2", "4", "WWWWRR")),
        (("nerfs_solides",), ("talent",), ("4/2", "2", "4", "WWWRRR")),
        ((), ("dur_a_cuire", "inspire"), ("3/3", "3", "4", "WWWRRR")),
        (("dur_a_cuire",), ("talent", "carcasse"), ("4/2", "2", "4", "WWWWRRR")),
    ],
)
def test_a_promoted_supporting_role_keeps_the_better_values(
    book: Book, before: tuple[str, ...], after: tuple[str, ...], line: tuple[str, ...]
) -> None:
    risen = _figure(
        "vedette",
        *before,
        *after,
        base_rank="second_role",
        raises=(Raise("vedette", len(before)),),
    )
    assert _line(book, risen) == line


def test_an_extra_promoted_twice_has_the_profile_of_a_star(book: Book) -> None:
    raises = (Raise("second_role", 0), Raise("vedette", 1))
    risen = _figure("vedette", "inspire", base_rank="figurant", raises=raises)
    assert _line(book, risen) == _line(book, _figure("vedette"))


def _glory(
    book: Book, rank: str, side: str, mark: str = "", tallies: dict[str, int] | None = None
) -> int:
    """Return the sum of the awards for one member."""
    total = 0
    for award in book.campaign.awards:
        earns = rank in award.of.ranks and mark not in award.not_marks
        if earns and (not award.sides or side in award.sides):
            times = (tallies or {}).get(award.each, 0) if award.each else 1
            total += award.amount * times
    return total


@pytest.mark.parametrize(
    ("rank", "side", "mark", "tallies", "glory"),
    [
        ("vedette", "loser", "", {}, 1),
        ("vedette", "winner", "", {}, 2),
        ("second_role", "winner", "", {"supporting_out": 1}, 3),
        ("second_role", "level", "", {"stars_out": 1}, 3),
        ("vedette", "winner", "hs", {"stars_out": 2, "supporting_out": 1, "extras_out": 5}, 7),
        ("vedette", "winner", "fled", {}, 1),
        ("vedette", "loser", "fled", {}, 0),
        ("figurant", "winner", "", {"stars_out": 2, "supporting_out": 2}, 1),
        ("figurant", "winner", "fled", {}, 0),
    ],
)
def test_a_game_awards_its_glory(
    book: Book, rank: str, side: str, mark: str, tallies: dict[str, int], glory: int
) -> None:
    assert _glory(book, rank, side, mark, tallies) == glory


def test_box_office_adds_up_from_results_and_tallies(book: Book) -> None:
    campaign = book.campaign
    assert {row.key: row.points for row in campaign.results} == {
        "win": (3, 0, 0),
        "draw": (0, 0, 1),
    }
    assert [row.kind for row in campaign.results] == ["decided", "level"]
    assert {row.key: row.points for row in campaign.tallies} == {
        "stars_out": 0,
        "supporting_out": 0,
        "extras_out": 0,
        "stars_fallen": 1,
    }
    *by_member, fallen = campaign.tallies
    assert all(row.takes_out and row.per == "member" for row in by_member)
    # A fallen star counts for the gang, regardless of the attacker.
    assert (fallen.key, fallen.per, fallen.takes_out) == ("stars_fallen", "gang", False)
    assert (fallen.of.ranks, fallen.marks) == (("vedette",), ("hs",))
    assert campaign.standings == ("points", "wins")
    assert campaign.points_name is not None


def test_one_star_and_one_supporting_role_join_between_games(book: Book) -> None:
    recruiting = book.campaign.recruiting
    assert recruiting is not None
    assert recruiting.cap is None
    quotas = {rank: quota.most for quota in recruiting.quotas for rank in quota.ranks}
    assert quotas == {"vedette": 1, "second_role": 1}


def test_the_post_game_follows_the_order_of_the_season(book: Book) -> None:
    assert [step.kind for step in book.campaign.steps] == [
        "fates",
        "experience",
        "advances",
        "promotions",
        "recruits",
    ]


def test_the_whole_season_is_a_house_proposal(book: Book) -> None:
    campaign = book.campaign
    rows = (
        *campaign.results,
        *campaign.marks,
        *campaign.tallies,
        *campaign.awards,
        *campaign.promotions,
        *campaign.departures,
        *campaign.steps,
        *book.conditions,
        *book.tables,
        *book.traits,
    )
    assert {row.source for row in rows} == {HOUSE}
