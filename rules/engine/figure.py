"""Members as the rules see them, and whether a selector (of a limit, price or award) picks one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rules.book.advancement import AnyAdvancement
from rules.book.model import Book, Rules
from rules.book.schema import Item, Trait
from rules.book.vocabulary import Between, Selector, Settings


@dataclass(frozen=True)
class Raise:
    """A promotion that gave the better of two profiles: the one of ``rank``, or the one that the
    member had with the first ``traits`` of their traits."""

    rank: str
    traits: int


@dataclass(frozen=True)
class Figure:
    """A member as the rules see them; keys are the book's.

    ``worth_rank``: the rank that sets their price and points; ``base_rank``: the rank that their
    profile starts from, if not their own (a promotion may leave both behind); ``raises``:
    promotions that gave the better of two profiles; ``first``: they were the first of their
    profession to be recruited; ``points``: points spread, by characteristic; ``raised``: rises from
    games; ``experience``: points earned; ``holdings``: those of their gang; ``told``:
    characteristics that a player entered, which override the profile; ``kit``: those of the items
    that they joined with; ``rolled``: characteristics that were rolled when they joined, in place
    of the rank's; ``tracks``: the numbers of trackers that lasted after a game; ``settings``: the
    options that their profile is worked out under (None: the usual ones).
    """

    rank: str
    worth_rank: str
    base_rank: str = ""
    raises: tuple[Raise, ...] = ()
    origin: str | None = None
    profession: str | None = None
    first: bool = False
    points: dict[str, int] = field(default_factory=dict)
    raised: dict[str, int] = field(default_factory=dict)
    traits: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    experience: int = 0
    conditions: tuple[str, ...] = ()
    holdings: tuple[str, ...] = ()
    told: dict[str, int | str] = field(default_factory=dict)
    kit: tuple[str, ...] = ()
    rolled: dict[str, int] = field(default_factory=dict)
    tracks: dict[str, int] = field(default_factory=dict)
    settings: Settings | None = None

    @property
    def profile_rank(self) -> str:
        """The rank that their profile starts from."""
        return self.base_rank or self.rank


@dataclass(frozen=True)
class Belongings:
    """The figures of a gang, and all its items and traits, including its stash and those that came
    free."""

    figures: tuple[Figure, ...]
    items: frozenset[str]
    traits: frozenset[str]


EVERYBODY = Selector()


def find_given(book: Book, figure: Figure) -> list[str]:
    """The items that come with the figure's traits, each once."""
    if not book.given:
        return []
    rows = (book.trait[key] for key in figure.traits if key in book.trait)
    return list(dict.fromkeys(row.item for row in rows if row.item is not None))


def picks(book: Book, selector: Selector, figure: Figure) -> bool:
    """Whether ``selector`` picks the member."""
    if selector.picks_all:
        return True
    return (
        _one_of(selector.ranks, selector.not_ranks, {figure.rank})
        and _one_of(selector.origins, selector.not_origins, {figure.origin})
        and _one_of(selector.professions, selector.not_professions, {figure.profession})
        and _one_of(selector.item_tags, selector.not_item_tags, _tags(book.item, figure.items))
        and _one_of(selector.trait_tags, selector.not_trait_tags, _tags(book.trait, figure.traits))
        and _one_of(selector.traits, selector.not_traits, set(figure.traits))
        and _one_of(selector.conditions, (), set(figure.conditions))
        and _one_of(selector.holdings, selector.not_holdings, set(figure.holdings))
        and (not selector.numbers or _all_between(book, selector.numbers, figure))
    )


def advancement_of(rules: Rules, figure: Figure) -> AnyAdvancement | None:
    """How the member earns and takes advances; None if they get none."""
    for row in rules.advancements:
        if picks(rules.book, row.of, figure):
            return row
    usual = rules.book.campaign.advancement
    return usual if usual is not None and picks(rules.book, usual.of, figure) else None


def _all_between(book: Book, numbers: tuple[Between, ...], figure: Figure) -> bool:
    # Profiles depend on this module; without holdings, which members are picked for, they end here.
    from rules.engine.profiles import profile

    rules = book.usual if figure.settings is None else book.under(figure.settings)
    known = profile(rules, replace(figure, holdings=()))
    return all(
        row.characteristic in known.scores and _is_between(row, known.natural(row.characteristic))
        for row in numbers
    )


def _is_between(row: Between, number: int) -> bool:
    above = row.minimum is None or number >= row.minimum
    return above and (row.maximum is None or number <= row.maximum)


def _one_of(
    wanted: tuple[str, ...], unwanted: tuple[str, ...], present: set[str] | set[str | None]
) -> bool:
    return (not wanted or not present.isdisjoint(wanted)) and present.isdisjoint(unwanted)


def _tags(rows: Mapping[str, Item] | Mapping[str, Trait], keys: tuple[str, ...]) -> set[str]:
    return {tag for key in keys if key in rows for tag in rows[key].tags}
