"""Findings: breaches of the rulebook's limits in a gang, each with the members concerned.

Each limit has its own code and its own words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Literal, cast

from common.errors import Refusal
from gangs.engine.belonging import why_not_owner
from gangs.engine.computed import ComputedGang
from gangs.engine.purses import balance
from gangs.engine.roster import Member, OwnedItem, Roster
from gangs.engine.shelf import find_most, find_unlisted
from rules.book import limits
from rules.book.limits import Severity
from rules.book.model import Book, Rules
from rules.book.schema import Item, Trait, find_excluded
from rules.book.vocabulary import Row, Selector, Text, applies, is_now, name_of
from rules.engine.costing import Points, whole
from rules.engine.figure import EVERYBODY, Figure, all_traits, picks
from rules.engine.profiles import excess_level

Values = dict[str, int | float | str | Text]
ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
# The values in a limit's sentence, and the members concerned; none: the gang as a whole.
Breaches = Iterator[tuple[Values, list[Member]]]


@dataclass(frozen=True)
class Finding:
    """One breach of a limit. ``members``: the ids of the members concerned; none: the gang as a
    whole. ``missing``: something is not there yet, rather than forbidden. ``of_gang``: it is about
    the gang as a whole, though it may concern only one member. ``sort``: whether pages show it as a
    mere remark about unspent money, or as a reward to use, whatever its severity."""

    code: str
    severity: Severity
    text: Text
    members: tuple[int, ...] = ()
    values: Values = field(default_factory=dict)
    missing: bool = False
    of_gang: bool = False
    sort: Literal["breach", "unspent", "reward"] = "breach"

    @property
    def own(self) -> int | None:
        """The only member that it is about; None if it is about several, or the gang."""
        return self.members[0] if len(self.members) == 1 and not self.of_gang else None

    @property
    def sentence(self) -> Text:
        """The limit's sentence with its values."""
        return self.text.filled(self.values)

    def translated(self, language: str) -> str:
        """The sentence in ``language``, with its values filled in."""
        return self.sentence.translated(language)


def findings(
    book: Book, roster: Roster, computed: ComputedGang | None = None
) -> tuple[Finding, ...]:
    """All findings about ``roster``, most serious first."""
    computed = computed or ComputedGang.of(book, roster)
    in_question = limits_of(computed, limits.LimitRow)
    found = [finding for limit in in_question for finding in check(computed, limit)]
    return tuple(sorted(found, key=lambda finding: ORDER[finding.severity]))


def limits_of[L: limits.LimitRow](computed: ComputedGang, kind: type[L]) -> Iterator[L]:
    """The limits of a kind that apply to the gang, by its settings and by whether it has played."""
    playing = computed.roster.playing
    for limit in computed.rules.limits_of(kind):
        if is_now(limit.phase, playing=playing):
            yield limit


def severity(computed: ComputedGang, limit: limits.LimitRow) -> Severity:
    """The present severity of going beyond the limit."""
    return limit.later if computed.roster.playing and limit.later else limit.severity


def choose_members(computed: ComputedGang, selector: Selector) -> list[Member]:
    """The members that ``selector`` picks, among those who count."""
    return [
        member
        for member in computed.counted
        if picks(computed.book, selector, computed.figures[member.id])
    ]


def places_taken(book: Book, member: Member) -> int:
    """How many places the member's items take."""
    return sum(book.group[book.item[owned.key].group].slots for owned in member.items)


def recruits_left(book: Book, roster: Roster) -> int | None:
    """How many more may be recruited before the next game; None: no maximum."""
    recruiting = book.campaign.recruiting
    if recruiting is None or recruiting.cap is None or not roster.playing:
        return None
    counted = {
        "session": roster.recruits_since_game,
        "total": roster.recruits_since_start,
        "size": len(roster.members),
    }.get(str(roster.settings.get(recruiting.cap)))
    return None if counted is None else max(0, roster.first_size - counted)


def places_left(computed: ComputedGang) -> int | None:
    """How many more members the limits on recruits and on the gang's size allow; None: no
    maximum."""
    recruits = recruits_left(computed.book, computed.roster)
    left = [] if recruits is None else [recruits]
    left += [
        max(0, limit.maximum - len(computed.counted))
        for limit in limits_of(computed, limits.CountLimit)
        if limit.maximum is not None
        and limit.of == EVERYBODY
        and severity(computed, limit) == "error"
    ]
    return min(left, default=None)


def find_crowding(
    computed: ComputedGang, figure: Figure, count: int = 1
) -> tuple[limits.CountLimit, int] | None:
    """The first limit that forbids recruiting ``count`` such members, and the number that it
    allows.
    """
    for limit in limits_of(computed, limits.CountLimit):
        if severity(computed, limit) != "error" or not picks(computed.book, limit.of, figure):
            continue
        maximum = _maximum(limit, len(computed.counted) + count)
        if maximum is not None and len(choose_members(computed, limit.of)) + count > maximum:
            return limit, maximum
    return None


def _maximum(limit: limits.CountLimit, size: int) -> int | None:
    """The maximum of a limit in a gang of this size."""
    steps = (step.maximum for step in limit.maximum_by_size if size <= step.size)
    return next(steps, limit.maximum)


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


def wanted_items(
    computed: ComputedGang, limit: limits.ItemsLimit, keys: Iterable[str]
) -> list[Item]:
    """The items with these keys that the limit counts."""
    rows = (computed.book.item[key] for key in keys)
    return [row for row in rows if counts_item(limit, row)]


def counts_item(limit: limits.ItemsLimit, item: Item) -> bool:
    """Whether the limit counts an item."""
    return (not limit.groups or item.group in limit.groups) and (
        not limit.item_tags or not item.tags.isdisjoint(limit.item_tags)
    )


def measure_limit(limit: limits.ItemsLimit, rows: Iterable[Item]) -> int:
    """The value that the limit compares: the number of items, or of hands that they need."""
    if limit.measure == "hands":
        return sum(row.hands or 0 for row in rows)
    return len(list(rows))


def count_holdings(computed: ComputedGang, limit: limits.HoldingsLimit) -> int:
    """The number of the gang's holdings that the limit counts."""
    return sum(counts_holding(limit, held.key) for held in computed.roster.holdings)


def counts_holding(limit: limits.HoldingsLimit, key: str) -> bool:
    """Whether the limit counts a holding."""
    return not limit.holdings or key in limit.holdings


def counts_trait(limit: limits.TraitsLimit, trait: Trait) -> bool:
    """Whether the limit counts a trait."""
    return not limit.trait_tags or not trait.tags.isdisjoint(limit.trait_tags)


def count_traits(book: Book, limit: limits.TraitsLimit, figures: Iterable[Figure]) -> int:
    """The number of traits of these members that the limit counts."""
    keys = (key for figure in figures for key in all_traits(book, figure))
    return sum(counts_trait(limit, book.trait[key]) for key in keys)


def has_too_many_traits(
    computed: ComputedGang, limit: limits.TraitsLimit, figure: Figure, member: int | None = None
) -> bool:
    """Whether a gang with somebody like ``figure`` is beyond a limit: a recruit, or the ``member``
    after a change."""
    if limit.maximum is None or not picks(computed.book, limit.of, figure):
        return False
    figures = [figure]
    if limit.per == "gang":
        others = choose_members(computed, limit.of)
        figures += [computed.figures[one.id] for one in others if one.id != member]
    return count_traits(computed.book, limit, figures) > limit.maximum


def find_forbidding(
    limit: limits.CountLimit | limits.ItemsLimit | limits.TraitsLimit | limits.HoldingsLimit,
    count: int,
    **values: str | Text,
) -> Refusal:
    """A refusal, worded by a limit that allows no such member; ``count``: the number there would
    be.
    """
    return refuse_by(limit, count=count, minimum=limit.minimum, maximum=0, **values)


def refuse_by(limit: limits.LimitRow, **values: float | str | Text) -> Refusal:
    """A refusal, or a caution, in the words of a limit."""
    return Refusal("not_allowed", why=limit.text.filled(values))


def check(computed: ComputedGang, limit: limits.LimitRow) -> Iterator[Finding]:
    """The findings by one limit."""
    for values, members in breaches(limit, computed):
        name: Values = {}
        if len(members) == 1:
            name = {"name": members[0].name_or_rank(computed.book)}
        ids = tuple(member.id for member in members)
        gravity = severity(computed, limit)
        # Nobody has to act on a note.
        missing = gravity != "note" and _is_missing(limit, values, members)
        sort = _sort(limit, playing=computed.roster.playing)
        about_gang = _is_of_gang(limit)
        yield Finding(
            limit.code, gravity, limit.text, ids, name | values, missing, about_gang, sort
        )


def _sort(limit: limits.LimitRow, *, playing: bool) -> Literal["breach", "unspent", "reward"]:
    if isinstance(limit, limits.PurseLimit) and limit.kind == "unspent":
        return "unspent"
    # Once a gang plays, members get points by advancing.
    if isinstance(limit, limits.MemberLimit) and limit.kind == "points_left" and playing:
        return "reward"
    return "breach"


def _is_of_gang(limit: limits.LimitRow) -> bool:
    """Whether a limit is on the whole gang, or on a group in it, rather than on each member."""
    if isinstance(limit, limits.ItemsLimit | limits.TraitsLimit):
        return limit.per != "member"
    return isinstance(
        limit,
        limits.CountLimit
        | limits.ShareLimit
        | limits.SquadLimit
        | limits.PurseLimit
        | limits.HoldingsLimit,
    )


def _is_missing(limit: limits.LimitRow, values: Values, members: list[Member]) -> bool:
    """Whether a breach is that there is too little of something."""
    match limit:
        case (
            limits.CountLimit(minimum=minimum)
            | limits.ItemsLimit(minimum=minimum, per="member" | "gang")
            | limits.TraitsLimit(minimum=minimum)
            | limits.HoldingsLimit(minimum=minimum)
        ):
            return cast(int, values["count"]) < minimum
        case limits.MemberLimit(kind="profession"):
            return members[0].profession is None
        case limits.MemberLimit(kind=kind):
            return kind in ("points_left", "unnamed")
        case _:
            return isinstance(limit, limits.ShareLimit)


@singledispatch
def breaches(limit: limits.LimitRow, computed: ComputedGang) -> Breaches:
    """The breaches of a limit in the gang: every kind of limit registers its check."""
    raise NotImplementedError(limit.code)


def _outside(count: int, minimum: int, maximum: int | None) -> Values:
    """The values for a sentence about too few or too many; empty if it is neither."""
    if count >= minimum and (maximum is None or count <= maximum):
        return {}
    return {"count": count, "minimum": minimum, "maximum": count if maximum is None else maximum}


@breaches.register
def _(limit: limits.CountLimit, computed: ComputedGang) -> Breaches:
    members = choose_members(computed, limit.of)
    maximum = _maximum(limit, len(computed.counted))
    if values := _outside(len(members), limit.minimum, maximum):
        too_many = maximum is not None and len(members) > maximum and limit.of != EVERYBODY
        yield values, members if too_many else []


@breaches.register
def _(limit: limits.ShareLimit, computed: ComputedGang) -> Breaches:
    count = len(choose_members(computed, limit.of))
    among = len(choose_members(computed, limit.among))
    if count * limit.whole < among * limit.part:
        needed = -(-among * limit.part // limit.whole)
        yield {"count": count, "among": among, "needed": needed}, []


@breaches.register
def _(limit: limits.HighestLimit, computed: ComputedGang) -> Breaches:
    order = [rank.key for rank in computed.book.ranks]
    ranks = [order.index(member.rank) for member in computed.counted]
    for member in choose_members(computed, limit.of):
        if order.index(member.rank) > min(ranks):
            yield {"rank": computed.book.rank[order[min(ranks)]].name}, [member]


@breaches.register
def _(limit: limits.ItemsLimit, computed: ComputedGang) -> Breaches:
    """Count each member's items, all of the gang's, or the copies of each item."""
    members = choose_members(computed, limit.of)
    counted: list[tuple[list[Item], Values, list[Member]]]
    if limit.per == "member":
        counted = [(_wanted_of(computed, limit, [member]), {}, [member]) for member in members]
    else:
        rows = items_of(computed, limit, members)
        counted = [(rows, {}, [])]
        if limit.per == "copies":
            kinds = {row.key: row for row in rows}.values()
            counted = [
                ([other for other in rows if other is row], {"item": row.name}, []) for row in kinds
            ]
    for rows, item, holders in counted:
        if values := _outside(measure_limit(limit, rows), limit.minimum, limit.maximum):
            yield item | values, holders


def items_of(computed: ComputedGang, limit: limits.ItemsLimit, members: list[Member]) -> list[Item]:
    """The items that a limit on the whole gang counts: the items of ``members``, whom it picks, and
    the stash if it picks everybody.
    """
    rows = _wanted_of(computed, limit, members)
    if limit.of == EVERYBODY:
        rows += wanted_items(computed, limit, (owned.key for owned in computed.roster.stash))
    return rows


def _wanted_of(
    computed: ComputedGang, limit: limits.ItemsLimit, members: list[Member]
) -> list[Item]:
    keys = (owned.key for member in members for owned in member.items)
    return wanted_items(computed, limit, keys)


@breaches.register
def _(limit: limits.TraitsLimit, computed: ComputedGang) -> Breaches:
    members = choose_members(computed, limit.of)
    groups = [[member] for member in members] if limit.per == "member" else [members]
    for group in groups:
        figures = (computed.figures[member.id] for member in group)
        count = count_traits(computed.book, limit, figures)
        if values := _outside(count, limit.minimum, limit.maximum):
            yield values, group if limit.per == "member" else []


@breaches.register
def _(limit: limits.HoldingsLimit, computed: ComputedGang) -> Breaches:
    count = count_holdings(computed, limit)
    if values := _outside(count, limit.minimum, limit.maximum):
        yield values, []


@breaches.register
def _(limit: limits.CarriedLimit, computed: ComputedGang) -> Breaches:
    for member in computed.counted:
        places = places_taken(computed.book, member)
        allowed = computed.profiles[member.id].natural(limit.characteristic)
        if places > allowed:
            yield {"count": places, "maximum": allowed}, [member]


@breaches.register
def _(limit: limits.SquadLimit, computed: ComputedGang) -> Breaches:
    """Check the size of every squad, for ranks that act in squads."""
    squads: dict[tuple[str, str], list[Member]] = {}
    for member in computed.counted:
        if member.squad:
            squads.setdefault((member.rank, member.squad), []).append(member)
    for (rank, name), members in squads.items():
        size = computed.book.rank[rank].squad
        if size and (values := _outside(len(members), size.minimum, size.maximum)):
            yield {"squad": name, **values}, members


@breaches.register
def _(limit: limits.PurseLimit, computed: ComputedGang) -> Breaches:
    if limit.currency is not None:
        left_of_it = balance(computed.book, computed.roster).get(limit.currency, 0)
        if left_of_it < 0:
            yield {"amount": -left_of_it}, []
        return
    roster, left = computed.roster, computed.left
    if roster.playing:
        # Overspending at the founding stays a breach; money left of that budget is lost.
        amount = {"debt": -roster.treasury, "overspent": roster.overspent}.get(limit.kind, 0)
        budget: Points = computed.rules.budget or 0
    elif left is not None:
        amount = {"unspent": left, "overspent": -left}.get(limit.kind, 0)
        budget = whole(left + computed.price)
    else:
        return
    if amount > 0:
        yield {"amount": amount, "budget": budget}, []


@breaches.register
def _(limit: limits.MemberLimit, computed: ComputedGang) -> Breaches:
    for member in computed.counted:
        for values in _member_values(computed, limit.kind, member):
            yield values, [member]


def _member_values(computed: ComputedGang, kind: str, member: Member) -> Iterator[Values]:
    """The values of each finding that a check of this ``kind`` has about ``member``."""
    book = computed.book
    rank = book.rank[member.rank]
    match kind:
        case "level":
            yield from _levels(computed, member)
        case "points_over" | "points_left":
            left = computed.points_left(member)
            if left < 0 if kind == "points_over" else left > 0:
                spread = sum(member.points.values())
                yield {"count": spread, "maximum": spread + left, "left": left}
        case "range":
            yield from _ranges(computed, member)
        case "traits":
            maximum = rank.maximum_traits
            count = sum(book.trait[key].counted for key in member.traits)
            if maximum is not None and count > maximum:
                yield {"count": count, "maximum": maximum}
        case "repeated":
            often = Counter(sorted(all_traits(book, computed.figures[member.id])))
            for key in (key for key in often if often[key] > book.trait[key].most):
                yield {"trait": book.trait[key].name}
        case "profession":
            if (rank.profession == "required") != (member.profession is not None):
                yield {}
        case "unnamed":
            if not member.name:
                yield {}
        case "group":
            yield from _groups(book, member)
            yield from _copies(computed, member)
        case "unavailable":
            yield from _unavailable(computed, member)
        case "unfit":
            yield from _unfit(computed, member)
        case "owner":
            owner = computed.roster.owner(member)
            if rank.belongs_to is not None and (
                owner is None or why_not_owner(book, computed.roster, rank, owner, member=member.id)
            ):
                yield {"rank": rank.name}
        case "unlisted":
            figure, playing = computed.figures[member.id], computed.roster.playing
            for item in find_unlisted(computed.rules, figure, playing=playing):
                yield {"what": item.name}


def may_have_again(book: Book, figure: Figure, trait: Trait) -> bool:
    """Whether a member has a trait less often than they may."""
    return all_traits(book, figure).count(trait.key) < trait.most


def why_not_trait(book: Book, figure: Figure, trait: Trait) -> Iterator[Refusal]:
    """The reasons why a member cannot learn a trait."""
    rank, known = book.rank[figure.rank], all_traits(book, figure)
    if not may_have_again(book, figure, trait):
        most = trait.most
        yield Refusal("has_it") if most == 1 else Refusal("has_it_often", maximum=most)
    lacking = next((key for key in trait.requires if key not in known), None)
    if lacking is not None:
        yield Refusal("requires", trait=book.trait[lacking].name)
    other = find_excluded(trait, (book.trait[key] for key in known))
    if other is not None:
        yield Refusal("excluded", other=other.name)
    # Traits of the rank leave room for as many others.
    count = sum(book.trait[key].counted for key in figure.traits)
    if trait.counted and rank.maximum_traits is not None and count >= rank.maximum_traits:
        yield Refusal("traits_full", maximum=rank.maximum_traits, rank=rank.name)


def why_not_item(rules: Rules, figure: Figure, item: Item, *, playing: bool) -> Refusal | None:
    """Why a member cannot have one more of an item: they have as many items of its group, or as
    many of this one, as they may, or one that rules it out."""
    group = rules.book.group[item.group]
    count = sum(rules.book.item[key].group == group.key for key in figure.items)
    if group.most_per_member is not None and count >= group.most_per_member:
        return Refusal("group_full", maximum=group.most_per_member, group=group.name)
    most = find_most(rules, figure, item, playing=playing)
    if most is not None and figure.items.count(item.key) >= most:
        return Refusal("group_full", maximum=most, group=item.name)
    other = find_excluded(item, (rules.book.item[key] for key in figure.items))
    return None if other is None else Refusal("excluded", other=other.name)


def _levels(computed: ComputedGang, member: Member) -> Iterator[Values]:
    book = computed.book
    figure = computed.figures[member.id]
    profile = computed.profiles[member.id]
    for key in dict.fromkeys(owned.key for owned in member.items):
        item = book.item[key]
        against = book.group[item.group].level_against
        excess = excess_level(book, figure, profile, item)
        if against is not None and excess:
            yield {
                "item": item.name,
                "level": item.level or 0,
                "value": profile.number(against),
                "excess": excess,
            }


def level_too_high(computed: ComputedGang, member: Member, item: Item) -> Refusal | None:
    """Why an item is too hard to handle for a member, in the words of the limit on levels."""
    for limit in limits_of(computed, limits.MemberLimit):
        if limit.kind == "level":
            one = member.model_copy(update={"items": (OwnedItem(id=0, key=item.key),)})
            for values in _levels(computed, one):
                return refuse_by(limit, name=member.name_or_rank(computed.book), **values)
    return None


def _ranges(computed: ComputedGang, member: Member) -> Iterator[Values]:
    for score in computed.profiles[member.id].scores.values():
        row = score.characteristic
        if row.kind != "number" or not isinstance(score.natural, int):
            continue
        if not row.minimum <= score.natural <= row.maximum:
            yield {
                "characteristic": row.name,
                "value": score.natural,
                "minimum": row.minimum,
                "maximum": row.maximum,
            }


def _groups(book: Book, member: Member) -> Iterator[Values]:
    for group in book.groups:
        maximum = group.most_per_member
        count = sum(book.item[owned.key].group == group.key for owned in member.items)
        if maximum is not None and count > maximum:
            yield {"group": group.name, "count": count, "maximum": maximum}


def _copies(computed: ComputedGang, member: Member) -> Iterator[Values]:
    for key, count in Counter(owned.key for owned in member.items).items():
        item = computed.book.item[key]
        figure, playing = computed.figures[member.id], computed.roster.playing
        most = find_most(computed.rules, figure, item, playing=playing)
        if most is not None and count > most:
            yield {"group": item.name, "count": count, "maximum": most}


def _unavailable(computed: ComputedGang, member: Member) -> Iterator[Values]:
    book = computed.book
    rows: list[Row] = [book.rank[member.rank]]
    origin = computed.figures[member.id].origin
    if origin in book.origin:
        rows.append(book.origin[origin])
    rows += [book.trait[key] for key in member.traits]
    rows += [book.item[owned.key] for owned in member.items]
    if member.profession:
        rows.append(book.profession[member.profession])
    for row in rows:
        if row.status == "banned" or not applies(row.when, computed.roster.settings):
            yield {"what": row.name}


def _unfit(computed: ComputedGang, member: Member) -> Iterator[Values]:
    book = computed.book
    known = set(all_traits(book, computed.figures[member.id]))
    for key in member.traits:
        trait = book.trait[key]
        if (
            not set(trait.requires) <= known
            or trait.ranks
            and member.rank not in trait.ranks
            or find_excluded(trait, (book.trait[other] for other in known))
        ):
            yield {"what": trait.name}
    gangs = str(computed.roster.settings.get(book.origin_setting or ""))
    if member.origin not in (None, gangs) and book.keeps_origin(member.rank):
        yield {"what": name_of(book.origin, member.origin or "")}
    carried = [book.item[key] for key in dict.fromkeys(owned.key for owned in member.items)]
    for item in carried:
        if find_excluded(item, carried):
            yield {"what": item.name}
    if member.profession is not None:
        profession = book.profession[member.profession]
        if profession.ranks and member.rank not in profession.ranks:
            yield {"what": profession.name}
