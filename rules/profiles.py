"""A member's profile: every characteristic after everything that happened, and why it is so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rules.book import Book
from rules.characteristics import Value, add, clamp, difference, read
from rules.figure import Figure
from rules.schema import Characteristic, Item, Trait
from rules.vocabulary import Effect, Settings, Text, applies

POINTS = Text(en="points spread", fr="par répartition")


@dataclass(frozen=True)
class Change:
    """One step from a characteristic's base to its value: what caused it, and by how much."""

    cause: Text
    amount: int


@dataclass(frozen=True)
class Score:
    """One characteristic of a member.

    ``base``: by rank; ``natural``: before conditions, not held within bounds, which is what limits
    and thresholds look at; ``value``: what counts at the table.
    """

    characteristic: Characteristic
    base: Value
    natural: Value
    value: Value
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Profile:
    """All scores of a member, by characteristic, and the traits that came by themselves."""

    scores: dict[str, Score]
    gained: tuple[Trait, ...]

    def number(self, key: str) -> int:
        """The value at the table of a characteristic that is a number.

        Raises TypeError if the characteristic is of another kind.
        """
        return _number(self.scores[key].value)

    def natural(self, key: str) -> int:
        """The number before conditions, which limits look at. Raises TypeError as ``number``."""
        return _number(self.scores[key].natural)


def profile(book: Book, settings: Settings, figure: Figure) -> Profile:
    """Work out the profile of ``figure``.

    Order: start or rank value, profession, bought traits, points spread; then the traits gained at
    thresholds with their effects; then conditions, which take away no trait already gained.
    """
    scores = _base(book, figure)
    if figure.profession in book.profession:
        calling = book.profession[figure.profession]
        _affect(scores, calling.name, _effects(calling.effects, settings, figure.first))
    for key in figure.traits:
        if key in book.trait:
            trait = book.trait[key]
            _affect(scores, trait.name, _effects(trait.effects, settings))
    for key, amount in figure.points.items():
        if amount and key in scores:
            _shift(scores, POINTS, key, add(scores[key].natural, amount))
    gained = tuple(_gained(book, settings, scores))
    for trait in gained:
        _affect(scores, trait.name, _effects(trait.effects, settings))
    for key, score in scores.items():
        scores[key] = replace(score, value=clamp(score.characteristic, score.natural))
    for key in figure.conditions:
        if key in book.condition:
            _suffer(scores, book.condition[key].name, book.condition[key].effects, settings)
    return Profile(scores, gained)


def points_allowed(book: Book, figure: Figure) -> int:
    """How many points the member may spread: those of his rank and those his experience earned."""
    growth = book.campaign.growth
    earned = figure.experience // growth.experience if growth else 0
    return book.rank[figure.worth_rank].points + earned


def level_allowance(book: Book, figure: Figure, profile: Profile) -> int:
    """How many levels above his own the member handles without a penalty."""
    traits = [book.trait[key] for key in figure.traits if key in book.trait]
    allowed = sum(trait.level_allowance for trait in (*traits, *profile.gained))
    if figure.profession in book.profession:
        allowed += book.profession[figure.profession].level_allowance
    return allowed


def excess_level(book: Book, figure: Figure, profile: Profile, item: Item) -> int:
    """By how many levels ``item`` is beyond the member: 0 if he handles it."""
    against = book.group[item.group].level_against
    if item.level is None or against is None:
        return 0
    return max(0, item.level - profile.number(against) - level_allowance(book, figure, profile))


def _number(value: Value) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value} is no number")
    return value


def _base(book: Book, figure: Figure) -> dict[str, Score]:
    rank = book.rank[figure.rank]
    scores = {}
    for row in book.characteristics:
        written = rank.values.get(row.key, row.start)
        if written is not None:
            value = read(row, written)
            scores[row.key] = Score(row, value, value, value)
    return scores


def _effects(
    effects: Iterable[Effect], settings: Settings, first: bool = False
) -> Iterator[Effect]:
    for effect in effects:
        if applies(effect.when, settings):
            if effect.kind == "add" and effect.first_only and not first:
                continue
            yield effect


def _after(score: Score, value: Value, effect: Effect) -> Value:
    if effect.kind == "add":
        return add(value, effect.amount)
    return read(score.characteristic, effect.value)


def _affect(scores: dict[str, Score], cause: Text, effects: Iterable[Effect]) -> None:
    for effect in effects:
        if effect.characteristic in scores:
            score = scores[effect.characteristic]
            _shift(scores, cause, effect.characteristic, _after(score, score.natural, effect))


def _shift(scores: dict[str, Score], cause: Text, key: str, natural: Value) -> None:
    score = scores[key]
    amount = difference(score.natural, natural)
    if amount:
        change = Change(cause, amount)
        scores[key] = replace(score, natural=natural, changes=(*score.changes, change))


def _suffer(
    scores: dict[str, Score], cause: Text, effects: Iterable[Effect], settings: Settings
) -> None:
    for effect in _effects(effects, settings):
        if effect.characteristic in scores:
            score = scores[effect.characteristic]
            after = _after(score, score.value, effect)
            value = clamp(score.characteristic, after, suffering=True)
            change = Change(cause, difference(score.value, value))
            scores[effect.characteristic] = replace(
                score, value=value, changes=(*score.changes, change)
            )


def _gained(book: Book, settings: Settings, scores: dict[str, Score]) -> Iterator[Trait]:
    for trait in book.traits:
        threshold = trait.gained_at
        if threshold and threshold.characteristic in scores and applies(trait.when, settings):
            natural = scores[threshold.characteristic].natural
            if isinstance(natural, int) and natural >= threshold.value:
                yield trait
