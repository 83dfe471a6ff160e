"""Every validation row of Zombstone: a band that breaks it, and a band that keeps it."""

import pytest

from gangs.engine import actions
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry, Learned, ProfessionChosen, Promoted, TraitTaken
from gangs.engine.roster import Member, Roster
from rules.book.model import Book
from rules.book.vocabulary import Settings
from tests.gangs.rosters import codes, member, only, roster
from tests.world.gangs import rostered, shipped

# V: a star; J: a young lead; S: a supporting role; F: an extra.
SHAPES = {
    "V": ("vedette", "heros"),
    "J": ("vedette", "jeune_premier"),
    "S": ("second_role", "old_chap"),
    "F": ("figurant", None),
}
# Stands for a member whose number is not known yet.
ANY = 1
APART: Settings = {"jeune_premier": "apart"}


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("zombstone")


def _band(
    book: Book, shape: str, settings: Settings | None = None, games: int = 0, *extra: Member
) -> Roster:
    """A band by the letters of its ranks."""
    members = [member(SHAPES[one][0], profession=SHAPES[one][1]) for one in shape]
    return roster(book, *members, *extra, settings=settings, games=games)


def _band_with_groups(book: Book, *squads: str) -> Roster:
    """A star, and an extra in each of these groups ("": in no group)."""
    extras = [member("figurant").model_copy(update={"squad": squad}) for squad in squads]
    return _band(book, "VVS", None, 0, *extras)


def _said(book: Book, gang: Roster, code: str) -> list[str]:
    return [found for found in codes(book, gang) if found.startswith(code)]


def test_samples_have_no_findings(book: Book) -> None:
    for sample in book.samples:
        gang = rostered(book, actions.found_from_sample(book, sample))
        assert codes(book, gang) == [], sample.key
        grouped = {one.name for one in gang.members if one.squad}
        assert grouped == {one.name for one in sample.members if one.squad}


def test_largest_band_is_legal(book: Book) -> None:
    """Two stars and five supporting roles are legal, with ten extras."""
    assert codes(book, _band(book, "VVSSSSS")) == []
    assert codes(book, _band(book, "VJSSSSSFFFFFFFFFF")) == []


@pytest.mark.parametrize(
    ("shape", "games", "said"),
    [
        ("SSS", 0, ["E_VEDETTE_MIN error"]),
        ("SSS", 2, ["E_VEDETTE_MIN error"]),
        ("VSS", 0, []),
        ("JSS", 0, []),
    ],
)
def test_band_has_at_least_one_star(book: Book, shape: str, games: int, said: list[str]) -> None:
    assert _said(book, _band(book, shape, None, games), "E_VEDETTE_MIN") == said


@pytest.mark.parametrize(
    ("shape", "settings", "too_many"),
    [
        ("VVF", {}, False),
        ("VJF", {}, False),
        ("VVV", {}, True),
        ("VVJ", {}, True),
        ("VVJ", APART, False),
        ("VVV", APART, True),
        ("VVVJ", APART, True),
    ],
)
def test_band_has_at_most_two_stars(
    book: Book, shape: str, settings: Settings, too_many: bool
) -> None:
    said = _said(book, _band(book, shape, settings), "E_VEDETTE_MAX")
    assert said == ["E_VEDETTE_MAX error"] * too_many


def test_finding_states_the_number_of_stars(book: Book) -> None:
    found = only(book, _band(book, "VVV"), "E_VEDETTE_MAX")
    assert found.translated("en").startswith("A gang has at most 2 stars")
    assert found.translated("en").endswith("this one has 3.")
    assert found.members == (1, 2, 3)


@pytest.mark.parametrize(
    ("shape", "settings", "too_many"),
    [("VJF", {}, False), ("JJF", {}, True), ("VVJ", APART, False), ("VJJ", APART, True)],
)
def test_band_has_at_most_one_young_lead(
    book: Book, shape: str, settings: Settings, too_many: bool
) -> None:
    said = _said(book, _band(book, shape, settings), "E_JEUNE_PREMIER_MAX")
    assert said == ["E_JEUNE_PREMIER_MAX error"] * too_many


@pytest.mark.parametrize(("shape", "too_many"), [("VVSSSSS", False), ("VVSSSSSS", True)])
def test_band_has_at_most_five_supporting_roles(book: Book, shape: str, too_many: bool) -> None:
    said = _said(book, _band(book, shape), "E_SECOND_ROLE_MAX")
    assert said == ["E_SECOND_ROLE_MAX error"] * too_many


@pytest.mark.parametrize(("extras", "warned"), [(10, False), (11, True)])
def test_more_than_ten_extras_are_a_finding(book: Book, extras: int, warned: bool) -> None:
    said = _said(book, _band(book, "V" + "F" * extras), "W_FIGURANTS")
    assert said == ["W_FIGURANTS warning"] * warned


@pytest.mark.parametrize(("shape", "warned"), [("VS", True), ("VSF", False)])
def test_fewer_than_three_figures_are_a_finding(book: Book, shape: str, warned: bool) -> None:
    assert _said(book, _band(book, shape), "W_SIZE") == ["W_SIZE warning"] * warned


@pytest.mark.parametrize(
    ("squads", "warnings"),
    [
        ((), 0),
        (("", "", "", "", ""), 0),
        (("A",), 1),
        (("A", "A"), 0),
        (("A", "A", "A", "A"), 0),
        (("A", "A", "A", "A", "A"), 1),
        (("A", "A", "B", "B", "B", ""), 0),
        (("A", "B", "B"), 1),
        (("A", "B"), 2),
    ],
)
def test_groups_have_two_to_four_extras(book: Book, squads: tuple[str, ...], warnings: int) -> None:
    assert codes(book, _band_with_groups(book, *squads)) == ["W_GROUP warning"] * warnings


def test_finding_names_the_group(book: Book) -> None:
    found = only(book, _band_with_groups(book, "Saloon"), "W_GROUP")
    assert found.translated("en") == "Group Saloon: 1 instead of 2 to 4 extras."


@pytest.mark.parametrize(
    ("rank", "role", "said"),
    [
        ("vedette", None, ["E_ROLE error"]),
        ("second_role", None, ["E_ROLE error"]),
        ("figurant", None, []),
        ("figurant", "brute", ["E_ROLE error", "E_UNFIT error"]),
        ("vedette", "grand_mechant", []),
        ("vedette", "old_chap", ["E_UNFIT error"]),
        ("second_role", "heros", ["E_UNFIT error"]),
        ("second_role", "croque_mort", []),
        ("second_role", "autre_role", []),
    ],
)
def test_every_member_has_a_role_of_their_status(
    book: Book, rank: str, role: str | None, said: list[str]
) -> None:
    gang = _band(book, "VFF", None, 0, member(rank, profession=role))
    assert codes(book, gang) == said


def test_two_members_may_have_the_same_role(book: Book) -> None:
    """For example two heroes, or two undertakers."""
    twice = [member("second_role", profession="croque_mort") for _ in range(2)]
    assert codes(book, _band(book, "VV", None, 0, *twice)) == []


@pytest.mark.parametrize(
    ("traits", "said"),
    [
        (("talent", "inspire"), []),
        (("talent", "talent"), ["E_ADVANCE error"]),
        (("gueule_patibulaire",), ["E_UNFIT error"]),
    ],
)
def test_advances_are_taken_once_and_by_status(
    book: Book, traits: tuple[str, ...], said: list[str]
) -> None:
    seasoned = member("second_role", profession="brute", traits=traits)
    assert codes(book, _band(book, "VFF", None, 4, seasoned)) == said


def test_star_may_have_an_ugly_mug(book: Book) -> None:
    star = member("vedette", profession="antiheros", traits=["gueule_patibulaire"])
    assert codes(book, _band(book, "SFF", None, 4, star)) == []


@pytest.mark.parametrize(
    ("items", "warnings"),
    [
        ((), 0),
        (("colt", "sabre"), 0),
        (("colt", "winchester"), 1),
        (("sabre", "hache"), 1),
        (("colt", "colt", "lance", "lance"), 2),
    ],
)
def test_member_carries_one_firearm_and_one_melee_weapon(
    book: Book, items: tuple[str, ...], warnings: int
) -> None:
    armed = member("figurant", items=items)
    assert codes(book, _band(book, "VVS", None, 0, armed)) == ["W_GEAR warning"] * warnings


def test_missing_name_is_a_finding(book: Book) -> None:
    nobody = member("figurant", name="")
    assert codes(book, _band(book, "VVS", None, 0, nobody)) == ["W_NAME warning"]


def _after(book: Book, name: str, *changes: Entry) -> tuple[Roster, Member]:
    """The first ready-made band after this entry about one of its members."""
    entries = actions.found_from_sample(book, book.samples[0])
    (chosen,) = [one for one in rostered(book, entries).members if one.name == name]
    entries += [change.model_copy(update={"member": chosen.id}) for change in changes]
    gang = rostered(book, entries)
    return gang, gang.member(chosen.id)


def _line(book: Book, gang: Roster, chosen: Member) -> tuple[str, ...]:
    scores = ComputedGang.of(book, gang).profiles[chosen.id].scores
    return tuple(str(scores[key].value) for key in ("pot", "hand", "barrel"))


RISE = Promoted(member=ANY, rank="second_role", profile="best", restarts=True)


def test_promoted_extra_needs_a_role(book: Book) -> None:
    """Their glory begins again at 0; two members of their group are left, which is enough."""
    glory = Learned(member=ANY, amount=6)
    gang, hattie = _after(book, "Hattie", glory, RISE)
    assert codes(book, gang) == ["E_ROLE error"]
    assert (hattie.experience, hattie.experience_at_rank) == (6, 0)
    assert _line(book, gang, hattie) == ("2/1", "1", "WWWRR")
    role = ProfessionChosen(member=ANY, profession="brute")
    assert codes(book, _after(book, "Hattie", glory, RISE, role)[0]) == []


def test_promoted_extra_leaves_their_group(book: Book) -> None:
    role = ProfessionChosen(member=ANY, profession="brute")
    assert codes(book, _after(book, "Lem", RISE, role)[0]) == ["W_GROUP warning"]


def test_promoted_supporting_role_needs_another_role(book: Book) -> None:
    """They are one star too many here; their best profile has what they learned."""
    learned = [TraitTaken(member=ANY, trait=key) for key in ("talent", "carcasse")]
    rise = Promoted(member=ANY, rank="vedette", profile="best")
    gang, doc = _after(book, "Doc Pemberley", *learned, rise)
    assert codes(book, gang) == ["E_VEDETTE_MAX error", "E_UNFIT error"]
    assert _line(book, gang, doc) == ("3/2", "2", "WWWWRR")
    role = ProfessionChosen(member=ANY, profession="antiheros")
    after, _ = _after(book, "Doc Pemberley", *learned, rise, role)
    assert codes(book, after) == ["E_VEDETTE_MAX error"]


def test_every_limit_of_this_rulebook_is_tested_here(book: Book) -> None:
    """Except for excluded rows: no row of this book depends on an option."""
    known = {
        "E_VEDETTE_MIN",
        "E_VEDETTE_MAX",
        "E_JEUNE_PREMIER_MAX",
        "E_SECOND_ROLE_MAX",
        "E_ROLE",
        "E_UNFIT",
        "E_ADVANCE",
        "E_UNAVAILABLE",
        "W_FIGURANTS",
        "W_SIZE",
        "W_GROUP",
        "W_GEAR",
        "W_NAME",
    }
    assert {limit.code for limit in book.limits} == known
    rows = (*book.ranks, *book.traits, *book.professions, *book.items)
    assert not any(row.when for row in rows)
