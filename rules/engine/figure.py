"""Members as the rules see them, and whether a limit, price or award is about one."""

from __future__ import annotations

from dataclasses import dataclass, field

from rules.book.model import Book
from rules.book.vocabulary import Selector


@dataclass(frozen=True)
class Raise:
    """A promotion that gave the better of two profiles: that of ``rank``, against what the member
    was with the first ``traits`` of their traits."""

    rank: str
    traits: int


@dataclass(frozen=True)
class Figure:
    """A member as the rules see them; keys are those of the book.

    ``worth_rank``: the rank whose price and points they have, and ``base_rank`` the one whose
    profile they have ("": that of their rank), which a promotion may leave behind; ``raises``:
    promotions that gave the better of both; ``first``: they were the first of their profession to
    be recruited; ``points``: points spread, by characteristic; ``experience``: points earned;
    ``told``: characteristics that somebody says outright, whatever they would be.
    """

    rank: str
    worth_rank: str
    base_rank: str = ""
    raises: tuple[Raise, ...] = ()
    origin: str | None = None
    profession: str | None = None
    first: bool = False
    points: dict[str, int] = field(default_factory=dict)
    traits: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    experience: int = 0
    conditions: tuple[str, ...] = ()
    told: dict[str, int | str] = field(default_factory=dict)

    @property
    def profile_rank(self) -> str:
        """The rank that their profile starts from."""
        return self.base_rank or self.rank


@dataclass(frozen=True)
class Belongings:
    """What a gang has. ``items`` and ``traits``: all of them, those in its stash and those that
    nobody bought with them."""

    figures: tuple[Figure, ...]
    items: frozenset[str]
    traits: frozenset[str]


EVERYBODY = Selector()


def picks(book: Book, selector: Selector, figure: Figure) -> bool:
    """Whether ``selector`` picks the member."""
    if selector.picks_all:
        return True
    return (
        _one_of(selector.ranks, selector.not_ranks, {figure.rank})
        and _one_of(selector.origins, selector.not_origins, {figure.origin})
        and _one_of(selector.professions, selector.not_professions, {figure.profession})
        and _one_of(selector.item_tags, selector.not_item_tags, _item_tags(book, figure))
        and _one_of(selector.trait_tags, selector.not_trait_tags, _trait_tags(book, figure))
        and _one_of(selector.conditions, (), set(figure.conditions))
    )


def _one_of(
    wanted: tuple[str, ...], unwanted: tuple[str, ...], present: set[str] | set[str | None]
) -> bool:
    if wanted and present.isdisjoint(wanted):
        return False
    return present.isdisjoint(unwanted)


def _item_tags(book: Book, figure: Figure) -> set[str]:
    return {tag for key in figure.items if key in book.item for tag in book.item[key].tags}


def _trait_tags(book: Book, figure: Figure) -> set[str]:
    return {tag for key in figure.traits if key in book.trait for tag in book.trait[key].tags}
