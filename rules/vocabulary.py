"""The small words every part of a rulebook is written with: texts, sources, conditions, effects."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

HOUSE = "house"

Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
Line = Annotated[str, StringConstraints(min_length=1, max_length=2000, strip_whitespace=True)]
Price = Annotated[int, Field(ge=0, le=100_000)]


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
    cells of a sourced row that are house values all the same.
    """

    key: Key
    name: Text
    source: Line
    house: tuple[str, ...] = ()
    when: When = {}

    @property
    def is_house(self) -> bool:
        """True if the whole row is a house value."""
        return self.source.split()[0] == HOUSE


class Add(Frozen):
    """Adds ``amount`` to a characteristic: to a number, or to the dice rolled by a pool."""

    kind: Literal["add"]
    characteristic: Key
    amount: int
    first_only: bool = False
    when: When = {}


class Set(Frozen):
    """Gives a characteristic a value, whatever it was."""

    kind: Literal["set"]
    characteristic: Key
    value: int | str
    when: When = {}


Effect = Annotated[Add | Set, Field(discriminator="kind")]
Settings = dict[str, str | int]


def applies(when: When, settings: Settings) -> bool:
    """Whether a row with this condition is in force under ``settings``."""
    return all(str(settings.get(key)) in values for key, values in when.items())
