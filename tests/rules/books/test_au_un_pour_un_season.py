"""Injuries, advances and careers of Au un pour un, case by case."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from rules.book.fates import Dies, Leaves, Outcome
from rules.book.model import Book
from rules.book.vocabulary import Selector, Settings, applies
from rules.engine.dice import look_up, parse_roll, row_chance
from rules.engine.figure import Figure
from rules.engine.profiles import profile
from tests.world.gangs import shipped


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("au-un-pour-un")


@pytest.fixture
def settings(book: Book) -> Settings:
    return book.default_settings()


def _number(book: Book, key: str, rank: str = "chef", **others: object) -> int:
    """Return one characteristic of a member."""
    figure = Figure(rank=rank, worth_rank=rank, base_rank=rank, **others)  # type: ignore[arg-type]
    return profile(book.usual, figure).number(key)


# Injuries


def _said(outcomes: Sequence[Outcome]) -> str:
    """Return outcomes in short: "suffers leg", "rolls_on arm"."""
    return ", ".join(_one(outcome) for outcome in outcomes)


def _one(outcome: Outcome) -> str:
    match outcome.kind:
        case "dies":
            return f"dies {outcome.gear}"
        case "suffers":
            return " ".join(["suffers", outcome.condition, outcome.games or ""]).strip()
        case "rolls_on":
            return f"rolls_on {outcome.table} {outcome.times}"
        case "learns" | "pays":
            return f"{outcome.kind} {outcome.amount}"
        case "loses_item":
            return f"loses {'every' if outcome.every else 'one'} of {len(outcome.groups)}"
        case "chooses":
            return " or ".join(_said(option.outcomes) for option in outcome.options)
    return outcome.kind


CODES = {
    "11 12 13 14 15": "dies lost",
    "16 21": "rolls_on serious_injuries 1d6",
    "22": "suffers leg",
    "23": "rolls_on arm 1",
    "24": "suffers madness",
    "25": "suffers trauma",
    "26": "again",
    "31": "rolls_on eye 1",
    "32": "suffers old_wound",
    "33": "rolls_on potions 1",
    "34": "suffers hand",
    "35": "suffers deep_wound 1d3",
    "36": "loses every of 5",
    "41 42 43 44 45 46 51 52 53 54 55 56": "",
    "61": "suffers hatred",
    "62": "suffers captured",
    "63 64": "suffers hardened",
    "65": "rolls_on judgement 1",
    "66": "learns 1",
}
# Deaths, captures, recoveries and further rolls do not count among multiple injuries.
AGAIN = "11 12 13 14 15 16 21 26 41 42 43 44 45 46 51 52 53 54 55 56 62"
EACH = [(code, said) for listed, said in CODES.items() for code in listed.split()]


@pytest.mark.parametrize(("code", "said"), EACH)
def test_each_code_gives_its_serious_injury(book: Book, code: str, said: str) -> None:
    row = look_up(book.table["serious_injuries"], parse_roll("d66", code))
    assert _said(row.outcomes) == said


def test_the_serious_injury_table_covers_all_36_codes(book: Book) -> None:
    assert len(EACH) == 36
    table = book.table["serious_injuries"]
    chances = [row_chance(table, row) * 36 for row in table.rows]
    assert [int(chance) for chance in chances] == [len(listed.split()) for listed in CODES]


def test_multiple_injuries_roll_again_on_all_but_fifteen_codes(book: Book) -> None:
    """16, then 2: 44 is rolled again, 22 counts, 62 is rolled again, 25 counts."""
    table = book.table["serious_injuries"]
    (outcome,) = look_up(table, parse_roll("d66", "16")).outcomes
    assert outcome.kind == "rolls_on"
    left = {
        code
        for code, _ in EACH
        if look_up(table, parse_roll("d66", code)).tags.isdisjoint(outcome.rerolling)
    }
    assert len(left) == 15
    assert left.isdisjoint(AGAIN.split())
    hurt = ("leg", "trauma")
    assert _number(book, "mvt", conditions=hurt) == _number(book, "mvt") - 1
    assert _number(book, "cd", conditions=hurt) == _number(book, "cd") - 1


@pytest.mark.parametrize(
    ("table", "faces"),
    [
        ("underlings", ["dies stash"] * 2 + [""] * 4),
        ("arm", ["suffers one_arm"] + ["suffers missing 1"] * 5),
        ("eye", ["suffers one_eye"] * 6),
        ("potions", ["suffers missing 1"] * 2 + [""] * 3 + ["suffers protected"]),
        (
            "judgement",
            ["dies lost or suffers condemned"] + ["pays 1d6 or suffers missing 1d3"] * 4 + [""],
        ),
    ],
)
def test_each_face_gives_its_row_of_a_table_of_one_die(
    book: Book, table: str, faces: list[str]
) -> None:
    rows = [look_up(book.table[table], parse_roll("1d6", str(face))) for face in range(1, 7)]
    assert [_said(row.outcomes) for row in rows] == faces


def test_the_left_and_right_eye_are_equally_likely(book: Book) -> None:
    table = book.table["eye"]
    assert [row_chance(table, row) for row in table.rows] == [Fraction(1, 2)] * 2


@pytest.mark.parametrize(
    ("condition", "key", "rank", "once", "often"),
    [
        ("leg", "mvt", "chef", 8, 4),
        ("trauma", "cd", "sous_fifre", 5, 4),
        ("one_eye", "ct", "chef", 4, 6),
        ("hand", "ccc", "sous_chef", 6, 6),
        ("hand", "ccc", "chef", 5, 6),
    ],
)
def test_injuries_add_up_within_bounds(
    book: Book, condition: str, key: str, rank: str, once: int, often: int
) -> None:
    """``often``: the value after five equal injuries."""
    assert _number(book, key, rank, conditions=(condition,)) == once
    assert _number(book, key, rank, conditions=(condition,) * 5) == often


def test_a_repeated_injury_has_its_own_effect(book: Book) -> None:
    """A second eye or arm ends a career; a flag counts once; old wounds each have their die."""
    beyond = {row.key: row.beyond for row in book.conditions if row.most == 1}
    assert beyond.keys() == {
        "one_arm",
        "one_eye",
        "madness",
        "hardened",
        "protected",
        "condemned",
    }
    assert beyond["one_eye"] == (Leaves(kind="leaves", departure="blind", gear="stash"),)
    assert beyond["one_arm"] == (Leaves(kind="leaves", departure="retired", gear="stash"),)
    assert book.condition["old_wound"].most is None


def test_conditions_say_which_members_are_absent_or_uncounted(book: Book) -> None:
    absent = {row.key for row in book.conditions if row.absent}
    assert absent == {"missing", "deep_wound", "captured", "condemned"}
    assert [row.key for row in book.conditions if row.uncounted] == ["deep_wound"]
    assert {row.key for row in book.conditions if row.against} == {"hatred", "captured"}
    lasting = {row.key: row.games for row in book.conditions if row.games}
    assert lasting == {"missing": 1, "deep_wound": 1, "protected": 1}


# Advances

ADVANCES = """
bon_oeil - ct -1
poings_de_bronze - f 1
corps_de_bronze - r 1
bagarreur - ccc -1
arpenteur - mvt 1
courageux - cd 1
oeil_de_lynx 1 ct -1
poings_de_fer 2 f 1
corps_de_fer 3 r 1
pugiliste 4 ccc -1
coureur_des_bois 5 - 0
intrepide 6 cd 1
oeil_d_aigle 7 ct -1
poings_d_acier 8 f 1
corps_d_acier 9 r 1
maitre_de_combat 10 ccc -1
voltigeur 11 - 0
nerfs_d_acier 12 - 0
sante_amelioree 15 pv 1
volonte_de_vivre 19 - 0
points_faibles 13|16 - 0
points_vitaux 21 - 0
attrape_lame 15|18 - 0
"""
ROWS = [line.split() for line in ADVANCES.strip().splitlines()]


def test_each_of_the_23_advances_has_its_needs_and_effect(book: Book) -> None:
    keys = [row[0] for row in ROWS]
    assert [trait.key for trait in book.traits] == keys
    for key, needs, characteristic, amount in ROWS:
        trait = book.trait[key]
        required = [keys[int(number) - 1] for number in needs.split("|") if number != "-"]
        assert list(trait.requires) == required
        changes = [
            (effect.characteristic, effect.amount)
            for effect in trait.effects
            if effect.kind == "add"
        ]
        assert changes == ([] if characteristic == "-" else [(characteristic, int(amount))])
        assert not trait.sold
        assert not trait.price


def _needed_for(book: Book, key: str) -> set[str]:
    """Return an advance and every advance that it builds on."""
    return {key}.union(*(_needed_for(book, one) for one in book.trait[key].requires))


@pytest.mark.parametrize(
    ("number", "smallest"), [(17, 3), (18, 3), (19, 4), (20, 5), (21, 7), (22, 8), (23, 7)]
)
def test_an_advance_needs_the_right_number_of_advances(
    book: Book, number: int, smallest: int
) -> None:
    assert len(_needed_for(book, ROWS[number - 1][0])) == smallest


def test_advances_stop_at_their_caps(book: Book) -> None:
    """An eye lost afterwards lowers the value from the cap."""
    everything = tuple(row[0] for row in ROWS)
    reached = {key: _number(book, key, traits=everything) for key in ("ct", "ccc", "cd")}
    assert reached == {"ct": 2, "ccc": 2, "cd": 11}
    assert _number(book, "ct", traits=everything, conditions=("one_eye",)) == 3
    assert _number(book, "cd", traits=everything, conditions=("trauma",)) == 10
    plain = {"f": 8, "r": 7, "mvt": 10, "pv": 5}
    assert {key: _number(book, key, traits=everything) for key in plain} == plain


def test_every_fifth_box_is_an_advance(book: Book) -> None:
    advancement = book.campaign.advancement
    assert advancement is not None
    assert (advancement.experience, advancement.cycle) == (5, ("trait",))
    assert len(book.traits) * advancement.experience == 115
    assert {rank.key: rank.experience for rank in book.ranks} == {
        "chef": 50,
        "sous_chef": 30,
        "sous_fifre": 15,
    }


# Campaign


def test_each_deed_earns_its_victory_points(book: Book) -> None:
    points = {row.key: row.points for row in book.campaign.tallies if row.per == "gang"}
    assert points == {
        "chiefs_out": 10,
        "chiefs_killed": 15,
        "lieutenants_out": 8,
        "lieutenants_killed": 10,
        "underlings_out": 5,
        "underlings_killed": 8,
    }
    for row in book.campaign.tallies:
        if row.per == "gang":
            assert (row.money, row.times) == (row.points, "vp_rate")
        else:
            assert row.takes_out
    assert book.default_settings()["vp_rate"] == 1


def test_a_game_awards_its_experience(book: Book) -> None:
    awards = {
        row.key: (row.amount, row.each, row.sides, row.of.ranks) for row in book.campaign.awards
    }
    leaders = ("chef", "sous_chef")
    assert awards == {
        "survived": (1, None, (), ()),
        "won": (1, None, ("winner",), ()),
        "underling_lieutenants": (1, "enemy_lieutenants", (), ("sous_fifre",)),
        "underling_chiefs": (2, "enemy_chiefs", (), ("sous_fifre",)),
        "leader_chiefs": (1, "enemy_chiefs", (), leaders),
    }
    assert not any(row.everyone or row.not_marks for row in book.campaign.awards)


def test_each_rank_rolls_its_fate_on_its_own_table(book: Book) -> None:
    """The killed are dead without a roll; only an underling's gear comes back."""
    steps = [step for step in book.campaign.steps if step.kind == "fates"]
    assert [(step.of.ranks, step.table) for step in steps] == [
        (("sous_fifre",), "underlings"),
        (("chef", "sous_chef"), "serious_injuries"),
    ]
    for step, gear in zip(steps, ("stash", "lost"), strict=True):
        (fate,) = step.fates
        assert (fate.of, fate.marks) == (step.of, ("killed",))
        assert fate.outcomes == (Dies.model_validate({"kind": "dies", "gear": gear}),)


def test_the_post_game_follows_the_order_of_the_rules(book: Book) -> None:
    assert [step.kind for step in book.campaign.steps] == [
        "income",
        "captives",
        "fates",
        "fates",
        "experience",
        "advances",
        "promotions",
        "captives",
        "succession",
        "recruits",
    ]


def test_each_people_has_its_promotions(book: Book, settings: Settings) -> None:
    rows = {row.key: row for row in book.campaign.promotions}
    assert all(row.trigger == "full" for row in rows.values())
    for race, key, below in (
        ("ork", "lieutenant", 2),
        ("gobelin_snotling", "goblin_lieutenant", 3),
    ):
        own = settings | {"race": race}
        (row,) = [
            row for row in rows.values() if row.start == "sous_fifre" and applies(row.when, own)
        ]
        assert (row.key, row.to, row.below) == (key, "sous_chef", below)
        assert row.required
    chief, legend = rows["chief"], rows["legend"]
    assert (chief.start, chief.to, chief.displaces, chief.dice) == (
        "sous_chef",
        "chef",
        True,
        "1d6",
    )
    assert not chief.required
    assert (legend.start, legend.to, legend.required) == ("chef", None, True)
    risen = [row for row in rows.values() if row.to]
    assert all(row.restarts and row.profile == "kept" and not row.price for row in risen)
    hired = {row.key for row in book.campaign.departures if row.for_hire}
    assert hired == {chief.departure, legend.departure} == {"for_hire", "legend"}


def test_a_dead_chief_is_replaced_by_the_next_in_rank(book: Book) -> None:
    (row,) = book.campaign.successions
    assert row.post == Selector(ranks=("chef",))
    assert row.among.ranks == ("sous_chef", "sous_fifre")
    assert (row.by, row.to) == (("rank", "experience"), "chef")
    assert (row.profile, row.restarts) == ("kept", True)


def test_players_agree_on_ransoms_of_captured_members_only(book: Book) -> None:
    steps = [step for step in book.campaign.steps if step.kind == "captives"]
    known = [(step.condition, step.ransom) for step in steps]
    assert known == [("condemned", "none"), ("captured", "agreed")]
