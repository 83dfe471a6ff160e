"""What the rules need to know of a member to work out his profile and what he is worth."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Figure:
    """A member as the rules see him; keys are those of the book.

    ``worth_rank``: the rank whose price and points he has, which a promotion may leave behind;
    ``first``: he was the first of his profession to be recruited; ``points``: points spread, by
    characteristic; ``experience``: points earned.
    """

    rank: str
    worth_rank: str
    profession: str | None = None
    first: bool = False
    points: dict[str, int] = field(default_factory=dict)
    traits: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    experience: int = 0
    conditions: tuple[str, ...] = ()
