"""Cards: a gang as plain values in the reader's language, ready for a page or a sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from gangs.cards.finding_lines import Concerned, FindingLine
from gangs.cards.stats import Stat as Stat
from gangs.cards.task_lines import TaskLine
from rules.engine.costing import Points, Receipt

LISTED_FINDINGS = 12


def mark_house(name: str, house: bool) -> str:
    """``name`` with the sign of a house value, if it is one, kept on the same line."""
    return f"{name}\u00a0†" if house else name


@dataclass(frozen=True)
class NamedText:
    """A row of the rulebook: its name and its effect; ``house`` marks a house value."""

    key: str
    name: str
    text: str
    house: bool = False


@dataclass(frozen=True)
class HoldingLine:
    """A holding as a line. ``kind``: the rulebook's name for it, if the players have their own."""

    id: int
    name: str
    kind: str
    text: str
    house: bool


@dataclass(frozen=True)
class Way:
    """Another way to use an item. ``cells``: its value in each column of the item, by key;
    ``more``: in words, its values in columns of another kind of item; ``words``: all that differs,
    in a sentence."""

    name: str
    cells: Mapping[str, str]
    more: str
    words: str


@dataclass(frozen=True)
class ItemLine:
    """One item as a line. ``cells``: (column, value) of its group's table, computed for its bearer;
    ``columns``: the keys of these columns; ``how``: the derivation of the values; ``price``: for
    the bearer; ``left``: the uses that it has left, None if it has no number of uses; ``sells``:
    the money for selling it, None if it cannot be sold; ``included``: its bearer joined with it
    and keeps it; ``text``: its description and, in words, the other ``ways`` to use it;
    ``own_text``: only the description; ``at_table``: the key that games know it by, with what is
    fitted to it; ``host``: the id of the item that it is fitted to, "" if there is none; ``hosts``:
    the ids and names of others that it could be fitted to."""

    id: int
    key: str
    name: str
    group: str
    price: Points
    level: int | None
    hands: int | None
    cells: tuple[tuple[str, str], ...]
    text: str
    house: bool
    columns: tuple[str, ...] = ()
    how: str = ""
    left: int | None = None
    sells: Points | None = None
    included: bool = False
    ways: tuple[Way, ...] = ()
    own_text: str = ""
    at_table: str = ""
    host: str = ""
    hosts: tuple[tuple[str, str], ...] = ()

    @property
    def is_shown(self) -> bool:
        """Whether it has a line of its own where players look items up: the name of the item that
        it is fitted to has its name, too."""
        return not self.host or bool(self.text or self.cells)

    @property
    def marked(self) -> str:
        """The name, with the sign of a house value."""
        return mark_house(self.name, self.house)

    @property
    def summary(self) -> str:
        """The columns that are not empty, in one line."""
        return " · ".join(f"{column} {value}" for column, value in self.cells if value != "–")


def count_equal(items: Iterable[ItemLine]) -> Iterator[ItemLine]:
    """Join equal ``items`` into one line, "2 × Knife"."""
    alike: dict[tuple[str, int | None, str, bool], list[ItemLine]] = {}
    for item in items:
        kind = item.key, item.left, item.at_table, bool(item.host)
        alike.setdefault(kind, []).append(item)
    for same in alike.values():
        first, count = same[0], len(same)
        yield replace(first, name=f"{count} × {first.name}") if count > 1 else first


@dataclass(frozen=True)
class Ailment(NamedText):
    """A condition, or a tracker that lasts. ``games``: the number of games that it still lasts (0:
    until something ends it); ``against``: the gang that caused it; ``held``: that gang holds the
    member captive; ``absent``: the member cannot play; ``counted``: the table counts it."""

    games: int = 0
    against: str = ""
    held: bool = False
    absent: bool = False
    counted: bool = False


@dataclass(frozen=True)
class DepartedLine:
    """A member who left. ``fate``: "dead", "dismissed", or the key of a departure; ``how``: the
    name of the departure; ``hire``: their price for one game, None if they are not for hire."""

    id: int
    name: str
    rank: str
    fate: str
    how: str
    hire: Points | None


@dataclass(frozen=True)
class AmountLine:
    """One line of a receipt."""

    name: str
    amount: Points


@dataclass(frozen=True)
class PurseLine:
    """An amount of a currency beside money: what a gang has left of it, or a member's price."""

    key: str
    name: str
    amount: int
    unit: str


@dataclass(frozen=True)
class Card:
    """A member, rendered. ``origin``: their own, "" if it is the gang's.

    ``rank_says``: the rulebook's text about their rank; ``cost``: their price, None if it is their
    rating or the game has no money; ``costs``: their price in other currencies; ``counted``: their
    part of the gang’s rating, including things that do not count for themselves (a horse);
    ``open_tasks``: their tasks in a new gang's checklist, in a few words each; ``experience_left``:
    the experience that they can spend, "4 to spend", "" if traits cost none; ``powers``: the items
    that come with their traits; ``mates``: the names of all in their group, if it has others who
    are like them; ``bond``: the member whom they belong to, or those who belong to them, in words;
    ``owner``: the id of the former.
    """

    id: int
    name: str
    shown_name: str
    rank: str
    origin: str
    squad: str
    squad_name: str
    profession: str
    rank_says: NamedText | None
    calling: tuple[NamedText, ...]
    stats: tuple[Stat, ...]
    points_left: int
    traits: tuple[NamedText, ...]
    gained: tuple[NamedText, ...]
    items: tuple[ItemLine, ...]
    afflictions: tuple[Ailment, ...]
    places: tuple[int, int] | None
    rating: Points
    counted: Receipt
    cost: Points | None
    costs: tuple[PurseLine, ...]
    receipt: tuple[AmountLine, ...]
    experience: int
    experience_name: str
    experience_most: int | None
    games: int
    taken_out: int
    notes: str
    life: tuple[bool, ...]
    findings: tuple[FindingLine, ...]
    open_tasks: tuple[str, ...] = ()
    experience_left: str = ""
    powers: tuple[ItemLine, ...] = ()
    mates: tuple[str, ...] = ()
    bond: str = ""
    owner: int | None = None

    @cached_property
    def number(self) -> str:
        """Their id for addresses; a template would write the number in the reader's format."""
        return str(self.id)

    @property
    def usable(self) -> tuple[ItemLine, ...]:
        """Their items, and those that come with their traits."""
        return *(item for item in self.items if item.is_shown), *self.powers

    @cached_property
    def problems(self) -> tuple[FindingLine, ...]:
        """The findings that are neither tasks in the gang's checklist nor rewards."""
        found = (line for line in self.findings if not line.in_checklist)
        return tuple(line for line in found if line.severity != "good")

    @property
    def worst(self) -> str:
        """The severity of the most serious problem; "" if there is none."""
        return self.problems[0].severity if self.problems else ""

    @cached_property
    def rewards(self) -> tuple[FindingLine, ...]:
        """Rewards that the member may still use, such as points."""
        return tuple(line for line in self.findings if line.severity == "good")

    @cached_property
    def things(self) -> tuple[ItemLine, ...]:
        """The items, with equal ones in one line, "2 × Knife", each before those fitted to it."""
        return tuple(count_equal(self.items))

    @cached_property
    def kit(self) -> tuple[ItemLine, ...]:
        """As ``things``, without those that are fitted to others, which are in their names."""
        return tuple(item for item in self.things if not item.host)

    @cached_property
    def carried(self) -> str:
        """The names of the items, equal ones counted: "2 × Knife, Rope"."""
        return ", ".join(item.name for item in self.kit)

    @cached_property
    def standing(self) -> str:
        """Rank, profession, origin and bond; without the rank if it serves as the member's name."""
        rank = self.rank if self.name else ""
        return " · ".join(filter(None, (rank, self.profession, self.origin, self.bond)))

    @property
    def placed(self) -> str:
        """As ``standing``, with their squad."""
        squad = self.squad and f"{self.squad_name} {self.squad}"
        return " · ".join(filter(None, (self.standing, squad)))

    @property
    def abilities(self) -> tuple[NamedText, ...]:
        """Professions and traits, in reading order."""
        return *self.calling, *self.gained, *self.traits

    @property
    def marks_house(self) -> bool:
        """Whether any of their items, abilities or conditions is a house value."""
        texts = [*self.abilities, *self.afflictions, *filter(None, [self.rank_says])]
        return any(text.house for text in texts) or any(item.house for item in self.usable)

    @property
    def learned(self) -> str:
        """Their experience with its name, "Experience 7/15", and how much of it is left if it can
        be spent; "" in a game without experience."""
        if not self.experience_name:
            return ""
        learned = f"{self.experience_name} {self.earned}"
        if not self.experience_left:
            return learned
        return f"{learned} ({self.experience_left})"

    @property
    def earned(self) -> str:
        """Their experience, "7", or "7/15" if their rank has a maximum."""
        if self.experience_most is None:
            return str(self.experience)
        return f"{self.experience}/{self.experience_most}"

    @property
    def spreads_points(self) -> bool:
        """Whether the game lets this member spread points."""
        return any(stat.bought_with_points for stat in self.stats)


@dataclass(frozen=True)
class Page:
    """A gang, rendered. ``rating_name`` and ``money_name`` are "" in a game without them;
    ``origin``: the gang's origin, "" if it has none; ``origin_name``: the rulebook's word for
    origins; ``tasks``: the checklist of a gang that has not played yet; ``kept``: the money that it
    should keep for what is missing (0: none is needed), and ``kept_for`` names that."""

    name: str
    origin: str
    origin_name: str
    cards: tuple[Card, ...]
    stash: tuple[ItemLine, ...]
    innate: tuple[ItemLine, ...]
    findings: tuple[FindingLine, ...]
    rating: Points
    rating_name: str
    rating_unit: str
    money_name: str
    money_unit: str
    receipt: tuple[AmountLine, ...]
    left: Points | None
    budget: int | None
    playing: bool
    treasury: Points
    size: int
    notes: str
    departed: tuple[DepartedLine, ...]
    tasks: tuple[TaskLine, ...] = ()
    kept: Points = 0
    kept_for: str = ""
    holdings: tuple[HoldingLine, ...] = ()
    purses: tuple[PurseLine, ...] = ()

    @property
    def short(self) -> Points:
        """The money that is missing for what the gang still needs; 0 if there is enough."""
        return 0 if self.left is None else max(0, self.kept - max(0, self.left))

    @property
    def is_legal(self) -> bool:
        """Whether the gang can play: nothing is left to do, and no rule is broken."""
        return not (self.left_to_do or self.errors)

    @property
    def left_to_do(self) -> int:
        """Number of tasks of the checklist that are not done."""
        return sum(not task.done for task in self.tasks)

    @property
    def next_task(self) -> TaskLine | None:
        """The first task to do that has a button."""
        return next((task for task in self.tasks if not task.done and task.doable), None)

    @property
    def problems(self) -> tuple[FindingLine, ...]:
        """The findings that are neither tasks in the checklist nor rewards. Mere notes are left out
        until the checklist is done, since they would distract while a gang is half built."""
        left_out = ("good", "note") if self.left_to_do else ("good",)
        found = (line for line in self.findings if not line.in_checklist)
        return tuple(line for line in found if line.severity not in left_out)

    @property
    def rewards(self) -> tuple[FindingLine, ...]:
        """Rewards that the members may still use, such as points."""
        return tuple(line for line in self.findings if line.severity == "good")

    @property
    def concerns(self) -> int:
        """The number of problems that are more than notes."""
        return sum(line.severity != "note" for line in self.problems)

    @property
    def problems_together(self) -> tuple[FindingLine, ...]:
        """The problems shown on no member's card, which concern the gang or several members."""
        return tuple(finding for finding in self.problems if not finding.on_card)

    @property
    def problems_on_cards(self) -> tuple[tuple[str, tuple[Concerned, ...]], ...]:
        """The members with problems on their cards, by the severity of each card's worst."""
        found: dict[str, list[Concerned]] = {"error": [], "warning": [], "note": []}
        for card in self.cards:
            if card.problems:
                concerned = Concerned(card.id, card.shown_name, 1)
                found[card.problems[0].severity].append(concerned)
        return tuple((severity, tuple(members)) for severity, members in found.items() if members)

    @property
    def breaches(self) -> int:
        """The number of problems that are errors."""
        return sum(finding.severity == "error" for finding in self.problems)

    @property
    def worst(self) -> str:
        """The severity of the most serious finding; "" if there is none."""
        return self.findings[0].severity if self.findings else ""

    @property
    def errors(self) -> int:
        """The number of findings that are errors."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def unit_beside(self) -> str:
        """The rating's unit beside its name; "" if both are the same word."""
        same = self.rating_unit.casefold() == self.rating_name.casefold()
        return "" if same else self.rating_unit

    @property
    def more_findings(self) -> int:
        """The number of problems beyond those that a page lists."""
        return max(0, len(self.problems) - LISTED_FINDINGS)

    def card(self, member: int) -> Card | None:
        """The card of a member; None if they are not in the gang."""
        return next((card for card in self.cards if card.id == member), None)
