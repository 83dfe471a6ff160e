"""Cards: a gang drawn as plain values, ready for a page or a sheet, in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass

from gangs.cards.finding_lines import Concerned, FindingLine
from gangs.cards.stats import Stat as Stat
from gangs.cards.task_lines import TaskLine
from rules.engine.costing import Points

LISTED_FINDINGS = 12


def mark_house(name: str, house: bool) -> str:
    """``name`` with the sign of a house value, which stays on its line."""
    return f"{name}\u00a0†" if house else name


@dataclass(frozen=True)
class NamedText:
    """Something with a name and what it does; ``house`` marks a house value."""

    key: str
    name: str
    text: str
    house: bool = False


@dataclass(frozen=True)
class ItemLine:
    """One item as a line: ``cells`` are (column, value) of its group's table, worked out for
    whoever has it, ``columns`` the keys of these columns; ``how``: how those values come about;
    ``price``: what it comes to for them."""

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

    @property
    def marked(self) -> str:
        """Its name, with the sign of a house value."""
        return mark_house(self.name, self.house)

    @property
    def summary(self) -> str:
        """The columns that say something, in one line."""
        return " · ".join(f"{column} {value}" for column, value in self.cells if value != "–")


@dataclass(frozen=True)
class Ailment(NamedText):
    """A condition; ``games``: for how many games it still lasts (0: until something ends it);
    ``against``: the gang that it was got from, and ``held`` if that gang has them in its hands;
    ``absent``: they cannot play meanwhile."""

    games: int = 0
    against: str = ""
    held: bool = False
    absent: bool = False


@dataclass(frozen=True)
class DepartedLine:
    """A member who left. ``fate``: "dead", "dismissed", or the key of a departure, which is named
    by ``how``. ``hire``: for how much they can be hired; None if they cannot."""

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
class Card:
    """A member, drawn. ``origin``: where they are from, unless their gang is from there.

    ``rank_says``: what the rulebook says of their rank; ``cost``: what they cost in money, where
    that is not what they are worth; ``counted``: what they add to the gang's worth, with what
    counts for the gang and not for them (a horse); ``open_tasks``: what a new gang's checklist
    still asks of them, in a few words each.
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
    counted: Points
    cost: Points | None
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

    @property
    def problems(self) -> tuple[FindingLine, ...]:
        """The findings that are no task of the gang's checklist."""
        return tuple(finding for finding in self.findings if not finding.in_checklist)

    @property
    def standing(self) -> str:
        """What they are: rank, profession, and origin where it is their own. One without a name
        is called by their rank already."""
        rank = self.rank if self.name else ""
        return " · ".join(filter(None, (rank, self.profession, self.origin)))

    @property
    def placed(self) -> str:
        """What they are, and the squad that they are in."""
        squad = self.squad and f"{self.squad_name} {self.squad}"
        return " · ".join(filter(None, (self.standing, squad)))

    @property
    def abilities(self) -> tuple[NamedText, ...]:
        """What they can do, in the order in which it is read."""
        return *self.calling, *self.gained, *self.traits

    @property
    def marks_house(self) -> bool:
        """Whether anything that they have or can is a house value."""
        texts = [*self.abilities, *self.afflictions, *filter(None, [self.rank_says])]
        return any(text.house for text in texts) or any(item.house for item in self.items)

    @property
    def learned(self) -> str:
        """Their experience with its name, "Experience 7/15"; "" in a game that gives none."""
        return f"{self.experience_name} {self.earned}" if self.experience_name else ""

    @property
    def earned(self) -> str:
        """Their experience, "7", or "7/15" where their rank has so many boxes for it."""
        if self.experience_most is None:
            return str(self.experience)
        return f"{self.experience}/{self.experience_most}"

    @property
    def spreads_points(self) -> bool:
        """Whether the game lets this member spread points at all."""
        return any(stat.bought_with_points for stat in self.stats)


@dataclass(frozen=True)
class Page:
    """A gang, drawn. ``rating_name`` and ``money_name`` are empty in a game that has neither;
    ``origin``: where the gang is from, "" if nothing is said of that; ``origin_name``: what the
    rulebook calls it; ``tasks``: the checklist of a gang that has not played yet."""

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

    @property
    def left_to_do(self) -> int:
        """Number of tasks of the checklist that are not done."""
        return sum(not task.done for task in self.tasks)

    @property
    def next_task(self) -> TaskLine | None:
        """The first task that is not done and that a button does."""
        return next((task for task in self.tasks if not task.done and task.doable), None)

    @property
    def problems(self) -> tuple[FindingLine, ...]:
        """The findings that are no task of the checklist. What is no more than worth knowing waits
        until that is done: of a gang half built it would be noise."""
        return tuple(
            finding
            for finding in self.findings
            if not finding.in_checklist and not (self.left_to_do and finding.severity == "note")
        )

    @property
    def problems_together(self) -> tuple[FindingLine, ...]:
        """Those of them that stand on no member's card: what is true of the gang, or of several
        together."""
        return tuple(finding for finding in self.problems if not finding.on_card)

    @property
    def problems_on_cards(self) -> tuple[tuple[str, tuple[Concerned, ...]], ...]:
        """On whose cards the others stand, by how serious the worst of a card's is."""
        worst = [(card.problems[0].severity, card) for card in self.cards if card.problems]
        found = [
            (
                severity,
                tuple(
                    Concerned(card.id, card.shown_name, 1) for one, card in worst if one == severity
                ),
            )
            for severity in ("error", "warning", "note")
        ]
        return tuple((severity, those) for severity, those in found if those)

    @property
    def breaches(self) -> int:
        """How many of those are errors."""
        return sum(finding.severity == "error" for finding in self.problems)

    @property
    def worst(self) -> str:
        """The severity of the most serious finding, or "" if there is none."""
        return self.findings[0].severity if self.findings else ""

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def unit_beside(self) -> str:
        """The rating's unit where its name stands beside it: "" if that says it already."""
        same = self.rating_unit.casefold() == self.rating_name.casefold()
        return "" if same else self.rating_unit

    def worth(self, card: Card) -> str:
        """What a member costs, if that is another number, and what they are worth."""
        cost = f"{card.cost} {self.money_unit}" if card.cost is not None else ""
        worth = f"{card.rating} {self.rating_unit}" if self.rating_name else ""
        return " · ".join(filter(None, (cost, worth)))

    @property
    def more_findings(self) -> int:
        """How many findings a page leaves to the members' cards, having listed the first ones."""
        return max(0, len(self.problems) - LISTED_FINDINGS)

    def card(self, member: int) -> Card | None:
        """The card of a member, None if they are not in the gang."""
        return next((card for card in self.cards if card.id == member), None)
