"""Drawing a gang: its cards and what stands around them, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable

from gangs import remarks, stats
from gangs.cards import Ailment, AmountLine, Card, Gone, ItemLine, Page, Words
from gangs.findings import findings, places_taken
from gangs.remarks import FindingLine
from gangs.roster import Departed, Member
from gangs.scene import Scene
from gangs.worth import gang_rating, hire_price, member_rating, stash_price
from rules.costing import Points, Receipt, price
from rules.limits import CarriedLimit
from rules.profiles import points_allowed
from rules.schema import Item, Trait
from rules.vocabulary import Text

SQUAD = Text(en="Squad", fr="Groupe")


def draw(scene: Scene, language: str) -> Page:
    """Draw the whole gang in ``language``."""
    book, roster = scene.book, scene.roster
    found = findings(book, roster, scene)
    by_member: dict[int, list[FindingLine]] = {}
    for finding in found:
        # What is true of several together is said once, for the gang.
        if len(finding.members) == 1:
            said = remarks.line(finding, language)
            by_member.setdefault(finding.members[0], []).append(said)
    worth = {member.id: member_rating(book, roster, member) for member in roster.members}
    rating = gang_rating(book, roster, worth)
    budget = None if roster.playing else book.budget(roster.settings)
    innate = (item for item in book.in_force(book.items, roster.settings) if item.innate)
    return Page(
        name=roster.name,
        origin=_origin(scene, language),
        origin_name=_origin_name(scene, language),
        cards=tuple(
            draw_member(scene, member, language, by_member.get(member.id, ()), worth[member.id])
            for member in roster.members
        ),
        stash=tuple(
            item_line(scene, owned.key, language, owned.id, stash_price(book, roster, owned.key))
            for owned in roster.stash
        ),
        innate=tuple(item_line(scene, item.key, language) for item in innate),
        findings=remarks.together(found, book, roster, language),
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
        fallen=tuple(_gone(scene, departed, language) for departed in roster.departed),
    )


def draw_member(
    scene: Scene,
    member: Member,
    language: str,
    found: Iterable[FindingLine] = (),
    receipt: Receipt | None = None,
) -> Card:
    """Draw one member in ``language``; ``receipt``: what he is worth, if that is known."""
    book = scene.book
    profile = scene.profiles[member.id]
    figure = scene.figures[member.id]
    rank = book.rank[member.rank]
    own = book.origin.get(member.origin or "")
    origin = own.name.said(language) if own else ""
    learns = book.teaches(scene.roster.settings)
    points_left = points_allowed(book, figure) - sum(member.points.values())
    if receipt is None:
        receipt = member_rating(book, scene.roster, member)
    return Card(
        id=member.id,
        name=member.name,
        shown_name=member.name or rank.name.said(language),
        rank=rank.name.said(language),
        origin="" if origin == _origin(scene, language) else origin,
        squad=member.squad,
        squad_name=(book.squad_name or SQUAD).said(language),
        profession=book.profession[member.profession].name.said(language)
        if member.profession
        else "",
        calling=_calling(scene, member, language),
        stats=tuple(
            stats.stat(score, member, points_left, language) for score in profile.scores.values()
        ),
        points_left=points_left,
        traits=tuple(_words(book.trait[key], language) for key in member.traits),
        gained=tuple(_words(trait, language) for trait in profile.gained),
        items=tuple(
            item_line(scene, owned.key, language, owned.id, amount)
            for owned, amount in zip(member.items, _item_prices(scene, member), strict=True)
        ),
        afflictions=_ailments(scene, member, language),
        places=_places(scene, member),
        rating=receipt.total,
        receipt=_receipt(receipt, language),
        experience=member.experience_at_rank,
        experience_name=book.experience_name.said(language) if learns else "",
        experience_most=rank.experience,
        games=member.games,
        taken_out=member.taken_out,
        notes=member.notes,
        life=stats.boxes(profile.scores[book.life]) if book.life in profile.scores else (),
        findings=tuple(found),
    )


def _origin(scene: Scene, language: str) -> str:
    """Where the gang itself is from."""
    key = scene.roster.settings.get(scene.book.origin_setting or "")
    row = scene.book.origin.get(str(key))
    return row.name.said(language) if row else ""


def _origin_name(scene: Scene, language: str) -> str:
    row = scene.book.setting.get(scene.book.origin_setting or "")
    return row.name.said(language) if row else ""


def _gone(scene: Scene, departed: Departed, language: str) -> Gone:
    book, member = scene.book, departed.member
    # He may have been of a rank that a newer version of the rules no longer has.
    known = book.rank.get(member.rank)
    rank = known.name.said(language) if known else member.rank
    ways = {row.key: row for row in book.campaign.departures}
    way = ways.get(departed.fate)
    how = way.name.said(language) if way else ""
    hire = hire_price(book, scene.roster, departed)
    return Gone(member.id, member.name or rank, rank, departed.fate, how, hire)


def _ailments(scene: Scene, member: Member, language: str) -> tuple[Ailment, ...]:
    rows = scene.book.condition
    return tuple(
        Ailment(
            suffered.condition,
            rows[suffered.condition].name.said(language),
            rows[suffered.condition].text.said(language),
            scene.book.cites_house(rows[suffered.condition]),
            games=suffered.games_left,
            against=suffered.against,
            held=rows[suffered.condition].holds,
        )
        for suffered in member.afflictions
    )


def _item_prices(scene: Scene, member: Member) -> list[Points]:
    """What each of the member's items comes to for him."""
    book, roster = scene.book, scene.roster
    if not book.adjustments:
        return [book.item[owned.key].price for owned in member.items]
    figure = scene.figures[member.id]
    lines = price(book, roster.settings, figure, playing=roster.playing).lines
    return [line.amount for line in lines[1 + len(member.traits) :]]


def item_line(
    scene: Scene, key: str, language: str, owned: int = 0, amount: Points | None = None
) -> ItemLine:
    """Draw one item in ``language``; ``owned``: its number, if somebody has it; ``amount``: what it
    comes to, if that is not its list price."""
    item = scene.book.item[key]
    group = scene.book.group[item.group]
    return ItemLine(
        id=owned,
        key=item.key,
        name=item.name.said(language),
        group=group.name.said(language),
        price=item.price if amount is None else amount,
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


def _places(scene: Scene, member: Member) -> tuple[int, int] | None:
    for limit in scene.book.limits:
        if isinstance(limit, CarriedLimit):
            allowed = scene.profiles[member.id].natural(limit.characteristic)
            return places_taken(scene.book, member), allowed
    return None


def _receipt(receipt: Receipt, language: str) -> tuple[AmountLine, ...]:
    return tuple(AmountLine(line.name.said(language), line.amount) for line in receipt.lines)
