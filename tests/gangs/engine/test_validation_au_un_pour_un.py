"""Every validation row of Au un pour un: a band that breaks it, and a band that keeps it."""

import pytest

from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member, Roster
from gangs.engine.valuation import gang_rating
from rules.book.model import Book, Sample
from rules.book.vocabulary import Settings
from tests.gangs.rosters import codes as every_code
from tests.gangs.rosters import cost, member, only, roster
from tests.world.gangs import shipped

RANKS = {"C": "chef", "L": "sous_chef", "U": "sous_fifre"}
OTHERS = ("none", "humain", "ork", "elfe", "nain", "homme_rat", "homme_serpent")
ENROLLING = ("humain", "ork", "homme_rat")
REFUSING = ("elfe", "nain", "homme_serpent", "alien")
GOBLIN = "gobelin_snotling"


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("au-un-pour-un")


def _of(origin: str | None, rank: str = "U", *items: str) -> Member:
    """A member of a given people, perhaps not the band's own."""
    return member(RANKS[rank], items=items).model_copy(update={"origin": origin})


def _band(
    book: Book,
    shape: str,
    *extra: Member,
    settings: Settings | None = None,
    games: int = 0,
    earned: int = 0,
    spent: int = 0,
) -> Roster:
    """A band by the letters of its ranks, with some more members."""
    members = [member(RANKS[letter]) for letter in shape]
    return roster(
        book, *members, *extra, settings=settings, games=games, earned=earned, spent=spent
    )


def codes(book: Book, gang: Roster) -> list[str]:
    """The codes of a band's findings, except for unspent points."""
    return [found for found in every_code(book, gang) if found != "W_UNSPENT warning"]


@pytest.mark.parametrize(
    ("budget", "games", "said"),
    [(150, 0, ["W_UNSPENT warning"]), (130, 0, []), (150, 1, [])],
)
def test_unspent_points_of_a_new_band_are_a_finding(
    book: Book, budget: int, games: int, said: list[str]
) -> None:
    gang = _band(book, "CLLUUU", settings={"budget": budget}, games=games)
    assert every_code(book, gang) == said


def _said(book: Book, gang: Roster, code: str) -> list[str]:
    return [found for found in codes(book, gang) if found.startswith(code)]


def test_base_band_has_no_findings(book: Book) -> None:
    gang = _band(book, "CLLUUU")
    assert (cost(book, gang), codes(book, gang)) == (130, [])


def _ready_made(book: Book, sample: Sample) -> Roster:
    members = [
        member(one.rank, name=one.name, items=one.items).model_copy(update={"origin": one.origin})
        for one in sample.members
    ]
    return roster(book, *members, settings=sample.settings)


def test_ready_made_bands_have_no_findings_but_approval(book: Book) -> None:
    """The only finding: aliens need the opponents' approval."""
    said = {row.key: codes(book, _ready_made(book, row)) for row in book.samples}
    assert said == {
        "ashford-wardens": [],
        "scrapyard-kings": [],
        "third-orbit": ["W_ALIEN_APPROVAL warning"],
    }
    prices = [cost(book, _ready_made(book, row)) for row in book.samples]
    assert all(100 <= price <= 150 for price in prices), prices


@pytest.mark.parametrize(("shape", "said"), [("LLU", True), ("CLU", False), ("CCLU", True)])
@pytest.mark.parametrize("games", [0, 2])
def test_band_has_exactly_one_chief(book: Book, shape: str, games: int, said: bool) -> None:
    found = _said(book, _band(book, shape, games=games), "E_CHEF_COUNT")
    assert found == (["E_CHEF_COUNT error"] if said else [])


@pytest.mark.parametrize("race", OTHERS)
def test_band_has_at_most_two_lieutenants(book: Book, race: str) -> None:
    own: Settings = {"race": race}
    assert _said(book, _band(book, "CLLU", settings=own), "E_SOUS_CHEF_MAX") == []
    found = _said(book, _band(book, "CLLLU", settings=own), "E_SOUS_CHEF_MAX")
    assert found == ["E_SOUS_CHEF_MAX error"]


def test_goblin_band_has_at_most_three_lieutenants(book: Book) -> None:
    own: Settings = {"race": GOBLIN}
    assert codes(book, _band(book, "CLLLU", settings=own)) == []
    assert codes(book, _band(book, "CLLLLU", settings=own)) == ["E_SOUS_CHEF_MAX error"]


@pytest.mark.parametrize(("shape", "said"), [("CLL", True), ("CLU", False), ("CUUUUUUU", False)])
def test_band_has_an_underling(book: Book, shape: str, said: bool) -> None:
    found = _said(book, _band(book, shape), "E_SOUS_FIFRE_MIN")
    assert found == (["E_SOUS_FIFRE_MIN error"] if said else [])


@pytest.mark.parametrize(
    ("shape", "budget", "said"),
    [
        ("CLLUUUUU", 150, []),
        ("CLLUUUUUU", 150, ["E_BUDGET error"]),
        ("CLLUUUUUU", 160, []),
        ("CLU", 84, ["E_BUDGET error"]),
    ],
)
def test_band_keeps_to_its_budget(book: Book, shape: str, budget: int, said: list[str]) -> None:
    gang = _band(book, shape, settings={"budget": budget})
    assert _said(book, gang, "E_BUDGET") == said


def test_treasury_below_zero_is_an_error(book: Book) -> None:
    assert codes(book, _band(book, "CLU", games=1, earned=10, spent=10)) == []
    poor = _band(book, "CLU", games=1, earned=10, spent=12)
    assert only(book, poor, "E_BUDGET").values["amount"] == 2


# Goblins and mixed bands


@pytest.mark.parametrize("race", ENROLLING)
def test_goblins_enrol_at_half_cost(book: Book, race: str) -> None:
    own: Settings = {"race": race}
    gang = _band(book, "CLU", _of(GOBLIN, "U", "gourdin"), settings=own)
    assert codes(book, gang) == []
    assert cost(book, gang) == 50 + 25 + 10 + 5 + 2


@pytest.mark.parametrize("race", REFUSING)
def test_goblins_may_not_enrol(book: Book, race: str) -> None:
    gang = _band(book, "CLU", _of(GOBLIN), settings={"race": race})
    finding = only(book, gang, "E_GOBLIN_ENROL")
    assert (finding.severity, finding.members) == ("error", (4,))
    assert _said(book, gang, "W_MIXED") == []
    assert _said(book, _band(book, "CLU", settings={"race": race}), "E_GOBLIN_ENROL") == []


@pytest.mark.parametrize("race", ENROLLING)
@pytest.mark.parametrize("rank", ["C", "L"])
def test_an_enrolled_goblin_is_an_underling(book: Book, race: str, rank: str) -> None:
    shape = "LU" if rank == "C" else "CU"
    gang = _band(book, shape, _of(GOBLIN, rank), settings={"race": race})
    assert codes(book, gang) == ["E_GOBLIN_ROLE error"]


def test_goblin_band_fills_every_role_with_goblins(book: Book) -> None:
    assert codes(book, _band(book, "CLU", settings={"race": GOBLIN})) == []


def test_an_ork_may_lead_goblins(book: Book) -> None:
    own: Settings = {"race": GOBLIN}
    gang = _band(book, "LUU", _of("ork", "C"), settings=own)
    assert (codes(book, gang), cost(book, gang)) == ([], 13 + 5 + 5 + 50)
    assert ComputedGang.of(book, gang).profiles[4].number("cd") == 10
    follower = _band(book, "CUU", _of("ork", "L"), settings=own)
    assert codes(book, follower) == ["W_MIXED warning"]


@pytest.mark.parametrize("race", (*OTHERS, GOBLIN))
def test_mixed_bands_need_an_agreement(book: Book, race: str) -> None:
    other = "nain" if race == "elfe" else "elfe"
    gang = _band(book, "CLU", _of(other), settings={"race": race})
    assert codes(book, gang) == ["W_MIXED warning"]
    assert only(book, gang, "W_MIXED").members == (4,)
    assert codes(book, _band(book, "CLUU", settings={"race": race})) == []


def test_alien_in_another_band_needs_approval_and_agreement(book: Book) -> None:
    gang = _band(book, "CLU", _of("alien"), settings={"race": "humain"})
    assert sorted(codes(book, gang)) == ["W_ALIEN_APPROVAL warning", "W_MIXED warning"]


def test_aliens_need_approval(book: Book) -> None:
    assert codes(book, _band(book, "CLU", settings={"race": "alien"})) == [
        "W_ALIEN_APPROVAL warning"
    ]


# Members


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([], False),
        (["epee"], False),
        (["revolver", "cuir", "potion_soin"], False),
        (["bouclier", "cuir"], False),
        (["epee", "revolver"], True),
        (["epee", "bouclier"], True),
        (["lance"], True),
        (["mousquet"], True),
    ],
)
def test_member_with_one_arm_uses_one_hand(book: Book, items: list[str], said: bool) -> None:
    hurt = member("chef", items=items, conditions=["one_arm"])
    found = _said(book, _band(book, "LU", hurt), "E_HANDS")
    assert found == (["E_HANDS error"] if said else [])
    whole = member("chef", items=items)
    assert _said(book, _band(book, "LU", whole), "E_HANDS") == []


@pytest.mark.parametrize(
    ("traits", "said"),
    [
        (["bon_oeil"], 0),
        (["bon_oeil", "oeil_de_lynx"], 0),
        (["oeil_de_lynx"], 1),
        (["bon_oeil", "bon_oeil"], 1),
        (["attrape_lame"], 1),
    ],
)
def test_advance_requires_the_previous_advance(book: Book, traits: list[str], said: int) -> None:
    chief = member("chef", traits=traits)
    assert _said(book, _band(book, "LU", chief), "E_ADVANCE") == ["E_ADVANCE error"] * said


@pytest.mark.parametrize(
    ("universe", "items", "said"),
    [
        ("any", ["mousquet", "pistolet_laser", "fronde"], 0),
        ("med", ["epee", "arc_long", "cuir"], 0),
        ("med", ["revolver"], 1),
        ("bp", ["mousquet", "arbalete", "trousse_secours"], 0),
        ("bp", ["fusil_laser", "arc_court"], 2),
        ("mod", ["revolver", "gilet"], 0),
        ("mod", ["mailles"], 1),
        ("pa", ["arc_court", "tronconneuse"], 0),
        ("pa", ["piece_artillerie"], 1),
        ("sf", ["lame_energie", "potion_force"], 0),
        ("sf", ["mitrailleuse"], 1),
    ],
)
def test_gear_of_another_universe_is_a_warning(
    book: Book, universe: str, items: list[str], said: int
) -> None:
    gang = _band(book, "LU", member("chef", items=items), settings={"universe": universe})
    assert _said(book, gang, "W_ERA") == ["W_ERA warning"] * said


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (["cuir", "bouclier"], 0),
        (["cuir", "mailles"], 1),
        (["bouclier", "bouclier"], 1),
        (["epee", "hache", "lance"], 0),
    ],
)
def test_member_wears_one_armour_and_one_shield(book: Book, items: list[str], said: int) -> None:
    gang = _band(book, "LU", member("chef", items=items))
    assert _said(book, gang, "W_CARRY") == ["W_CARRY warning"] * said


# Size, and the members who count


@pytest.mark.parametrize(
    ("shape", "said"),
    [("CU", True), ("CUU", False), ("CLLUUUUUUU", False), ("CLLUUUUUUUU", True)],
)
def test_unusual_size_is_a_warning(book: Book, shape: str, said: bool) -> None:
    found = _said(book, _band(book, shape), "W_SIZE")
    assert found == (["W_SIZE warning"] if said else [])


def test_deeply_wounded_member_does_not_count(book: Book) -> None:
    """Not in the size, the roles or the band's worth."""
    away = member("sous_chef", conditions=["deep_wound"])
    gang = _band(book, "CLLU", away)
    assert (codes(book, gang), cost(book, gang)) == ([], 110)
    assert gang_rating(book, gang).total == 110
    small = _band(book, "CU", away)
    assert codes(book, small) == ["W_SIZE warning"]


@pytest.mark.parametrize("condition", ["missing", "captured", "condemned", "hardened"])
def test_members_with_other_absences_count(book: Book, condition: str) -> None:
    away = member("sous_chef", conditions=[condition])
    gang = _band(book, "CLLU", away)
    assert codes(book, gang) == ["E_SOUS_CHEF_MAX error"]
    assert gang_rating(book, gang).total == 135


def test_rating_counts_experience_by_fives(book: Book) -> None:
    gang = _band(book, "LU", member("chef", experience=23), member("sous_fifre", experience=4))
    assert gang_rating(book, gang).total == 50 + 4 + 25 + 10 + 10
