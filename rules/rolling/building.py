"""Builds the rows of a roll from its parts, and recognises a roll that was built so."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from common.wording.sentences import gettext_noop as _
from rules.book.rolls import Roll
from rules.rolling.parts import (
    MOST_ATTACKS,
    Data,
    DiceTest,
    Harm,
    How,
    Quantity,
    Reach,
    RollParts,
    Save,
)

# Returns words of the site as a text of the rulebook, in each of its languages.
type InEach = Callable[[str], Data]

DISTANCE = "distance"
# A number that no die reaches, for values of 0, which stand for "none".
NEVER = 99
# The most faces of all dice for damage together, see MOST_FACES in ``rules.bounds.limits``.
MOST_FACES = 180
# Fields that players read or that the row's place gives it: changing them leaves a roll as built.
WORDS = {"name", "text", "purpose", "source", "house", "key"}


def build_roll(parts: RollParts, life: str, say_in_each: InEach) -> Data:
    """Return a row of ``rolls`` without its key, name and source. ``life``: the characteristic that
    is ticked off, or ""."""
    group = " or ".join(f"item.in_group('{key}')" for key in parts.groups)
    usable = [f"({group})" if len(parts.groups) > 1 and parts.reach.how != "none" else group]
    if parts.reach.how == "fixed":
        usable.append(f"{DISTANCE} <= {parts.reach.number}")
    elif parts.reach.how == "value":
        usable.append(f"{DISTANCE} <= {parts.reach.value}")
    numbers = [{"of": "hits", "name": say_in_each(_("Hits"))}]
    if parts.harm == "life":
        numbers.append({"of": "lost", "name": say_in_each(_("Life lost"))})
    return {
        "by": "member",
        "at": "member",
        "sides": "enemies",
        "using": "item" if parts.groups else "nothing",
        "usable": " and ".join(filter(None, usable)) or None,
        "steps": _list_steps(parts, say_in_each),
        "outcomes": _list_outcomes(parts, life, say_in_each),
        "numbers": numbers,
    }


def build_distance(say_in_each: InEach) -> Data:
    """Return the row of the circumstance that rolls with a reach ask for."""
    return {
        "key": DISTANCE,
        "name": say_in_each(_("Distance to the target")),
        "kind": "number",
        "minimum": 0,
        "maximum": 99,
        "start": 6,
    }


def _list_steps(parts: RollParts, say_in_each: InEach) -> list[Data]:
    steps = [
        *_list_attacks(parts, say_in_each),
        *_list_test("hits", "attacks", parts.hit, parts, say_in_each(_("to hit"))),
        *_list_test("wounds", "hits", parts.wound, parts, say_in_each(_("to wound"))),
        *_list_save(parts, say_in_each(_("to save"))),
    ]
    if parts.harm == "life":
        steps += _list_damage(parts.damage, say_in_each(_("for the damage")))
    return steps


def _list_attacks(parts: RollParts, say_in_each: InEach) -> list[Data]:
    attacks = parts.attacks
    if attacks.how == "fixed":
        return [{"let": "attacks", "be": attacks.number}]
    number, steps = attacks.value, []
    if number.startswith("item."):
        purpose = say_in_each(_("for the number of attacks"))
        steps = [_throw("attack_dice", number, f"{number}.dice", purpose)]
        number = "attack_dice"
    # Without dice to hit, no outcome is left for an attack that misses.
    fewest = 1 if parts.hit.how == "none" else 0
    return [*steps, {"let": "attacks", "be": number, "clamp": [fewest, MOST_ATTACKS]}]


def _throw(name: str, value: str, dice: str, purpose: Data, plus: str = "") -> Data:
    """Return the step that throws the dice of a column and adds its number."""
    sides = f"{value}.sides"
    return {"sum": name, "purpose": purpose, "dice": dice, "sides": sides, "plus": plus or value}


def _list_test(name: str, dice: str, test: DiceTest, parts: RollParts, purpose: Data) -> list[Data]:
    if test.how == "none":
        return [{"let": name, "be": dice}]
    needed = f"need_{name}"
    never = 0 if test.is_under else parts.sides + 1
    if test.how == "table":
        given = {"row": test.own, "column": test.theirs, "blank": never}
        first: Data = {"look_up": needed, "grid": test.grid, **given}
    elif test.how == "difference":
        # The better the attacker, the lower the number to reach, or the higher that to stay under.
        sign, clamp = ("+", [1, parts.sides - 1]) if test.is_under else ("-", [2, parts.sides])
        be = f"{test.number} {sign} ({test.own} - {test.theirs})"
        first = {"let": needed, "be": be, "clamp": clamp}
    else:
        value = {"own": test.own, "theirs": test.theirs}.get(test.how, test.number)
        first = {"let": needed, "be": _or_never(value, test.is_under)}
    count = _count(
        name, dice, parts, purpose, is_under=test.is_under, best_succeeds=parts.best_succeeds
    )
    return [first, count]


def _or_never(value: int | str, is_under: bool) -> int | str:
    """Return the needed number; 0 in a profile or column means that nothing succeeds."""
    if isinstance(value, int) or is_under:
        return value
    return f"{value} if {value} > 0 else {NEVER}"


def _count(
    name: str,
    dice: str,
    parts: RollParts,
    purpose: Data,
    *,
    is_under: bool,
    best_succeeds: bool = False,
) -> Data:
    """Return the step whose dice succeed by the number that ``need_`` and its name bind."""
    lowest, highest = (parts.sides, 1) if is_under else (1, parts.sides)
    natural: Data = {}
    if parts.ones_fail:
        natural["fails"] = [lowest]
    if best_succeeds:
        natural["succeeds"] = [highest]
    step: Data = {"count": name, "purpose": purpose, "dice": dice, "sides": parts.sides}
    step |= {"band": [1, f"need_{name}"]} if is_under else {"target": f"need_{name}"}
    return {**step, "natural": natural} if natural else step


def _list_save(parts: RollParts, purpose: Data) -> list[Data]:
    save = parts.save
    if save.how == "none":
        return [{"let": "hurts", "be": "wounds"}]
    value = save.number if save.how == "fixed" else save.theirs
    be: int | str = value
    if save.worse:
        # A lower number is worse where low is good.
        sign = "+" if save.is_signed is save.is_under else "-"
        be = f"{value} {sign} {save.worse}"
    if isinstance(value, str) and not save.is_under:
        be = f"{be} if {value} > 0 else {NEVER}"
    count = _count("saved", "wounds", parts, purpose, is_under=save.is_under)
    return [
        {"let": "need_saved", "be": be},
        {**count, "whose": "at"},
        {"let": "hurts", "be": "wounds - saved"},
    ]


def _list_damage(damage: Quantity, purpose: Data) -> list[Data]:
    if damage.how == "dice":
        dice = f"min(hurts * {damage.number}, {MOST_FACES // damage.sides})"
        step: Data = {"sum": "damage", "purpose": purpose, "dice": dice, "sides": damage.sides}
    elif damage.how == "value" and damage.value.startswith("item."):
        most = f"floor({MOST_FACES} / {damage.value}.sides)"
        dice = f"min(hurts * {damage.value}.dice, {most})"
        step = _throw("damage", damage.value, dice, purpose, f"hurts * {damage.value}")
    else:
        each = damage.value if damage.how == "value" else damage.number
        step = {"let": "damage", "be": f"hurts * {each}"}
    return [step, {"let": "lost", "be": "max(0, min(damage, at.life))"}]


def _list_outcomes(parts: RollParts, life: str, say_in_each: InEach) -> list[Data]:
    def outcome(key: str, words: str, given: str, effects: list[Data], **more: bool) -> Data:
        row: Data = {"key": key, "name": say_in_each(words), "given": given, **more}
        return {**row, "effects": effects} if effects else row

    def begin(state: str) -> list[Data]:
        return [{"kind": "begins", "state": state}] if state else []

    out: Data = {"kind": "out", "mark": parts.mark} if parts.mark else {"kind": "out"}
    found = []
    if parts.harm == "life":
        loses: Data = {"kind": "changes", "track": life, "amount": "-lost"}
        out_if = "lost > 0 and lost >= at.life"
        words = _("Out of action")
        found.append(outcome("out", words, out_if, [loses, out], hoped=True, grave=True))
        effects = [loses, *begin(parts.hurt_state)]
        found.append(outcome("hurt", _("Wounded"), "lost > 0", effects, hoped=True))
    elif parts.harm == "out":
        words = _("Out of action")
        found.append(outcome("out", words, "hurts > 0", [out], hoped=True, grave=True))
    else:
        effects = begin(parts.hurt_state)
        words = _("Hurt")
        found.append(outcome("hurt", words, "hurts > 0", effects, hoped=True, grave=True))
    has_chance = parts.wound.how != "none" or parts.save.how != "none"
    if has_chance:
        found.append(outcome("saved", _("No harm"), "hits > 0", begin(parts.hit_state)))
    if parts.hit.how != "none":
        words = _("Missed") if has_chance else _("No effect")
        found.append(outcome("missed", words, "", []))
    del found[-1]["given"]
    return found


def recognise_roll(row: Mapping[str, Any], life: str) -> RollParts | None:
    """Return the parts from which a roll was built; None if it was built or changed otherwise.

    Names, texts and purposes may differ.
    """
    steps = row.get("steps")
    if not isinstance(steps, list | tuple) or not all(isinstance(one, dict) for one in steps):
        return None
    try:
        parts = _guess_parts(row, [*steps], life)
        words = {name: value for name, value in row.items() if name in WORDS}
        same = _shape(row) == _shape({**words, **build_roll(parts, life, _in_english)})
    except (ValidationError, LookupError, TypeError, ValueError, AttributeError):
        return None
    return parts if same else None


def _in_english(words: str) -> Data:
    return {"en": words}


def _shape(row: Mapping[str, Any]) -> object:
    """Return a roll without its words. Raises ValidationError."""

    def strip(value: object) -> object:
        if isinstance(value, dict):
            return {name: strip(one) for name, one in value.items() if name not in WORDS}
        return [strip(one) for one in value] if isinstance(value, list) else value

    found = Roll.model_validate(dict(row)).model_dump(mode="json")
    keys = [one["key"] for one in found["outcomes"]]
    return strip(found), keys


def _guess_parts(row: Mapping[str, Any], steps: list[Data], life: str) -> RollParts:
    """Return the parts that the row looks like, right or not."""
    words = ("let", "count", "sum", "look_up")
    named: dict[str, Data] = {}
    for step in steps:
        name = next((step[word] for word in words if isinstance(step.get(word), str)), "")
        named[name] = step
    outcomes = {one["key"]: one for one in row["outcomes"]}
    usable = str(row.get("usable") or "")
    counts = [step for step in steps if step.get("count")]
    natural = [step.get("natural") or {} for step in counts]
    sides = next((step["sides"] for step in counts), 6)
    harm: Harm = "life" if "lost" in named else "out" if "out" in outcomes else "state"
    return RollParts(
        groups=tuple(re.findall(r"in_group\('([^']+)'\)", usable)),
        reach=_guess_reach(usable),
        attacks=_guess_attacks(named),
        sides=sides,
        ones_fail=any(one.get("fails") for one in natural) if counts else True,
        best_succeeds=any(one.get("succeeds") for one in natural),
        hit=_guess_test(named, "hits"),
        wound=_guess_test(named, "wounds"),
        save=_guess_save(named),
        damage=_guess_damage(named) if harm == "life" else Quantity(),
        harm=harm,
        hurt_state=_find_effect(outcomes.get("hurt"), "state"),
        hit_state=_find_effect(outcomes.get("saved"), "state"),
        mark=_find_effect(outcomes.get("out"), "mark"),
    )


def _find_effect(outcome: Data | None, field: str) -> str:
    effects = (outcome or {}).get("effects") or ()
    return next((one[field] for one in effects if one.get(field)), "")


def _guess_reach(usable: str) -> Reach:
    found = re.search(rf"{DISTANCE} <= (?:(\d+)|(item\.\w+))$", usable)
    if found is None:
        return Reach()
    return Reach("fixed", int(found[1])) if found[1] else Reach("value", value=found[2])


def _guess_attacks(named: Mapping[str, Data]) -> Quantity:
    be = named["attacks"]["be"]
    if isinstance(be, int):
        return Quantity(number=be)
    return Quantity("value", value=named["attack_dice"]["plus"] if be == "attack_dice" else be)


def _guess_test(named: Mapping[str, Data], name: str) -> DiceTest:
    step, first = named[name], named.get(f"need_{name}")
    if first is None:
        return DiceTest()
    is_under = step.get("band") is not None
    if "look_up" in first:
        own, theirs = first["row"], first["column"]
        return DiceTest("table", own=own, theirs=theirs, grid=first["grid"], is_under=is_under)
    be = first["be"]
    if isinstance(be, int):
        return DiceTest("fixed", be, is_under=is_under)
    found = re.fullmatch(r"(\d+) [-+] \(([\w.]+) - ([\w.]+)\)", be)
    if found:
        return DiceTest("difference", int(found[1]), found[2], found[3], is_under=is_under)
    value = be.partition(" ")[0]
    how: How = "theirs" if value.startswith("at.") else "own"
    found_test = DiceTest(how, is_under=is_under)
    return replace(found_test, **{how: value})


def _guess_save(named: Mapping[str, Data]) -> Save:
    if "saved" not in named:
        return Save()
    be, is_under = named["need_saved"]["be"], named["saved"].get("band") is not None
    if isinstance(be, int):
        return Save("fixed", be, is_under=is_under)
    found = re.fullmatch(r"(\w[\w.]*)(?: ([-+]) (item\.\w+))?(?: if .+)?", be)
    if found is None:
        return Save()
    value, sign, worse = found.groups()
    is_signed = worse is not None and (sign == "+") is is_under
    save = Save(is_under=is_under, worse=worse or "", is_signed=is_signed)
    if value.isdecimal():
        return replace(save, how="fixed", number=int(value))
    return replace(save, how="theirs", theirs=value)


def _guess_damage(named: Mapping[str, Data]) -> Quantity:
    step = named["damage"]
    if "sum" not in step:
        each = step["be"].removeprefix("hurts * ")
        fixed = each.isdecimal()
        return Quantity(number=int(each)) if fixed else Quantity("value", value=each)
    if isinstance(step["sides"], int):
        number = int(re.findall(r"hurts \* (\d+)", step["dice"])[0])
        return Quantity("dice", number, sides=step["sides"])
    return Quantity("value", value=step["sides"].removesuffix(".sides"))
