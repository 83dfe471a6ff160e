"""Cards: a gang drawn as plain values, ready for a page or a sheet, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gangs.findings import Finding, findings, places_taken
from gangs.roster import Member
from gangs.scene import Scene
from gangs.worth import gang_rating, member_rating
from rules.characteristics import Boxes, Value
from rules.costing import Points, Receipt
from rules.limits import CarriedLimit
from rules.profiles import Score, points_allowed
from rules.schema import Item, Trait
from rules.vocabulary import Text

LISTED_FINDINGS = 12


@dataclass(frozen=True)
class Stat:
    """One characteristic of a member. ``why``: how the value came about; empty if it is plain.

    ``boxes``: of a track, whether each of its boxes stands out.
    """

    key: str
    short: str
    name: str
    value: str
    why: str
    boxes: tuple[bool, ...]
    spread: int
    bought_with_points: bool
    can_rise: bool
    can_fall: bool


@dataclass(frozen=True)
class Words:
    """Something with a name and what it does; ``house`` marks a house value."""

    key: str
    name: str
    text: str
    house: bool = False


@dataclass(frozen=True)
class ItemLine:
    """One item as a line: ``cells`` are (column, value) of its group's table."""

    id: int
    key: str
    name: str
    group: str
    price: int
    level: int | None
    hands: int | None
    cells: tuple[tuple[str, str], ...]
    text: str
    house: bool

    @property
    def told(self) -> str:
        """The columns that say something, in one line."""
        return " · ".join(f"{column} {value}" for column, value in self.cells if value != "–")


@dataclass(frozen=True)
class FindingLine:
    """One finding in words, with the member it can be linked to."""

    code: str
    severity: str
    text: str
    member: int | None


@dataclass(frozen=True)
class AmountLine:
    """One line of a receipt."""

    name: str
    amount: Points


@dataclass(frozen=True)
class Card:
    """A member, drawn."""

    id: int
    name: str
    shown_name: str
    rank: str
    origin: str
    origin_key: str
    squad: str
    profession: str
    profession_key: str
    calling: tuple[Words, ...]
    stats: tuple[Stat, ...]
    points_left: int
    traits: tuple[Words, ...]
    gained: tuple[Words, ...]
    items: tuple[ItemLine, ...]
    afflictions: tuple[Words, ...]
    places: tuple[int, int] | None
    rating: Points
    receipt: tuple[AmountLine, ...]
    experience: int
    experience_most: int | None
    games: int
    taken_out: int
    notes: str
    life: tuple[bool, ...]
    findings: tuple[FindingLine, ...]

    @property
    def spreads_points(self) -> bool:
        """Whether the game lets this member spread points at all."""
        return any(stat.bought_with_points for stat in self.stats)


@dataclass(frozen=True)
class Page:
    """A gang, drawn. ``rating_name`` and ``money_name`` are empty in a game that has neither."""

    name: str
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
    fallen: tuple[Words, ...]

    @property
    def worst(self) -> str:
        """The severity of the most serious finding, or "" if there is none."""
        return self.findings[0].severity if self.findings else ""

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def more_findings(self) -> int:
        """How many findings a page leaves to the members' cards, having listed the first ones."""
        return max(0, len(self.findings) - LISTED_FINDINGS)

    def card(self, member: int) -> Card | None:
        """The card of a member, None if he is not in the gang."""
        return next((card for card in self.cards if card.id == member), None)


def draw(scene: Scene, language: str) -> Page:
    """Draw the whole gang in ``language``."""
    book, roster = scene.book, scene.roster
    found = [_finding_line(finding, language) for finding in findings(book, roster, scene)]
    by_member: dict[int, list[FindingLine]] = {}
    for finding in found:
        if finding.member is not None:
            by_member.setdefault(finding.member, []).append(finding)
    rating = gang_rating(book, roster)
    budget = None if roster.playing else book.budget(roster.settings)
    innate = (item for item in book.in_force(book.items, roster.settings) if item.innate)
    return Page(
        name=roster.name,
        cards=tuple(
            draw_member(scene, member, language, by_member.get(member.id, ()))
            for member in roster.members
        ),
        stash=tuple(item_line(scene, owned.key, language, owned.id) for owned in roster.stash),
        innate=tuple(item_line(scene, item.key, language) for item in innate),
        findings=tuple(found),
        rating=rating.total,
        rating_name=book.rating.name.said(language) if book.rating else "",
        rating_unit=book.rating.unit.said(language) if book.rating else "",
        money_name=book.money.name.said(language) if book.money else "",
        money_unit=book.money.unit.said(language) if book.money else "",
        receipt=_receipt(rating, language),
        left=scene.left,
        budget=budget,
        playing=roster.playing,
        treasury=roster.treasury,
        size=len(roster.members),
        notes=roster.notes,
        fallen=tuple(
            Words(
                key=departed.fate,
                name=departed.member.name or book.rank[departed.member.rank].name.said(language),
                text=book.rank[departed.member.rank].name.said(language),
            )
            for departed in roster.departed
        ),
    )


def draw_member(
    scene: Scene, member: Member, language: str, found: Iterable[FindingLine] = ()
) -> Card:
    """Draw one member in ``language``."""
    book = scene.book
    profile = scene.profiles[member.id]
    figure = scene.figures[member.id]
    rank = book.rank[member.rank]
    origin = figure.origin if figure.origin in book.origin else None
    points_left = points_allowed(book, figure) - sum(member.points.values())
    receipt = member_rating(book, scene.roster, member)
    return Card(
        id=member.id,
        name=member.name,
        shown_name=member.name or rank.name.said(language),
        rank=rank.name.said(language),
        origin=book.origin[origin].name.said(language) if origin else "",
        origin_key=member.origin or "",
        squad=member.squad,
        profession=book.profession[member.profession].name.said(language)
        if member.profession
        else "",
        profession_key=member.profession or "",
        calling=_calling(scene, member, language),
        stats=tuple(
            _stat(score, member, points_left, language) for score in profile.scores.values()
        ),
        points_left=points_left,
        traits=tuple(_words(book.trait[key], language) for key in member.traits),
        gained=tuple(_words(trait, language) for trait in profile.gained),
        items=tuple(item_line(scene, owned.key, language, owned.id) for owned in member.items),
        afflictions=tuple(
            Words(
                affliction.condition,
                book.condition[affliction.condition].name.said(language),
                book.condition[affliction.condition].text.said(language),
                book.cites_house(book.condition[affliction.condition]),
            )
            for affliction in member.afflictions
        ),
        places=_places(scene, member),
        rating=receipt.total,
        receipt=_receipt(receipt, language),
        experience=member.experience_at_rank,
        experience_most=rank.experience,
        games=member.games,
        taken_out=member.taken_out,
        notes=member.notes,
        life=_boxes(profile.scores[book.life]) if book.life in profile.scores else (),
        findings=tuple(found),
    )


def item_line(scene: Scene, key: str, language: str, owned: int = 0) -> ItemLine:
    """Draw one item in ``language``; ``owned``: its number, if somebody has it."""
    item = scene.book.item[key]
    group = scene.book.group[item.group]
    return ItemLine(
        id=owned,
        key=item.key,
        name=item.name.said(language),
        group=group.name.said(language),
        price=item.price,
        level=item.level,
        hands=item.hands,
        cells=tuple(
            (column.name.said(language), _cell(item, column.key, language))
            for column in group.columns
        ),
        text=item.text.said(language) if item.text else "",
        house=scene.book.cites_house(item),
    )


def _cell(item: Item, column: str, language: str) -> str:
    value = item.columns.get(column, "–")
    return value.said(language) if isinstance(value, Text) else value


def _words(trait: Trait, language: str) -> Words:
    return Words(
        trait.key, trait.name.said(language), trait.text.said(language), house=trait.is_house
    )


def _calling(scene: Scene, member: Member, language: str) -> tuple[Words, ...]:
    """What the member's profession lets him do, and what it adds if he leads."""
    if member.profession is None:
        return ()
    profession = scene.book.profession[member.profession]
    name = profession.name.said(language)
    house = scene.book.cites_house(profession)
    calling = [Words(profession.key, name, profession.text.said(language), house)]
    if scene.book.rank[member.rank].leads and profession.leads_text is not None:
        rank = scene.book.rank[member.rank].name.said(language)
        text = profession.leads_text.said(language)
        calling.append(Words(profession.key, f"{name}, {rank}", text, house))
    return tuple(calling)


def _stat(score: Score, member: Member, points_left: int, language: str) -> Stat:
    row = score.characteristic
    bought = row.kind == "number" and row.bought_with_points
    natural = score.natural
    below = row.kind == "number" and isinstance(natural, int) and natural < row.maximum
    spread = member.points.get(row.key, 0)
    return Stat(
        key=row.key,
        short=row.short.said(language),
        name=row.name.said(language),
        value=_shown(score.value, row.unit if row.kind == "number" else ""),
        boxes=_boxes(score) if row.kind == "track" else (),
        why=_why(score, language),
        spread=spread,
        bought_with_points=bought,
        can_rise=bought and below and points_left > 0,
        can_fall=bought and spread > 0,
    )


def _shown(value: Value, unit: str) -> str:
    return f"{value}{unit}"


def _boxes(score: Score) -> tuple[bool, ...]:
    """What is ticked off while playing: whether each box stands out."""
    row, value = score.characteristic, score.value
    if row.kind == "track" and isinstance(value, Boxes):
        marked = {box.letter for box in row.boxes if box.marked}
        return tuple(letter in marked for letter in value.letters)
    return (False,) * (value if isinstance(value, int) else 0)


def _why(score: Score, language: str) -> str:
    if not score.changes:
        return ""
    steps = [str(score.base)]
    steps += [f"{change.amount:+d} {change.cause.said(language)}" for change in score.changes]
    return ", ".join(steps)


def _places(scene: Scene, member: Member) -> tuple[int, int] | None:
    for limit in scene.book.limits:
        if isinstance(limit, CarriedLimit):
            allowed = scene.profiles[member.id].natural(limit.characteristic)
            return places_taken(scene.book, member), allowed
    return None


def _receipt(receipt: Receipt, language: str) -> tuple[AmountLine, ...]:
    return tuple(AmountLine(line.name.said(language), line.amount) for line in receipt.lines)


def _finding_line(finding: Finding, language: str) -> FindingLine:
    member = finding.members[0] if finding.members else None
    return FindingLine(finding.code, finding.severity, finding.said(language), member)
