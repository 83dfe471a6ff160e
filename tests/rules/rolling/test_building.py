"""Rolls built from parts: what the checker says, their odds, and whether they are recognised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, Literal, get_args

import pytest

from rules.book.model import Book
from rules.engine.compiling import ready
from rules.engine.figure import Figure
from rules.engine.odds import odds
from rules.engine.situations import Side, Situation, names_in
from rules.loading.reader import RawBook, parse
from rules.loading.try_rolls import try_rolls
from rules.rolling.building import build_distance, build_roll, recognise_roll
from rules.rolling.parts import DiceTest, Harm, How, Quantity, Reach, RollParts, Save
from tests.rules.rolling.guns import WOUNDS, make_guns
from tests.rules.small import Data, row, text

HOWS: tuple[How, ...] = get_args(How)
SAVES: tuple[Literal["none", "fixed", "theirs"], ...] = ("none", "fixed", "theirs")
DAMAGES = (
    Quantity(number=2),
    Quantity("dice", 1, sides=3),
    Quantity("value", value="item.damage"),
    Quantity("value", value="by.strength"),
)
ATTACKS = (
    Quantity(number=1),
    Quantity(number=3),
    Quantity("value", value="item.attacks"),
    Quantity("value", value="by.fight"),
)
REACHES = (Reach(), Reach("fixed", 10), Reach("value", value="item.range"))
HARMS: tuple[Harm, ...] = ("life", "out", "state")


def in_each(words: str) -> Data:
    """Return the words as a text of the game."""
    return text(words)


def make_parts() -> Iterator[RollParts]:
    """Yield every combination of ways to hit, wound and save, of damage and harm; the other parts
    are drawn."""
    draw = Random("parts")
    for hit, wound, save, damage, harm in product(HOWS, HOWS, SAVES, DAMAGES, HARMS):
        if harm != "life" and damage != DAMAGES[0]:
            continue
        yield RollParts(
            groups=("guns",),
            reach=draw.choice(REACHES),
            attacks=draw.choice(ATTACKS),
            sides=draw.choice((6, 6, 8, 10)),
            ones_fail=draw.random() < 0.7,
            best_succeeds=draw.random() < 0.3,
            hit=DiceTest(
                hit,
                4 if hit in ("fixed", "difference") else DiceTest().number,
                own=draw.choice(("by.skill", "item.skill")) if hit in OWN else "",
                theirs="at.fight" if hit in THEIRS else "",
                grid="to_wound" if hit == "table" else "",
                is_under=hit != "none" and draw.random() < 0.3,
            ),
            wound=DiceTest(
                wound,
                3 if wound in ("fixed", "difference") else DiceTest().number,
                own=draw.choice(("by.strength", "item.strength")) if wound in OWN else "",
                theirs="at.toughness" if wound in THEIRS else "",
                grid="to_wound" if wound == "table" else "",
                is_under=wound != "none" and draw.random() < 0.3,
            ),
            save=make_save(save, draw),
            damage=damage if harm == "life" else Quantity(),
            harm=harm,
            hurt_state="stunned" if harm == "state" or draw.random() < 0.3 else "",
            hit_state="pinned" if wound != "none" or save != "none" else "",
            mark="out" if harm != "state" and draw.random() < 0.5 else "",
        )


OWN = ("own", "difference", "table")
THEIRS = ("theirs", "difference", "table")


def make_save(how: Literal["none", "fixed", "theirs"], draw: Random) -> Save:
    """Return a save, perhaps one that the weapon makes worse."""
    if how == "none":
        return Save()
    worse = draw.choice(("", "item.pierce", "item.pierce"))
    return Save(
        how,
        4 if how == "fixed" else Save().number,
        "at.armour" if how == "theirs" else "",
        is_under=draw.random() < 0.3,
        worse=worse if how == "theirs" or draw.random() < 0.5 else "",
        is_signed=False,
    )


def signed(parts: RollParts, chance: Random) -> RollParts:
    """Return the parts, perhaps with a weapon's column that is written as a change of dice."""
    if not parts.save.worse:
        return parts
    return replace(parts, save=replace(parts.save, is_signed=chance.random() < 0.7))


EVERY = [signed(parts, Random(number)) for number, parts in enumerate(make_parts())]
TOGETHER = 60


def make_book(parts: list[RollParts], *, life: int = 2) -> Book:
    """Return the game with these rolls, checked like any other. Raises BadBook."""
    rolls = [
        row(f"roll-{number}", **build_roll(one, "wounds", in_each))
        for number, one in enumerate(parts)
    ]
    circumstances = []
    if any(one.reach.how != "none" for one in parts):
        circumstances.append({**row("distance"), **build_distance(in_each)})
    data = make_guns(rolls=rolls, circumstances=circumstances)
    if not any("grid" in step for one in rolls for step in one["steps"]):
        data["grids"] = []
    data["characteristics"][-1]["start"] = life
    return parse(RawBook(data, "small"))


@pytest.mark.parametrize("start", range(0, len(EVERY), TOGETHER))
def test_every_combination_passes_the_checker_and_is_recognised(start: int) -> None:
    parts = EVERY[start : start + TOGETHER]
    book = make_book(parts)
    for one, roll in zip(parts, book.rolls, strict=True):
        found = recognise_roll(roll.model_dump(mode="json"), "wounds")
        # Parts without dice leave no trace of their faces.
        assert found is not None and build_roll(found, "wounds", in_each) == build_roll(
            one, "wounds", in_each
        )


@pytest.mark.parametrize("number", range(30))
def test_every_outcome_happens_so_that_the_game_can_be_published(number: int) -> None:
    parts = Random(f"published {number}").choice(EVERY)
    assert [*try_rolls(make_book([parts], life=9))] == []


def test_roll_with_other_words_is_recognised() -> None:
    built = row("shot", **build_roll(EVERY[500], "wounds", in_each))
    built["outcomes"][0]["name"] = text("Bang")
    built["text"] = text("As in the book.")
    assert recognise_roll(built, "wounds") == EVERY[500]


@pytest.mark.parametrize(
    "changed",
    [
        {"usable": "by.life > 1"},
        {"sides": "anyone"},
        {"steps": [{"let": "hits", "be": 1}]},
        {"steps": "none"},
        {"outcomes": [{"key": "hit", "name": text("Hit")}]},
        {"effects": [{"kind": "ends_activation"}]},
    ],
)
def test_roll_that_was_changed_by_hand_is_not_recognised(changed: Data) -> None:
    built = row("shot", **build_roll(EVERY[500], "wounds", in_each))
    assert recognise_roll({**built, **changed}, "wounds") is None


# The independent way: each die's faces, one after the other, by what a player would do.

BY: dict[str, int] = {"skill": 3, "fight": 4, "strength": 4}
AT: dict[str, int] = {"fight": 4, "toughness": 3, "armour": 5}
GUN: dict[str, dict[str, Any]] = {
    "rifle": {"skill": 4, "strength": 5, "pierce": -1, "attacks": (2, 0, 1), "damage": (0, 1, 3)},
    "pistol": {"skill": 4, "strength": 4, "pierce": -1, "attacks": (0, 1, 3), "damage": (1, 0, 1)},
}
LIFE = 2


def value_of(name: str, gun: str) -> int:
    """Return the number behind a value."""
    subject, _dot, key = name.partition(".")
    return int({"by": BY, "at": AT, "item": GUN[gun]}[subject][key])


def pays(face: int, need: int, parts: RollParts, *, is_under: bool, best: bool) -> bool:
    """Whether a die with this face succeeds."""
    worst, finest = (parts.sides, 1) if is_under else (1, parts.sides)
    if parts.ones_fail and face == worst:
        return False
    if best and face == finest:
        return True
    return face <= need if is_under else face >= need


def need_of(test: DiceTest, parts: RollParts, gun: str) -> int:
    """Return the number that a test needs."""
    if test.how == "fixed":
        return test.number
    own = value_of(test.own, gun) if test.own else 0
    theirs = value_of(test.theirs, gun) if test.theirs else 0
    if test.how == "own":
        return own
    if test.how == "theirs":
        return theirs
    if test.how == "table":
        return WOUNDS_BY[own, theirs]
    if test.is_under:
        return min(parts.sides - 1, max(1, test.number + own - theirs))
    return min(parts.sides, max(2, test.number - own + theirs))


WOUNDS_BY = {(a + 1, b + 1): cell for a, line in enumerate(WOUNDS) for b, cell in enumerate(line)}


def thrown(quantity: Quantity, gun: str) -> Iterator[int]:
    """Yield each equally likely result of a quantity."""
    if quantity.how == "fixed":
        yield quantity.number
    elif quantity.how == "dice":
        yield from map(sum, product(range(1, quantity.sides + 1), repeat=quantity.number))
    elif quantity.value.startswith("by."):
        yield value_of(quantity.value, gun)
    else:
        plus, dice, sides = GUN[gun][quantity.value.removeprefix("item.")]
        yield from (plus + sum(faces) for faces in product(range(1, sides + 1), repeat=dice))


def one_attack(parts: RollParts, gun: str) -> dict[tuple[bool, int], Fraction]:
    """Return the chances of one attack: whether it hits, and the damage that is left of it (1 for
    one that needs no damage)."""
    faces = range(1, parts.sides + 1)
    found: Counter[tuple[bool, int]] = Counter()
    total = 0
    harms = [*thrown(parts.damage, gun)] if parts.harm == "life" else [1]
    for hit, wound, save, harm in product(faces, faces, faces, harms):
        total += 1
        is_hit = succeeds(hit, parts.hit, parts, gun)
        hurts = is_hit and succeeds(wound, parts.wound, parts, gun) and not saves(save, parts, gun)
        found[is_hit, harm if hurts else 0] += 1
    return {key: Fraction(count, total) for key, count in found.items()}


def succeeds(face: int, test: DiceTest, parts: RollParts, gun: str) -> bool:
    """Whether a die hits or wounds."""
    if test.how == "none":
        return True
    need, best = need_of(test, parts, gun), parts.best_succeeds
    return pays(face, need, parts, is_under=test.is_under, best=best)


def saves(face: int, parts: RollParts, gun: str) -> bool:
    """Whether a die saves."""
    save = parts.save
    if save.how == "none":
        return False
    need = save.number if save.how == "fixed" else value_of(save.theirs, gun)
    if save.worse:
        change = value_of(save.worse, gun)
        worse = -change if save.is_signed else change
        need += -worse if save.is_under else worse
    return pays(face, need, parts, is_under=save.is_under, best=False)


def enumerate_odds(parts: RollParts, gun: str) -> dict[str, Fraction]:
    """Return the chance of each outcome."""
    counts = Counter(thrown(parts.attacks, gun))
    one = one_attack(parts, gun)
    found: dict[str, Fraction] = {}
    for attacks, ways in counts.items():
        share = Fraction(ways, counts.total())
        now: dict[tuple[bool, int], Fraction] = {(False, 0): Fraction(1)}
        for _attack in range(attacks):
            after: dict[tuple[bool, int], Fraction] = {}
            for ((hit, lost), chance), ((hits, more), part) in product(now.items(), one.items()):
                key = (hit or hits, min(LIFE, lost + more))
                after[key] = after.get(key, Fraction(0)) + chance * part
            now = after
        for (hit, lost), chance in now.items():
            name = name_outcome(parts, hit, lost)
            found[name] = found.get(name, Fraction(0)) + share * chance
    return found


def name_outcome(parts: RollParts, hit: bool, lost: int) -> str:
    """Return the outcome of all attacks together."""
    if lost and parts.harm == "life":
        return "out" if lost >= LIFE else "hurt"
    if lost:
        return "out" if parts.harm == "out" else "hurt"
    return "saved" if hit and (parts.wound.how, parts.save.how) != ("none", "none") else "missed"


SAMPLE = Random("sample").sample(
    [one for one in EVERY if one.attacks.how == "fixed" or one.attacks.value == "item.attacks"], 60
)


@pytest.mark.parametrize("number", range(len(SAMPLE)))
def test_odds_are_those_of_every_face(number: int) -> None:
    parts = replace(SAMPLE[number], reach=Reach())
    book = make_book([parts])
    for gun in GUN:
        by = Side(Figure("fighter", "fighter", items=(gun,)), gun)
        at = Side(Figure("fighter", "fighter"))
        names = names_in(book.usual, Situation(by, at))
        worked = odds(ready(book.usual, "roll-0"), names).outcomes
        expected = enumerate_odds(parts, gun)
        assert {key: chance for key, chance in worked.items() if chance} == expected
