"""Reference tables for play: every number matches its formula, every modifier the rules.

The tables also give the results of the rules' own examples.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor

import pytest

from rules.book.model import Book
from rules.book.reference import Reference
from rules.book.vocabulary import Text, applies
from rules.reference_pages.play import reference_piece
from rules.reference_pages.words import BookWording

NO_BREAK = "\u00a0"
ONE_TO_SIX = range(1, 7)


def reference(book: Book, key: str) -> Reference:
    """Return the reference with this key."""
    return next(row for row in book.references if row.key == key)


def cells(book: Book, key: str) -> dict[str, list[str]]:
    """Return the cells of each line of a reference table by its name, in English."""
    grid = reference_piece(BookWording(book, "en"), reference(book, key)).grid
    assert grid is not None
    lines = grid.lines
    assert len({line.name for line in lines}) == len(lines)
    return {line.name: [cell.text for cell in line.cells] for line in lines}


def column(book: Book, key: str, index: int = 0) -> dict[str, str]:
    """Return one column of a reference table, by the lines' names."""
    return {name: row[index] for name, row in cells(book, key).items()}


def percent(chance: Fraction) -> str:
    """Format a chance like the tables: whole per cent, halves up; 100 only for certainty."""
    rounded = floor(chance * 100 + Fraction(1, 2))
    if rounded == 100 and chance < 1:
        return ">99%"
    return f"{rounded}%"


def per_die(target: int) -> Fraction:
    """Return the chance of one die: a 6 always succeeds, a 1 always fails."""
    return Fraction(sum(d == 6 or (d != 1 and d >= target) for d in ONE_TO_SIX), 6)


def at_least_one(chance: Fraction, dice: int) -> Fraction:
    """Return the chance that at least one of some dice succeeds."""
    return 1 - (1 - chance) ** dice


# Blackwater Gulch


def test_the_success_table_matches_its_formula(blackwater: Book) -> None:
    assert cells(blackwater, "chances") == {
        f"TN {target}": [percent(at_least_one(per_die(target), dice)) for dice in ONE_TO_SIX]
        for target in range(2, 7)
    }


def test_the_target_number_is_added_up_before_it_is_limited_to_six(blackwater: Book) -> None:
    """RC 2 with a weapon of level 5: +3, so 7, which counts as 6."""
    excess = int(cells(blackwater, "levels")["RC or MC 2"][5 - 1])
    start = int(column(blackwater, "shooting_modifiers")["At first"])
    assert (excess, start + excess, min(6, start + excess)) == (3, 7, 6)


@pytest.mark.parametrize(("level", "target"), [(4, 4), (5, 5), (6, 6)])
def test_a_bounty_hunter_counts_as_one_level_higher(
    blackwater: Book, level: int, target: int
) -> None:
    allowance = blackwater.profession["bounty_hunter"].level_allowance
    excess = int(cells(blackwater, "levels")[f"RC or MC {3 + allowance}"][level - 1])
    assert 4 + excess == target


def test_the_level_table_matches_its_formula(blackwater: Book) -> None:
    assert cells(blackwater, "levels") == {
        f"RC or MC {own}": [f"+{level - own}" if level > own else "0" for level in ONE_TO_SIX]
        for own in ONE_TO_SIX
    }


def test_the_shooting_table_lists_its_modifiers(blackwater: Book) -> None:
    assert column(blackwater, "shooting_modifiers") == {
        "At first": "4",
        "Target beyond short range": "+1",
        'Target moved more than 6" in its last activation': "+1",
        "Shooter mounted, and the horse moved": "+1",
        "Weapon above their RC": "+1 per level",
        "Another figure in the target’s personal space": "+1",
        "Light cover": "+1",
        "Heavy cover": "+2",
        "Shooter ran": "+1",
        "With each of two one-handed weapons": "+1",
        "Second attack at a new target": "+1",
        "Strong Arms, with a firearm": "-1",
        "Gunslinger who did not move": "-1",
    }
    assert column(blackwater, "shooting_dice") == {
        "At first": "RC",
        "From outside the target’s front arc": "+1",
        "Repeater": "+1",
        "Strong Arms, with a thrown weapon": "+1",
        "Each luck die spent by the leader": "+1",
        "Longarm": "re-roll one miss",
    }


def test_the_melee_table_lists_its_modifiers(blackwater: Book) -> None:
    assert column(blackwater, "melee_modifiers") == {
        "At first": "4",
        'Target moved more than 6" in its last activation': "+1",
        "Attacker outnumbered": "+1",
        "Weapon above their MC": "+1 per level",
        "Two one-handed weapons": "+1",
        "Second attack at a new target": "+1",
        "Attacker mounted, and the horse moved": "+1",
        "Both inside the same building": "+1",
    }
    assert column(blackwater, "melee_dice") == {
        "At first": "MC",
        "Attacker’s side outnumbers": "+1",
        "From behind": "+1",
        "Each luck die spent by the leader": "+1",
    }


def test_the_attack_table_counts_the_attacks_of_a_wrassler(blackwater: Book) -> None:
    """One for each hand that holds a one-handed weapon or nothing, one more for any weapon."""

    def wrassler(one_handed: int, two_handed: int) -> int:
        hands = 1 if two_handed else 2
        return hands + bool(one_handed or two_handed)

    assert cells(blackwater, "melee_attacks") == {
        "Two-handed weapon": ["1", str(wrassler(0, 1))],
        "Two one-handed weapons": ["2", str(wrassler(2, 0))],
        "One-handed weapon and a fist": ["1", str(wrassler(1, 0))],
        "Fists only": ["1", str(wrassler(0, 0))],
    }
    assert [wrassler(0, 1), wrassler(2, 0)] == [2, 3]


def test_the_defence_table_lists_its_modifiers(blackwater: Book) -> None:
    assert column(blackwater, "defence") == {
        "At first": "DP",
        "Light cover, against a shot": "+1",
        "Heavy cover, against a shot": "+2",
        "Both inside the same building, in melee": "+1",
        "Gambler, in melee": "+1",
        "Parry, in melee": "+1",
    }
    assert cells(blackwater, "saves") == {
        f"Str {strength}": [
            str(min(6, max(2, strength))),
            str(max(0, strength - 6)),
            percent(per_die(min(6, max(2, strength)))),
        ]
        for strength in range(1, 9)
    }


def test_the_save_table_gives_the_save_against_a_long_shotgun(blackwater: Book) -> None:
    """Str 6 plus 1: saves at 6, and one success is rolled again."""
    strength = int(str(blackwater.item["long_shotgun"].columns["strength"])) + 1
    assert cells(blackwater, "saves")[f"Str {strength}"][:2] == ["6", "1"]


def test_the_explosive_table_gives_the_hits_of_dynamite(blackwater: Book) -> None:
    assert column(blackwater, "explosives") == {
        "The target": "1D6",
        "Base wholly inside": "1D3",
        "Base partly inside": "1",
    }
    strength = str(blackwater.item["dynamite"].columns["strength"])
    assert cells(blackwater, "saves")[f"Str {strength}"][0] == "5"
    assert column(blackwater, "d3") == {"1–2": "1", "3–4": "2", "5–6": "3"}


@pytest.mark.parametrize("mode", ["yes", "no"])
def test_the_revival_table_matches_its_formula(blackwater: Book, mode: str) -> None:
    """Under or equal to the friend’s stamina; a 1 fails or not, as agreed."""
    key = {"yes": "revive", "no": "revive_one"}[mode]
    row = reference(blackwater, key)
    assert applies(row.when, {"doctor_one_fails": mode})
    assert row.when == {"doctor_one_fails": (mode,)}

    def die(stamina: int) -> Fraction:
        good = [d for d in ONE_TO_SIX if d <= stamina and (d != 1 or mode == "no")]
        return Fraction(len(good), 6)

    assert cells(blackwater, key) == {
        f"Sta {stamina}": [percent(at_least_one(die(stamina), dice)) for dice in ONE_TO_SIX]
        for stamina in ONE_TO_SIX
    }


def test_the_revival_table_gives_the_example_of_the_rules(blackwater: Book) -> None:
    assert cells(blackwater, "revive")["Sta 4"][3 - 1] == percent(Fraction(7, 8))
    assert set(cells(blackwater, "revive")["Sta 1"]) == {percent(Fraction(0))}


def test_the_running_table_matches_its_formula(blackwater: Book) -> None:
    def run(dice: int) -> list[str]:
        rolls = [max(roll) for roll in product(ONE_TO_SIX, repeat=dice)]
        tenths = floor(Fraction(10 * sum(rolls), len(rolls)) + Fraction(1, 2)) + 60
        full = Fraction(rolls.count(6), len(rolls))
        return [f'{tenths // 10}.{tenths % 10}"', percent(full)]

    assert cells(blackwater, "run") == {f"Qui {dice}": run(dice) for dice in ONE_TO_SIX}
    assert cells(blackwater, "run")["Qui 2"][1] == percent(Fraction(11, 36))


def test_the_falling_table_matches_its_formula(blackwater: Book) -> None:
    """No damage up to 3"; then the height is the target, and more than 6" hurts more."""
    table = cells(blackwater, "falls")
    assert table.pop('up to 3"') == ["–", "–"]
    assert table == {
        f'{height}"': [str(min(6, height)), str(max(1, height - 6))] for height in range(4, 13)
    }
    assert table['11"'][1] == "5"
    assert table['8"'][1] == "2"


def test_the_trampling_table_matches_its_formula(blackwater: Book) -> None:
    """Half of the distance, rounded up, from 2 to 6."""

    def target(distance: int) -> str:
        return str(min(6, max(2, ceil(distance / 2))))

    assert column(blackwater, "trample") == {
        'up to 4"': target(4),
        '5–6"': target(5),
        '7–8"': target(7),
        '9–10"': target(9),
        '11" and more': target(11),
    }
    assert all(target(distance) == target(distance + 1) for distance in (3, 5, 7, 9, 11, 15))


def test_the_morale_table_lists_its_targets(blackwater: Book) -> None:
    table = cells(blackwater, "morale_target")
    assert list(table.values()) == [["4", "3"], ["5", "4"], ["6", "5"]]
    assert list(table) == [
        "More enemies, but not twice as many",
        "Twice as many enemies",
        "Three times as many enemies",
    ]


def test_the_morale_chances_match_their_formula(blackwater: Book) -> None:
    targets = (3, 4, 5, 6)
    assert cells(blackwater, "morale_chances") == {
        f"Int {dice}": [percent(at_least_one(per_die(target), dice)) for target in targets]
        for dice in ONE_TO_SIX
    }
    assert cells(blackwater, "morale_second_chance") == {
        f"Int {dice}": [
            percent(1 - (1 - at_least_one(per_die(target), dice)) ** 2) for target in targets
        ]
        for dice in ONE_TO_SIX
    }


def test_the_morale_tables_give_the_example_of_the_rules(blackwater: Book) -> None:
    """Two stand against four: the target is 5, and Int 2 stays with 5/9."""
    ours, theirs = 5 - 3, 5 - 1
    assert ours < theirs and 2 * 3 >= 5 and 2 * ours <= theirs < 3 * ours
    target = int(cells(blackwater, "morale_target")["Twice as many enemies"][0])
    assert target == 5
    assert not any(die >= target for die in (1, 3))
    assert cells(blackwater, "morale_chances")["Int 2"][2] == percent(Fraction(5, 9))


def test_the_table_of_freeing_a_captive_matches_its_formula(blackwater: Book) -> None:
    """Two dice in three fail at a target of 5."""
    assert list(column(blackwater, "freeing").values()) == [
        percent(1 - Fraction(2, 3) ** dice) for dice in range(1, 9)
    ]


def test_the_weapon_table_lists_its_types(blackwater: Book) -> None:
    assert {name: row[:2] for name, row in cells(blackwater, "weapon_types").items()} == {
        "Melee, one hand": ["1", "MC"],
        "Melee, two hands": ["2", "MC"],
        "Pistol": ["1", "RC"],
        "Longarm": ["2", "RC"],
        "Shotgun": ["2", "RC"],
        "Repeater": ["2", "RC"],
        "Thrown": ["1", "RC"],
        "Parry": ["–", "–"],
        "Explosive": ["–", "–"],
        "Flaming": ["–", "–"],
        "Fists": ["–", "MC"],
    }


def test_the_board_table_is_in_inches(blackwater: Book) -> None:
    board = column(blackwater, "board")
    assert list(board.values()) == [f'{feet * 12 // 4}"' for feet in (2, 3, 4)]


def test_deployments_use_a_quarter_of_the_board(blackwater: Book) -> None:
    """A quarter of the side is 25 per cent of it."""
    zones = {
        row.key: [(z.shape, z.side, z.x, z.y, z.width, z.height) for z in row.zones]
        for row in blackwater.deployments
    }
    circle = ("circle", "second", 50, 50, 25, 0)
    assert zones == {
        "high_noon": [("box", "first", 0, 0, 100, 25), ("box", "second", 0, 75, 100, 25)],
        "cornered": [
            ("triangle", "first", 0, 0, 25, 25),
            ("triangle", "second", 100, 100, 25, 25),
        ],
        "trapped": [circle, ("box", "first", 0, 75, 100, 25)],
        "trapped_and_cornered": [circle, ("triangle", "first", 0, 100, 25, 25)],
    }
    assert all(
        [role.key for role in row.roles] == ["attacker", "defender"] and row.length
        for row in blackwater.scenarios
    )


# Du sang sur la lame


@cache
def kept(rolled: int) -> Counter[tuple[int, int]]:
    """Count how often each pair of best dice occurs among ``rolled`` dice."""
    rolls = (sorted(roll)[-2:] for roll in product(ONE_TO_SIX, repeat=rolled))
    return Counter((low, high) for low, high in rolls)


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ("2k2", ("5/12", "7/12", "13/18", "1/36", "1/36")),
        ("3k2", ("49/72", "29/36", "193/216", "2/27", "1/216")),
        ("4k2", ("119/144", "131/144", "311/324", "19/144", "1/1296")),
        ("5k2", ("7043/7776", "931/972", "851/864", "763/3888", "1/7776")),
    ],
)
def test_the_pool_table_matches_a_count_of_every_roll(
    du_sang: Book, pool: str, expected: tuple[str, ...]
) -> None:
    pairs = kept(int(pool[0]))
    total = pairs.total()
    worked_out = [
        Fraction(sum(n for pair, n in pairs.items() if sum(pair) + modifier >= 7), total)
        for modifier in (-1, 0, 1)
    ] + [Fraction(pairs[6, 6], total), Fraction(pairs[1, 1], total)]
    assert [Fraction(text) for text in expected] == worked_out
    written = cells(du_sang, "chances")[pool]
    parted = [cell.split(f"{NO_BREAK}· ") for cell in written]
    assert [fraction for fraction, _percent in parted] == list(expected)
    for (_fraction, per_cent), chance in zip(parted, worked_out, strict=True):
        said = per_cent.removesuffix("%")
        places = len(said.partition(".")[2])
        assert Fraction(said) == Fraction(floor(chance * 100 * 10**places + Fraction(1, 2))) / (
            10**places
        )


def test_the_action_table_lists_its_costs(du_sang: Book) -> None:
    assert list(cells(du_sang, "actions").values()) == [
        ["1", "jump only"],
        ["1", "no"],
        ["1", "yes"],
        ["1", "opposed roll"],
        ["1", "opposed roll"],
        ["1", "yes"],
        ["2", "no"],
        ["2", "no"],
        ["2", "yes"],
        ["2", "yes"],
        ["2", "yes"],
        ["2", "opposed roll"],
        ["3", "no"],
    ]


def test_combined_actions_cost_the_sums_of_the_rules(du_sang: Book) -> None:
    cost = {name.split(",")[0].split(":")[0]: int(po) for name, po in _costs(du_sang).items()}
    assert cost["Move"] + cost["Duel"] == 2
    assert cost["Move"] + cost["Shoot a bow"] == 3
    assert cost["Move"] + cost["Pick a lock"] == 3
    assert cost["Charge"] + cost["Duel"] == 3
    assert cost["On watch"] == 3


def _costs(du_sang: Book) -> dict[str, str]:
    return column(du_sang, "actions")


def test_the_weapon_table_lists_ranges_and_costs(du_sang: Book) -> None:
    assert list(cells(du_sang, "weapons").values()) == [
        ["contact", "1"],
        ['1"', "1"],
        ['3"', "1"],
        ['3"', "2, Shooter 1"],
        ['6"', "2, Shooter 1"],
        ['6"', "2, Shooter 1"],
        ['1D6"', "2, after 1 to pick it up"],
    ]


def test_the_fight_table_lists_its_modifiers(du_sang: Book) -> None:
    table = cells(du_sang, "modifiers")
    assert {name: (row[0], row[1]) for name, row in table.items()} == {
        "More friends in the duel": ("the outnumbering side", "+1"),
        "Jumping onto the opponent": ("the attacker", "+1"),
        "From behind": ("the attacker", "+1"),
        "Higher than the opponent": ("the higher one", "+1"),
        "In cover, even partly hidden": ("the target", "+1"),
        "Target already in a duel": ("the target", "+1"),
        "Receives a charge": ("the one charged", "-1"),
        "No weapon in hand against an armed opponent": ("the unarmed one", "-1"),
        "Wounded": ("the wounded one", "-1"),
    }


def test_the_fight_modifiers_give_the_shot_of_the_rules(du_sang: Book) -> None:
    """3, 4, 2 from behind against 3, 2 in cover and in a duel: 8 against 7, a wound."""
    bonus = {name: int(row[1]) for name, row in cells(du_sang, "modifiers").items()}
    shooter = sum(sorted((3, 4, 2))[-2:]) + bonus["From behind"]
    target = 3 + 2 + bonus["In cover, even partly hidden"] + bonus["Target already in a duel"]
    assert (shooter, target) == (8, 7)


def test_the_movement_table_lists_its_distances(du_sang: Book) -> None:
    assert list(column(du_sang, "movement").values()) == [
        '6"',
        '8"',
        '8"',
        'base move + 1D6"',
        '-1" each',
        "half",
        'base move 4"',
        '-1"',
        '-1"',
        '2" back',
        'moved 2"',
    ]
    move = du_sang.characteristic["move"]
    assert f'{move.start}"' == column(du_sang, "movement")["Normal, 1 Po"]


def test_the_unit_morale_table_lists_its_results(du_sang: Book) -> None:
    assert cells(du_sang, "unit_morale") == {
        "5": ["+1", "–"],
        "4": ["0", "–"],
        "3": ["0", "–"],
        "2": ["-1", '-1"'],
        "1": ["-1", '-1"'],
    }


@pytest.mark.parametrize(
    ("line", "seconds", "henchmen"), [(0, 1, 1), (1, 1, 2), (2, 2, 1), (3, 1, 5), (4, 2, 4)]
)
def test_the_shape_table_gives_the_cost_of_each_band(
    du_sang: Book, line: int, seconds: int, henchmen: int
) -> None:
    ranks = [du_sang.rank["leader"]]
    ranks += [du_sang.rank["second"]] * seconds + [du_sang.rank["henchman"]] * henchmen
    least = sum(rank.price for rank in ranks)
    traits = sum(rank.maximum_traits or 0 for rank in ranks)
    row = list(cells(du_sang, "shapes").values())[line]
    assert row == [str(len(ranks)), str(least), str(least + traits)]


def test_the_recommended_gang_matches_the_limits_of_validation(du_sang: Book) -> None:
    by_tag = {
        tag: limit
        for limit in du_sang.limits
        if limit.kind == "count"
        for tag in limit.of.item_tags
    }
    table = list(cells(du_sang, "make_up").values())
    assert [row[0] for row in table] == ["1", "2"]
    assert [row[1] for row in table] == ["2", "2"]
    ranged, reach = by_tag["ranged"], by_tag["reach"]
    assert [(step.size, step.maximum) for step in ranged.maximum_by_size] == [(4, 1)]
    assert (ranged.maximum, reach.maximum) == (2, 2)


def test_scenarios_have_their_roles_and_lengths(du_sang: Book) -> None:
    sided = {row.key for row in du_sang.scenarios if row.roles}
    assert sided == {row.key for row in du_sang.scenarios} - {"score", "passage", "clash", "free"}
    for row in du_sang.scenarios:
        assert not row.roles or [role.key for role in row.roles] == ["renegades", "militia"]
    six = {row.key for row in du_sang.scenarios if row.length and row.length["en"] == "Six turns."}
    assert six == {"smuggling", "score", "cache", "murder", "passage"}


def test_the_clash_starts_six_inches_apart(du_sang: Book) -> None:
    """On a table of 90 cm, which is a little more than 35 inches."""
    deployment = next(row for row in du_sang.deployments if row.key == "mid_table")
    near, far = deployment.zones
    gap = (far.y - (near.y + near.height)) * 90 / 100 / 2.54
    assert gap == pytest.approx(6, abs=0.1)


# Both games


@pytest.mark.parametrize("name", ["blackwater", "du_sang"])
def test_the_turn_has_numbered_steps(name: str, request: pytest.FixtureRequest) -> None:
    book: Book = request.getfixturevalue(name)
    turn = reference(book, "turn")
    assert turn.numbered and turn.chapter == "turn" and len(turn.lines) >= 4
    assert {"setup", "turn", "actions", "shooting", "fighting", "wounds", "morale"} <= {
        row.chapter for row in book.references
    }
    assert len(book.glossary) >= 20
    names = [term.name["en"].casefold() for term in book.glossary]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["blackwater", "du_sang"])
def test_numbers_are_the_same_in_both_languages(name: str, request: pytest.FixtureRequest) -> None:
    book: Book = request.getfixturevalue(name)
    for row in book.references:
        for line in row.lines:
            for cell in line.cells:
                if isinstance(cell, Text):
                    digits = [
                        "".join(filter(str.isdigit, text)) for text in (cell["en"], cell["fr"])
                    ]
                    assert digits[0] == digits[1], (row.key, line.name["en"])
