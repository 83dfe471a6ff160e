"""The dice of Du sang sur la lame: the golden cases of its rules, exactly.

A few lines here count the odds of duels independently, face by face, without the rulebook's steps.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from rules.book.model import Book
from rules.book.roll_effects import Begins, Changes, EndsActivation, LosesWeapon, Moves, Out, Then
from rules.book.vocabulary import Text
from rules.engine.cells import columns_of, work_out, written_cells
from rules.engine.compiling import ready
from rules.engine.evening import action_cost
from rules.engine.expressions import Value, parse
from rules.engine.figure import Figure
from rules.engine.odds import Odds, odds
from rules.engine.playing import Played, tell
from rules.engine.situations import Side, Situation, names_in
from rules.loading.try_rolls import try_rolls

MORE = {"players": "more"}
UNITS = {"figures": "units"}
OPPOSED = {"reach_dodge": "opposed"}
RANKS = {"4k2": "leader", "3k2": "second", "2k2": "henchman"}


INCH = Text(en='"', fr='"')


def side(
    rank: str,
    *traits: str,
    use: str | None = None,
    mode: str | None = None,
    items: tuple[str, ...] = (),
    states: tuple[str, ...] = (),
    life: int | None = None,
    **told: int | str,
) -> Side:
    """Return a figure with the item it uses and its other items."""
    carried = (*items, *((use,) if use and use != "bare_hands" else ()))
    figure = Figure(rank=rank, worth_rank=rank, traits=traits, items=carried, told=told)
    return Side(figure, use, mode, states, life)


def facts(
    book: Book,
    by: Side | None,
    at: Side | None = None,
    settings: dict[str, str] | None = None,
    **said: Value,
) -> dict[str, Value]:
    """Return all facts that a roll may read of two figures."""
    return names_in(book.under(book.default_settings() | (settings or {})), Situation(by, at, said))


def chances(
    book: Book,
    key: str,
    by: Side | None,
    at: Side | None = None,
    settings: dict[str, str] | None = None,
    spends: tuple[str, ...] = (),
    **said: Value,
) -> Odds:
    """Return the odds of a roll."""
    made = ready(book.under(book.default_settings() | (settings or {})), key, spends)
    return odds(made, facts(book, by, at, settings, **said))


def told(
    book: Book,
    key: str,
    faces: list[tuple[int, ...]],
    by: Side | None,
    at: Side | None = None,
    settings: dict[str, str] | None = None,
    spends: tuple[str, ...] = (),
    **said: Value,
) -> Played:
    """Play a roll with typed dice."""
    made = ready(book.under(book.default_settings() | (settings or {})), key, spends)
    return tell(made, facts(book, by, at, settings, **said), faces)


# Counting face by face


@cache
def kept(rolled: int) -> tuple[tuple[tuple[int, int], Fraction], ...]:
    """Return each pair of best dice and its chance among ``rolled`` dice."""
    pairs: Counter[tuple[int, int]] = Counter()
    for faces in product(range(1, 7), repeat=rolled):
        low, high = sorted(faces)[-2:]
        pairs[low, high] += 1
    return tuple((pair, Fraction(ways, 6**rolled)) for pair, ways in pairs.items())


Lives = tuple[int, int]


def exchanged(
    pools: tuple[int, int], bonuses: tuple[int, int], lives: Lives, one_sided: bool = False
) -> dict[Lives, Fraction]:
    """Return the chances of the lives left after both figures roll once."""
    found: dict[Lives, Fraction] = defaultdict(Fraction)
    for (mine, one), (theirs, other) in product(kept(pools[0]), kept(pools[1])):
        by, at = lives
        margin = sum(mine) + bonuses[0] - sum(theirs) - bonuses[1]
        kills, killed = mine == (6, 6), theirs == (6, 6) and not one_sided
        if kills or killed:
            left = (0 if killed else by, 0 if kills else at)
        elif margin > 0:
            left = (by, at - 1)
        else:
            left = (by - (margin < 0 and not one_sided), at)
        found[left] += one * other
    return dict(found)


def dueled(
    pools: tuple[int, int], bonuses: tuple[int, int] = (0, 0), attacks: int = 1
) -> dict[Lives, Fraction]:
    """Return the chances of the lives left to unhurt figures after one or two attacks."""
    now: dict[Lives, Fraction] = {(2, 2): Fraction(1)}
    for _attack in range(attacks):
        following: dict[Lives, Fraction] = defaultdict(Fraction)
        for lives, chance in now.items():
            if min(lives) <= 0:
                following[lives] += chance
                continue
            wounds = (bonuses[0] - (lives[0] < 2), bonuses[1] - (lives[1] < 2))
            for left, share in exchanged(pools, wounds, lives).items():
                following[left] += chance * share
        now = dict(following)
    return now


def named(left: dict[Lives, Fraction], lives: Lives = (2, 2)) -> dict[str, Fraction]:
    """Return the chance of each outcome of a duel."""
    found: dict[str, Fraction] = dict.fromkeys(
        ("both_out", "out", "by_out", "both_hurt", "hurt", "by_hurt", "nothing"), Fraction(0)
    )
    for (by, at), chance in left.items():
        hurt = (by < lives[0], at < lives[1])
        if min(by, at) > 0:
            key = {(1, 1): "both_hurt", (0, 1): "hurt", (1, 0): "by_hurt"}.get(hurt, "nothing")
        else:
            key = "both_out" if max(by, at) <= 0 else "out" if at <= 0 else "by_out"
        found[key] += chance
    return found


# Declared procedures


# Every procedure of the fact sheet's sections 3 and 4, and its rows.
PROCEDURES: dict[str, list[str]] = {
    "3.1 XkY roll": [
        "characteristics.quality", "procedures.test", "rolls.any_quality", "circumstances.bonus",
    ],
    "3.1 natural double 6, natural double 1": ["procedures.clash"],
    "3.2 remove the dead; their cost leaves the purse": ["references.turn", "marks.dead"],
    "3.2 initiative, two players and more": ["rolls.initiative"],
    "3.2 activation, two actions, no two attacks": ["references.activation"],
    "3.2 a failed test ends the activation": ["rolls.climb"],
    "3.2 move, jump, ladder or rope, 1 Po": ["actions.move", "rolls.jump", "rolls.move"],
    "3.2 re-orient, 1 Po": ["actions.turn_round"],
    "3.2 pick up, search, look for, 1 Po": ["actions.pick_up", "rolls.pick_up"],
    "3.2 throw a knife, stone …, 1 Po": ["actions.throw", "rolls.throw"],
    "3.2 duel, 1 Po": ["actions.duel", "rolls.duel", "rolls.reach"],
    "3.2 disengage, 1 Po": ["actions.disengage", "rolls.disengage"],
    "3.2 charge, 2 Po": [
        "actions.charge", "rolls.charge", "circumstances.charges", "states.charging",
    ],
    "3.2 run, fly, 2 Po": ["actions.run", "rolls.run", "rolls.fly"],
    "3.2 climb, 2 Po": ["actions.climb", "rolls.climb", "modifiers.acrobat"],
    "3.2 throw a heavy object, 2 Po": ["actions.throw_heavy", "rolls.heavy"],
    "3.2 pick a lock, break a door, 2 Po": [
        "actions.force", "rolls.pick_lock", "rolls.break_door", "modifiers.strong",
    ],
    "3.2 shoot, 2 Po, a Shooter 1": ["actions.shoot", "rolls.shot", "modifiers.shooter"],
    "3.2 on watch, 3 Po": ["actions.watch", "states.on_watch", "actions.react"],
    "3.2 special action test": ["procedures.test"],
    "3.3 normal, mounted": ["rolls.move", "traits.mounted"],
    "3.3 flying": ["rolls.fly"],
    "3.3 run": ["rolls.run"],
    "3.3 linear obstacle, scenery": ["circumstances.obstacles", "modifiers.obstacles"],
    "3.3 difficult terrain": ["circumstances.difficult", "modifiers.difficult"],
    "3.3 heavy load, chained": ["states.loaded", "states.chained", "modifiers.heavy_object_move"],
    "3.3 wounded": ["modifiers.wounded_move"],
    "3.3 unit reduced to 2": ["modifiers.unit_move"],
    "3.3 disengaged 2\"": ["rolls.disengage", "circumstances.other_duel"],
    "3.3 dodged a heavy object 2\"": ["rolls.heavy"],
    "3.4 outnumbering": [
        "circumstances.numbers", "modifiers.outnumbering", "modifiers.outnumbered",
    ],
    "3.4 jumping on the opponent": ["circumstances.jumping", "modifiers.jumping"],
    "3.4 from behind": ["circumstances.from_behind", "modifiers.from_behind"],
    "3.4 higher": ["circumstances.higher", "modifiers.higher", "modifiers.target_higher"],
    "3.4 cover": ["circumstances.cover", "modifiers.cover"],
    "3.4 target in a duel": [
        "circumstances.target_in_duel", "states.engaged", "modifiers.target_in_duel",
    ],
    "3.4 receives a charge": ["circumstances.charges", "modifiers.charged"],
    "3.4 no hand weapon": ["modifiers.unarmed", "modifiers.target_unarmed", "items.bare_hands"],
    "3.4 wounded": ["modifiers.wounded", "modifiers.target_wounded"],
    "3.5 duel": ["rolls.duel", "procedures.clash"],
    "3.5 splitting": ["circumstances.numbers"],
    "3.5 a figure in a duel cannot shoot": ["states.engaged", "rolls.shot", "rolls.throw"],
    "3.5 wounds": ["characteristics.wounds", "modifiers.wounded"],
    "3.5 two attacks of the Frenzied; Cohesion": [
        "modifiers.frenzied", "modifiers.frenzied_more", "circumstances.cohesion_near",
        "procedures.attacks",
    ],
    "3.6 charge reach": ["rolls.charge", "circumstances.distance"],
    "3.6 charge from behind": ["rolls.duel", "procedures.dodge"],
    "3.7 reach, and reach against reach": ["rolls.reach"],
    "3.7 dodge, and its other setting": ["procedures.dodge", "settings.reach_dodge"],
    "3.8 ranged": ["rolls.shot", "rolls.throw", "procedures.clash"],
    "3.8 weapon lost on a double 1": ["rolls.shot", "rolls.throw"],
    "3.9 heavy object": ["rolls.heavy", "circumstances.heavy", "states.loaded"],
    "3.10 units lose a figure": ["procedures.clash"],
    "3.10 morale of units": ["modifiers.unit_morale", "modifiers.target_unit_morale"],
    "2.1 Lucky": ["spends.lucky", "spends.target_lucky"],
    "2.1 leads by example": [
        "spends.inspired", "spends.target_inspired", "spends.inspired_more",
        "spends.target_inspired_more", "circumstances.example_near",
        "circumstances.target_example_near",
    ],
    "4.1 rewards": ["results.crushing", "results.inglorious", "results.draw", "results.nobody_one"],
    "4.2 between games": ["promotions.new_leader", "promotions.new_second", "steps.recruits"],
    "4.4 scenario generator, who chooses the role": ["rolls.scenario", "tables.scenario"],
    "4.4 search in the cache": ["rolls.pick_up"],
    "4.4 first attack from the ambush": [
        "circumstances.ambush", "modifiers.ambush", "states.in_ambush",
    ],
}  # fmt: skip


def keys_of(book: Book, table: str) -> set[str]:
    """Return the keys of a table of the rulebook or of its campaign."""
    rows = getattr(book, table, None) or getattr(book.campaign, table)
    return {row.key for row in rows}


def test_every_procedure_is_declared(du_sang: Book) -> None:
    assert all(PROCEDURES.values())
    named = {tuple(place.split(".")) for places in PROCEDURES.values() for place in places}
    for table in {table for table, _key in named}:
        assert {key for one, key in named if one == table} <= keys_of(du_sang, table)
    # And every row of these tables is a procedure of the rules.
    for table in ("rolls", "actions", "circumstances", "modifiers", "states", "spends"):
        assert {key for one, key in named if one == table} == keys_of(du_sang, table)


FIGHT = {"numbers", "higher", "from_behind", "cohesion_near"}
RANGED = {"higher", "from_behind", "cover"}


@pytest.mark.parametrize(
    ("key", "asked", "known"),
    [
        ("duel", FIGHT | {"jumping"}, {"charges", "ambush"}),
        ("reach", FIGHT, {"ambush"}),
        ("shot", RANGED, {"target_in_duel", "ambush"}),
        ("throw", RANGED, {"target_in_duel", "ambush"}),
        ("heavy", {"distance"}, {"ambush"}),
        ("jump", set(), set()),
        ("pick_up", {"heavy"}, set()),
        ("disengage", {"other_duel"}, set()),
        ("climb", set(), set()),
        ("pick_lock", set(), set()),
        ("break_door", set(), set()),
        ("move", {"obstacles", "difficult"}, set()),
        ("run", {"obstacles"}, set()),
        ("fly", set(), set()),
        ("charge", {"distance", "obstacles"}, set()),
        ("initiative", set(), set()),
        ("scenario", set(), set()),
        ("any_quality", {"bonus"}, set()),
    ],
)
def test_each_roll_asks_for_its_circumstances(
    du_sang: Book, key: str, asked: set[str], known: set[str]
) -> None:
    rows = ready(du_sang.usual, key).asked
    assert {row.key for row in rows if not row.known} == asked
    assert {row.key for row in rows if row.known} == known


@pytest.mark.long
def test_trying_every_roll_finds_no_mistake(du_sang: Book) -> None:
    assert list(try_rolls(du_sang)) == []


# Quality


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ("2k2", ("5/12", "7/12", "13/18", "1/36", "1/36")),
        ("3k2", ("49/72", "29/36", "193/216", "2/27", "1/216")),
        ("4k2", ("119/144", "131/144", "311/324", "19/144", "1/1296")),
        ("5k2", ("7043/7776", "931/972", "851/864", "763/3888", "1/7776")),
    ],
)
def test_a_pool_has_its_chances(du_sang: Book, pool: str, expected: tuple[str, ...]) -> None:
    """Chances of 7 or more when wounded, unhurt and with +1; of a double 6 and a double 1."""
    whole = side("leader", "acrobat", quality=pool)
    hurt = side("leader", quality=pool, life=1)
    found = [
        chances(du_sang, "climb", somebody).outcomes["passed"]
        for somebody in (hurt, side("leader", quality=pool), whole)
    ]
    shooter = side("leader", use="bow", quality=pool)
    shot = chances(du_sang, "shot", shooter, side("henchman")).outcomes
    found += [shot["out"], shot["spent"] + shot["hurt_spent"] + shot["out_spent"]]
    assert [str(chance) for chance in found] == list(expected)


@pytest.mark.parametrize(
    "key", ["jump", "pick_up", "disengage", "climb", "pick_lock", "break_door"]
)
def test_a_test_passes_at_seven(du_sang: Book, key: str) -> None:
    for pool, chance in (("2k2", "7/12"), ("3k2", "29/36"), ("4k2", "131/144")):
        found = chances(du_sang, key, side(RANKS[pool])).outcomes
        assert (str(found["passed"]), found["passed"] + found["failed"]) == (chance, 1)
    wounded = side("henchman", life=1)
    assert chances(du_sang, key, wounded).outcomes["passed"] == Fraction(5, 12)


@pytest.mark.parametrize(
    ("key", "trait"), [("climb", "acrobat"), ("break_door", "strong"), ("heavy", "strong")]
)
def test_a_trait_helps_its_test(du_sang: Book, key: str, trait: str) -> None:
    at = side("henchman")
    with_it = facts(du_sang, side("second", trait, use="heavy_object"), at)
    without = facts(du_sang, side("second", use="heavy_object"), at)
    made = ready(du_sang.usual, key)
    failed = "missed" if key == "heavy" else "failed"
    reached = Fraction(2, 3) if key == "heavy" else Fraction(1)
    assert odds(made, without).outcomes[failed] == reached * Fraction(7, 36)
    assert odds(made, with_it).outcomes[failed] == reached * Fraction(23, 216)


def test_traits_help_no_other_tests(du_sang: Book) -> None:
    able = side("henchman", "acrobat", "strong", "thrower", "weapon-master", "runner")
    for key in ("jump", "pick_up", "disengage", "pick_lock"):
        assert chances(du_sang, key, able).outcomes["passed"] == Fraction(7, 12)


def test_the_lock_of_the_rules_opens(du_sang: Book) -> None:
    """3, 1, 5, 1: 5 and 3 are 8."""
    played = told(du_sang, "pick_lock", [(3, 1, 5, 1)], side("leader"))
    assert (played.outcome, played.names["mine"]) == ("passed", 8)


def test_a_failed_test_ends_the_activation(du_sang: Book) -> None:
    for key in ("jump", "pick_up", "disengage", "climb", "pick_lock", "break_door"):
        failed = {row.key: row for row in du_sang.roll[key].outcomes}["failed"]
        assert failed.effects == (EndsActivation(kind="ends_activation"),)
    free = du_sang.roll["disengage"].outcomes[0]
    assert Moves(kind="moves", whom="by", distance=2, unit=INCH) in free.effects


def test_a_figure_is_loaded_when_it_picks_up_a_heavy_object(du_sang: Book) -> None:
    second = side("second")
    assert told(du_sang, "pick_up", [(4, 3, 1)], second, heavy=1).outcome == "loaded"
    assert told(du_sang, "pick_up", [(4, 3, 1)], second).outcome == "passed"
    assert told(du_sang, "pick_up", [(4, 2, 1)], second, heavy=1).outcome == "failed"


# Duels


def test_the_duel_of_the_rules_wounds_the_second(du_sang: Book) -> None:
    """6, 2, 3 against 5, 5: 9 against 10, the guard wins by 1 and wounds the second."""
    second, guard = side("second", use="sword"), side("henchman", use="sword")
    played = told(du_sang, "duel", [(6, 2, 3), (5, 5)], second, guard)
    assert (played.outcome, played.names["mine"], played.names["theirs"]) == ("by_hurt", 9, 10)
    assert played.numbers == {"dealt": 0, "taken": 1}
    found = chances(du_sang, "duel", second, guard)
    assert found.outcomes == named(dueled((3, 2)))
    assert found.outcomes["out"] == Fraction(2, 27) * Fraction(35, 36)


@pytest.mark.parametrize(
    ("by", "at", "said", "bonuses"),
    [
        ("4k2", "2k2", {}, (0, 0)),
        ("2k2", "4k2", {}, (0, 0)),
        ("3k2", "3k2", {"numbers": "more"}, (1, 0)),
        ("3k2", "3k2", {"numbers": "fewer"}, (0, 1)),
        ("3k2", "2k2", {"from_behind": 1}, (1, 0)),
        ("2k2", "2k2", {"jumping": 1}, (1, 0)),
        ("2k2", "3k2", {"higher": "attacker"}, (1, 0)),
        ("2k2", "3k2", {"higher": "target"}, (0, 1)),
        ("3k2", "2k2", {"charges": 1}, (0, -1)),
        ("3k2", "2k2", {"ambush": 1}, (1, 0)),
        ("3k2", "2k2", {"charges": 1, "numbers": "more", "higher": "attacker"}, (2, -1)),
        ("3k2", "2k2", {"cover": 1}, (0, 0)),
    ],
)
def test_duels_match_a_count_by_hand(
    du_sang: Book, by: str, at: str, said: dict[str, Value], bonuses: tuple[int, int]
) -> None:
    fighters = side(RANKS[by], use="sword"), side(RANKS[at], use="sabre")
    expected = named(dueled((int(by[0]), int(at[0])), bonuses))
    assert chances(du_sang, "duel", *fighters, **said).outcomes == expected


@pytest.mark.parametrize(
    ("mine", "theirs", "bonuses"),
    [
        ("sword", "sword", (0, 0)),
        ("bare_hands", "sword", (-1, 0)),
        ("bare_hands", "axe", (-1, 0)),
        ("sword", "knife", (0, -1)),
        ("spear", "pistol", (0, -1)),
        ("sword", "bare_hands", (0, -1)),
        ("bare_hands", "knife", (0, 0)),
        ("bare_hands", "bare_hands", (0, 0)),
    ],
)
def test_bare_hands_are_weaker_against_a_weapon(
    du_sang: Book, mine: str, theirs: str, bonuses: tuple[int, int]
) -> None:
    found = chances(du_sang, "duel", side("second", use=mine), side("second", use=theirs))
    assert found.outcomes == named(dueled((3, 3), bonuses))


@pytest.mark.parametrize(
    ("lives", "bonuses"), [((2, 1), (0, -1)), ((1, 2), (-1, 0)), ((1, 1), (-1, -1))]
)
def test_a_wounded_figure_has_a_penalty_and_falls_at_the_second_wound(
    du_sang: Book, lives: Lives, bonuses: tuple[int, int]
) -> None:
    by = side("second", use="sword", life=lives[0])
    at = side("second", use="sword", life=lives[1])
    expected = named(exchanged((3, 3), bonuses, lives), lives)
    assert chances(du_sang, "duel", by, at).outcomes == expected


@pytest.mark.parametrize(
    ("faces", "outcome", "taken"),
    [
        ([(6, 6, 1), (2, 1)], "out", 0),
        ([(2, 2, 1), (6, 6)], "by_out", 2),
        ([(6, 6, 3), (6, 6)], "both_out", 2),
        ([(6, 1, 1), (6, 5)], "by_hurt", 1),
        ([(6, 5, 1), (6, 5)], "nothing", 0),
    ],
)
def test_a_double_six_kills(
    du_sang: Book, faces: list[tuple[int, ...]], outcome: str, taken: int
) -> None:
    fighters = side("second", use="sword"), side("henchman", use="sword")
    played = told(du_sang, "duel", faces, *fighters)
    assert (played.outcome, played.numbers["taken"]) == (outcome, taken)


def test_a_kill_replaces_a_wound_despite_lower_totals(du_sang: Book) -> None:
    """12 - 1 against 11 + 2: lower, but a double six."""
    by, at = side("second", use="sword", life=1), side("henchman", use="sword")
    played = told(du_sang, "duel", [(6, 6, 1), (6, 5)], by, at, numbers="fewer", higher="target")
    assert (played.names["mine"], played.names["theirs"]) == (11, 13)
    assert (played.outcome, played.numbers) == ("out", {"dealt": 2, "taken": 0})


def test_a_double_six_counts_among_kept_dice_only(du_sang: Book) -> None:
    """19/144 for 4k2, 763/3888 with an extra die."""
    guard = side("henchman", use="sword")
    for traits, chance in (((), Fraction(19, 144)), (("weapon-master",), Fraction(763, 3888))):
        found = chances(du_sang, "duel", side("leader", *traits, use="sword"), guard).outcomes
        assert found["out"] + found["both_out"] == chance


def test_a_weapon_master_rolls_an_extra_die_in_duels_only(du_sang: Book) -> None:
    master, guard = side("leader", "weapon-master", use="sword"), side("henchman", use="sword")
    played = told(du_sang, "duel", [(1, 1, 1, 4, 5), (5, 3)], master, guard)
    assert (played.outcome, played.names["mine"]) == ("hurt", 9)
    assert chances(du_sang, "duel", master, guard).outcomes == named(dueled((5, 2)))
    shooter = side("leader", "weapon-master", use="bow")
    assert told(du_sang, "shot", [(1, 1, 4, 5), (5, 3)], shooter, guard).names["mine"] == 9


def test_friends_in_a_duel_count_as_in_the_rules(du_sang: Book) -> None:
    """Captain and lieutenant fight one to one; in three against two, two have the +1."""
    captain, pirate = side("leader", use="sword"), side("leader", use="sabre")
    alone = chances(du_sang, "duel", pirate, captain, numbers="even")
    assert alone.outcomes == named(dueled((4, 4)))
    warriors, ronin = side("henchman", use="sword"), side("second", use="sword")
    pair = chances(du_sang, "duel", warriors, ronin, numbers="more")
    assert pair.outcomes == named(dueled((2, 3), (1, 0)))


# Frenzied


@pytest.mark.parametrize(
    ("by", "said", "settings"),
    [
        (side("second", "frenzied", use="sword"), {}, {}),
        (side("second", use="sword"), {"cohesion_near": 1}, {}),
        (side("second", "cohesion", use="sword"), {}, MORE),
    ],
)
def test_the_second_of_two_attacks_counts_the_wounds_of_the_first(
    du_sang: Book, by: Side, said: dict[str, Value], settings: dict[str, str]
) -> None:
    found = chances(du_sang, "duel", by, side("henchman", use="sword"), settings, **said)
    assert found.outcomes == named(dueled((3, 2), attacks=2))
    assert found.outcomes["both_hurt"] > 0


def test_a_leader_with_cohesion_has_two_attacks(du_sang: Book) -> None:
    guard = side("henchman", use="sword")
    leader = chances(du_sang, "duel", side("leader", "cohesion", use="sword"), guard)
    assert leader.outcomes == named(dueled((4, 2), attacks=2))
    # A second does not command beside a leader.
    second = chances(du_sang, "duel", side("second", "cohesion", use="sword"), guard)
    assert second.outcomes == named(dueled((3, 2)))


def test_the_defender_has_no_second_attack(du_sang: Book) -> None:
    found = chances(
        du_sang, "duel", side("second", use="sword"), side("second", "frenzied", use="sword")
    )
    assert found.outcomes == named(dueled((3, 3)))


def test_the_second_attack_ends_with_the_first_kill(du_sang: Book) -> None:
    by, at = side("second", "frenzied", use="sword"), side("henchman", use="sword")
    assert told(du_sang, "duel", [(6, 6, 1), (2, 1)], by, at).outcome == "out"
    # A wound, then a loss by 1 to a wounded guard: 4 against 6 - 1.
    played = told(du_sang, "duel", [(5, 5, 1), (2, 1), (1, 2, 2), (3, 3)], by, at)
    assert (played.outcome, played.numbers) == ("both_hurt", {"dealt": 1, "taken": 1})


def test_a_charge_counts_for_the_first_of_two_attacks(du_sang: Book) -> None:
    by, at = side("second", "frenzied", use="sword"), side("henchman", use="sword")
    played = told(du_sang, "duel", [(2, 2, 1), (2, 2), (2, 2, 1), (3, 2)], by, at, charges=1)
    # 4 against 4 - 1 wounds; then 4 against 5 - 1 of the wounded is level.
    assert (played.outcome, played.numbers) == ("hurt", {"dealt": 1, "taken": 0})


# Reach and dodging


def test_reach_makes_the_target_dodge(du_sang: Book) -> None:
    spear = side("henchman", use="spear")
    for pool, failed in (("2k2", "5/12"), ("3k2", "7/36"), ("4k2", "13/144")):
        found = chances(du_sang, "reach", spear, side(RANKS[pool], "weapon-master", use="sword"))
        assert str(found.outcomes["hurt"]) == failed
        assert found.outcomes["hurt"] + found.outcomes["nothing"] == 1
    wounded = chances(du_sang, "reach", spear, side("henchman", use="sword", life=1))
    assert wounded.outcomes["out"] == Fraction(7, 12)


def test_fight_modifiers_do_not_change_a_dodge(du_sang: Book) -> None:
    """Height and numbers give no bonus against a dodge."""
    fighters = side("henchman", use="spear"), side("second", use="sword")
    usual = chances(du_sang, "reach", *fighters).outcomes
    for said in ({"higher": "target"}, {"numbers": "fewer"}, {"numbers": "more"}, {"ambush": 1}):
        assert chances(du_sang, "reach", *fighters, **said).outcomes == usual


@pytest.mark.parametrize("weapon", ["spear", "halberd", "axe"])
def test_reach_against_reach_is_a_duel(du_sang: Book, weapon: str) -> None:
    found = chances(du_sang, "reach", side("second", use="halberd"), side("second", use=weapon))
    assert found.outcomes == named(dueled((3, 3)))


def test_reach_in_contact_is_a_duel(du_sang: Book) -> None:
    found = chances(du_sang, "duel", side("second", use="halberd"), side("second", use="sword"))
    assert found.outcomes == named(dueled((3, 3)))


def test_a_figure_charged_from_behind_can_only_dodge(du_sang: Book) -> None:
    """With the -1 of the charge: 7 on 2k2 - 1."""
    fighters = side("second", use="sword"), side("henchman", use="sword")
    found = chances(du_sang, "duel", *fighters, charges=1, from_behind=1).outcomes
    assert (found["hurt"], found["nothing"]) == (Fraction(7, 12), Fraction(5, 12))


def test_a_frenzied_figure_makes_the_target_dodge_twice(du_sang: Book) -> None:
    found = chances(
        du_sang, "reach", side("second", "frenzied", use="axe"), side("henchman", use="sword")
    ).outcomes
    # 5/12 fail unhurt, 7/12 wounded.
    assert found["out"] == Fraction(5, 12) * Fraction(7, 12)
    assert found["nothing"] == Fraction(7, 12) ** 2
    assert found["hurt"] == 1 - found["out"] - found["nothing"]


@pytest.mark.parametrize(
    ("key", "said", "bonuses"),
    [("reach", {}, (0, 0)), ("duel", {"charges": 1, "from_behind": 1}, (1, -1))],
)
def test_a_setting_makes_dodging_an_opposed_roll(
    du_sang: Book, key: str, said: dict[str, Value], bonuses: tuple[int, int]
) -> None:
    """The other reading: both roll, and only the target can be wounded."""
    fighters = side("second", use="spear"), side("second", use="sword")
    found = chances(du_sang, key, *fighters, OPPOSED, **said)
    left = exchanged((3, 3), bonuses, (2, 2), one_sided=True)
    assert found.outcomes == named(left)


# Shots and throws


def shots(pools: tuple[int, int], bonuses: tuple[int, int], life: int = 2) -> dict[int, Fraction]:
    """Return the chances of a target's life after a shot, counted by hand."""
    found: dict[int, Fraction] = defaultdict(Fraction)
    for (_by, at), chance in exchanged(pools, bonuses, (2, life), one_sided=True).items():
        found[at] += chance
    return dict(found)


def left_after(found: Odds, life: int = 2) -> dict[int, Fraction]:
    """Return the chances of a target's life from the odds of a shot."""
    outcomes = found.outcomes
    left: dict[int, Fraction] = defaultdict(Fraction)
    left[0] += outcomes["out"] + outcomes["out_spent"]
    left[life - 1] += outcomes["hurt"] + outcomes["hurt_spent"]
    left[life] += outcomes["missed"] + outcomes["spent"]
    return {life: chance for life, chance in left.items() if chance}


def test_the_shot_of_the_rules_hits_the_guard(du_sang: Book) -> None:
    """3, 4, 2 from behind against 3, 2 in cover and in a duel: 8 against 7, the guard is hit."""
    second, guard = side("second", use="pistol"), side("henchman", use="sword")
    said: dict[str, Value] = {"from_behind": 1, "cover": 1, "target_in_duel": 1}
    played = told(du_sang, "shot", [(3, 4, 2), (3, 2)], second, guard, **said)
    assert (played.outcome, played.names["mine"], played.names["theirs"]) == ("hurt", 8, 7)
    found = chances(du_sang, "shot", second, guard, **said)
    assert left_after(found) == shots((3, 2), (1, 2))


@pytest.mark.parametrize(
    ("by", "at", "said", "bonuses"),
    [
        ("4k2", "2k2", {}, (0, 0)),
        ("2k2", "3k2", {"cover": 1}, (0, 1)),
        ("2k2", "3k2", {"target_in_duel": 1}, (0, 1)),
        ("3k2", "2k2", {"higher": "attacker"}, (1, 0)),
        ("3k2", "2k2", {"higher": "target"}, (0, 1)),
        ("3k2", "2k2", {"ambush": 1, "from_behind": 1}, (2, 0)),
        ("3k2", "2k2", {"numbers": "more", "jumping": 1, "charges": 1}, (0, 0)),
    ],
)
@pytest.mark.parametrize(("key", "weapon"), [("shot", "musket"), ("throw", "knife")])
def test_shots_and_throws_match_a_count_by_hand(
    du_sang: Book,
    key: str,
    weapon: str,
    by: str,
    at: str,
    said: dict[str, Value],
    bonuses: tuple[int, int],
) -> None:
    fighters = side(RANKS[by], use=weapon), side(RANKS[at], use="sword")
    found = chances(du_sang, key, *fighters, **said)
    assert left_after(found) == shots((int(by[0]), int(at[0])), bonuses)
    assert sum(found.outcomes.values()) == 1


def test_an_engaged_target_has_the_bonus_of_a_duel(du_sang: Book) -> None:
    by = side("second", use="bow")
    found = chances(du_sang, "shot", by, side("henchman", states=("engaged",)))
    assert left_after(found) == shots((3, 2), (0, 1))


def test_only_the_target_of_a_shot_is_hurt(du_sang: Book) -> None:
    fighters = side("henchman", use="bow"), side("second")
    for faces, outcome in (
        ([(6, 5), (6, 6, 1)], "missed"),
        ([(4, 3), (4, 3, 1)], "missed"),
        ([(6, 6), (6, 6, 6)], "out"),
        ([(1, 1), (4, 3, 1)], "spent"),
    ):
        assert told(du_sang, "shot", faces, *fighters).outcome == outcome


def test_a_double_one_loses_the_weapon_even_with_a_hit(du_sang: Book) -> None:
    by, at = side("henchman", use="bow"), side("henchman", life=1)
    played = told(du_sang, "shot", [(1, 1), (1, 1)], by, at)
    assert (played.outcome, played.names["mine"], played.names["theirs"]) == ("out_spent", 2, 1)
    for key in ("shot", "throw"):
        for outcome in du_sang.roll[key].outcomes:
            lost = [effect for effect in outcome.effects if isinstance(effect, LosesWeapon)]
            assert [effect.lasting for effect in lost] == [False] * outcome.key.endswith("spent")


def test_two_ones_do_not_count_as_a_double_one_among_more_dice(du_sang: Book) -> None:
    played = told(du_sang, "shot", [(1, 1, 3), (4, 3)], side("second", use="bow"), side("henchman"))
    assert played.outcome == "missed"


def test_a_thrower_rolls_an_extra_die_with_thrown_weapons(du_sang: Book) -> None:
    guard = side("henchman")
    for use, mode in (("knife", None), ("spear", "thrown"), ("fireball", None)):
        thrower = side("second", "thrower", use=use, mode=mode)
        assert left_after(chances(du_sang, "throw", thrower, guard)) == shots((4, 2), (0, 0))
    archer = side("second", "thrower", use="bow")
    assert left_after(chances(du_sang, "shot", archer, guard)) == shots((3, 2), (0, 0))
    strong = side("second", "thrower", use="heavy_object")
    assert chances(du_sang, "heavy", strong, guard).outcomes["missed"] == Fraction(2, 3) * (
        Fraction(7, 36)
    )


@pytest.mark.parametrize(
    ("use", "mode", "usable"),
    [
        ("sword", None, {"duel"}),
        ("bare_hands", None, {"duel"}),
        ("axe", None, {"duel", "reach"}),
        ("spear", None, {"duel", "reach"}),
        ("spear", "thrown", {"throw"}),
        ("knife", None, {"throw"}),
        ("stone", None, {"throw"}),
        ("pistol", None, {"shot"}),
        ("crossbow", None, {"shot"}),
        ("heavy_object", None, set()),
    ],
)
def test_each_weapon_has_its_usable_rolls(
    du_sang: Book, use: str, mode: str | None, usable: set[str]
) -> None:
    names = facts(du_sang, side("second", use=use, mode=mode), side("second"))
    armed = [roll for roll in du_sang.rolls if roll.using == "item"]
    assert {roll.key for roll in armed if parse(roll.usable or 1).holds(names)} == usable


def test_a_figure_in_a_duel_cannot_shoot(du_sang: Book) -> None:
    for use, key in (("bow", "shot"), ("knife", "throw")):
        names = facts(du_sang, side("second", use=use, states=("engaged",)), side("second"))
        assert not parse(du_sang.roll[key].usable or 1).holds(names)


# Heavy objects


def test_only_an_object_that_was_picked_up_is_thrown(du_sang: Book) -> None:
    usable = parse(du_sang.action["throw_heavy"].usable or 1)
    assert usable.holds(facts(du_sang, side("second", states=("loaded",)), side("second")))
    assert not usable.holds(facts(du_sang, side("second", use="heavy_object"), side("second")))


def test_the_keg_of_the_rules_is_dodged(du_sang: Book) -> None:
    """4, 4, 1 hits with 8; 4, 3 dodges with 7, and the guard is moved 2\"."""
    by, at = side("second", use="heavy_object"), side("henchman")
    played = told(du_sang, "heavy", [(3,), (4, 4, 1), (4, 3)], by, at, distance=3)
    assert (played.outcome, played.names["mine"], played.names["dodge"]) == ("dodged", 8, 7)
    dodged = du_sang.roll["heavy"].outcomes[-1]
    assert Moves(kind="moves", distance=2, unit=INCH) in dodged.effects


@pytest.mark.parametrize("distance", range(1, 8))
def test_a_heavy_object_has_its_odds_at_each_distance(du_sang: Book, distance: int) -> None:
    by, at = side("leader", use="heavy_object"), side("henchman")
    found = chances(du_sang, "heavy", by, at, distance=distance).outcomes
    reached = Fraction(max(0, 7 - distance), 6)
    hit = reached * Fraction(131, 144)
    assert found == {
        "short": 1 - reached,
        "missed": reached - hit,
        "out": 0,
        "hurt": hit * Fraction(5, 12),
        "dodged": hit * Fraction(7, 12),
    }


def test_a_double_six_of_a_heavy_object_is_a_hit(du_sang: Book) -> None:
    by, at = side("second", use="heavy_object"), side("henchman")
    assert told(du_sang, "heavy", [(6,), (6, 6, 1), (1, 1)], by, at).outcome == "hurt"
    hurt = side("henchman", life=1)
    assert told(du_sang, "heavy", [(6,), (4, 3, 1), (4, 3)], by, hurt).outcome == "out"


# Re-rolls


@pytest.mark.parametrize(
    ("pool", "chance"), [("2k2", "7/12"), ("3k2", "29/36"), ("4k2", "131/144")]
)
def test_luck_re_rolls_a_failed_test(du_sang: Book, pool: str, chance: str) -> None:
    once = Fraction(chance)
    found = chances(du_sang, "climb", side(RANKS[pool], "lucky"), spends=("lucky",))
    assert found.outcomes["passed"] == once + (1 - once) * once


def test_the_second_roll_counts(du_sang: Book) -> None:
    lucky = side("henchman", "lucky")
    faces = [(4, 2), (1, 1)]
    played = told(du_sang, "climb", faces, lucky, spends=("lucky",))
    assert (played.outcome, played.names["mine"]) == ("failed", 2)
    # A passed test is not rolled again.
    assert len(told(du_sang, "climb", [(4, 3)], lucky, spends=("lucky",)).throws) == 1


def dueled_again(
    pools: tuple[int, int], mine: int, theirs: int, one_sided: bool = False
) -> dict[Lives, Fraction]:
    """Return a duel of unhurt figures with re-rolls, the loser first, each roll once."""

    @cache
    def after(
        by: tuple[int, int], at: tuple[int, int], mine: int, theirs: int
    ) -> tuple[tuple[Lives, Fraction], ...]:
        kills, killed = by == (6, 6), at == (6, 6) and not one_sided
        margin = sum(by) - sum(at)
        beaten = not kills and (killed or margin < 0 or one_sided and margin == 0)
        loses = kills and not one_sided or margin > 0 and not kills
        if beaten and mine:
            return gathered(
                (after(again, at, mine - 1, theirs), chance) for again, chance in kept(pools[0])
            )
        if loses and at != (6, 6) and theirs:
            return gathered(
                (after(by, again, mine, theirs - 1), chance) for again, chance in kept(pools[1])
            )
        if kills or killed:
            return (((0 if killed else 2, 0 if kills else 2), Fraction(1)),)
        left = (2 - (margin < 0 and not one_sided), 2 - (margin > 0))
        return ((left, Fraction(1)),)

    def gathered(parts: object) -> tuple[tuple[Lives, Fraction], ...]:
        found: dict[Lives, Fraction] = defaultdict(Fraction)
        for spread, chance in parts:  # type: ignore[attr-defined]
            for left, share in spread:
                found[left] += share * chance
        return tuple(found.items())

    return dict(
        gathered(
            (after(by, at, mine, theirs), one * other)
            for (by, one), (at, other) in product(kept(pools[0]), kept(pools[1]))
        )
    )


@pytest.mark.parametrize(
    ("spends", "mine", "theirs"),
    [(("lucky",), 1, 0), (("target_lucky",), 0, 1), (("lucky", "target_lucky"), 1, 1)],
)
def test_luck_re_rolls_lost_duels(
    du_sang: Book, spends: tuple[str, ...], mine: int, theirs: int
) -> None:
    by, at = side("second", "lucky", use="sword"), side("leader", "lucky", use="sword")
    found = chances(du_sang, "duel", by, at, spends=spends)
    assert found.outcomes == named(dueled_again((3, 4), mine, theirs))


@pytest.mark.parametrize(
    ("spends", "mine", "theirs"),
    [(("lucky",), 1, 0), (("target_lucky",), 0, 1), (("lucky", "target_lucky"), 1, 1)],
)
def test_luck_re_rolls_shots(
    du_sang: Book, spends: tuple[str, ...], mine: int, theirs: int
) -> None:
    by, at = side("second", "lucky", use="bow"), side("second", "lucky", use="sword")
    found = left_after(chances(du_sang, "shot", by, at, spends=spends))
    expected: dict[int, Fraction] = defaultdict(Fraction)
    for (_by, left), chance in dueled_again((3, 3), mine, theirs, one_sided=True).items():
        expected[left] += chance
    assert found == expected


def test_luck_re_rolls_a_failed_dodge(du_sang: Book) -> None:
    fighters = side("second", use="spear"), side("henchman", "lucky", use="sword")
    found = chances(du_sang, "reach", *fighters, spends=("target_lucky",)).outcomes
    assert found["hurt"] == Fraction(5, 12) ** 2
    keg = side("second", use="heavy_object")
    heavy = chances(du_sang, "heavy", keg, fighters[1], spends=("target_lucky",), distance=1)
    assert heavy.outcomes["hurt"] == Fraction(29, 36) * Fraction(5, 12) ** 2


def test_a_re_roll_is_used_once_in_two_attacks(du_sang: Book) -> None:
    """The re-roll cancels a wound; the loss in the second attack counts."""
    by, at = side("second", "frenzied", "lucky", use="sword"), side("henchman", use="sword")
    faces = [(1, 1, 2), (5, 5), (5, 5, 1), (1, 1, 2), (5, 5)]
    played = told(du_sang, "duel", faces, by, at, spends=("lucky",))
    assert (played.outcome, played.numbers) == ("by_hurt", {"dealt": 0, "taken": 1})


@pytest.mark.parametrize(
    ("by", "settings", "said", "helped"),
    [
        (side("henchman", "lucky"), {}, {}, {"lucky"}),
        (side("henchman"), {}, {"example_near": 1}, {"inspired"}),
        (side("leader", "inspire"), {}, {}, {"inspired"}),
        (side("second", "inspire"), {}, {}, set()),
        (side("second", "inspire"), MORE, {}, {"inspired_more"}),
        (side("henchman"), {}, {}, set()),
    ],
)
def test_traits_and_settings_decide_which_figures_can_re_roll(
    du_sang: Book,
    by: Side,
    settings: dict[str, str],
    said: dict[str, Value],
    helped: set[str],
) -> None:
    usual = chances(du_sang, "jump", by, None, settings).outcomes["passed"]
    chosen = du_sang.default_settings() | settings
    found = set()
    for spend in du_sang.under(chosen).spends:
        if spend.whose == "own":
            again = chances(du_sang, "jump", by, None, settings, (spend.key,), **said)
            found |= {spend.key} if again.outcomes["passed"] > usual else set()
    assert found == helped
    assert {spend.once for spend in du_sang.spends} == {"turn"}


def test_an_example_nearby_helps_the_target(du_sang: Book) -> None:
    fighters = side("second", use="sword"), side("henchman", use="sword")
    found = chances(du_sang, "duel", *fighters, spends=("target_inspired",), target_example_near=1)
    assert found.outcomes == named(dueled_again((3, 2), 0, 1))


# Units


@pytest.mark.parametrize(("life", "bonus"), [(5, 1), (4, 0), (3, 0), (2, -1), (1, -1)])
def test_the_size_of_a_unit_changes_its_rolls(du_sang: Book, life: int, bonus: int) -> None:
    unit = side("trained", use="sword", life=life)
    found = chances(du_sang, "jump", unit, None, UNITS).outcomes["passed"]
    assert found == {1: Fraction(193, 216), 0: Fraction(29, 36), -1: Fraction(49, 72)}[bonus]
    level = side("trained", use="sword", life=4)
    played = told(du_sang, "duel", [(3, 2, 1), (3, 2, 1)], unit, level, UNITS)
    assert (played.names["mine"], played.names["theirs"]) == (5 + bonus, 5)
    against = told(du_sang, "duel", [(3, 2, 1), (3, 2, 1)], level, unit, UNITS)
    assert against.numbers == played.numbers | {
        "dealt": played.numbers["taken"],
        "taken": played.numbers["dealt"],
    }


def test_a_double_six_takes_one_figure_of_a_unit(du_sang: Book) -> None:
    units = side("trained", use="sword"), side("green", use="sword")
    for faces, numbers in (
        ([(6, 6, 1), (1, 1)], {"dealt": 1, "taken": 0}),
        ([(6, 5, 1), (1, 1)], {"dealt": 1, "taken": 0}),
        ([(6, 6, 1), (6, 6)], {"dealt": 1, "taken": 1}),
    ):
        assert told(du_sang, "duel", faces, *units, UNITS).numbers == numbers
    last = side("green", use="sword", life=1)
    assert told(du_sang, "duel", [(6, 5, 1), (1, 1)], units[0], last, UNITS).outcome == "out"


def test_a_unit_loses_its_bonus_within_a_duel(du_sang: Book) -> None:
    """The first attack takes the fifth figure, and the +1 with it."""
    by, at = side("trained", "frenzied", use="sword", life=3), side("green", use="sword")
    faces = [(4, 4, 1), (3, 3), (4, 3, 1), (4, 3)]
    played = told(du_sang, "duel", faces, by, at, UNITS)
    assert (played.numbers, played.names["theirs"]) == ({"dealt": 1, "taken": 0}, 7)


# Movement


@pytest.mark.parametrize(
    ("by", "said", "distance"),
    [
        (side("second"), {}, 6),
        (side("second", "mounted"), {}, 8),
        (side("second", life=1), {}, 5),
        (side("second"), {"obstacles": 2}, 4),
        (side("second", "mounted"), {"obstacles": 2}, 8),
        (side("second", "runner"), {"difficult": 2}, 6),
        (side("second", states=("loaded",)), {}, 4),
        (side("second", states=("chained",)), {}, 4),
        (side("second", "mounted", states=("loaded",)), {}, 4),
        (side("second", states=("loaded",), life=1), {}, 3),
        (side("second", "runner", states=("chained",)), {"difficult": 2}, 4),
        (side("green", life=3), {}, 6),
        (side("green", life=2), {}, 5),
    ],
)
def test_a_move_has_its_distance(
    du_sang: Book, by: Side, said: dict[str, Value], distance: int
) -> None:
    assert chances(du_sang, "move", by, None, UNITS, **said).numbers["base"] == {distance: 1}


def test_difficult_ground_halves_the_move_as_in_the_rules(du_sang: Book) -> None:
    """The door is 2\" away: of the remaining 4\", 2\" are inside."""
    inside = 2
    found = chances(du_sang, "move", side("second"), difficult=inside)
    assert found.numbers["base"] == {2 + inside: 1}


@pytest.mark.parametrize(
    ("by", "said", "base"),
    [
        (side("second"), {}, 6),
        (side("second", "mounted"), {"obstacles": 1}, 8),
        (side("second", life=1), {"obstacles": 1}, 4),
    ],
)
def test_a_run_adds_a_die(du_sang: Book, by: Side, said: dict[str, Value], base: int) -> None:
    sixth = Fraction(1, 6)
    expected = {base + face: sixth for face in range(1, 7)}
    assert chances(du_sang, "run", by, **said).numbers["reach"] == expected
    charged = chances(du_sang, "charge", by, side("henchman"), **said)
    assert charged.numbers["reach"] == expected


def test_only_flyers_fly(du_sang: Book) -> None:
    assert chances(du_sang, "fly", side("second", "flyer")).numbers["base"] == {8: 1}
    assert chances(du_sang, "fly", side("second", "flyer", life=1)).numbers["base"] == {7: 1}
    flyer, walker = facts(du_sang, side("second", "flyer")), facts(du_sang, side("second"))
    for key, who in (("fly", walker), ("run", flyer)):
        assert not parse(du_sang.roll[key].usable or 1).holds(who)


@pytest.mark.parametrize("state", ["loaded", "chained"])
@pytest.mark.parametrize("key", ["run", "charge", "disengage"])
def test_a_heavy_load_forbids_its_actions(du_sang: Book, state: str, key: str) -> None:
    usable = parse(du_sang.roll[key].usable or 1)
    before = ("engaged",) if key == "disengage" else ()
    there = side("second", states=before)
    assert usable.holds(facts(du_sang, there, there))
    assert not usable.holds(facts(du_sang, side("second", states=(*before, state)), there))


def test_the_charge_of_the_rules_falls_short(du_sang: Book) -> None:
    """The guard is 10\" away; a 3 gives 9\", and there is no attack."""
    pirate, guard = side("second", use="sword"), side("henchman")
    played = told(du_sang, "charge", [(3,)], pirate, guard, distance=10)
    assert (played.outcome, played.numbers) == ("short", {"reach": 9})
    found = chances(du_sang, "charge", pirate, guard, distance=10).outcomes
    assert found == {"contact": Fraction(1, 2), "short": Fraction(1, 2)}
    contact = du_sang.roll["charge"].outcomes[0]
    assert contact.effects == (
        Begins(kind="begins", whom="by", state="charging"),
        Then(kind="then", roll="duel", whom="by"),
    )


# Sides


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_every_side_is_equally_likely_to_start(du_sang: Book, sides: int) -> None:
    """Ties are rolled again, so all sides have the same chance."""
    found = chances(du_sang, "initiative", None, **{"table.sides": sides})
    assert found.numbers["place"] == {place: Fraction(1, sides) for place in range(1, sides + 1)}
    assert found.outcomes["first"] == found.outcomes["last"] == Fraction(1, sides)


def test_initiative_re_rolls_ties(du_sang: Book) -> None:
    """9 against 9 and 11; then 4 against 7: third of three."""
    faces = [(4, 5), (6, 3), (6, 5), (2, 2), (3, 4)]
    played = told(du_sang, "initiative", faces, None, **{"table.sides": 3})
    assert (played.outcome, played.numbers) == ("last", {"place": 3})


def test_the_scenario_is_chosen_by_the_sum_of_two_dice(du_sang: Book) -> None:
    found = chances(du_sang, "scenario", None)
    assert found.numbers["sum"] == {
        total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)
    }
    assert found.outcomes == {"chooses": Fraction(1, 2), "other": Fraction(1, 2)}
    played = told(du_sang, "scenario", [(3,), (3,), (2,), (2,), (5,), (6,)], None)
    assert (played.outcome, played.numbers) == ("other", {"sum": 6})


# Actions


ACTIONS = {
    "move": 1,
    "turn_round": 1,
    "pick_up": 1,
    "throw": 1,
    "duel": 1,
    "disengage": 1,
    "charge": 2,
    "run": 2,
    "climb": 2,
    "throw_heavy": 2,
    "force": 2,
    "shoot": 2,
    "watch": 3,
}


def test_the_thirteen_actions_have_their_costs(du_sang: Book) -> None:
    settings, names = du_sang.default_settings(), facts(du_sang, side("second", use="sword"))
    costs = {
        row.key: action_cost(du_sang.under(settings), row.key, names) for row in du_sang.actions
    }
    assert costs == ACTIONS | {"react": 0}


def test_a_shooter_pays_one_to_shoot_and_the_usual_cost_otherwise(du_sang: Book) -> None:
    settings = du_sang.default_settings()
    shooter = facts(du_sang, side("leader", "shooter", use="pistol"))
    costs = {
        row.key: action_cost(du_sang.under(settings), row.key, shooter) for row in du_sang.actions
    }
    assert costs == ACTIONS | {"react": 0, "shoot": 1}


def test_combined_actions_cost_the_sums_of_the_rules(du_sang: Book) -> None:
    settings = du_sang.default_settings()

    def sum_of(*keys: str, traits: tuple[str, ...] = ()) -> int:
        names = facts(du_sang, side("leader", *traits, use="pistol"))
        return sum(action_cost(du_sang.under(settings), key, names) for key in keys)

    assert sum_of("move", "force") == 3
    assert sum_of("move", "duel") == 2
    assert sum_of("charge", "duel") == 3
    assert sum_of("move", "shoot") == 3
    assert sum_of("move", "shoot", traits=("shooter",)) == 2
    assert sum_of("watch") == 3


@pytest.mark.parametrize("traits", [(), ("shooter",), ("thrower",)])
def test_weapons_show_the_cost_of_their_action_to_the_bearer(
    du_sang: Book, traits: tuple[str, ...]
) -> None:
    action = {
        "duel": "duel", "reach": "duel", "thrown": "throw", "shot": "shoot", "heavy": "throw_heavy",
    }  # fmt: skip
    for item in du_sang.items:
        for mode in (None, *item.modes):
            names = facts(du_sang, side("leader", *traits, use=item.key, mode=mode and mode.key))
            column = columns_of(du_sang, item, mode)["cost"]
            worked = work_out(column, written_cells(item, mode)["cost"], names)
            key = action[(mode and mode.group) or item.group]
            cost = action_cost(du_sang.usual, key, names)
            assert worked is not None and worked.number == cost == names["item.cost"]


def test_item_ranges_have_numbers_for_rolls(du_sang: Book) -> None:
    ranges = {}
    for item in du_sang.items:
        names = facts(du_sang, side("leader", use=item.key))
        if "item.range.dice" in names:
            ranges[item.key] = tuple(names[f"item.range{part}"] for part in ("", ".dice", ".sides"))
    inches = {
        **dict.fromkeys(("spear", "halberd", "axe"), 1),
        **dict.fromkeys(("knife", "shuriken", "hatchet", "stone", "fireball", "pistol"), 3),
        **dict.fromkeys(("musket", "long_gun", "bow", "crossbow"), 6),
    }
    assert ranges == {key: (number, 0, 1) for key, number in inches.items()} | {
        "heavy_object": (0, 1, 6)
    }


def test_a_figure_on_watch_can_react_during_the_turn(du_sang: Book) -> None:
    watch = du_sang.action["watch"]
    assert watch.effects == (Begins(kind="begins", whom="by", state="on_watch"),)
    assert du_sang.state["on_watch"].lasts == "turn"
    usable = parse(du_sang.action["react"].usable or 1)
    assert usable.holds(facts(du_sang, side("second", states=("on_watch",))))
    assert not usable.holds(facts(du_sang, side("second")))


# Sequences


def test_two_shots_in_a_row_match_a_count_by_hand(du_sang: Book) -> None:
    """A pistol, then a thrown knife, by a second at a guard in cover."""
    pistol, knife = side("second", use="pistol"), side("second", use="knife")
    now: dict[int, Fraction] = {2: Fraction(1)}
    counted: dict[int, Fraction] = {2: Fraction(1)}
    for key, by in (("shot", pistol), ("throw", knife)):
        following: dict[int, Fraction] = defaultdict(Fraction)
        again: dict[int, Fraction] = defaultdict(Fraction)
        for life, chance in now.items():
            spread = {life: Fraction(1)}
            if life:
                at = side("henchman", life=life)
                spread = left_after(chances(du_sang, key, by, at, cover=1), life)
            for left, share in spread.items():
                following[left] += chance * share
        for life, chance in counted.items():
            spread = shots((3, 2), (0, 1 - (life < 2)), life) if life else {0: Fraction(1)}
            for left, share in spread.items():
                again[left] += chance * share
        now, counted = dict(following), dict(again)
    assert now == counted
    assert sum(now.values()) == 1


def test_equal_fighters_have_equal_chances_in_a_duel_to_the_end(du_sang: Book) -> None:
    """Exact chances for a duel between two henchmen to the end."""

    @cache
    def ends(by: int, at: int) -> tuple[Fraction, Fraction]:
        figures = side("henchman", use="sword", life=by), side("henchman", use="sword", life=at)
        found = chances(du_sang, "duel", *figures).outcomes
        wins, loses = found["out"], found["by_out"]
        for key, lives in (("hurt", (by, at - 1)), ("by_hurt", (by - 1, at))):
            if found[key]:
                won, lost = ends(*lives)
                wins, loses = wins + found[key] * won, loses + found[key] * lost
        return wins / (1 - found["nothing"]), loses / (1 - found["nothing"])

    wins, loses = ends(2, 2)
    assert wins == loses
    assert 0 < 1 - wins - loses < Fraction(1, 100)
    ahead, behind = ends(2, 1)
    assert (ahead, behind) == tuple(reversed(ends(1, 2)))
    assert ahead > behind


# Effects


def test_a_figure_taken_out_is_dead_and_its_wounds_are_counted(du_sang: Book) -> None:
    for key in ("duel", "reach", "shot", "throw", "heavy"):
        for outcome in du_sang.roll[key].outcomes:
            out = {effect.whom for effect in outcome.effects if isinstance(effect, Out)}
            hurt = {effect.whom for effect in outcome.effects if isinstance(effect, Changes)}
            gone = {"both_out": {"by", "at"}, "by_out": {"by"}}
            falls = gone.get(outcome.key, {"at"} if outcome.key.startswith("out") else set())
            assert out == falls
            assert falls <= hurt
            marks = {effect.mark for effect in outcome.effects if isinstance(effect, Out)}
            assert marks <= {mark.key for mark in du_sang.campaign.marks}
            tracks = {effect.track for effect in outcome.effects if isinstance(effect, Changes)}
            assert tracks <= {du_sang.life}
