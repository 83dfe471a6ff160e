"""The small words every part of a rulebook is written with: texts, sources, conditions, effects."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

HOUSE = "house"

Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
Line = Annotated[str, StringConstraints(min_length=1, max_length=2000, strip_whitespace=True)]
Price = Annotated[int, Field(ge=0, le=100_000)]
# A share of a price, in halves at the finest: "1/2", "3/2", "2".
Share = Annotated[str, StringConstraints(pattern=r"^\d{1,2}(/[12])?$")]
# A number, or dice to roll for it ("1d3").
Amount = Annotated[str, StringConstraints(pattern=r"^(\d{1,4}|[1-9]\d?d[1-9]\d?)$")]
# Before a gang's first game, or after it.
Phase = Literal["founding", "playing"]
Status = Literal["offered", "hidden", "banned"]


class Frozen(BaseModel):
    """A value: it never changes, and an unknown key in its data is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Text(Frozen):
    """One text in every language of the site."""

    en: Line
    fr: Line

    def said(self, language: str) -> str:
        """The text in ``language`` ("fr", "fr-ch", "en"...); English when there is no such text."""
        return self.fr if language.startswith("fr") else self.en


# A row applies only where every setting named here has one of the values listed.
When = dict[Key, tuple[str, ...]]


class Row(Frozen):
    """One row of a rulebook's tables.

    ``source`` says where the row comes from: a key of the book's ``sources`` with an optional
    page ("seed p.10"), or "house" for a value that the project proposes. ``house`` names the
    cells of a sourced row that are house values all the same. ``status``: a ``hidden`` row is no
    longer on offer, but whoever has it keeps it; a ``banned`` one is unavailable to all.
    """

    key: Key
    name: Text
    source: Line
    house: tuple[str, ...] = ()
    when: When = {}
    status: Status = "offered"

    @property
    def is_house(self) -> bool:
        """True if the whole row is a house value."""
        return self.source.split()[0] == HOUSE


class Add(Frozen):
    """Adds ``amount`` to a characteristic: points to a number, dice to a pool, sizes to a die,
    boxes to a track (at its start), points to one ``part`` of a pair or to both.

    ``first_only``: only for the first of his profession; ``ranks``: only for members of these ranks
    (all if none); ``limit``: this effect brings it no further than this number.
    """

    kind: Literal["add"]
    characteristic: Key
    amount: int
    first_only: bool = False
    ranks: tuple[Key, ...] = ()
    part: Literal["first", "second"] | None = None
    limit: int | None = None
    when: When = {}


class Set(Frozen):
    """Gives a characteristic a value, whatever it was. ``ranks``: as for Add."""

    kind: Literal["set"]
    characteristic: Key
    value: int | str
    ranks: tuple[Key, ...] = ()
    when: When = {}


Effect = Annotated[Add | Set, Field(discriminator="kind")]
Settings = dict[str, str | int]


def applies(when: When, settings: Settings) -> bool:
    """Whether a row with this condition is in force under ``settings``."""
    return all(str(settings.get(key)) in values for key, values in when.items())


class Selector(Frozen):
    """Picks members. Everything named must hold; an empty selector picks all.

    ``ranks``, ``origins``, ``professions``, ``conditions``: one of these; ``item_tags`` and
    ``trait_tags``: something so tagged; with ``not_`` before it: none of these.
    """

    ranks: tuple[Key, ...] = ()
    not_ranks: tuple[Key, ...] = ()
    origins: tuple[Key, ...] = ()
    not_origins: tuple[Key, ...] = ()
    professions: tuple[Key, ...] = ()
    not_professions: tuple[Key, ...] = ()
    item_tags: tuple[Key, ...] = ()
    not_item_tags: tuple[Key, ...] = ()
    trait_tags: tuple[Key, ...] = ()
    not_trait_tags: tuple[Key, ...] = ()
    conditions: tuple[Key, ...] = ()
