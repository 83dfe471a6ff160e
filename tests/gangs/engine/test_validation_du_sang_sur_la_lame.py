"""Every validation row of Du sang sur la lame: a band that breaks it, and a band that keeps it."""

import pytest

from gangs.engine.roster import Member, Roster
from rules.book.model import Book
from rules.book.vocabulary import Settings
from tests.gangs.rosters import codes, cost, member, only, ready_made, roster
from tests.world.gangs import shipped

RANKS = {"L": "leader", "S": "second", "H": "henchman", "E": "elite", "T": "trained", "G": "green"}
MORE: Settings = {"players": "more"}
UNITS: Settings = {"figures": "units"}
MIXED: Settings = {"figures": "mixed"}


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("du-sang-sur-la-lame")


def _band(
    book: Book, shape: str, settings: Settings | None = None, games: int = 0, *extra: Member
) -> Roster:
    """A band by the letters of its ranks."""
    members = [member(RANKS[letter]) for letter in shape]
    return roster(book, *members, *extra, settings=settings, games=games)


def _said(book: Book, gang: Roster, code: str) -> list[str]:
    return [found for found in codes(book, gang) if found.startswith(code)]


def test_pirates_of_the_rules_have_no_findings(book: Book) -> None:
    """Five figures for 12 Po; ranged 2 of 2, reach 1 of 2."""
    gang = ready_made(book, book.samples[0])
    assert cost(book, gang) == 12
    assert codes(book, gang) == []


def test_band_may_spend_everything_without_a_trait(book: Book) -> None:
    assert codes(book, _band(book, "LSSHHHH")) == []


@pytest.mark.parametrize(
    ("shape", "settings", "games", "said"),
    [
        ("SHHH", {}, 0, ["DS-E01 error"]),
        ("SHHH", {}, 3, ["DS-E01 warning"]),
        ("LSH", {}, 0, []),
        ("LLSH", {}, 0, ["DS-E01 error"]),
        ("LLSH", {}, 3, ["DS-E01 error"]),
        ("TGG", UNITS, 0, ["DS-E01 error"]),
        ("ETG", UNITS, 0, []),
        ("LSG", MIXED, 0, []),
        ("SHH", MORE, 0, []),
    ],
)
def test_band_has_one_leader(
    book: Book, shape: str, settings: Settings, games: int, said: list[str]
) -> None:
    assert _said(book, _band(book, shape, settings, games), "DS-E01") == said


@pytest.mark.parametrize(
    ("shape", "settings", "games", "said"),
    [
        ("LHHH", {}, 0, ["DS-E02 error"]),
        ("LHHH", {}, 1, ["DS-E02 warning"]),
        ("LSHH", {}, 0, []),
        ("LSSH", {}, 0, []),
        ("LSSSH", {}, 0, ["DS-E02 error"]),
        ("LSSSH", {}, 1, ["DS-E02 error"]),
        ("EGG", UNITS, 0, ["DS-E02 error"]),
        ("EGG", UNITS, 1, ["DS-E02 warning"]),
        ("ETTG", UNITS, 0, []),
        ("HHH", MORE, 0, []),
    ],
)
def test_band_has_one_or_two_seconds(
    book: Book, shape: str, settings: Settings, games: int, said: list[str]
) -> None:
    assert _said(book, _band(book, shape, settings, games), "DS-E02") == said


@pytest.mark.parametrize(
    ("shape", "settings", "said"),
    [
        ("LSS", {}, True),
        ("LSH", {}, False),
        ("ETT", UNITS, True),
        ("ETG", UNITS, False),
        ("LSG", MIXED, False),
        ("LSS", MIXED, True),
        ("S", MORE, True),
    ],
)
def test_band_has_a_henchman(book: Book, shape: str, settings: Settings, said: bool) -> None:
    assert bool(_said(book, _band(book, shape, settings), "DS-E03")) == said


@pytest.mark.parametrize(
    ("shape", "games", "said"),
    [
        ("LS", 0, ["DS-E04 error"]),
        ("LS", 1, ["DS-E04 warning"]),
        ("LSH", 0, []),
        ("LSHHHHH", 0, []),
        ("LSHHHHHH", 0, ["DS-E04 error"]),
        ("LSHHHHHH", 1, ["DS-E04 error"]),
    ],
)
def test_band_has_three_to_seven_figures(
    book: Book, shape: str, games: int, said: list[str]
) -> None:
    assert _said(book, _band(book, shape, None, games), "DS-E04") == said


def test_eight_figures_are_too_many_for_12_po(book: Book) -> None:
    gang = _band(book, "LSHHHHHH")
    assert cost(book, gang) == 12
    assert codes(book, gang) == ["DS-E04 error"]


@pytest.mark.parametrize(
    ("shape", "settings", "said"),
    [
        ("LSSHHHH", {}, False),
        ("LSSHHHHH", {}, True),
        ("SHHHH", MORE, False),
        ("SHHHHH", MORE, True),
    ],
)
def test_new_band_keeps_to_its_purse(
    book: Book, shape: str, settings: Settings, said: bool
) -> None:
    found = _said(book, _band(book, shape, settings), "DS-E05")
    assert found == (["DS-E05 error"] if said else [])


def test_traits_are_paid_from_the_purse(book: Book) -> None:
    dear = [
        member("leader", traits=["lucky", "runner"]),
        member("second", traits=["lucky"]),
        member("second", traits=["lucky"]),
        member("henchman"),
    ]
    finding = only(book, roster(book, *dear), "DS-E05")
    assert (finding.values["amount"], finding.values["budget"]) == (1, 12)


def test_purse_limits_only_new_bands(book: Book) -> None:
    assert not _said(book, _band(book, "LSSHHHHH", None, 1), "DS-E05")


@pytest.mark.parametrize(
    ("rank", "most"), [("leader", 2), ("second", 1), ("henchman", 0), ("elite", 2), ("green", 0)]
)
def test_rank_limits_traits(book: Book, rank: str, most: int) -> None:
    traits = ["lucky", "runner", "strong"]
    for count in range(4):
        gang = roster(book, member(rank, traits=traits[:count]))
        assert bool(_said(book, gang, "DS-E06 error")) == (count > most)


@pytest.mark.parametrize(
    ("traits", "said"), [(["lucky", "lucky"], True), (["lucky", "runner"], False), ([], False)]
)
def test_member_has_a_trait_only_once(book: Book, traits: list[str], said: bool) -> None:
    gang = roster(book, member("leader", name="Zoé", traits=traits))
    assert bool(_said(book, gang, "DS-E07 error")) == said
    if said:
        assert (
            only(book, gang, "DS-E07").translated("fr") == "Zoé a Chance de cocu plus d’une fois."
        )


@pytest.mark.parametrize(
    ("shape", "settings", "count"),
    [
        ("SHH", MORE, 0),
        ("SHHHH", MORE, 0),
        ("LSH", MORE, 1),
        ("HHH", MORE, 1),
        ("SSH", MORE, 1),
        ("LHH", MORE, 2),
        ("TGG", UNITS | MORE, 0),
        ("ETG", UNITS | MORE, 1),
        ("LSH", {}, 0),
        ("HHH", {}, 0),
    ],
)
def test_game_for_more_than_two_players_limits_ranks(
    book: Book, shape: str, settings: Settings, count: int
) -> None:
    assert _said(book, _band(book, shape, settings), "DS-E08") == ["DS-E08 error"] * count


@pytest.mark.parametrize(
    ("shape", "settings", "code", "said"),
    [
        ("LSS", {}, "DS-E03", ["DS-E03 warning"]),
        ("LSS", MIXED, "DS-E03", ["DS-E03 warning"]),
        ("HHH", MORE, "DS-E08", ["DS-E08 warning"]),
        ("SSHH", MORE, "DS-E08", ["DS-E08 error"]),
    ],
)
def test_shortage_is_a_warning_and_excess_an_error_after_a_game(
    book: Book, shape: str, settings: Settings, code: str, said: list[str]
) -> None:
    assert _said(book, _band(book, shape, settings, 1), code) == said


@pytest.mark.parametrize(
    ("shape", "settings", "count"),
    [
        ("LSH", {}, 0),
        ("LSG", {}, 1),
        ("ETG", {}, 3),
        ("LSH", UNITS, 3),
        ("LSH", MIXED, 1),
        ("LSG", MIXED, 0),
    ],
)
def test_rows_excluded_by_options_are_errors(
    book: Book, shape: str, settings: Settings, count: int
) -> None:
    assert len(_said(book, _band(book, shape, settings), "DS-E09 error")) == count


@pytest.mark.parametrize(("spent", "said"), [(4, False), (5, True)])
def test_treasury_below_zero_is_an_error(book: Book, spent: int, said: bool) -> None:
    gang = roster(book, member("leader"), games=1, earned=4, spent=spent)
    assert bool(_said(book, gang, "DS-E10 error")) == said


@pytest.mark.parametrize(
    ("size", "armed", "said"),
    [
        (3, 1, False),
        (3, 2, True),
        (4, 1, False),
        (4, 2, True),
        (5, 2, False),
        (5, 3, True),
        (7, 2, False),
        (7, 3, True),
        (8, 3, True),
    ],
)
@pytest.mark.parametrize("weapon", ["pistol", "knife", "spear", "crossbow"])
def test_too_many_ranged_figures_are_a_warning(
    book: Book, size: int, armed: int, said: bool, weapon: str
) -> None:
    """Thrown weapons count; two weapons on one figure count once."""
    members = [
        member("henchman", items=[weapon, "stone"] if number < armed else ["sword"])
        for number in range(size)
    ]
    gang = roster(book, *members)
    assert bool(_said(book, gang, "DS-W01 warning")) == said
    if said:
        assert only(book, gang, "DS-W01").members == tuple(range(1, armed + 1))


@pytest.mark.parametrize("size", [3, 5, 7])
@pytest.mark.parametrize(("armed", "said"), [(0, False), (2, False), (3, True)])
@pytest.mark.parametrize("weapon", ["axe", "halberd", "spear"])
def test_too_many_figures_with_reach_are_a_warning(
    book: Book, size: int, armed: int, said: bool, weapon: str
) -> None:
    members = [
        member("henchman", items=[weapon] if number < armed else []) for number in range(size)
    ]
    assert bool(_said(book, roster(book, *members), "DS-W02 warning")) == said


@pytest.mark.parametrize(
    ("shape", "settings", "left"), [("LSH", {}, 5), ("LSSHHHH", {}, 0), ("SHH", MORE, 2)]
)
def test_unspent_money_is_a_warning(book: Book, shape: str, settings: Settings, left: int) -> None:
    gang = _band(book, shape, settings)
    assert _said(book, gang, "DS-W03") == (["DS-W03 warning"] if left else [])
    if left:
        assert only(book, gang, "DS-W03").values["amount"] == left


@pytest.mark.parametrize("trait", ["cohesion", "inspire"])
@pytest.mark.parametrize(
    ("rank", "settings", "said"),
    [
        ("leader", {}, False),
        ("second", {}, True),
        ("elite", UNITS, False),
        ("trained", UNITS, True),
        ("second", MORE, False),
        ("trained", UNITS | MORE, False),
        ("henchman", MORE, True),
    ],
)
def test_command_traits_require_command(
    book: Book, trait: str, rank: str, settings: Settings, said: bool
) -> None:
    gang = roster(book, member(rank, traits=[trait]), settings=settings)
    assert _said(book, gang, "DS-W04") == (["DS-W04 warning"] if said else [])


def test_other_traits_do_not_require_command(book: Book) -> None:
    gang = roster(book, member("second", traits=["lucky"]))
    assert not _said(book, gang, "DS-W04")


def test_every_code_of_the_sheet_is_checked(book: Book) -> None:
    errors = {f"DS-E{number:02}" for number in range(1, 11)}
    warnings = {f"DS-W{number:02}" for number in range(1, 5)}
    assert {limit.code for limit in book.limits} == errors | warnings
