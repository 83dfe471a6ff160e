"""The dice of Zombstone: every procedure is declared, and every golden case is exact.

The engine's odds are compared with hands counted here: faces are 1 to 6 for 9 to ace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, islice, product
from typing import Any

import pytest

from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine import distributions, hands
from rules.engine import odds as odds_module
from rules.engine.compiling import make_ready, ready
from rules.engine.expressions import Value, parse
from rules.engine.figure import Figure
from rules.engine.odds import Odds, odds
from rules.engine.playing import Played, play, tell
from rules.engine.situations import Side, Situation, names_in
from rules.loading.check_rolls import choices
from rules.loading.try_rolls import situations, try_rolls
from tests.work import calls
from tests.world.gangs import shipped

NINE, TEN, JACK, QUEEN, KING, ACE = range(1, 7)
STRAIGHT = (NINE, TEN, JACK, QUEEN, KING)
PAIR = (QUEEN, QUEEN, NINE, TEN, ACE)
TWO_PAIRS = (QUEEN, QUEEN, KING, KING, NINE)
THREE = (QUEEN, QUEEN, QUEEN, NINE, ACE)
FULL = (QUEEN, QUEEN, QUEEN, KING, KING)
FOUR = (QUEEN, QUEEN, QUEEN, QUEEN, NINE)
POKER = (QUEEN,) * 5
HANDS = [STRAIGHT, PAIR, TWO_PAIRS, THREE, FULL, FOUR, POKER]


@pytest.fixture(scope="module")
def book() -> Book:
    return shipped("zombstone")


def _side(
    rank: str,
    item: str | None = None,
    *,
    life: int | None = None,
    states: tuple[str, ...] = (),
    **more: Any,
) -> Side:
    """Return a figure of this rank with a weapon in hand."""
    figure = Figure(rank=rank, worth_rank=rank, items=(item,) if item else (), **more)
    return Side(figure, item, states=states, life=life)


def _settings(book: Book, **options: str) -> Settings:
    return book.default_settings() | options


def _names(
    book: Book, settings: Settings, by: Side | None, at: Side | None, said: dict[str, Value]
) -> dict[str, Value]:
    return names_in(book.under(settings), Situation(by, at, said))


def _odds(
    book: Book,
    key: str,
    by: Side | None = None,
    at: Side | None = None,
    options: dict[str, str] | None = None,
    **said: Value,
) -> Odds:
    settings = _settings(book, **(options or {}))
    return odds(ready(book.under(settings), key), _names(book, settings, by, at, said))


def _tell(
    book: Book,
    key: str,
    faces: Sequence[tuple[int, ...]],
    by: Side | None = None,
    at: Side | None = None,
    options: dict[str, str] | None = None,
    **said: Value,
) -> Played:
    """Play a roll with typed dice."""
    settings = _settings(book, **(options or {}))
    return tell(ready(book.under(settings), key), _names(book, settings, by, at, said), faces)


def _thrown(
    book: Book,
    key: str,
    by: Side | None = None,
    at: Side | None = None,
    options: dict[str, str] | None = None,
    **said: Value,
) -> Played:
    """Play a roll whose dice show different faces where possible, to read its numbers."""
    settings = _settings(book, **(options or {}))
    faces = iter(range(10**6))
    names = _names(book, settings, by, at, said)
    return play(ready(book.under(settings), key), names, lambda sides: next(faces) % sides + 1)


def _no_reroll(rank: str = "figurant", item: str | None = None, **more: Any) -> Side:
    """Return a Wounded figure of Potential 0 with full life: five dice without re-rolls."""
    return _side(rank, item, states=("wounded",), **more)


# Hands counted without the engine


def _rank(faces: Sequence[int]) -> int:
    """Return the rank: nothing, pair, two pairs, three, full, four, five."""
    counts = sorted(Counter(faces).values(), reverse=True)
    largest, second = counts[0], counts[1] if len(counts) > 1 else 0
    if largest == 3:
        return 4 if second == 2 else 3
    return {1: 0, 2: 2 if second == 2 else 1, 4: 5, 5: 6}[largest]


def _strength(faces: Sequence[int]) -> tuple[int, list[int]]:
    """Return the rank, then the faces of the groups, the largest group first."""
    counts = Counter(faces)
    ordered = sorted(faces, key=lambda face: (counts[face], face), reverse=True)
    return _rank(faces), ordered


@cache
def _dice(potential: int, lost: int = 0) -> Counter[tuple[int, tuple[int, ...]]]:
    """Count the ways of each hand of this Potential, out of 6 for each die thrown.

    The dice of the combination stay; the lowest of the others are thrown again.
    """
    first = max(1, 5 + min(0, potential) - lost)
    again = min(first, max(0, potential))
    found: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for faces, ways in Counter(
        tuple(sorted(throw)) for throw in product(range(1, 7), repeat=first)
    ).items():
        alone = [face for face in faces if faces.count(face) == 1]
        gone = alone[:again]
        kept = [face for face in faces if face not in gone]
        for more in product(range(1, 7), repeat=len(gone)):
            rank, ordered = _strength([*kept, *more])
            found[rank, tuple(ordered)] += ways * 6 ** (again - len(gone))
    return found


def _duel(mine: tuple[int, int], theirs: tuple[int, int], weapon: int) -> dict[int, Fraction]:
    """Return the chance of each damage that the first does to the second, 0 for none.

    Each side is its Potential and its number of lost base dice.
    """
    found: Counter[int] = Counter()
    one, other = _dice(*mine), _dice(*theirs)
    for (my_hand, ways), (their_hand, their_ways) in product(one.items(), other.items()):
        hit = 0
        if my_hand > their_hand and my_hand[0]:
            hit = max(0, my_hand[0] - their_hand[0] + 1 + weapon)
        found[hit] += ways * their_ways
    total = sum(one.values()) * sum(other.values())
    return {hit: Fraction(ways, total) for hit, ways in found.items()}


def _ticked(damage: dict[int, Fraction], life: int) -> dict[int, Fraction]:
    """Return the chances of each number of ticked cartridges."""
    found: dict[int, Fraction] = {}
    for hit, chance in damage.items():
        found[min(hit, life)] = found.get(min(hit, life), Fraction(0)) + chance
    return found


@cache
def _stays(kept: tuple[int, ...], again: int, goal: int) -> Fraction:
    """Return the chance that these dice with ``again`` more throws make the rank."""
    throws = [*product(range(1, 7), repeat=again)]
    return Fraction(sum(_rank([*kept, *more]) >= goal for more in throws), len(throws))


def _guts(potential: int) -> Fraction:
    """Return the chance of two pairs or better with the best choice of re-rolls."""
    first, again = max(1, 5 + min(0, potential)), max(0, potential)
    hands = Counter(tuple(sorted(throw)) for throw in product(range(1, 7), repeat=first))
    total = Fraction(0)
    for faces, ways in hands.items():
        tries = (
            _stays(kept, gone, 2)
            for gone in range(min(again, first) + 1)
            for kept in set(combinations(faces, first - gone))
        )
        total += ways * max(tries)
    return total / 6**first


# Every procedure of the fact sheet's sections 3 and 4


PROCEDURES: list[tuple[str, str, list[str]]] = [
    ("3.1", "five poker dice, seven combinations, no straight", ["hand poker"]),
    ("3.1", "re-rolls are Potential, healthy or Wounded", ["roll shot", "roll melee", "roll guts"]),
    ("3.1", "once, or in several goes", ["setting rerolls"]),
    ("3.1", "a negative Potential takes base dice, at least one is left", ["roll shot"]),
    ("3.2", "hands refilled to 5 or 3", ["roll upkeep", "circumstance star_left"]),
    ("3.2", "cards held, no forced discard", ["circumstance cards_held"]),
    ("3.2", "cards in hand", ["circumstance hand_left", "circumstance their_hand_left"]),
    ("3.2", "cards before a roll", ["circumstance cards_used", "circumstance their_cards_used"]),
    (
        "3.2",
        "cards after a roll complete a combination",
        [
            "circumstance first_card",
            "circumstance second_card",
            "circumstance third_card",
            "circumstance their_first_card",
            "circumstance their_second_card",
            "circumstance their_third_card",
        ],
    ),
    ("3.2", "no more than Main", ["procedure own_cards", "procedure their_cards"]),
    (
        "3.2",
        "a card for initiative",
        ["circumstance initiative_card", "circumstance their_initiative_card"],
    ),
    ("3.3", "upkeep", ["roll upkeep"]),
    ("3.3", "initiative, ties thrown again", ["roll initiative"]),
    ("3.3", "two actions: move, shoot, melee", ["action move", "action shoot", "action fight"]),
    (
        "3.3",
        "Wounded: one move action",
        ["circumstance moves_taken", "circumstance one_move", "state wounded"],
    ),
    ("3.3", "movement, difficult ground, walls", ["roll stride", "circumstance ground"]),
    ("3.3", "long jump with both actions", ["circumstance both_actions", "modifier long_jump"]),
    ("3.4", "shot", ["roll shot"]),
    ("3.4", "the target chooses Esquive or Riposte", ["circumstance reaction"]),
    ("3.4", "Riposte at Potential -2", ["modifier return_fire"]),
    (
        "3.4",
        "cover by obstacle",
        [
            "circumstance light",
            "circumstance heavy",
            "modifier light_cover",
            "modifier heavy_cover",
            "modifier cover_return_fire",
            "modifier cover_return_fire_target",
        ],
    ),
    (
        "3.4",
        "an obstacle at less than 1 inch",
        [
            "circumstance light_by_shooter",
            "circumstance heavy_by_shooter",
            "circumstance light_by_target",
            "circumstance heavy_by_target",
        ],
    ),
    ("2", "ranges, if agreed on", ["setting ranges", "circumstance distance"]),
    ("3.5", "melee", ["roll melee"]),
    ("3.5", "no weapon: one base die less", ["modifier unarmed", "modifier unarmed_target"]),
    (
        "3.5",
        "or a Potential less",
        ["setting unarmed", "modifier unarmed_potential", "modifier unarmed_potential_target"],
    ),
    ("3.6", "conflict table", ["grid conflicts", "procedure conflict"]),
    ("3.7", "wounds", ["state wounded"]),
    ("3.8", "guts", ["procedure guts", "roll guts"]),
    ("3.8", "a frightening enemy", ["procedure nerve", "circumstance braved"]),
    ("3.8", "and the other way round", ["circumstance their_braved"]),
    (
        "3.8",
        "failed: flees, tests again",
        [
            "state fleeing",
            "roll come_round",
            "action come_round",
            "circumstance in_cover",
            "circumstance activated",
        ],
    ),
    ("3.9", "zombies", ["modifier zombie_fists", "modifier zombie_fists_target"]),
    ("1.3", "Héros", ["action lead_on", "circumstance activated", "circumstance extras_left"]),
    (
        "1.3",
        "Antihéros",
        [
            "roll steal_the_scene",
            "action steal_the_scene",
            "state stealing_the_scene",
            "state overlooked",
            "circumstance target_acted",
            "modifier antihero",
            "modifier antihero_target",
            "modifier antihero_guts",
            "modifier antihero_guts_target",
        ],
    ),
    (
        "1.3",
        "Grand Méchant",
        [
            "roll stand_in",
            "state spared",
            "circumstance passes_on",
            "circumstance own_passes_on",
            "circumstance stand_ins",
            "circumstance own_stand_ins",
        ],
    ),
    ("1.3", "Jeune premier", ["roll last_cartridge", "circumstance taken_out"]),
    ("1.3", "Old Chap", ["modifier old_chap", "circumstance old_chap"]),
    ("1.3", "Tireur d’élite", ["modifier sharpshooter", "modifier sharpshooter_target"]),
    ("1.3", "Brute", ["modifier bruiser", "modifier bruiser_target"]),
    ("1.3", "Toubib", ["roll patch_up", "action patch_up", "state patched"]),
    ("4", "Nerfs solides", ["modifier steady_nerves", "modifier steady_nerves_target"]),
    ("1.3", "Croque-mort and others", ["profession croque_mort", "trait gueule_patibulaire"]),
    ("3.3", "groups of Figurants act together", ["rank figurant"]),
    ("3.3", "alternate activation, the winner chooses who starts", ["roll initiative"]),
    ("4", "HS at the end: one poker die", ["table star_fate", "table extra_fate", "mark hs"]),
    ("4", "scar, recovery", ["condition scar", "condition recovering"]),
    ("4", "fled: back", ["mark fled"]),
    (
        "4",
        "glory",
        [
            "award survived",
            "award won",
            "award put_out_supporting",
            "award put_out_star",
            "tally stars_out",
            "tally supporting_out",
            "tally extras_out",
        ],
    ),
    ("4", "an advance every 5 glory", ["step advances", "trait talent", "trait dur_a_cuire"]),
    ("4", "and the others", ["trait inspire", "trait carcasse"]),
    ("4", "20 glory, an extra with 5", ["promotion top_billing", "promotion noticed"]),
    ("4", "recruiting between games", ["step recruits"]),
    ("4", "box-office", ["result win", "result draw", "tally stars_fallen"]),
]
SORTS = ("roll", "circumstance", "modifier", "action", "state", "grid", "hand", "procedure")


def _keys(book: Book) -> set[str]:
    """Return every row of the dice rules, as "roll shot"."""
    more = ("setting", "table", "profession", "trait", "rank", "condition")
    found = {f"{sort} {row.key}" for sort in (*SORTS, *more) for row in getattr(book, f"{sort}s")}
    season = {
        "mark": book.campaign.marks,
        "award": book.campaign.awards,
        "tally": book.campaign.tallies,
        "step": book.campaign.steps,
        "promotion": book.campaign.promotions,
        "result": book.campaign.results,
    }
    return found | {f"{sort} {row.key}" for sort, rows in season.items() for row in rows}


def test_every_procedure_is_declared_in_the_rulebook(book: Book) -> None:
    assert all(keys for _section, _words, keys in PROCEDURES)
    named = {key for _section, _words, keys in PROCEDURES for key in keys}
    assert named <= _keys(book)


def test_the_list_of_procedures_covers_every_row(book: Book) -> None:
    named = {key for _section, _words, keys in PROCEDURES for key in keys}
    assert {key for key in _keys(book) if key.split()[0] in SORTS} - named == set()


COVERS = {
    "light",
    "light_by_shooter",
    "light_by_target",
    "heavy",
    "heavy_by_shooter",
    "heavy_by_target",
}
OWN_CARDS = {"first_card", "second_card", "third_card"}
THEIR_CARDS = {f"their_{card}" for card in OWN_CARDS}
DUEL = OWN_CARDS | THEIR_CARDS | {"passes_on", "own_passes_on"}
ASKED = {
    "shot": DUEL | COVERS | {"reaction"},
    "melee": DUEL,
    "guts": OWN_CARDS,
    "come_round": OWN_CARDS | {"in_cover"},
    "last_cartridge": set(),
    "stand_in": set(),
    "patch_up": set(),
    "steal_the_scene": set(),
    "initiative": {"initiative_card", "their_initiative_card"},
    "upkeep": set(),
    "stride": {"ground", "both_actions"},
}
CARDS = {"cards_used", "their_cards_used", "hand_left", "their_hand_left"}
STAND_INS = {"stand_ins", "own_stand_ins"}
KNOWN = {
    "shot": CARDS | STAND_INS,
    "melee": CARDS | STAND_INS | {"braved", "their_braved"},
    "guts": {"cards_used", "hand_left"},
    "come_round": {"cards_used", "hand_left"},
    "initiative": {"hand_left", "their_hand_left"},
    "upkeep": {"star_left", "old_chap", "cards_held"},
    "stride": {"one_move"},
}


def test_each_roll_asks_for_its_circumstances(book: Book) -> None:
    """Roles, ranks, weapons, wounds and flight are known from rows and taps."""
    settings = book.default_settings()
    rows = {roll.key: ready(book.under(settings), roll.key).asked for roll in book.rolls}
    assert {key: {row.key for row in found if not row.known} for key, found in rows.items()} == (
        ASKED
    )
    known = {key: {row.key for row in found if row.known} for key, found in rows.items()}
    assert {key: found for key, found in known.items() if found} == KNOWN


def test_a_shot_asks_for_the_distance_when_ranges_are_agreed(book: Book) -> None:
    found = ready(book.under(_settings(book, ranges="house")), "shot").asked
    assert {row.key for row in found if not row.known} == ASKED["shot"] | {"distance"}


@pytest.mark.long
def test_trying_every_roll_finds_no_mistake(book: Book) -> None:
    assert [*try_rolls(book)] == []


@pytest.mark.long
def test_every_roll_works_under_every_option(book: Book) -> None:
    """Every roll in several situations, under each option separately."""
    for rules in choices(book):
        for roll in book.rolls:
            made = make_ready(rules, roll)
            for names in islice(situations(rules, roll), 4):
                assert sum(odds(made, names).outcomes.values()) == bool(made.outcomes)


def test_the_reference_tables_match_the_rolls(book: Book) -> None:
    """Combinations and conflicts are the same in references and rolls."""
    reference = {row.key: row for row in book.references}
    hand, grid = book.hand["poker"], book.grid["conflicts"]
    names = [one.name["fr"] for one in hand.combinations]
    assert [line.name["fr"] for line in reference["combinations"].lines] == names
    assert [line.name["fr"] for line in reference["conflicts"].lines] == names
    assert [column["fr"] for column in reference["conflicts"].columns] == names[1:]
    written = [
        tuple("-" if cell == "–" else int(str(cell)) for cell in line.cells)
        for line in reference["conflicts"].lines
    ]
    assert [cells[1:] for cells in grid.cells] == written
    assert {cells[0] for cells in grid.cells} == {"-"}


# Combinations and their order


@pytest.mark.parametrize(("rank", "faces"), [*enumerate(HANDS)])
def test_faces_make_their_combination(book: Book, rank: int, faces: tuple[int, ...]) -> None:
    """There is no straight: 9-10-V-D-R is Rien."""
    told = _tell(book, "guts", [faces], _no_reroll())
    assert told.names["nerve.rank"] == rank
    assert told.outcome == ("holds" if rank >= 2 else "runs")


@pytest.mark.parametrize("winner", range(7))
@pytest.mark.parametrize("loser", range(7))
def test_rolls_follow_the_conflict_table(book: Book, winner: int, loser: int) -> None:
    """Of two hands of one rank, the hand with aces instead of queens wins.

    Rien against Rien does no harm; a lower combination loses.
    """
    better = (ACE, *HANDS[0][1:]) if winner == 0 else _with_aces(HANDS[winner])
    told = _tell(book, "shot", [better, HANDS[loser]], *_unrerolled("colt"))
    expected = winner - loser + 1 if winner >= loser and winner else 0
    assert told.names["hit"] == expected
    assert told.names["duel.winner"] == (1 if winner >= loser else -1)


def _with_aces(faces: tuple[int, ...]) -> tuple[int, ...]:
    """Return the same combination with aces instead of queens."""
    swapped = {QUEEN: ACE, ACE: QUEEN}
    return tuple(swapped.get(face, face) for face in faces)


def _unrerolled(item: str, at_item: str | None = None) -> tuple[Side, Side]:
    """Return two extras of Potential 0, with enough life to count their losses."""
    return _no_reroll(item=item, life=99), _no_reroll(item=at_item, life=99)


@pytest.mark.parametrize(
    ("mine", "theirs", "winner"),
    [
        ((ACE, ACE, NINE, TEN, JACK), (KING, KING, ACE, QUEEN, JACK), 1),
        ((KING, KING, ACE, QUEEN, TEN), (KING, KING, ACE, QUEEN, NINE), 1),
        ((KING, KING, TEN, TEN, NINE), (KING, KING, NINE, NINE, ACE), 1),
        ((NINE, NINE, NINE, ACE, ACE), (TEN, TEN, TEN, NINE, NINE), -1),
        ((NINE, NINE, ACE, KING, QUEEN), (NINE, NINE, ACE, KING, QUEEN), 0),
    ],
)
def test_equal_combinations_are_compared_by_their_faces(
    book: Book, mine: tuple[int, ...], theirs: tuple[int, ...], winner: int
) -> None:
    """A-4: the faces of the combination, then the others; a full draw does no harm."""
    told = _tell(book, "melee", [mine, theirs], *_unrerolled("sabre", "sabre"))
    assert told.names["duel.winner"] == winner
    harm = (told.names["hit"], told.names["own_hit"])
    assert harm == {1: (2, 0), -1: (0, 2), 0: (0, 0)}[winner]


def test_a_side_loses_when_its_dice_run_out(book: Book) -> None:
    """An unarmed figure has the same pair and kickers, but one die fewer."""
    faces = (ACE, ACE, KING, QUEEN)
    told = _tell(book, "melee", [(*faces, NINE), faces], *_unrerolled("hache", "poing"))
    assert (told.names["duel.winner"], told.names["hit"]) == (1, 2)


@pytest.mark.parametrize(
    ("mine", "theirs", "item", "hit"),
    [
        (FULL, TWO_PAIRS, "colt", 3),
        (FULL, TWO_PAIRS, "winchester", 4),
        (FULL, TWO_PAIRS, "colt_lourd", 4),
        (FULL, TWO_PAIRS, "fusil_chasse", 5),
        (POKER, STRAIGHT, "colt", 7),
        (_with_aces(PAIR), PAIR, "colt", 1),
        ((ACE,) * 5, POKER, "colt", 1),
        ((ACE, TEN, JACK, QUEEN, KING), STRAIGHT, "fusil_chasse", 0),
    ],
)
def test_a_shot_does_its_damage(
    book: Book, mine: tuple[int, ...], theirs: tuple[int, ...], item: str, hit: int
) -> None:
    """Golden cases 1 and 2, and Rien against Rien (A-4)."""
    assert _tell(book, "shot", [mine, theirs], *_unrerolled(item)).names["hit"] == hit


@pytest.mark.parametrize(
    ("item", "hit"), [("arme_improvisee", 3), ("sabre", 4), ("hache", 4), ("lance", 5)]
)
def test_a_melee_weapon_does_its_damage(book: Book, item: str, hit: int) -> None:
    sides = _unrerolled(item, "sabre")
    assert _tell(book, "melee", [FULL, TWO_PAIRS], *sides).names["hit"] == hit


def test_a_fist_does_one_damage_less(book: Book) -> None:
    """A-15: 1 damage and -1 tick nothing."""
    sides = _unrerolled("poing", "poing")
    told = _tell(book, "melee", [_with_aces(PAIR)[:4], PAIR[:4]], *sides)
    assert (told.names["duel.winner"], told.names["damage"], told.names["hit"]) == (1, 1, 0)
    assert told.outcome == "unharmed"
    three = _tell(book, "melee", [THREE[:4], PAIR[:4]], *sides)
    assert three.names["hit"] == 2


def test_a_figure_without_a_melee_weapon_fights_unarmed(book: Book) -> None:
    """A figure without a melee weapon fights with fists, named or not."""
    held = _no_reroll(item="colt", life=99)
    told = _tell(book, "melee", [PAIR, _with_aces(THREE)[:4]], _unrerolled("sabre")[0], held)
    assert [thrown.wanted.dice for thrown in told.throws] == [5, 4]
    assert told.names["own_hit"] == 2


# Potential: dice and re-rolls


@pytest.mark.parametrize(
    ("rank", "states", "light", "potential", "first", "again"),
    [
        ("vedette", (), 0, 3, 5, 3),
        ("vedette", ("wounded",), 0, 2, 5, 2),
        ("vedette", (), 2, 1, 5, 1),
        ("second_role", (), 0, 2, 5, 2),
        ("second_role", ("wounded",), 0, 1, 5, 1),
        ("figurant", (), 0, 1, 5, 1),
        ("figurant", ("wounded",), 0, 0, 5, 0),
        ("figurant", (), 3, -2, 3, 0),
        ("figurant", ("wounded",), 1, -1, 4, 0),
        ("figurant", (), 5, -4, 1, 0),
        ("figurant", ("wounded",), 5, -5, 1, 0),
    ],
)
def test_potential_decides_the_dice_of_a_shot(
    book: Book,
    rank: str,
    states: tuple[str, ...],
    light: int,
    potential: int,
    first: int,
    again: int,
) -> None:
    """Golden case 3: 3 - 2 is one re-roll, -2 is three dice; at least one die is left."""
    by = _side(rank, "colt", states=states)
    told = _thrown(book, "shot", by, _no_reroll(), light=light)
    thrown = [one.wanted for one in told.throws if one.wanted.step == "mine"]
    assert told.names["pot"] == potential
    assert thrown[0].dice == first
    # The faces are all different: every allowed die is thrown again.
    assert sum(one.dice for one in thrown[1:]) == again


@pytest.mark.parametrize(
    ("rank", "life", "states", "potential", "dice"),
    [("vedette", None, (), 1, 5), ("second_role", None, ("wounded",), -1, 4)],
)
def test_return_fire_lowers_the_potential(
    book: Book, rank: str, life: int | None, states: tuple[str, ...], potential: int, dice: int
) -> None:
    """Golden case 4: a Riposte of 3/2 has 1, of a Wounded 2/1 -1: four dice."""
    at = _side(rank, "colt", life=life, states=states)
    told = _thrown(book, "shot", _no_reroll(item="colt"), at, reaction="return_fire")
    thrown = [one.wanted for one in told.throws if one.wanted.step == "theirs"]
    assert told.names["their_pot"] == potential
    assert (thrown[0].dice, len(thrown)) == (dice, 2 if potential > 0 else 1)


@pytest.mark.parametrize(("life", "potential"), [(6, 3), (4, 3), (3, 3), (2, 2), (1, 2)])
def test_a_ticked_red_cartridge_wounds_a_figure(book: Book, life: int, potential: int) -> None:
    """WWWRRR: with three left, only white cartridges are ticked."""
    told = _thrown(book, "shot", _side("vedette", "colt", life=life), _no_reroll())
    assert told.names["pot"] == potential


def test_a_patched_up_figure_stays_wounded(book: Book) -> None:
    """A restored white cartridge leaves the red one ticked."""
    by = _side("vedette", "colt", life=3, states=("wounded",))
    assert _thrown(book, "shot", by, _no_reroll()).names["pot"] == 2


@pytest.mark.parametrize(
    ("said", "pots"),
    [
        ({"light_by_shooter": 1, "heavy": 1}, (3, 4)),
        ({"light": 1}, (2, 3)),
        ({"light": 2, "light_by_target": 1, "heavy": 1, "heavy_by_target": 1}, (0, 5)),
        ({"heavy_by_shooter": 1}, (3, 3)),
        ({"reaction": "return_fire"}, (3, 1)),
        ({"reaction": "return_fire", "light_by_shooter": 1, "heavy": 1}, (2, -1)),
        ({"reaction": "return_fire", "light_by_shooter": 1, "heavy_by_target": 1}, (2, 0)),
        ({"reaction": "return_fire", "light": 1, "heavy": 1}, (1, -1)),
    ],
)
def test_cover_changes_the_potential_of_both_sides(
    book: Book, said: dict[str, Value], pots: tuple[int, int]
) -> None:
    """Golden cases 5 and 6: 0 and +1; -1 and -4; with the heavy one at the target -1 and -3."""
    told = _thrown(book, "shot", _side("vedette", "colt"), _side("vedette", "colt"), **said)
    assert (told.names["pot"], told.names["their_pot"]) == pots


@pytest.mark.parametrize("held", [None, "sabre"])
def test_return_fire_needs_a_firearm(book: Book, held: str | None) -> None:
    """A-10: without a firearm it is a dodge, with its cover."""
    at = _side("vedette", held)
    told = _thrown(book, "shot", _side("vedette", "colt"), at, reaction="return_fire", heavy=1)
    assert (told.names["both_hurt"], told.names["pot"], told.names["their_pot"]) == (0, 3, 4)


def test_zombies_neither_shoot_nor_return_fire(book: Book) -> None:
    zombie = _side("zombie", "colt")
    told = _thrown(book, "shot", _side("vedette", "colt"), zombie, reaction="return_fire")
    assert told.names["both_hurt"] == 0
    usable = book.roll["shot"].usable
    assert usable is not None
    settings = book.default_settings()
    for by, may in ((zombie, False), (_side("vedette", "colt"), True)):
        assert parse(usable).holds(_names(book, settings, by, _side("vedette"), {})) is may
    bare = _names(book, settings, _side("vedette", "sabre"), _side("vedette"), {})
    assert not parse(usable).holds(bare)


# Cards


def test_a_card_completes_a_combination(book: Book) -> None:
    """Golden case 7: D-D-R-R-9 and a queen are a Full."""
    by = _side("vedette", states=("wounded",))
    told = _tell(book, "guts", [TWO_PAIRS], by, first_card="queen")
    assert told.names["nerve.rank"] == 4


@pytest.mark.parametrize(
    ("rank", "traits", "used", "cards", "played"),
    [
        ("vedette", (), 0, 3, 2),
        ("vedette", ("inspire",), 0, 3, 3),
        ("vedette", (), 1, 3, 1),
        ("second_role", (), 0, 2, 1),
        ("second_role", (), 1, 1, 0),
        ("figurant", (), 0, 1, 0),
    ],
)
def test_the_hand_limits_the_cards_played(
    book: Book, rank: str, traits: tuple[str, ...], used: int, cards: int, played: int
) -> None:
    names = ("first_card", "second_card", "third_card")
    said: dict[str, Value] = dict.fromkeys(names[:cards], "ace")
    by = _side(rank, states=("wounded",), traits=traits)
    told = _thrown(book, "guts", by, cards_used=used, **said)
    assert sum(told.names[f"card_{number}"] == ACE for number in (1, 2, 3)) == played


def test_both_sides_can_play_cards(book: Book) -> None:
    at = _no_reroll("second_role", life=99)
    by = _no_reroll("second_role", "colt", life=99)
    said: dict[str, Value] = {"first_card": "queen", "their_first_card": "ten"}
    told = _tell(book, "shot", [PAIR, (5,), STRAIGHT, (5,)], by, at, **said)
    assert (told.names["mine.rank"], told.names["theirs.rank"]) == (3, 2)


def test_a_card_can_only_help(book: Book) -> None:
    by, at = _side("vedette", "colt"), _side("vedette")
    plain = _odds(book, "shot", by, at).average("lost")
    helped = [
        _odds(book, "shot", by, at, first_card=card).average("lost")
        for card in ("nine", "ten", "jack", "queen", "king", "ace")
    ]
    assert plain < helped[0] < helped[-1]
    assert helped == sorted(helped)


# Exact odds of conflicts


@pytest.mark.parametrize(
    ("by", "at", "mine", "theirs", "weapon", "life"),
    [
        (_no_reroll(item="colt"), _no_reroll(life=3), (0, 0), (0, 0), 0, 3),
        (_side("figurant", "winchester"), _no_reroll(life=3), (1, 0), (0, 0), 1, 3),
        (_side("vedette", "fusil_chasse"), _side("second_role"), (3, 0), (2, 0), 2, 5),
        (_side("second_role", "colt"), _side("vedette"), (2, 0), (3, 0), 0, 6),
    ],
)
def test_a_dodged_shot_has_its_odds(
    book: Book,
    by: Side,
    at: Side,
    mine: tuple[int, int],
    theirs: tuple[int, int],
    weapon: int,
    life: int,
) -> None:
    found = _odds(book, "shot", by, at)
    assert found.numbers["lost"] == _ticked(_duel(mine, theirs, weapon), life)
    assert found.numbers["own_lost"] == {0: 1}
    assert found.outcomes["out"] == found.at_least("lost", life)
    assert sum(found.outcomes.values()) == 1


def test_a_returned_shot_has_its_odds(book: Book) -> None:
    by, at = _side("second_role", "colt"), _side("vedette", "fusil_chasse")
    found = _odds(book, "shot", by, at, reaction="return_fire", light=1)
    # 2 - 1 for the obstacle; 3 - 2 - 1.
    assert found.numbers["lost"] == _ticked(_duel((1, 0), (0, 0), 0), 6)
    assert found.numbers["own_lost"] == _ticked(_duel((0, 0), (1, 0), 2), 5)
    assert found.outcomes["own_out"] == found.at_least("own_lost", 5)


@pytest.mark.parametrize("potential", [-4, -3, -1])
def test_a_shot_with_fewer_dice_has_its_odds(book: Book, potential: int) -> None:
    by = _side("figurant", "colt")
    found = _odds(book, "shot", by, _no_reroll(life=3), light=1 - potential)
    assert found.numbers["lost"] == _ticked(_duel((potential, 0), (0, 0), 0), 3)


def test_a_melee_between_equal_sides_has_equal_odds(book: Book) -> None:
    """Equal sides do the same damage to each other."""
    found = _odds(book, "melee", _side("second_role", "sabre"), _side("second_role", "hache"))
    assert found.numbers["lost"] == found.numbers["own_lost"]
    assert found.numbers["lost"] == _ticked(_duel((2, 0), (2, 0), 1), 5)
    for mine in ("out", "wounded", "hurt"):
        assert found.outcomes[mine] == found.outcomes[f"own_{mine}"]


@pytest.mark.parametrize(("unarmed", "mine"), [("base_die", (1, 1)), ("potential", (0, 0))])
def test_an_unarmed_figure_fights_with_a_penalty(
    book: Book, unarmed: str, mine: tuple[int, int]
) -> None:
    """A-3: one base die less, or one Potential less; an improvised weapon counts (A-12)."""
    options = {"unarmed": unarmed}
    by, at = _side("figurant", "poing"), _side("figurant", "arme_improvisee")
    found = _odds(book, "melee", by, at, options)
    assert found.numbers["lost"] == _ticked(_duel(mine, (1, 0), -1), 3)
    assert found.numbers["own_lost"] == _ticked(_duel((1, 0), mine, 0), 3)
    swapped = _odds(book, "melee", at, by, options)
    assert swapped.numbers["own_lost"] == found.numbers["lost"]


def test_two_shots_in_a_row_match_a_count_by_hand(book: Book) -> None:
    """A star with a Winchester shoots twice at an extra.

    The first shot takes it out, or the second hits the remaining life, Wounded or not.
    """
    star = _side("vedette", "winchester")
    first = _odds(book, "shot", star, _side("figurant"))
    by_hand = _ticked(_duel((3, 0), (1, 0), 1), 3)
    assert first.numbers["lost"] == by_hand
    out = first.outcomes["out"]
    for lost in (0, 1, 2):
        then = _odds(book, "shot", star, _side("figurant", life=3 - lost))
        out += by_hand.get(lost, Fraction(0)) * then.outcomes["out"]
    again = {left: _ticked(_duel((3, 0), (1, 0), 1), left)[left] for left in (1, 2, 3)}
    # WWR: with one left the extra is not Wounded yet.
    assert out == by_hand[3] + sum(by_hand.get(3 - left, 0) * again[left] for left in (1, 2, 3))


def test_two_weapons_in_a_row_match_a_count_by_hand(book: Book) -> None:
    """A shot with a Colt, then a sabre against a supporting role's remaining life."""
    star, armed = _side("vedette", "colt"), _side("vedette", "sabre")
    first = _odds(book, "shot", star, _side("second_role")).numbers["lost"]
    assert first == _ticked(_duel((3, 0), (2, 0), 0), 5)
    out = first[5]
    for lost in range(5):
        then = _odds(book, "melee", armed, _side("second_role", "hache", life=5 - lost))
        # WWWRR: with the fourth cartridge ticked they are Wounded.
        potential = 1 if lost == 4 else 2
        by_hand = _ticked(_duel((3, 0), (potential, 0), 1), 5 - lost)
        assert then.numbers["lost"] == by_hand
        out += first[lost] * then.outcomes["out"]
    assert first[5] < out < 1
    assert out == 1 - sum(
        first[lost]
        * (1 - _ticked(_duel((3, 0), (1 if lost == 4 else 2, 0), 1), 5 - lost)[5 - lost])
        for lost in range(5)
    )


def test_each_shot_at_a_last_cartridge_has_the_same_chance(book: Book) -> None:
    """A Wounded extra has one cartridge left: each shot of a Colt has the same chance."""
    found = _odds(book, "shot", _no_reroll(item="colt"), _no_reroll(life=1))
    hits = sum(chance for hit, chance in _duel((0, 0), (0, 0), 0).items() if hit)
    assert found.outcomes["out"] == hits
    after = [1 - (1 - hits) ** shots for shots in (1, 2, 3)]
    assert after == [
        hits,
        hits + (1 - hits) * hits,
        hits + (1 - hits) * hits + (1 - hits) ** 2 * hits,
    ]


# Roles and their effects on dice


def test_the_sharpshooter_ignores_one_light_cover(book: Book) -> None:
    by, at = _side("second_role", "colt", profession="tireur_elite"), _side("vedette", "colt")
    pots = [_thrown(book, "shot", by, at, light=light).names["pot"] for light in (0, 1, 2)]
    assert pots == [2, 2, 1]
    # Every cover counts as a light one where fire is returned, and a Riposte is a shot, too.
    told = _thrown(book, "shot", at, by, reaction="return_fire", heavy=1)
    assert (told.names["pot"], told.names["their_pot"]) == (2, 0)
    assert _thrown(book, "shot", by, at, heavy=1).names["pot"] == 2


def test_the_bruiser_hits_harder_in_melee_only(book: Book) -> None:
    bruiser = {"profession": "brute", "life": 99}
    by = _no_reroll("second_role", "sabre", **bruiser)
    at = _no_reroll("second_role", "sabre", life=99)
    kept = [TWO_PAIRS, (NINE,)]
    told = _tell(book, "melee", [FULL, *kept], by, at)
    assert told.names["hit"] == 3 + 1 + 1
    told = _tell(book, "melee", [*kept, FULL], at, by)
    assert told.names["own_hit"] == 3 + 1 + 1
    armed = _no_reroll("second_role", "colt", **bruiser)
    assert _tell(book, "shot", [FULL, *kept], armed, at).names["hit"] == 3


def test_zombies_fight_with_bare_hands_without_a_penalty(book: Book) -> None:
    zombie, braved = _side("zombie", "poing", life=99), {"their_braved": 1, "braved": 1}
    told = _thrown(book, "melee", zombie, _no_reroll(item="sabre"), None, **braved)
    assert (told.names["pot"], told.throws[0].wanted.dice, told.names["weapon"]) == (1, 5, 0)
    told = _thrown(book, "melee", _no_reroll(item="sabre"), _side("zombie"), None, **braved)
    assert (told.names["their_pot"], told.names["their_weapon"]) == (1, 0)
    assert [one.wanted.dice for one in told.throws if one.wanted.step == "theirs"][0] == 5
    found = _odds(book, "melee", zombie, _no_reroll(item="arme_improvisee"), None, **braved)
    assert found.numbers["lost"] == _ticked(_duel((1, 0), (0, 0), 0), 3)


def test_a_zombie_is_never_wounded(book: Book) -> None:
    found = _odds(book, "shot", _side("vedette", "colt"), _side("zombie"))
    assert (found.outcomes["wounded"], found.outcomes["hurt"] > 0) == (0, True)
    assert (
        _thrown(book, "shot", _no_reroll(item="colt"), _side("zombie", life=1)).names["their_pot"]
        == 1
    )


def test_the_antihero_steals_the_scene(book: Book) -> None:
    """Potential +1 in every roll of the turn."""
    stealing = _side("vedette", "colt", profession="antiheros", states=("stealing_the_scene",))
    told = _thrown(book, "shot", stealing, stealing, reaction="return_fire")
    assert (told.names["pot"], told.names["their_pot"]) == (4, 2)
    assert _thrown(book, "guts", stealing).names["nerve_pot"] == 4
    at = _side("figurant")
    assert _odds(book, "steal_the_scene", stealing, at).outcomes == {"stolen": 1}
    effects = book.roll["steal_the_scene"].outcomes[0].effects
    assert [(one.kind, one.whom) for one in effects] == [("begins", "by"), ("begins", "at")]
    states = [book.state[key] for key in ("stealing_the_scene", "overlooked")]
    assert [(state.lasts, state.stops) for state in states] == [("turn", False), ("turn", True)]


@pytest.mark.parametrize(
    ("die", "outcome", "lost"), [(4, "last_cartridge", 5), (6, "last_cartridge", 5), (3, "out", 6)]
)
def test_a_young_lead_can_keep_the_last_cartridge(
    book: Book, die: int, outcome: str, lost: int
) -> None:
    """Golden case 9: on 4 the Young Lead stays with exactly one, on 3 they are out."""
    at = _side("vedette", profession="jeune_premier")
    faces = [POKER, STRAIGHT, (JACK, TEN, QUEEN), (die,)]
    told = _tell(book, "shot", faces, _no_reroll(item="colt"), at)
    assert (told.outcome, told.numbers["lost"]) == (outcome, lost)
    alone = _tell(book, "last_cartridge", [(die,)], at)
    assert alone.outcome == outcome
    assert _odds(book, "last_cartridge", at).outcomes["out"] == Fraction(1, 2)


def test_a_young_lead_is_half_as_likely_to_be_taken_out(book: Book) -> None:
    """Half the chance to take out any other star."""
    by = _side("vedette", "fusil_chasse")
    other = _odds(book, "shot", by, _side("vedette", profession="heros")).outcomes["out"]
    young = _odds(book, "shot", by, _side("vedette", profession="jeune_premier")).outcomes
    assert other > 0
    assert young["out"] == young["last_cartridge"] == other / 2


def test_an_arch_villain_can_pass_damage_on(book: Book) -> None:
    """An Arch-villain passes all damage on, once a game; a supporting role what wounds them."""
    villain = {"rank": "vedette", "profession": "grand_mechant"}
    faces = [FULL, STRAIGHT, (NINE, TEN, JACK)]
    by = _no_reroll(item="colt")
    told = _tell(book, "shot", faces, by, _side(**villain), passes_on=1)
    assert (told.outcome, told.numbers["lost"], told.names["hit"]) == ("passed_on", 0, 5)
    assert _tell(book, "shot", faces, by, _side(**villain)).numbers["lost"] == 5
    spared = _side(**villain, states=("spared",))
    assert _tell(book, "shot", faces, by, spared, passes_on=1).numbers["lost"] == 5
    # Without a supporting role that is not Wounded, the Arch-villain keeps the damage.
    without = _tell(book, "shot", faces, by, _side(**villain), passes_on=1, stand_ins=0)
    assert without.numbers["lost"] == 5
    assert _tell(book, "shot", faces, by, _side("vedette"), passes_on=1).numbers["lost"] == 5
    for life, lost in ((5, 4), (4, 3), (2, 1)):
        found = _odds(book, "stand_in", _side("second_role", life=life))
        assert found.numbers["lost"] == {lost: 1}
    usable = book.roll["stand_in"].usable
    assert usable is not None
    settings = book.default_settings()
    for side, may in (
        (_side("second_role"), True),
        (_side("second_role", life=1), False),
        (_side("second_role", states=("wounded",)), False),
        (_side("figurant"), False),
    ):
        assert parse(usable).holds(_names(book, settings, side, None, {})) is may


def test_a_doctor_can_patch_up_a_hurt_figure(book: Book) -> None:
    doc = _side("second_role", profession="toubib")
    usable = book.roll["patch_up"].usable
    assert usable is not None
    settings = book.default_settings()
    for at, may in (
        (_side("vedette", life=4), True),
        (_side("vedette"), False),
        (_side("vedette", life=4, states=("patched",)), False),
    ):
        assert parse(usable).holds(_names(book, settings, doc, at, {})) is may
    effect = book.roll["patch_up"].outcomes[0].effects[0]
    assert (effect.kind, effect.whom) == ("changes", "at")
    assert _odds(book, "patch_up", doc, _side("vedette", life=4)).numbers["cleared"] == {1: 1}


# Guts


@pytest.mark.parametrize(
    ("by", "potential"),
    [
        (_no_reroll(), 0),
        (_side("figurant"), 1),
        (_side("vedette", states=("wounded",)), 2),
        (_side("vedette"), 3),
        (_side("second_role"), 2),
        (_side("second_role", states=("wounded",), traits=("nerfs_solides",)), 2),
        (_side("vedette", traits=("nerfs_solides",)), 4),
        (_side("vedette", conditions=("scar",), states=("wounded",)), 1),
    ],
)
def test_a_guts_test_has_its_odds(book: Book, by: Side, potential: int) -> None:
    """Two pairs or better, with the best re-rolls (A-6: Wounded uses the second value)."""
    assert _odds(book, "guts", by).outcomes["holds"] == _guts(potential)


def test_a_guts_test_without_re_rolls_has_its_odds(book: Book) -> None:
    """Of 7776 throws 1800 are two pairs, 1200 three, 300 full, 150 four and 6 five of a kind."""
    found = _odds(book, "guts", _no_reroll())
    assert found.outcomes["holds"] == Fraction(1800 + 1200 + 300 + 150 + 6, 7776) == Fraction(4, 9)
    assert found.outcomes["runs"] == Fraction(5, 9)


def test_a_second_failed_guts_test_removes_a_figure(book: Book) -> None:
    """Golden case 10: failed out of cover, removed; in cover, the activation is lost."""
    first = _tell(book, "guts", [PAIR], _no_reroll())
    assert first.outcome == "runs"
    fleeing = _side("figurant", states=("wounded", "fleeing"))
    assert _tell(book, "come_round", [PAIR], fleeing).outcome == "removed"
    assert _tell(book, "come_round", [PAIR], fleeing, in_cover=1).outcome == "waits"
    assert _tell(book, "come_round", [TWO_PAIRS], fleeing).outcome == "recovers"
    fails = 1 - Fraction(4, 9)
    removed = _odds(book, "guts", _no_reroll()).outcomes["runs"]
    removed *= _odds(book, "come_round", fleeing).outcomes["removed"]
    assert removed == fails**2 == Fraction(25, 81)


def test_a_guts_test_has_its_effects(book: Book) -> None:
    brings = {
        key: {one.key: [effect.kind for effect in one.effects] for one in book.roll[key].outcomes}
        for key in ("guts", "come_round")
    }
    assert brings == {
        "guts": {"holds": [], "runs": ["begins", "moves"]},
        "come_round": {"recovers": ["ends"], "waits": ["ends_activation"], "removed": ["out"]},
    }
    (removed,) = [one for one in book.roll["come_round"].outcomes if one.key == "removed"]
    (runs,) = [one for one in book.roll["guts"].outcomes if one.key == "runs"]
    assert (removed.effects[0].mark, runs.effects[1].distance) == ("fled", 6)  # type: ignore[union-attr]


def test_the_dead_take_no_guts_tests(book: Book) -> None:
    usable = book.roll["guts"].usable
    assert usable is not None
    settings = book.default_settings()
    assert not parse(usable).holds(_names(book, settings, _side("zombie"), None, {}))
    assert parse(usable).holds(_names(book, settings, _side("figurant"), None, {}))


@pytest.mark.parametrize(
    ("at", "frightened"),
    [
        (_side("second_role", "sabre", profession="croque_mort"), True),
        (_side("vedette", "sabre", traits=("gueule_patibulaire",)), True),
        (_side("zombie", "poing"), True),
        (_side("second_role", "sabre", profession="brute"), False),
    ],
)
def test_a_frightening_enemy_can_make_a_figure_run(book: Book, at: Side, frightened: bool) -> None:
    by = _no_reroll(item="sabre")
    runs = Fraction(5, 9) if frightened else 0
    assert _odds(book, "melee", by, at).outcomes["ran"] == runs
    assert _odds(book, "melee", at, by).outcomes["their_ran"] == runs
    assert _odds(book, "melee", by, at, braved=1).outcomes["ran"] == 0
    assert _odds(book, "melee", at, by, their_braved=1).outcomes["their_ran"] == 0
    # Zombies fear no enemy, and shots frighten no figure.
    assert _odds(book, "melee", _side("zombie", "poing"), at).outcomes["ran"] == 0
    assert "ran" not in _odds(book, "shot", _no_reroll(item="colt"), at).outcomes


def test_two_frightening_figures_test_their_guts_in_turn(book: Book) -> None:
    undertaker = _side("second_role", "sabre", profession="croque_mort")
    found = _odds(book, "melee", undertaker, undertaker)
    holds = _guts(2)
    assert found.outcomes["ran"] == 1 - holds
    assert found.outcomes["their_ran"] == holds * (1 - holds)
    fights = _ticked(_duel((2, 0), (2, 0), 1), 5)
    assert found.outcomes["out"] == holds**2 * fights[5]


# The turn


def test_initiative_has_its_odds_with_and_without_cards(book: Book) -> None:
    """Ties are thrown again; a card replaces the die, and two equal cards make both throw."""
    assert _odds(book, "initiative").outcomes == {"won": Fraction(1, 2), "lost": Fraction(1, 2)}
    for number, card in enumerate(("nine", "ten", "jack", "queen", "king", "ace"), 1):
        found = _odds(book, "initiative", initiative_card=card)
        assert found.outcomes["won"] == Fraction(number - 1, 5)
        assert _odds(book, "initiative", their_initiative_card=card).outcomes["lost"] == Fraction(
            number - 1, 5
        )
    both: dict[str, Value] = {"initiative_card": "king", "their_initiative_card": "queen"}
    assert _odds(book, "initiative", **both).outcomes["won"] == 1
    alike: dict[str, Value] = {"initiative_card": "king", "their_initiative_card": "king"}
    assert _odds(book, "initiative", **alike).outcomes["won"] == Fraction(1, 2)
    told = _tell(book, "initiative", [(4,), (4,), (2,), (5,)])
    assert told.outcome == "lost"


@pytest.mark.parametrize(
    ("star", "old_chap", "held", "limit", "drawn"),
    [
        (1, 0, 0, 5, 5),
        (1, 0, 2, 5, 3),
        (0, 0, 0, 3, 3),
        (0, 0, 4, 3, 0),
        (1, 1, 5, 6, 1),
        (0, 1, 3, 4, 1),
    ],
)
def test_upkeep_draws_up_to_the_hand_limit(
    book: Book, star: int, old_chap: int, held: int, limit: int, drawn: int
) -> None:
    """Golden case 8: 3 instead of 5 without a star; an Old Chap adds one (A-11)."""
    found = _odds(book, "upkeep", star_left=star, old_chap=old_chap, cards_held=held)
    assert found.numbers == {"hand_limit": {limit: 1}, "drawn": {drawn: 1}}


@pytest.mark.parametrize(
    ("ground", "both", "inches"),
    [
        ("open", 0, 4),
        ("rough", 0, 2),
        ("high_wall", 0, 0),
        ("jump", 0, 2),
        ("jump", 1, 4),
        ("rough", 1, 2),
    ],
)
def test_a_move_has_its_distance_on_each_ground(
    book: Book, ground: str, both: int, inches: int
) -> None:
    found = _odds(book, "stride", _side("figurant"), ground=ground, both_actions=both)
    assert found.numbers["inches"] == {inches: 1}


def test_who_has_one_move_action_jumps_with_one(book: Book) -> None:
    by = _side("figurant")
    found = _odds(book, "stride", by, ground="jump", both_actions=1, one_move=1)
    assert found.numbers["inches"] == {2: 1}


def test_a_figure_moves_a_limited_number_of_times(book: Book) -> None:
    usable = book.action["move"].usable
    assert usable is not None
    settings = book.default_settings()
    may = [
        parse(usable).holds(_names(book, settings, side, None, {"moves_taken": taken}))
        for side in (_side("vedette"), _side("vedette", life=2), _side("zombie"))
        for taken in (0, 1)
    ]
    assert may == [True, True, True, False, True, False]


# Options


def test_a_setting_allows_re_rolls_die_by_die(book: Book) -> None:
    """One die at a time, even the same die three times. A single re-roll is not affected."""
    options = {"rerolls": "several"}
    one = _side("figurant")
    once = _odds(book, "guts", one).outcomes["holds"]
    assert _odds(book, "guts", one, options=options).outcomes["holds"] == once
    star = _side("vedette")
    once, several = (
        _odds(book, "guts", star, options=one).outcomes["holds"] for one in (None, options)
    )
    assert once < several
    told = _tell(book, "guts", [PAIR, (JACK,), (KING,), (ACE,)], star, options=options)
    assert told.outcome == "holds"
    assert [thrown.wanted.dice for thrown in told.throws] == [5, 1, 1, 1]


def test_ranges_limit_shots_when_they_are_agreed(book: Book) -> None:
    options = {"ranges": "house"}
    by, at = _side("vedette", "winchester"), _side("vedette", "colt")
    assert _odds(book, "shot", by, at, options, distance=24).outcomes["too_far"] == 0
    assert _odds(book, "shot", by, at, options, distance=25).outcomes["too_far"] == 1
    said: dict[str, Value] = {"reaction": "return_fire", "distance": 13}
    assert _thrown(book, "shot", by, at, options, **said).names["both_hurt"] == 0
    assert _thrown(book, "shot", at, by, options, **{**said, "distance": 12}).names["both_hurt"]
    assert "too_far" not in _odds(book, "shot", by, at).outcomes


# Effects of outcomes


def _effects(book: Book, roll: str, outcome: str) -> Iterator[tuple[str, str, str | None]]:
    (found,) = [one for one in book.roll[roll].outcomes if one.key == outcome]
    for effect in found.effects:
        what = next(
            (
                getattr(effect, name)
                for name in ("state", "roll", "track", "mark")
                if hasattr(effect, name)
            ),
            "",
        )
        yield effect.kind, f"{effect.whom} {what}".strip(), effect.given


@pytest.mark.parametrize("roll", ["shot", "melee"])
def test_a_conflict_has_its_effects(book: Book, roll: str) -> None:
    for prefix, who in (("", "at"), ("own_", "by")):
        dodge = [("moves", "at", "not both_hurt")] if roll == "shot" and not prefix else []
        loses = ("changes", f"{who} barrel", None)
        assert [*_effects(book, roll, f"{prefix}hurt")] == [loses, *dodge]
        assert [*_effects(book, roll, f"{prefix}wounded")] == [
            loses,
            ("begins", f"{who} wounded", None),
            ("then", f"{who} guts", None),
            *dodge,
        ]
        # A star taken out makes the whole band test its guts (golden case 8).
        assert [*_effects(book, roll, f"{prefix}out")] == [
            loses,
            ("out", f"{who} hs", None),
            ("then", f"{who}_side guts", f"{who}.is_rank('vedette')"),
        ]
        assert [*_effects(book, roll, f"{prefix}passed_on")] == [
            ("begins", f"{who} spared", None),
            ("then", f"{who}_side stand_in", None),
            *dodge,
        ]
        # the guts test for being Wounded is not taken twice.
        assert [*_effects(book, roll, f"{prefix}last_cartridge")] == [
            ("sets", f"{who} barrel", None),
            ("begins", f"{who} wounded", None),
            ("then", f"{who} guts", f"{prefix}unhurt"),
            *dodge,
        ]


@pytest.mark.parametrize(
    ("rank", "life", "lost", "outcome"),
    [
        ("vedette", 6, 3, "hurt"),
        ("vedette", 6, 4, "wounded"),
        ("vedette", 3, 1, "wounded"),
        ("vedette", 2, 1, "hurt"),
        ("vedette", 6, 6, "out"),
        ("second_role", 5, 4, "wounded"),
        ("second_role", 5, 3, "hurt"),
        ("figurant", 3, 2, "hurt"),
        ("figurant", 3, 3, "out"),
        ("zombie", 2, 1, "hurt"),
    ],
)
def test_the_first_red_cartridge_wounds_a_figure(
    book: Book, rank: str, life: int, lost: int, outcome: str
) -> None:
    """Only the first ticked red cartridge wounds."""
    # The hands of ranks 1, 2, 3, 5 and 6 against nothing do 2, 3, 4, 6 and 7; a pair of aces
    # against a pair does 1.
    mine, theirs = {
        1: (_with_aces(PAIR), PAIR),
        2: (PAIR, STRAIGHT),
        3: (TWO_PAIRS, STRAIGHT),
        4: (THREE, STRAIGHT),
        6: (FOUR, STRAIGHT),
    }[lost]
    at = _side(rank, life=life)
    settings = book.default_settings()
    names = _names(book, settings, _no_reroll(item="colt"), at, {"light": 0})
    # No re-rolls here: the target has Potential 0.
    names |= {"at.pot.first": 0, "at.pot.second": 0}
    told = tell(ready(book.under(settings), "shot"), names, [mine, theirs])
    assert (told.outcome, told.numbers["lost"]) == (outcome, lost)


# Six examples from the rules, die by die


def test_the_pictured_example_does_three_damage(book: Book) -> None:
    """“le full VS les deux paires infligent 3 points de dégâts”, by a Pair that is thrown on."""
    told = _tell(
        book,
        "shot",
        [(QUEEN, QUEEN, NINE, TEN, ACE), (QUEEN, KING, KING), TWO_PAIRS, (NINE,)],
        _side("vedette", "colt"),
        _side("figurant"),
    )
    assert [thrown.wanted.dice for thrown in told.throws] == [5, 3, 5, 1]
    assert (told.names["mine.rank"], told.names["theirs.rank"]) == (4, 2)
    assert (told.outcome, told.numbers["lost"]) == ("out", 3)


def test_return_fire_can_win(book: Book) -> None:
    """“tente de rendre la monnaie de sa pièce”: the target, at Potential -2, wins and wounds."""
    told = _tell(
        book,
        "shot",
        [PAIR, (NINE, TEN), THREE, (NINE,)],
        _side("second_role", "colt"),
        _side("vedette", "winchester"),
        reaction="return_fire",
    )
    assert told.names["their_pot"] == 1
    # Three queens against two of them, and one for the Winchester.
    assert (told.outcome, told.numbers) == ("own_wounded", {"lost": 0, "own_lost": 4})


def test_heavy_cover_gives_a_dodger_an_extra_die(book: Book) -> None:
    """Heavy cover gives the dodger a die more, and a draw does no harm."""
    told = _tell(
        book,
        "shot",
        [PAIR, PAIR, (TEN, ACE)],
        _no_reroll(item="colt"),
        _side("figurant"),
        heavy=1,
    )
    assert told.names["their_pot"] == 2
    assert told.throws[2].wanted.kept == (ACE, QUEEN, QUEEN)
    assert told.outcome in ("unharmed", "hurt")
    drawn = _tell(
        book, "shot", [PAIR, PAIR, (TEN, NINE)], _no_reroll(item="colt"), _side("figurant"), heavy=1
    )
    assert (drawn.names["duel.winner"], drawn.outcome) == (0, "unharmed")


def test_unarmed_fighters_have_fewer_dice_and_less_damage(book: Book) -> None:
    """“un malus d’un dé de base”, and the fist's -1."""
    told = _tell(
        book,
        "melee",
        [(NINE, NINE, TEN, ACE), (NINE, NINE), (JACK, JACK, TEN, NINE), (NINE,)],
        _side("second_role", "poing"),
        _side("figurant"),
    )
    assert [thrown.wanted.dice for thrown in told.throws] == [4, 2, 4, 1]
    assert (told.names["damage"], told.outcome, told.numbers["lost"]) == (5, "out", 3)


def test_a_newly_wounded_figure_tests_its_guts(book: Book) -> None:
    """“S’il coche une cartouche rouge, il devient Blessé”, and tests their guts immediately."""
    star = _side("vedette")
    faces = [FULL, PAIR, (NINE, TEN, JACK)]
    hit = _tell(book, "shot", faces, _no_reroll(item="colt"), star)
    assert (hit.outcome, hit.numbers["lost"]) == ("wounded", 4)
    wounded = _side("vedette", life=2, states=("wounded",))
    test = _tell(book, "guts", [PAIR, (ACE, JACK)], wounded)
    assert test.throws[1].wanted.dice == 2
    assert test.outcome == "holds"


def test_a_fleeing_figure_waits_in_cover_and_then_leaves(book: Book) -> None:
    """“A sa prochaine activation, le joueur fait un nouveau test”: twice in cover, then removed."""
    fleeing = _side("figurant", states=("fleeing",))
    failed, passed = [STRAIGHT, (JACK,)], [PAIR, (ACE,)]
    assert _tell(book, "guts", failed, _side("figurant")).outcome == "runs"
    assert _tell(book, "come_round", failed, fleeing, in_cover=1).outcome == "waits"
    assert _tell(book, "come_round", passed, fleeing, in_cover=1).outcome == "recovers"
    assert _tell(book, "come_round", failed, fleeing).outcome == "removed"


# Work


def _cold(book: Book, key: str, names: dict[str, Value]) -> int:
    """Return the number of function calls when a roll's odds are computed for the first time."""
    made = make_ready(book.usual, book.roll[key])
    for module in (distributions, hands, odds_module):
        for function in vars(module).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()
    return calls(lambda: odds(made, names))


@pytest.mark.parametrize("key", sorted(ASKED))
def test_odds_take_little_work(book: Book, key: str) -> None:
    """Poker with re-rolls and cards takes three times as much as other rolls may."""
    item = {"shot": "winchester", "melee": "sabre"}.get(key)
    frightening = {"traits": ("gueule_patibulaire",), "profession": "toubib"}
    by = _side("vedette", item, **frightening)
    at = _side("vedette", item, life=5, **frightening)
    cards: dict[str, Value] = {"first_card": "ace", "their_first_card": "king"}
    names = _names(book, book.default_settings(), by, at, cards)
    most = 30_000 if key in ("shot", "melee", "guts", "come_round") else 10_000
    assert _cold(book, key, names) < most
