"""Complete figures of a rulebook: ready-made members, and the non-players of scenarios."""

from __future__ import annotations

from rules.book.vocabulary import (
    CharacteristicKey,
    Expression,
    Formula,
    Frozen,
    ItemKey,
    Key,
    OriginKey,
    ProfessionKey,
    RankKey,
    RollKey,
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
    are, at most 20, perhaps worked out from the gangs that play ("2 * table.sides") and, of figures
    that arrive, from the turn: as many have come by then; ``arrives``: they are not at the table
    before a player brings them in, which is due while this is true;
    ``behaves``: the roll that says what one of them does; ``run_by``: the role of the side whose
    player runs them, None if the players agree on it.
    """

    key: Key
    name: Text
    number: Formula = 1
    arrives: Expression | None = None
    behaves: RollKey | None = None
    run_by: Key | None = None
