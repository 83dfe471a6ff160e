"""A game in the making, and what all its parts ask of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from common.wording.texts import needed
from rules.catalogues.mapping.characteristics import Scores, Tables
from rules.catalogues.mapping.describing import Describer, Shown
from rules.catalogues.mapping.goods import Stock
from rules.catalogues.mapping.library import Library, Node
from rules.catalogues.mapping.log import Log
from rules.catalogues.mapping.naming import NOTHING, short_name, whole_text
from rules.catalogues.mapping.taking import Taken, Walker
from rules.catalogues.mapping.units import Recruit
from rules.catalogues.mapping.verdicts import Place
from rules.catalogues.model import Catalogue, Source, System
from rules.catalogues.results import Answers

SOURCE = "catalogues"
FACTION, FORCE = "faction", "force"
MOST_FORCES = 20
MOST_COUNT = 1_000
MOST_IDS = 100_000
MOST_TEXT = 4_000


@dataclass(slots=True, eq=False)
class Rank:
    """A rank: recruits of one or more catalogues that are the same."""

    recruits: list[Recruit]
    catalogues: list[str]
    leads: bool = False
    key: str = ""

    @property
    def first(self) -> Recruit:
        """The recruit that its row is written from."""
        return self.recruits[0]


@dataclass(slots=True, eq=False)
class Holding:
    """Something that the gang as a whole has: an upgrade at the root of a list."""

    taken: Taken
    name: str
    catalogues: list[str]
    key: str = ""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A fact that an offer can name: its ``field`` of selectors, and the keys of which one is
    there, or none: of items, traits or ranks."""

    field: str
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class Special:
    """A price that replaces the usual one if all triggers are true."""

    triggers: tuple[Trigger, ...]
    price: Decimal


@dataclass(slots=True)
class Game:
    """A game in the making."""

    system: System
    answers: Answers
    library: Library
    log: Log
    walker: Walker
    describer: Describer
    catalogues: list[Catalogue]
    kinds: tuple[str, ...]
    phrases: Mapping[str, str]
    ranks: list[Rank] = field(default_factory=list)
    holdings: list[Holding] = field(default_factory=list)
    stock: Stock = field(default_factory=Stock)
    scores: Scores = field(default_factory=Scores)
    tables: Tables = field(default_factory=Tables)
    columns: set[str] = field(default_factory=set)
    sources: dict[str, str] = field(default_factory=dict)
    cited: set[str] = field(default_factory=set)
    factions: dict[str, str] = field(default_factory=dict)
    forces: dict[str, str] = field(default_factory=dict)
    currencies: dict[str, str] = field(default_factory=dict)
    # Triggers that somebody is in the gang: by catalogue, id, and whether things inside count.
    present: dict[tuple[str, str, bool], list[Trigger]] = field(default_factory=dict)
    # The prices of further copies, by an item's key.
    copies: dict[str, list[int]] = field(default_factory=dict)
    # By the keys of an item and a rank.
    specials: dict[tuple[str, str], list[Special]] = field(default_factory=dict)
    rank_of: dict[int, Rank] = field(default_factory=dict)
    profiles: dict[int, Shown | None] = field(default_factory=dict)
    kept: list[Recruit] = field(default_factory=list)
    # The ids that a list of each catalogue can contain.
    possible: dict[str, frozenset[str]] = field(default_factory=dict)

    def text(self, words: str) -> dict[str, str]:
        """Return a text in the languages that the rulebook needs."""
        return dict.fromkeys(needed((self.answers.language,)), whole_text(words) or NOTHING)

    def say(self, phrase: str) -> dict[str, str]:
        """Return one of the importer's own texts."""
        return self.text(self.phrases[phrase])

    def name(self, words: str, place: tuple[str, ...] = (), about: str = "") -> dict[str, str]:
        """Return a name, with a note if it had to be cut."""
        short = short_name(words)
        if short.endswith("…") and not words.strip().endswith("…"):
            self.log.note("name_cut", about or words[:40], place or (words,))
        return self.text(short)

    def cite(self, source: Source) -> str:
        """Return where something is described, as rows say it."""
        key = self.sources.get(source.publication, SOURCE)
        self.cited.add(key)
        page = short_name(source.page, 20) if source.page.strip() else ""
        return f"{key} p.{page}" if page and page != NOTHING else key

    def when(self, catalogues: Iterable[str]) -> dict[str, list[str]]:
        """Return the condition for some of the catalogues."""
        wanted = {*catalogues}
        keys = [key for own_id, key in self.factions.items() if own_id in wanted]
        return {FACTION: keys} if 0 < len(keys) < len(self.factions) else {}


def find_forces(game: Game) -> dict[str, str]:
    """Return the shapes of lists that are not inside others, by id."""
    rows = [row for one in game.library.catalogues.values() for row in one.forces]
    shown = [row for row in rows if not row.is_hidden]
    return {row.id: row.name for row in shown[:MOST_FORCES]}


def make_place(game: Game, catalogue: Catalogue, force: str = "") -> Place:
    """Return the place of a list of a catalogue. ``force``: its shape, "" if it is not known."""
    forces = find_forces(game)
    return Place(
        catalogue=catalogue.id,
        catalogues=frozenset(game.library.catalogues),
        force=force or (next(iter(forces)) if len(forces) == 1 else ""),
        forces=frozenset(forces),
        possible=game.possible[catalogue.id],
        counts=count_roots(game, catalogue),
        roots=frozenset(
            one for node in _root_nodes(game, catalogue) for one in node.ids | node.category_ids
        ),
    )


def count_roots(game: Game, catalogue: Catalogue) -> dict[str, tuple[int, int | None]]:
    """Return the least and the most of each category, and of the one entry that is alone in it,
    that legal lists of a catalogue have at their root."""
    shown = [row for one in game.library.catalogues.values() for row in one.forces]
    shown = [row for row in shown if not row.is_hidden]
    if len(shown) != 1:
        return {}
    rows: dict[str, tuple[int, int | None]] = {}
    for link in shown[0].categories:
        least, most = 0, None
        for one in link.constraints if not link.is_hidden else ():
            query = one.query
            is_plain = query.field == "selections" and not query.is_percent
            if not is_plain or query.scope not in ("parent", "force") or query.in_children:
                continue
            changed = any(row.field == one.id for row in link.modifiers)
            if changed or not 0 <= query.value <= MOST_COUNT:
                continue
            if one.kind == "min":
                least = max(least, int(query.value))
            else:
                most = int(query.value) if most is None else min(most, int(query.value))
        rows[link.target] = least, most
    nodes = _root_nodes(game, catalogue)
    for key, bounds in [*rows.items()]:
        inside = [one for one in nodes if _may_be(one, key)]
        if len(inside) == 1:
            rows |= dict.fromkeys(inside[0].ids, bounds)
    return rows


def _root_nodes(game: Game, catalogue: Catalogue) -> list[Node]:
    joined = (game.library.join(*root) for root in game.library.roots(catalogue))
    return [one for one in joined if one is not None]


def _may_be(node: Node, category: str) -> bool:
    """Whether a node is of a category, perhaps after modifiers."""
    given = {row.value for row in node.modifiers if row.field == "category"}
    return category in node.category_ids | given


def find_profile(game: Game, recruit: Recruit) -> Shown | None:
    """Return the profile of a member; where several are theirs, the first."""
    if id(recruit) not in game.profiles:
        game.profiles[id(recruit)] = _find_profile(game, recruit)
        # The recruit lives as long as its place in the memory is a key.
        game.kept.append(recruit)
    return game.profiles[id(recruit)]


def _find_profile(game: Game, recruit: Recruit) -> Shown | None:
    for part in (*reversed(recruit.parts), *recruit.shown):
        for one in game.describer.describe(part):
            if one.type_id == game.answers.member:
                return one
    # A unit that is one member may have it inside.
    for one in game.describer.describe_all(recruit.main):
        if one.type_id == game.answers.member:
            return one
    return None
