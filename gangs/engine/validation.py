"""Findings: everything validation has to say about a gang, each with whom it concerns.

The rulebook's limits say what is checked, under which code and with which words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gangs.member_checks import Values, member_values
from gangs.refusal import Refusal
from gangs.roster import Member, Roster
from gangs.scene import Scene
from rules.book import Book
from rules.costing import Points, whole
from rules.limits import (
    CarriedLimit,
    CountLimit,
    HighestLimit,
    ItemsLimit,
    Limit,
    MemberLimit,
    PurseLimit,
    Severity,
    ShareLimit,
    SquadLimit,
)
from rules.schema import Item
from rules.selecting import EVERYBODY, picks
from rules.vocabulary import Selector, Text, applies

ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True)
class Finding:
    """One thing to say. ``members``: the ids of those it concerns; none: the gang as a whole."""

    code: str
    severity: Severity
    text: Text
    members: tuple[int, ...] = ()
    values: Values = field(default_factory=dict)

    def said(self, language: str) -> str:
        """The sentence in ``language``, with its values filled in."""
        return filled(self.text, self.values, language)


def filled(text: Text, values: Values, language: str) -> str:
    """A limit's sentence in ``language``, with its values filled in."""
    said = {
        key: value.said(language) if isinstance(value, Text) else value
        for key, value in values.items()
    }
    return text.said(language).format_map(said)


def findings(book: Book, roster: Roster, scene: Scene | None = None) -> tuple[Finding, ...]:
    """Everything there is to say about ``roster``, most serious first."""
    scene = scene or Scene.of(book, roster)
    found = [finding for limit in in_force(scene) for finding in check(scene, limit)]
    return tuple(sorted(found, key=lambda finding: ORDER[finding.severity]))


def in_force(scene: Scene) -> Iterator[Limit]:
    """The limits that apply to the gang, by its settings and by whether it has played."""
    phase = "playing" if scene.roster.playing else "founding"
    for limit in scene.book.limits:
        if limit.phase in (None, phase) and applies(limit.when, scene.roster.settings):
            yield limit


def severity(scene: Scene, limit: Limit) -> Severity:
    """How grave it is to go beyond the limit, now."""
    return limit.later if scene.roster.playing and limit.later else limit.severity


def chosen(scene: Scene, selector: Selector) -> list[Member]:
    """The members that ``selector`` picks, among those who count."""
    return [
        member for member in scene.counted if picks(scene.book, selector, scene.figures[member.id])
    ]


def places_taken(book: Book, member: Member) -> int:
    """How many places the member's items take."""
    return sum(book.group[book.item[owned.key].group].slots for owned in member.items)


def recruits_left(book: Book, roster: Roster) -> int | None:
    """How many more may be recruited before the next game; None: as many as one likes."""
    recruiting = book.campaign.recruiting
    if recruiting is None or recruiting.cap is None or not roster.playing:
        return None
    match roster.settings.get(recruiting.cap):
        case "session":
            return max(0, roster.first_size - roster.recruits_since_game)
        case "total":
            return max(0, roster.first_size - roster.recruits_since_start)
        case "size":
            return max(0, roster.first_size - len(roster.members))
    return None


def places_left(scene: Scene) -> int | None:
    """How many more there is room for: by what may be recruited now, and by how many a gang may
    have; None: as many as one likes."""
    recruits = recruits_left(scene.book, scene.roster)
    left = [] if recruits is None else [recruits]
    left += [
        max(0, limit.maximum - len(scene.counted))
        for limit in in_force(scene)
        if isinstance(limit, CountLimit)
        and limit.maximum is not None
        and limit.of == EVERYBODY
        and severity(scene, limit) == "error"
    ]
    return min(left, default=None)


def quota_left(book: Book, roster: Roster, rank: str) -> int | None:
    """How many more of this rank may be recruited before the next game; None: no quota."""
    recruiting = book.campaign.recruiting
    if recruiting is None or not roster.playing:
        return None
    left = [
        quota.most - sum(key in quota.ranks for key in roster.ranks_since_game)
        for quota in recruiting.quotas
        if rank in quota.ranks
    ]
    return max(0, min(left)) if left else None


def never_recruited(book: Book) -> set[str]:
    """The ranks that nobody may be recruited as once the gang has played."""
    quotas = book.campaign.recruiting.quotas if book.campaign.recruiting else ()
    return {rank for quota in quotas if quota.most == 0 for rank in quota.ranks}


def wanted_items(scene: Scene, limit: ItemsLimit, keys: Iterable[str]) -> list[Item]:
    """Those of the items that the limit counts."""
    rows = [scene.book.item[key] for key in keys]
    return [
        row
        for row in rows
        if (not limit.groups or row.group in limit.groups)
        and (not limit.item_tags or not row.tags.isdisjoint(limit.item_tags))
    ]


def measured(limit: ItemsLimit, rows: Iterable[Item]) -> int:
    """What the limit compares: how many items, or how many hands they need."""
    if limit.measure == "hands":
        return sum(row.hands or 0 for row in rows)
    return len(list(rows))


def check(scene: Scene, limit: Limit) -> Iterator[Finding]:
    """What one limit has to say."""
    match limit:
        case CountLimit():
            yield from _count(scene, limit)
        case ShareLimit():
            yield from _share(scene, limit)
        case HighestLimit():
            yield from _highest(scene, limit)
        case ItemsLimit():
            yield from _items(scene, limit)
        case CarriedLimit():
            yield from _carried(scene, limit)
        case SquadLimit():
            yield from _squads(scene, limit)
        case PurseLimit():
            yield from _purse(scene, limit)
        case MemberLimit():
            for member in scene.counted:
                for values in member_values(scene, limit, member):
                    yield _finding(scene, limit, values, [member])


def _finding(scene: Scene, limit: Limit, values: Values, members: Sequence[Member] = ()) -> Finding:
    if len(members) == 1:
        values = {"name": called(scene.book, members[0]), **values}
    ids = tuple(member.id for member in members)
    return Finding(limit.code, severity(scene, limit), limit.text, ids, values)


def forbidden(limit: CountLimit | ItemsLimit, count: int, **values: str | Text) -> Refusal:
    """Why not even one is allowed, in the words of the limit that says so; ``count``: how many
    there would be."""
    given: Values = {"count": count, "minimum": limit.minimum, "maximum": 0, **values}
    english, french = (filled(limit.text, given, language) for language in ("en", "fr"))
    return Refusal("not_allowed", why=Text(en=english, fr=french))


def called(book: Book, member: Member) -> str | Text:
    """A member’s name, or his rank if he has none."""
    return member.name or book.rank[member.rank].name


def _count(scene: Scene, limit: CountLimit) -> Iterator[Finding]:
    members = chosen(scene, limit.of)
    maximum = limit.maximum
    for step in limit.maximum_by_size:
        if len(scene.counted) <= step.size:
            maximum = step.maximum
            break
    count = len(members)
    if count < limit.minimum or (maximum is not None and count > maximum):
        values: Values = {
            "count": count,
            "minimum": limit.minimum,
            "maximum": count if maximum is None else maximum,
        }
        too_many = maximum is not None and count > maximum and limit.of != EVERYBODY
        yield _finding(scene, limit, values, members if too_many else [])


def _share(scene: Scene, limit: ShareLimit) -> Iterator[Finding]:
    count = len(chosen(scene, limit.of))
    among = len(chosen(scene, limit.among))
    if count * limit.whole < among * limit.part:
        needed = -(-among * limit.part // limit.whole)
        yield _finding(scene, limit, {"count": count, "among": among, "needed": needed})


def _highest(scene: Scene, limit: HighestLimit) -> Iterator[Finding]:
    order = [rank.key for rank in scene.book.ranks]
    ranks = [order.index(member.rank) for member in scene.counted]
    for member in chosen(scene, limit.of):
        if order.index(member.rank) > min(ranks):
            rank = scene.book.rank[order[min(ranks)]].name
            yield _finding(scene, limit, {"rank": rank}, [member])


def _items(scene: Scene, limit: ItemsLimit) -> Iterator[Finding]:
    members = chosen(scene, limit.of)
    if limit.per == "member":
        for member in members:
            keys = [owned.key for owned in member.items]
            count = measured(limit, wanted_items(scene, limit, keys))
            if not _within(limit, count):
                yield _finding(scene, limit, _bounds(limit, count), [member])
        return
    keys = [owned.key for member in members for owned in member.items]
    if limit.of == EVERYBODY:
        keys += [owned.key for owned in scene.roster.stash]
    rows = wanted_items(scene, limit, keys)
    if limit.per == "gang":
        count = measured(limit, rows)
        if not _within(limit, count):
            yield _finding(scene, limit, _bounds(limit, count))
        return
    for key in dict.fromkeys(row.key for row in rows):
        row = scene.book.item[key]
        count = measured(limit, [other for other in rows if other.key == key])
        if not _within(limit, count):
            yield _finding(scene, limit, {"item": row.name, **_bounds(limit, count)})


def _bounds(limit: ItemsLimit, count: int) -> Values:
    maximum = count if limit.maximum is None else limit.maximum
    return {"count": count, "minimum": limit.minimum, "maximum": maximum}


def _within(limit: ItemsLimit, count: int) -> bool:
    return limit.minimum <= count and (limit.maximum is None or count <= limit.maximum)


def _carried(scene: Scene, limit: CarriedLimit) -> Iterator[Finding]:
    for member in scene.counted:
        places = places_taken(scene.book, member)
        allowed = scene.profiles[member.id].natural(limit.characteristic)
        if places > allowed:
            yield _finding(scene, limit, {"count": places, "maximum": allowed}, [member])


def _squads(scene: Scene, limit: SquadLimit) -> Iterator[Finding]:
    """Every squad, by its name, of members whose rank acts in squads."""
    squads: dict[tuple[str, str], list[Member]] = {}
    for member in scene.counted:
        if scene.book.rank[member.rank].squad is not None and member.squad:
            squads.setdefault((member.rank, member.squad), []).append(member)
    for (rank, name), members in squads.items():
        size = scene.book.rank[rank].squad
        if size is not None and not size.minimum <= len(members) <= size.maximum:
            values: Values = {
                "squad": name,
                "count": len(members),
                "minimum": size.minimum,
                "maximum": size.maximum,
            }
            yield _finding(scene, limit, values, members)


def _purse(scene: Scene, limit: PurseLimit) -> Iterator[Finding]:
    roster, left = scene.roster, scene.left
    if roster.playing:
        # What the founding cost too much is never forgotten; what is left of its budget is lost.
        amount = {"debt": -roster.treasury, "overspent": roster.overspent}.get(limit.kind, 0)
        budget: Points = scene.book.budget(roster.settings) or 0
    elif left is not None:
        amount = {"unspent": left, "overspent": -left}.get(limit.kind, 0)
        budget = whole(left + scene.price)
    else:
        return
    if amount > 0:
        yield _finding(scene, limit, {"amount": amount, "budget": budget})
