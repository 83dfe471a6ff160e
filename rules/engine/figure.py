"""Members as the rules see them, and whether a selector (of a limit, price or award) picks one."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace

from rules.book.advancement import AnyAdvancement
from rules.book.model import Book, Rules
from rules.book.offers import ItemOffer
from rules.book.schema import Item, Trait
from rules.book.vocabulary import Between, Selector, Settings, applies, is_now


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
    promotions that gave the better of two profiles; ``gang_ranks``: the ranks in their gang, their
    own among them; ``first``: they were the first of their
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
    gang_ranks: frozenset[str] = frozenset()
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


def rank_traits(book: Book, figure: Figure) -> list[Trait]:
    """The traits that come with the figure's rank, under their options, except those that they took
    before and cannot have once more."""
    rank = book.rank.get(figure.rank)
    if rank is None or not rank.traits:
        return []
    settings = book.usual.settings if figure.settings is None else figure.settings
    rows = (book.trait[key] for key in rank.traits if key in book.trait)
    taken = figure.traits
    return [row for row in rows if applies(row.when, settings) and taken.count(row.key) < row.most]


def all_traits(book: Book, figure: Figure) -> tuple[str, ...]:
    """The traits of the figure's rank, then those that the figure took. Those gained at a threshold
    depend on the profile and are left out."""
    return (*(row.key for row in rank_traits(book, figure)), *figure.traits)


def find_given(book: Book, figure: Figure) -> list[str]:
    """The items that come with the figure's traits, each once."""
    if not book.given:
        return []
    rows = (book.trait[key] for key in all_traits(book, figure) if key in book.trait)
    return list(dict.fromkeys(row.item for row in rows if row.item is not None))


def picks(book: Book, selector: Selector, figure: Figure) -> bool:
    """Whether ``selector`` picks the member."""
    if selector.picks_all:
        return True
    # Most selectors name ranks only, and a large book has hundreds of them: the rest is worked out
    # only for members who pass.
    if not selector.may_pick_rank(figure.rank):
        return False
    return selector.names_only_ranks or _is_picked(book, selector, figure)


def _is_picked(book: Book, selector: Selector, figure: Figure) -> bool:
    """Whether ``selector`` picks the member by everything but their rank."""
    traits = all_traits(book, figure)
    return (
        _one_of(selector.origins, selector.not_origins, {figure.origin})
        and _one_of(selector.professions, selector.not_professions, {figure.profession})
        and _one_of(selector.item_tags, selector.not_item_tags, _tags(book.item, figure.items))
        and _one_of(selector.trait_tags, selector.not_trait_tags, _tags(book.trait, traits))
        and _one_of(selector.traits, selector.not_traits, set(traits))
        and _one_of(selector.conditions, selector.not_conditions, set(figure.conditions))
        and _one_of(selector.holdings, selector.not_holdings, set(figure.holdings))
        and _one_of(selector.gang_ranks, selector.not_gang_ranks, figure.gang_ranks)
        and (not selector.numbers or _all_between(book, selector.numbers, figure))
    )


def offers_to(rules: Rules, figure: Figure, *, playing: bool) -> list[ItemOffer]:
    """The offers of items to the member. ``playing``: their gang has played its first game."""
    return [
        row
        for row in rules.offers_for(figure.rank)
        if is_now(row.phase, playing=playing) and picks(rules.book, row.of, figure)
    ]


def offers_of(rules: Rules, figure: Figure, item: Item, *, playing: bool) -> list[ItemOffer]:
    """As ``offers_to``, but only the offers that name an item."""
    return [
        row
        for row in rules.offers_of(item)
        if is_now(row.phase, playing=playing) and picks(rules.book, row.of, figure)
    ]


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
    wanted: tuple[str, ...], unwanted: tuple[str, ...], present: Set[str] | Set[str | None]
) -> bool:
    return (not wanted or not present.isdisjoint(wanted)) and present.isdisjoint(unwanted)


def _tags(rows: Mapping[str, Item] | Mapping[str, Trait], keys: tuple[str, ...]) -> set[str]:
    return {tag for key in keys if key in rows for tag in rows[key].tags}
