"""The answers to an import and its result: the values between the mapping and the pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rules.book.vocabulary import Frozen

# The meaning of an entry in a campaign. "list": part of a list, as everything else. The others are
# records of a campaign that army builders keep as options; the gang's history replaces them.
type Role = Literal["list", "leader", "experience", "promotion", "rise", "injury", "stash"]
# How well an element came over: exactly, with a note for the author, or not at all.
type Outcome = Literal["exact", "noted", "left"]


class Answers(Frozen):
    """The author's answers about a game's catalogues; ``guess_answers`` suggests them.

    ``catalogues``: ids of the catalogues to import. ``money`` and ``worth``: ids of the cost types
    that are paid, and that a gang's rating adds up ("" for none; both may be the same). ``member``:
    id of the profile type that is a member's own profile ("" for none). ``life``: id of the
    characteristic type that is ticked off ("" for none). ``roles``: id of an entry, group or
    category → its role, where it is not "list". ``with_texts``: whether the texts of rules are
    taken over, or only their names, numbers and pages. ``language``: the code of the language that
    the catalogues' texts are in.
    """

    catalogues: tuple[str, ...] = ()
    money: str = ""
    worth: str = ""
    member: str = ""
    life: str = ""
    roles: dict[str, Role] = {}
    with_texts: bool = True
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Note:
    """A thing for the author to look at.

    ``code`` selects the sentence, ``values`` fill it. ``place``: names from the catalogue down to
    the element. ``table`` and ``key``: the row of the rulebook that it concerns, or "".
    """

    code: str
    place: tuple[str, ...]
    table: str = ""
    key: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Imported:
    """A game made from catalogues.

    ``data``: the rulebook, as the editor keeps a new game's data. ``ids``: the id of an entry (for
    an entry reached by links: the ids of links and entry joined by "::") → table and key of its
    row; where lists of another catalogue have another row, also that catalogue's id, "::" and the
    key. ``counts``: kind of element ("entries", "costs", "limits", "profiles", "modifiers", …) →
    outcome → number. ``bundled``: by the keys of ``ids``, the copies of an entry that are part of
    the one around it, and of its price.
    """

    data: dict[str, Any]
    notes: tuple[Note, ...] = ()
    ids: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    counts: Mapping[str, Mapping[Outcome, int]] = field(default_factory=dict)
    bundled: Mapping[str, int] = field(default_factory=dict)
