"""The names that expressions may read of the figures in a roll, with their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rules.book.characteristics import Boxes, DicePool, DieSize, TwoNumbers, Word
from rules.book.characteristics import Value as Score
from rules.book.model import Book, Rules
from rules.book.rolls import Circumstance
from rules.book.schema import Characteristic
from rules.bounds.work import spend
from rules.engine.cells import item_names
from rules.engine.expressions import Value
from rules.engine.figure import Figure, find_given
from rules.engine.profiles import Profile, excess_level, in_states, level_allowance, profile

# Names whose values come from a game in progress, each with its value outside a game.
TABLE_NAMES: dict[str, int] = {
    "gang.standing": 5,
    "gang.start": 5,
    "gang.lost": 0,
    "gang.lost_this_turn": 0,
    "gang.lost_worth": 0,
    "gang.leaders_out": 0,
    "gang.leaders_lost_this_turn": 0,
    "enemy.standing": 5,
    "enemy.start": 5,
    "enemy.lost": 0,
    "enemy.leaders_out": 0,
    "table.turn": 1,
    "table.sides": 2,
    "table.nonplayers": 0,
}


@dataclass(frozen=True)
class Side:
    """A figure in a roll, the weapon in use with its mode, and the states of both.

    ``own_book``: the rulebook with the custom items of the figure's gang, if it differs from the
    roll's: two gangs may use the same key for different items.
    """

    figure: Figure
    item: str | None = None
    mode: str | None = None
    states: tuple[str, ...] = ()
    life: int | None = None
    item_states: tuple[str, ...] = ()
    own_book: Book | None = None
    # The names made so far, by subject, with the rules that they were made under.
    _read: dict[str, tuple[Rules, dict[str, Value]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )


@dataclass(frozen=True)
class Situation:
    """The figure that throws, the target, and the values of circumstances."""

    by: Side | None = None
    at: Side | None = None
    circumstances: Mapping[str, Value] = field(default_factory=dict)


def names_in(rules: Rules, situation: Situation) -> dict[str, Value]:
    """All names that expressions may read in ``situation``; other circumstances have defaults."""
    found: dict[str, Value] = dict(TABLE_NAMES)
    for row in rules.circumstances:
        found[row.key] = default(row)
    if situation.by is not None:
        found |= side_names(rules, situation.by, "by")
    if situation.at is not None:
        found |= side_names(rules, situation.at, "at")
    found.update(situation.circumstances)
    return found


def default(row: Circumstance) -> Value:
    """Return the default value of a circumstance."""
    return row.choices[0].key if row.kind == "choice" else row.start


def side_names(rules: Rules, side: Side, subject: str) -> dict[str, Value]:
    """The names of a figure as ``subject`` ("by" or "at"), and of the weapon in use."""
    last = side._read.get(subject)
    if last is None or last[0] is not rules:
        last = rules, _side_names(rules, side, subject)
        side._read[subject] = last
    return last[1]


def _side_names(rules: Rules, side: Side, subject: str) -> dict[str, Value]:
    if side.own_book is not None:
        rules = side.own_book.under(rules.settings)
    book, figure = rules.book, side.figure
    unhurt = profile(rules, figure)
    now = in_states(rules, figure, unhurt, side.states)
    found = bearer_names(book, figure, now, subject)
    if side.life is not None:
        found[f"{subject}.life"] = side.life
    found.update({f"{subject}.in_state:{key}": 1 for key in side.states})
    _carried(book, figure, subject, found)
    item = book.item.get(side.item or "")
    named = "item" if subject == "by" else "at_item"
    if item is None:
        # The numbers of no weapon are 0; a die needs a side.
        found |= {name: int(name.endswith(".sides")) for name in known_names(book, named)}
    else:
        mode = next((mode for mode in item.modes if mode.key == side.mode), None)
        # A column's names mean the bearer, on either side.
        bearer = {f"by.{name.removeprefix(f'{subject}.')}": value for name, value in found.items()}
        found |= item_names(book, item, mode, bearer, named)
        trait = book.given.get(item.key)
        # A rulebook without powers may have a column of this name.
        found.setdefault(f"{named}.power", now.values.get(trait.key, 0) if trait else 0)
        found.update({f"{named}.in_state:{key}": 1 for key in side.item_states})
        found[f"{named}.excess"] = excess_level(book, figure, unhurt, item, mode)
    spend(len(found) + len(book.items) // 4)
    return found


def bearer_names(
    book: Book, figure: Figure, profile: Profile, subject: str = "by"
) -> dict[str, Value]:
    """The numbers of a figure with this profile, and the answers to questions about it; the cells
    of its items read these."""
    found: dict[str, Value] = {}
    for key, score in profile.scores.items():
        name = f"{subject}.{spell(key)}"
        # A track without boxes of one letter has 0 of them.
        found |= dict.fromkeys(_characteristic_names(name, score.characteristic), 0)
        found |= score_names(name, score.value)
    for key in {*_lacked(book, figure)} - profile.scores.keys():
        names = _characteristic_names(f"{subject}.{spell(key)}", book.characteristic[key])
        # A die needs a side.
        found |= {name: int(name.endswith(".sides")) for name in names}
    life = found.get(f"{subject}.{spell(book.life)}", 0) if book.life else 0
    found[f"{subject}.life"] = life
    found[f"{subject}.allowance"] = level_allowance(book, figure, profile)
    found[f"{subject}.experience"] = figure.experience
    places = [rank.key for rank in book.ranks]
    found[f"{subject}.rank"] = places.index(figure.rank) + 1 if figure.rank in places else 0
    found.update({f"{subject}.power:{key}": value for key, value in profile.values.items()})
    asked: dict[str, Iterable[str | None]] = {
        "has_trait": (*figure.traits, *(trait.key for trait in profile.gained)),
        "has_profession": (figure.profession,),
        "has_origin": (figure.origin,),
        "has_condition": figure.conditions,
        "is_rank": (figure.rank,),
    }
    for question, keys in asked.items():
        found.update({f"{subject}.{question}:{key}": 1 for key in keys if key is not None})
    if figure.rank in book.rank and book.rank[figure.rank].leads:
        found[f"{subject}.leads:"] = 1
    return found


def _lacked(book: Book, figure: Figure) -> tuple[str, ...]:
    """The characteristics that their ranks do not have; expressions read 0 for them."""
    ranks = (book.rank[key] for key in (figure.rank, figure.profile_rank) if key in book.rank)
    return tuple(key for rank in ranks for key in rank.lacks)


def _carried(book: Book, figure: Figure, subject: str, found: dict[str, Value]) -> None:
    """Add to ``found`` how many items the figure carries, by item, tag and group."""
    counts: dict[str, int] = {}
    innate = (item.key for item in book.items if item.innate)
    for key in (*figure.items, *innate, *find_given(book, figure)):
        item = book.item.get(key)
        if item is not None:
            named = [f"carries:{item.row_key}", f"carries_group:{item.group}"]
            for name in (*named, *(f"carries_tagged:{tag}" for tag in item.tags)):
                counts[name] = counts.get(name, 0) + 1
    found.update({f"{subject}.{name}": count for name, count in counts.items()})


def spell(key: str) -> str:
    """Spell a key as a name in expressions, without hyphens."""
    return key.replace("-", "_")


def score_names(name: str, value: Score) -> dict[str, Value]:
    """The names of a characteristic's value."""
    match value:
        case DicePool():
            return {f"{name}.rolled": value.rolled, f"{name}.kept": value.kept}
        case TwoNumbers():
            return {f"{name}.first": value.first, f"{name}.second": value.second}
        case Boxes():
            counts = {letter: value.letters.count(letter) for letter in set(value.letters)}
            boxes = {f"{name}.{letter.lower()}": count for letter, count in counts.items()}
            return {name: len(value.letters), **boxes}
        case DieSize():
            step = max(0, min(value.step, len(value.sizes) - 1))
            return {f"{name}.step": step + 1, f"{name}.sides": int(value.sizes[step][1:])}
        case Word():
            return {name: value.place}
    return {name: value}


def known_names(book: Book, subject: str) -> set[str]:
    """All names of a ``subject``, without questions."""
    if subject in ("by", "at"):
        found = {f"{subject}.{name}" for name in ("life", "allowance", "experience", "rank")}
        for row in book.characteristics:
            found |= _characteristic_names(f"{subject}.{spell(row.key)}", row)
        return found
    if subject in ("item", "at_item"):
        found = {f"{subject}.{name}" for name in ("level", "hands", "excess", "power")}
        for group in book.groups:
            for column in group.columns:
                name = f"{subject}.{spell(column.key)}"
                found.add(name)
                if column.kind in ("number", "length"):
                    found |= {f"{name}.dice", f"{name}.sides"}
        return found
    return {name for name in TABLE_NAMES if name.startswith(f"{subject}.")}


def _characteristic_names(name: str, row: Characteristic) -> set[str]:
    match row.kind:
        case "pool":
            return {f"{name}.rolled", f"{name}.kept"}
        case "pair":
            return {f"{name}.first", f"{name}.second"}
        case "track":
            return {name, *(f"{name}.{box.letter.lower()}" for box in row.boxes)}
        case "die":
            return {f"{name}.step", f"{name}.sides"}
    return {name}


# The rows of a book whose keys a question may name.
ROWS_ASKED = {
    "has_trait": "trait",
    "power": "trait",
    "has_profession": "profession",
    "has_origin": "origin",
    "has_condition": "condition",
    "is_rank": "rank",
    "in_state": "state",
    "carries": "item",
    "is_item": "item",
    "carries_group": "group",
    "in_group": "group",
    "did": "action",
    "did_before": "action",
    "asked": "alarm",
}


def keys_asked(book: Book, question: str) -> set[str]:
    """The keys that a question may name. Raises KeyError for an unknown question."""
    match question:
        case "in_mode":
            return {mode.key for item in book.items for mode in item.modes}
        case "tagged" | "carries_tagged":
            of_modes = {tag for item in book.items for mode in item.modes for tag in mode.tags}
            of_fits = {tag for item in book.items if item.fits for tag in item.fits.tags}
            return of_modes | of_fits | {tag for item in book.items for tag in item.tags}
        case "leads":
            return {""}
        case "marked":
            return {mark.key for mark in book.campaign.marks}
        case "option":
            rows = [row for row in book.settings if row.kind == "choice"]
            return {f"{row.key}:{choice.key}" for row in rows for choice in row.choices}
        case "left":
            return {*book.track, *(row.key for row in book.ticks), *filter(None, [book.life])}
    return set(getattr(book, ROWS_ASKED[question]))
