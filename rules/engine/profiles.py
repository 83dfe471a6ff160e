"""Profiles of members: every characteristic after everything that happened, with its causes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from common.wording.sentences import gettext_noop as _
from rules.book.characteristics import Value, add, best, clamp, difference, parse_value
from rules.book.fates import Condition
from rules.book.holdings import Holding
from rules.book.model import Book, Rules
from rules.book.rolls import State
from rules.book.schema import Characteristic, Item, Mode, Number, Origin, Profession, Trait
from rules.book.vocabulary import Add, Effect, Set, Settings, Text, applies
from rules.bounds.work import spend
from rules.engine.figure import Figure, picks, rank_traits

POINTS = _("points spread")
RISES = _("from games")
TOLD = _("as said")
LIMITED = _("the maximum for them")


@dataclass(frozen=True)
class Change:
    """One step from a characteristic's base to its value: the cause and the amount."""

    cause: Text | str
    amount: int


@dataclass(frozen=True)
class Score:
    """One characteristic of a member.

    ``base``: its value by rank; ``natural``: its value before conditions and bounds, which limits
    and thresholds look at; ``value``: its value at the table. ``room``: how far points and rises
    can still raise a number with a maximum of the member's own; None without one.
    """

    characteristic: Characteristic
    base: Value
    natural: Value
    value: Value
    changes: tuple[Change, ...] = ()
    room: int | None = None

    @property
    def room_to_rise(self) -> int:
        """How far points can still raise a number; below 0 if it is beyond its maximum."""
        row = self.characteristic
        if row.kind != "number" or not isinstance(self.natural, int):
            return 0
        room = row.maximum - self.natural
        return room if self.room is None else min(room, self.room)


@dataclass(frozen=True)
class Profile:
    """All scores of a member, by characteristic, the traits that come with their rank or at
    thresholds, and the values of their powers, by trait."""

    scores: dict[str, Score]
    gained: tuple[Trait, ...]
    values: dict[str, int] = field(default_factory=dict)

    def number(self, key: str) -> int:
        """Return a number's value at the table; 0 if the member does not have it.

        Raises TypeError if the characteristic is not a number.
        """
        return _number(self.scores[key].value) if key in self.scores else 0

    def natural(self, key: str) -> int:
        """Return a number before conditions, which limits look at; else as ``number``."""
        return _number(self.scores[key].natural) if key in self.scores else 0


def evenly(room: Mapping[str, int], points: int) -> dict[str, int]:
    """Spread ``points`` one by one over characteristics. ``room``: how far each can still rise.

    Points that none of them can take are left over.
    """
    spread = dict.fromkeys(room, 0)
    while points > 0 and (rising := [key for key, most in room.items() if spread[key] < most]):
        # Full rounds as long as the points last, or else one round that does not reach all.
        rounds = min(points // len(rising), *(room[key] - spread[key] for key in rising))
        for key in rising if rounds else rising[:points]:
            spread[key] += rounds or 1
            points -= rounds or 1
    return spread


def profile(rules: Rules, figure: Figure) -> Profile:
    """Work out the profile of ``figure``.

    Order: start, rank value or the dice rolled when they joined, origin, profession, the traits of
    the rank, bought traits, points spread, rises from games; then the member's own maximum; then
    the traits gained at thresholds with their effects; then items and the gang's holdings; then
    conditions, which take away no trait already gained. A characteristic that a player entered
    (``told``) replaces all that.

    Raises ValueError, with a sentence, for an entered text that is not a value of its
    characteristic.
    """
    book = rules.book
    scores = _base(rules, figure)

    def affect(
        row: Origin | Profession | Trait | Item | Holding, rank: str, first: bool = False
    ) -> None:
        for score, effect in _effects(scores, row.effects, rules.settings, rank, first):
            _shift(scores, row.name, effect.characteristic, _after(score, score.natural, effect))

    if figure.origin in book.origin:
        affect(book.origin[figure.origin], figure.profile_rank)
    if figure.profession in book.profession:
        affect(book.profession[figure.profession], figure.rank, figure.first)
    with_rank = rank_traits(book, figure)
    for trait in with_rank:
        affect(trait, figure.rank)
    for place, key in enumerate(figure.traits):
        _raise(book, scores, figure, place)
        if key in book.trait:
            affect(book.trait[key], figure.rank)
    _raise(book, scores, figure, len(figure.traits))
    for cause, amounts in ((POINTS, figure.points), (RISES, figure.raised)):
        for key, amount in amounts.items():
            if amount and key in scores:
                score = scores[key]
                _shift(scores, cause, key, add(score.characteristic, score.natural, amount))
    room = _keep_to_maxima(book, figure, scores)
    # A trait of the rank is at work already.
    reached = tuple(trait for trait in _gained(rules, scores) if trait not in with_rank)
    for trait in reached:
        affect(trait, figure.rank)
    gained = (*with_rank, *reached)
    for key in figure.items:
        if key in book.item:
            affect(book.item[key], figure.rank)
    for held in _holdings(book, figure):
        affect(held, figure.rank)
    for key, score in scores.items():
        row, natural = score.characteristic, score.natural
        value = clamp(row, natural)
        scores[key] = Score(row, score.base, natural, value, score.changes, room.get(key))
    for key in figure.conditions:
        if key in book.condition:
            _suffer(scores, rules.settings, figure, book.condition[key])
    for key, written in figure.told.items():
        if key in scores:
            row, before = scores[key].characteristic, scores[key].value
            value = clamp(row, parse_value(row, written), suffering=True)
            change = Change(TOLD, difference(before, value))
            scores[key] = Score(row, before, value, value, (change,))
    return Profile(scores, gained, _power_values(rules, figure, gained))


def _keep_to_maxima(book: Book, figure: Figure, scores: dict[str, Score]) -> dict[str, int]:
    """Lower the numbers that are beyond the member's own maximum, and return how far each number
    with such a maximum can still rise. The value that a rank gives always stands, and so does that
    of each rank whose better values the member got."""
    room = {}
    for key, score in scores.items():
        row = score.characteristic
        if row.kind == "number" and row.maxima:
            most = find_maximum(book, row, figure)
            if most is not None and isinstance(score.natural, int) and isinstance(score.base, int):
                most = max(most, score.base, *_find_raised(book, row, figure))
                if score.natural > most:
                    _shift(scores, LIMITED, key, most)
                room[key] = max(0, most - score.natural)
    return room


def _find_raised(book: Book, row: Number, figure: Figure) -> Iterator[int]:
    """The values of a number that promotions brought with the better of two profiles."""
    for step in figure.raises:
        rank = book.rank.get(step.rank)
        if rank is not None and row.key not in rank.lacks:
            written = rank.values.get(row.key, row.start)
            value = None if written is None else parse_value(row, written)
            if isinstance(value, int):
                yield value


def find_maximum(book: Book, row: Number, figure: Figure) -> int | None:
    """The maximum of a number for this member; None if only that of everybody counts."""
    # The checker refuses selectors by numbers, which would need the profile.
    known = (one for one in row.maxima if not one.of.numbers)
    return next((one.maximum for one in known if picks(book, one.of, figure)), None)


def _holdings(book: Book, figure: Figure) -> Iterator[Holding]:
    """The holdings of the figure's gang that are for the figure."""
    for key in figure.holdings:
        if key in book.holding and picks(book, book.holding[key].of, figure):
            yield book.holding[key]


def in_states(rules: Rules, figure: Figure, profile: Profile, states: Iterable[str]) -> Profile:
    """Return ``profile`` with the effects of these states of the current game."""
    scores = dict(profile.scores)
    for key in states:
        if key in rules.book.state:
            _suffer(scores, rules.settings, figure, rules.book.state[key])
    values = profile.values
    if values:
        rows = (rules.book.state[key] for key in states if key in rules.book.state)
        values = _changed_values(rules, figure, values, rows)
    return Profile(scores, profile.gained, values)


def _power_values(rules: Rules, figure: Figure, gained: tuple[Trait, ...]) -> dict[str, int]:
    """The values of the figure's powers: as learned and raised, then changed by effects."""
    book, values = rules.book, dict[str, int]()
    if not book.has_powers:
        return values
    traits = [*(book.trait[key] for key in figure.traits if key in book.trait), *gained]
    for trait in traits:
        if trait.value is not None:
            had = values.get(trait.key)
            values[trait.key] = trait.value if had is None else had + trait.step
    if not values:
        return values
    rows: list[Origin | Profession | Trait | Item | Holding | Condition] = []
    if figure.origin in book.origin:
        rows.append(book.origin[figure.origin])
    if figure.profession in book.profession:
        rows.append(book.profession[figure.profession])
    rows += traits
    rows += (book.item[key] for key in figure.items if key in book.item)
    rows += _holdings(book, figure)
    rows += (book.condition[key] for key in figure.conditions if key in book.condition)
    return _changed_values(rules, figure, values, rows)


def _changed_values(
    rules: Rules,
    figure: Figure,
    values: Mapping[str, int],
    rows: Iterable[Origin | Profession | Trait | Item | Holding | Condition | State],
) -> dict[str, int]:
    """The values of powers after the effects of some rows."""
    changed = dict(values)
    for effect in (effect for row in rows for effect in row.effects):
        if effect.kind == "value" and applies(effect.when, rules.settings):
            if effect.ranks and figure.rank not in effect.ranks:
                continue
            for key in changed:
                tags = rules.book.trait[key].tags
                named = key in effect.traits or not tags.isdisjoint(effect.trait_tags)
                if named or not (effect.traits or effect.trait_tags):
                    changed[key] += effect.amount
    return changed


def points_allowed(book: Book, figure: Figure) -> int:
    """Return the points that the member may spread, from their rank and their experience."""
    growth = book.campaign.growth
    earned = figure.experience // growth.experience if growth else 0
    return book.rank[figure.worth_rank].points + earned


def level_allowance(book: Book, figure: Figure, profile: Profile) -> int:
    """Return the levels above their own that the member handles without a penalty."""
    traits = [book.trait[key] for key in figure.traits if key in book.trait]
    allowed = sum(trait.level_allowance for trait in (*traits, *profile.gained))
    if figure.profession in book.profession:
        allowed += book.profession[figure.profession].level_allowance
    return allowed


def excess_level(
    book: Book, figure: Figure, profile: Profile, item: Item, mode: Mode | None = None
) -> int:
    """Return the levels by which ``item``, in this mode, exceeds the member; 0 if it does not."""
    against = book.group[(mode and mode.group) or item.group].level_against
    if item.level is None or against is None:
        return 0
    return max(0, item.level - profile.number(against) - level_allowance(book, figure, profile))


def _number(value: Value) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value} is not a number")
    return value


def _base(rules: Rules, figure: Figure) -> dict[str, Score]:
    scores = {}
    for row in rules.characteristics:
        rank = rules.book.rank[figure.rank if row.follows_rank else figure.profile_rank]
        written = figure.rolled.get(row.key, rank.values.get(row.key, row.start))
        if written is not None and row.key not in rank.lacks:
            value = parse_value(row, written)
            scores[row.key] = Score(row, value, value, value)
    return scores


def _raise(book: Book, scores: dict[str, Score], figure: Figure, place: int) -> None:
    """Apply the promotions that came when the member had ``place`` traits."""
    for step in figure.raises:
        if step.traits == place and step.rank in book.rank:
            rank = book.rank[step.rank]
            for key, score in scores.items():
                written = rank.values.get(key, score.characteristic.start)
                if written is not None and key not in rank.lacks:
                    other = parse_value(score.characteristic, written)
                    # A value beyond the bounds counts as the bound.
                    own = clamp(score.characteristic, score.natural)
                    better = best(score.characteristic, own, other)
                    if better != own:
                        _shift(scores, rank.name, key, better)


def _effects(
    scores: dict[str, Score],
    effects: Iterable[Effect],
    settings: Settings,
    rank: str,
    first: bool = False,
) -> Iterator[tuple[Score, Add | Set]]:
    """Yield the effects that apply to a member of ``rank``, each with the score that it changes."""
    for effect in effects:
        spend(1)
        if effect.kind == "value":
            continue
        if applies(effect.when, settings) and (not effect.ranks or rank in effect.ranks):
            if effect.kind == "add" and effect.first_only and not first:
                continue
            if effect.characteristic in scores:
                yield scores[effect.characteristic], effect


def _after(score: Score, value: Value, effect: Add | Set) -> Value:
    if effect.kind == "add":
        return add(score.characteristic, value, effect.amount, effect.part, effect.limit)
    return parse_value(score.characteristic, effect.value)


def _shift(scores: dict[str, Score], cause: Text | str, key: str, natural: Value) -> None:
    score = scores[key]
    if natural != score.natural:
        amount = difference(score.natural, natural)
        change = Change(cause, amount)
        changes = (*score.changes, change)
        scores[key] = Score(score.characteristic, score.base, natural, score.value, changes)


def _suffer(
    scores: dict[str, Score], settings: Settings, figure: Figure, cause: Condition | State
) -> None:
    for score, effect in _effects(scores, cause.effects, settings, figure.rank):
        after = _after(score, score.value, effect)
        value = clamp(score.characteristic, after, suffering=True)
        changes = (*score.changes, Change(cause.name, difference(score.value, value)))
        scores[effect.characteristic] = replace(score, value=value, changes=changes)


def _gained(rules: Rules, scores: dict[str, Score]) -> Iterator[Trait]:
    for trait in rules.book.automatic_traits:
        threshold = trait.gained_at
        if threshold and threshold.characteristic in scores and applies(trait.when, rules.settings):
            natural = scores[threshold.characteristic].natural
            if isinstance(natural, int) and natural >= threshold.value:
                yield trait
