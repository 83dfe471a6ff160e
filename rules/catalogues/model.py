"""A game system and its catalogues as values, in the terms of the newest format (2.03).

``reading`` converts every older format and New Recruit's JSON to these values, so nothing else
needs to know which format a file had. Names of classes and fields follow the format's own
documentation (its schema calls a parent of selections a *scope*, a counted thing a *field*).

Numbers are decimals as written. An id is text; ids may repeat between catalogues, and a link finds
the target in its own catalogue first, then in the game system, then in linked catalogues.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal


@dataclass(frozen=True, slots=True)
class Source:
    """Where a rulebook describes something: a publication's id and the page, as written."""

    publication: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A number that the army builder counts in a list.

    ``field``: "selections", "forces", the id of a cost type, or "limit::" and that id. ``scope``:
    "self", "parent", "ancestor", "primary-category", "force", "roster", "primary-catalogue" or the
    id of an entry, category, force or catalogue. ``child``: the id counted, "any", "model", "unit",
    "upgrade", or "" for the element itself (constraints).
    """

    field: str
    scope: str
    value: Decimal
    child: str = ""
    is_percent: bool = False
    is_shared: bool = True
    in_children: bool = False
    in_child_forces: bool = False


@dataclass(frozen=True, slots=True)
class Constraint:
    """The least or the most of something. Modifiers change its value by its id, which both limits
    of an exact number share. A most of -1 is none."""

    id: str
    kind: Literal["min", "max"]
    query: Query


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison. ``kind``: lessThan, greaterThan, equalTo, notEqualTo, atLeast, atMost,
    instanceOf, notInstanceOf, or another word as written. New Recruit's conditions on the order of
    a list start with "local ", its groups that calculate with "group "."""

    kind: str
    query: Query


@dataclass(frozen=True, slots=True)
class ConditionGroup:
    """Conditions joined by "and" or "or". An empty one is true."""

    kind: Literal["and", "or"] = "and"
    conditions: tuple[Condition, ...] = ()
    groups: tuple[ConditionGroup, ...] = ()


@dataclass(frozen=True, slots=True)
class Repeat:
    """Repeats a modifier ``times`` for each ``query.value`` that is counted."""

    query: Query
    times: int = 1
    rounds_up: bool = False


@dataclass(frozen=True, slots=True)
class Modifier:
    """A change to a field of an element, when all conditions are true.

    ``kind``: set, increment, decrement, multiply, divide, append, prepend, add, remove,
    set-primary, unset-primary, or another word as written. ``field``: "name", "hidden", "category",
    "page", the id of a cost type, constraint or characteristic type. ``affects``: New Recruit's
    path of elements below that are changed instead, as written; "" for the element itself. The
    conditions of groups of modifiers are added to each of their modifiers.
    """

    kind: str
    field: str
    value: str
    when: ConditionGroup = ConditionGroup()
    repeats: tuple[Repeat, ...] = ()
    affects: str = ""


@dataclass(frozen=True, slots=True)
class Characteristic:
    """A characteristic of a profile, as written."""

    type_id: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Profile:
    """A row of values: of a fighter, a weapon, a power."""

    id: str
    name: str
    type_id: str
    type_name: str = ""
    characteristics: tuple[Characteristic, ...] = ()
    is_hidden: bool = False
    modifiers: tuple[Modifier, ...] = ()
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in words."""

    id: str
    name: str
    text: str = ""
    is_hidden: bool = False
    modifiers: tuple[Modifier, ...] = ()
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class InfoGroup:
    """Profiles and rules under one name."""

    id: str
    name: str
    info: Info
    is_hidden: bool = False
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class InfoLink:
    """A link to a shared profile, rule or group of them, with a name and modifiers of its own."""

    id: str
    name: str
    target: str
    kind: str
    is_hidden: bool = False
    modifiers: tuple[Modifier, ...] = ()
    source: Source = Source()


@dataclass(frozen=True, slots=True)
class Info:
    """The profiles and rules of an element."""

    profiles: tuple[Profile, ...] = ()
    rules: tuple[Rule, ...] = ()
    groups: tuple[InfoGroup, ...] = ()
    links: tuple[InfoLink, ...] = ()


@dataclass(frozen=True, slots=True)
class CategoryLink:
    """An element's category, or a category that a force has, with limits there."""

    id: str
    name: str
    target: str
    is_primary: bool = False
    is_hidden: bool = False
    constraints: tuple[Constraint, ...] = ()
    modifiers: tuple[Modifier, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """An entry, a group of entries, or a link to either: something a player can select.

    ``kind``: "unit", "model" or "upgrade" of an entry, "group" of a group, "entry link" or
    "group link" of a link. ``target``: the id that a link leads to; a link's own parts are added to
    its target's, but its costs replace the target's of the same type. ``costs``: cost type's id →
    cost. ``default``: the id of the entry that a group
    starts with. ``is_imported``: catalogues that link to this one offer the entry, too.
    """

    id: str
    name: str
    kind: Literal["unit", "model", "upgrade", "group", "entry link", "group link"]
    target: str = ""
    is_hidden: bool = False
    is_collective: bool = False
    is_imported: bool = True
    costs: tuple[tuple[str, Decimal], ...] = ()
    categories: tuple[CategoryLink, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    info: Info = Info()
    choices: tuple[Choice, ...] = ()
    default: str = ""
    source: Source = Source()
    comment: str = ""
    sort_index: int | None = None
    is_flat: bool = False


@dataclass(frozen=True, slots=True)
class Category:
    """A category, with limits wherever it is used."""

    id: str
    name: str
    is_hidden: bool = False
    constraints: tuple[Constraint, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    info: Info = Info()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Force:
    """A shape that a list can have, with its categories."""

    id: str
    name: str
    is_hidden: bool = False
    categories: tuple[CategoryLink, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    modifiers: tuple[Modifier, ...] = ()
    info: Info = Info()
    forces: tuple[Force, ...] = ()
    costs: tuple[tuple[str, Decimal], ...] = ()


@dataclass(frozen=True, slots=True)
class CostType:
    """A kind of cost. ``limit``: the usual most of a list; None if there is none."""

    id: str
    name: str
    limit: Decimal | None = None
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class ProfileType:
    """A kind of profile: its characteristics as (id, name), in order."""

    id: str
    name: str
    characteristics: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Publication:
    """A book or page that the game was published in."""

    id: str
    name: str
    short: str = ""


@dataclass(frozen=True, slots=True)
class CatalogueLink:
    """A link to another catalogue; ``imports_roots``: its root entries can be selected here."""

    id: str
    name: str
    target: str
    imports_roots: bool = False


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A game system (``system_id`` is "") or a catalogue of one.

    ``roots``: the entries and links that a list selects from; ``shared``: entries and groups that
    only links lead to. ``info``: rules and links at the root. ``format``: the version of the format
    as written, such as "1.15" or "2.03"; ``file``: the name of its file.
    """

    id: str
    name: str
    system_id: str = ""
    revision: int = 0
    format: str = ""
    file: str = ""
    is_library: bool = False
    author: str = ""
    readme: str = ""
    publications: tuple[Publication, ...] = ()
    cost_types: tuple[CostType, ...] = ()
    profile_types: tuple[ProfileType, ...] = ()
    categories: tuple[Category, ...] = ()
    forces: tuple[Force, ...] = ()
    roots: tuple[Choice, ...] = ()
    shared: tuple[Choice, ...] = ()
    info: Info = Info()
    shared_info: Info = Info()
    links: tuple[CatalogueLink, ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """A game system with its catalogues, as the files of one upload gave them.

    ``unknown``: elements, attributes and values that reading does not understand, such as
    "selectionEntry/associations", and how often; "…" stands for texts that were cut.
    """

    system: Catalogue
    catalogues: tuple[Catalogue, ...] = ()
    unknown: tuple[tuple[str, int], ...] = ()
