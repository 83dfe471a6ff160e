"""Complete figures of a rulebook: ready-made members, and the non-players of scenarios."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rules.book.vocabulary import (
    CharacteristicKey,
    Frozen,
    ItemKey,
    Key,
    OriginKey,
    ProfessionKey,
    RankKey,
    Text,
    TraitKey,
)


class Outfit(Frozen):
    """A complete member: their rank, and all that a player would choose for them."""

    rank: RankKey
    origin: OriginKey | None = None
    profession: ProfessionKey | None = None
    squad: str = ""
    points: dict[CharacteristicKey, int] = {}
    traits: tuple[TraitKey, ...] = ()
    items: tuple[ItemKey, ...] = ()


class NonPlayer(Outfit):
    """Figures of a scenario that belong to no gang: guards, a prisoner. ``number``: how many there
    are; ``run_by``: the role of the side whose player runs them, None if the players agree on it.
    """

    key: Key
    name: Text
    number: Annotated[int, Field(ge=1, le=20)] = 1
    run_by: Key | None = None
