"""Parts of a builder page that need more data than the gang's cards: the recruiting panel, open
cards and pickers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from common.errors import Refusal
from common.forms import number
from gangs.builder.forms import MemberForm, PointsForm, RecruitForm
from gangs.builder.offer_lines import (
    ArchetypeLine,
    Family,
    Picker,
    Search,
    archetype_offers,
    item_offers,
    trait_offers,
)
from gangs.cards.cache import computed_gang, page_of
from gangs.cards.task_lines import TaskLine
from gangs.cards.values import Card
from gangs.engine import holdings
from gangs.engine.actions import MOST_AT_ONCE, recruit_alike
from gangs.engine.computed import ComputedGang
from gangs.engine.groups import TRIED
from gangs.models import Gang
from gangs.text.formats import localize, refusal_sentence, say_price
from rules.engine.costing import Points

ChangeForm = RecruitForm | MemberForm | PointsForm
# The session's key for whether pickers show odds.
ODDS = "picker_odds"
# A card shows up to this many traits on offer without a click.
FEW_TRAITS = 12


@dataclass(frozen=True)
class Filling:
    """As many of one complete recruit as a new gang still needs. ``price``: for all of them."""

    count: int
    line: ArchetypeLine
    price: Points


@dataclass(frozen=True)
class Recruiting:
    """The recruiting panel: its form, and the complete recruits on offer; ``filling``: all at once
    that the gang still needs, if it needs several."""

    form: RecruitForm
    archetypes: tuple[ArchetypeLine, ...]
    filling: Filling | None

    @property
    def affordable(self) -> list[ArchetypeLine]:
        """The complete recruits that the gang has the money for."""
        return [one for one in self.archetypes if not one.is_dear]

    @property
    def dear(self) -> list[ArchetypeLine]:
        """The other complete recruits."""
        return [one for one in self.archetypes if one.is_dear]


def recruiting(gang: Gang, rank: str, typed: RecruitForm | None) -> Recruiting:
    """The panel; ``rank``: preselected if it is on offer; ``typed``: the form to show again."""
    computed = computed_gang(gang)
    form = typed or RecruitForm(computed)
    form.propose(rank)
    offers = archetype_offers(computed, form.on_offer)
    return Recruiting(form, offers, _filling(page_of(gang).tasks, offers, computed))


def _filling(
    tasks: Iterable[TaskLine], offers: Sequence[ArchetypeLine], computed: ComputedGang
) -> Filling | None:
    """The cheapest complete recruits for the first task that needs several; None without one. Of
    equal ones the last, as rulebooks name leaders first."""
    recruits = (task for task in tasks if task.kind == "recruit" and not task.done)
    task = next(recruits, None)
    count = task.need - task.have if task is not None and not task.is_stuck else 0
    if task is None or not 1 < count <= MOST_AT_ONCE:
        return None
    fitting = [
        one
        for one in offers
        if not one.caution
        and (not task.rank or one.rank_key == task.rank)
        and (computed.left is None or one.price * count <= computed.left)
    ]
    for _place, line in sorted(enumerate(fitting), key=lambda row: (row[1].price, -row[0])):
        try:
            recruit_alike(computed, line.key, count, TRIED)
        except Refusal:
            continue
        return Filling(count, line, line.price * count)
    return None


@dataclass(frozen=True)
class HoldingOffer:
    """A holding on offer. ``has_name``: the players name it; ``remark``: the reason against it, ""
    without one; ``is_refused``: it cannot be taken; ``says``: the price in words."""

    key: str
    name: str
    text: str
    price: Points
    has_name: bool
    remark: str
    is_refused: bool
    says: str


def holding_offers(gang: Gang) -> list[HoldingOffer]:
    """The holdings that the gang could take, for the panel."""
    if not gang.book.holdings:
        return []
    return [
        HoldingOffer(
            key=offer.row.key,
            name=localize(offer.row.name),
            text=localize(offer.row.text) if offer.row.text else "",
            price=offer.price,
            has_name=offer.row.named,
            remark=refusal_sentence(remark) if (remark := offer.refusal or offer.caution) else "",
            is_refused=offer.refusal is not None,
            says=say_price(gang.book, offer.price, offer.costs),
        )
        for offer in holdings.offers(computed_gang(gang))
    ]


@dataclass(frozen=True)
class OpenPicker:
    """A picker: its address, the search in it, and the items on offer."""

    address: str
    search: Search
    offers: Picker


@dataclass(frozen=True)
class OpenCard:
    """The contents of an open card, apart from the card itself.

    ``points``: the form to spread points, None if there are none; ``takers``: the members who can
    take items over; ``picker``: None while it is closed; ``error``: why the last change was
    refused.
    """

    form: MemberForm
    points: PointsForm | None
    has_trait: bool
    traits: tuple[Family, ...]
    takers: tuple[tuple[int, str], ...]
    is_first: bool
    is_last: bool
    picker: OpenPicker | None
    error: str

    @property
    def trait_to_choose(self) -> bool:
        """Whether the card shows the traits without a click: the member has none, and few are on
        offer."""
        lines = [line for family in self.traits for line in family.offers]
        free = any(not line.refusal for line in lines)
        return not self.has_trait and len(lines) <= FEW_TRAITS and free

    @property
    def no_trait(self) -> str:
        """The reason why the member can have no trait, if there is only one; shown above the
        list."""
        refusals = {family.refusal for family in self.traits}
        return refusals.pop() if len(refusals) == 1 else ""


def open_card(
    request: HttpRequest,
    gang: Gang,
    card: Card,
    search: Search | None = None,
    *,
    form: ChangeForm | None = None,
    error: str = "",
) -> OpenCard:
    """The open card of a member. ``search``: the search in their picker, None while it is closed;
    ``form``: one to show again with the user's input."""
    computed, cards = computed_gang(gang), page_of(gang).cards
    subject = computed.roster.member(card.id)
    points = form if isinstance(form, PointsForm) else PointsForm(card, computed.book)
    return OpenCard(
        form=form if isinstance(form, MemberForm) else MemberForm(computed, subject),
        points=points if card.spreads_points else None,
        has_trait=bool(subject.traits),
        traits=trait_offers(computed, subject),
        takers=tuple((other.id, _taker_name(other)) for other in cards if other.id != card.id),
        is_first=cards[0].id == card.id,
        is_last=cards[-1].id == card.id,
        picker=None if search is None else open_picker(request, gang, card.id, search),
        error=error,
    )


def _taker_name(card: Card) -> str:
    """A member's name in the list of who may get an item; for a member without a name, the rank and
    the first item."""
    if card.name or not card.kit:
        return card.shown_name
    return f"{card.shown_name} · {card.kit[0].name}"


def open_picker(request: HttpRequest, gang: Gang, member: int | None, search: Search) -> OpenPicker:
    """The picker of a member, or of the stash."""
    computed = computed_gang(gang)
    holder = None if member is None else computed.roster.member(member)
    address = (
        reverse("gangs:stash", args=[gang.pk])
        if member is None
        else reverse("gangs:items", args=[gang.pk, member])
    )
    odds = bool(request.session.get(ODDS))
    return OpenPicker(address, search, item_offers(computed, holder, search, odds=odds))


def read_search(data: QueryDict) -> Search:
    """Read the search from a picker's form."""
    return _search(data.get("q", ""), data.get("kind", ""))


def read_open_cards(request: HttpRequest, opened: int | None) -> Mapping[int, Search | None]:
    """The members whose cards stay open, each with the search in their picker, None while it is
    closed.

    A page with scripts names all its open cards, "7" or "7:kind:words"; without scripts only the
    card of the pressed button, or the one in the address, is open, ``opened``.
    """
    found: dict[int, Search | None] = {}
    for text in (request.POST or request.GET).getlist("open"):
        member, *looking = text.split(":", 2)
        if (key := number(member)) is not None:
            found[key] = _search(looking[1], looking[0]) if len(looking) == 2 else None
    if opened is not None and found.get(opened) is None:
        in_picker = {"q", "buy"} & request.POST.keys()
        found[opened] = read_search(request.POST) if in_picker else None
    return found


def _search(words: str, kind: str) -> Search:
    return Search(words.strip()[:80], kind)
