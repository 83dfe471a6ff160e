"""The parts of a builder page: summary, recruiting, findings, the stash and the open card.

Each is written once for as long as the gang stays as it is, with the marks of its parts: a page,
the answer to a change and the comparison with what the reader had before share it. What differs
from request to request stands in it as a sign (``parts.placed``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from accounts.language import rules_language
from common.cache import Cache
from gangs.builder.fields import fields_html
from gangs.builder.forms import MemberForm, PointsForm, RecruitForm
from gangs.builder.offer_lines import (
    Family,
    Search,
    archetype_offers,
    item_offers,
    trait_offers,
)
from gangs.builder.parts import SIGNS, in_one_line
from gangs.cards.cache import MOST_GANGS
from gangs.cards.values import Card, Page
from gangs.engine.computed import ComputedGang
from gangs.models import Gang
from gangs.pictures.storage import name_of

ChangeForm = RecruitForm | MemberForm | PointsForm
# Where a session says that pickers show odds.
ODDS = "picker_odds"
# So many traits on offer are shown without being asked for.
FEW_TRAITS = 12
# Each takes some ten kilobytes, a card with its picker up to eighty.
_kept: Cache[str] = Cache(3 * MOST_GANGS)


def panel(
    name: str,
    context: Mapping[str, Any],
    about: Hashable = (),
    more: Callable[[], Mapping[str, Any]] = dict,
) -> str:
    """A template of a gang, with marks and signs. ``context``: what all of a page's templates have;
    ``more``: what this one needs besides; ``about``: what it depends on besides the gang, None if
    it is not to be kept."""

    def written(_last: str | None) -> str:
        marked = {"parted": True, "oob": False}
        return in_one_line(render_to_string(name, {**context, **SIGNS, **marked, **more()}))

    # Whoever works on the project sees what they changed.
    if about is None or settings.DEBUG:
        return written(None)
    gang: Gang = context["gang"]
    state = gang.version, gang.book_version_id, gang.snapshot
    return _kept.get((gang.pk, name, rules_language(), about), state, written)


def recruiting(
    context: Mapping[str, Any], computed: ComputedGang, rank: str, typed: RecruitForm | None
) -> str:
    """Who can be recruited. ``rank``: one that is chosen already, if it is on offer; ``typed``: the
    form to show again."""

    def more() -> dict[str, Any]:
        form = typed or RecruitForm(computed)
        form.propose(rank)
        archetypes = archetype_offers(computed, form.on_offer)
        return {"recruit_fields": fields_html(form), "archetypes": archetypes}

    about = None if typed or rank else ()
    return panel("gangs/builder/_recruit.html", context, about, more)


@dataclass(frozen=True)
class Opened:
    """The card that is open on a page: whose, and as it is written."""

    id: int
    html: str


@dataclass(frozen=True)
class OpenCard:
    """What an open card needs beyond the card itself.

    ``points``: those to spread, if there are any; ``takers``: to whom things can be handed;
    ``offers``: the picker as it is written, "" while it is closed.
    """

    id: int
    fields: SafeString
    points: PointsForm | None
    has_trait: bool
    traits: tuple[Family, ...]
    takers: tuple[tuple[int, str], ...]
    first: bool
    last: bool
    offers: SafeString

    @property
    def trait_to_choose(self) -> bool:
        """Whether the traits are shown without being asked for: the first of a few."""
        lines = [line for family in self.traits for line in family.offers]
        free = any(not line.refusal for line in lines)
        return not self.has_trait and len(lines) <= FEW_TRAITS and free

    @property
    def no_trait(self) -> str:
        """Why none of the traits can be had, if that is the same for all: said before the list."""
        refusals = {family.refusal for family in self.traits}
        return refusals.pop() if len(refusals) == 1 else ""


def open_card(
    request: HttpRequest,
    context: Mapping[str, Any],
    computed: ComputedGang,
    member: int,
    *,
    form: ChangeForm | None = None,
    search: Search | None = None,
    error: str = "",
) -> Opened | None:
    """The open card of a member, None if they are gone. ``search``: what is looked at in their
    picker, which is open then; ``form``: what was typed into it; ``error``: why it was refused."""
    card = context["page"].card(member)
    if card is None:
        return None
    kept = not form and not error and (search is None or _is_kept(request, search))
    picture = name_of(context["gang"], member)
    about = (member, search, picture, request.user.is_authenticated) if kept else None

    def more() -> dict[str, Any]:
        opened = _opened(request, context, computed, card, form, search)
        return {"card": card, "opened": opened, "error": error, "user": request.user}

    return Opened(member, panel("gangs/builder/_card.html", context, about, more))


def _opened(
    request: HttpRequest,
    context: Mapping[str, Any],
    computed: ComputedGang,
    card: Card,
    form: ChangeForm | None,
    search: Search | None,
) -> OpenCard:
    page: Page = context["page"]
    member = card.id
    typed = form if isinstance(form, MemberForm) else None
    spread = form if isinstance(form, PointsForm) else None
    subject = computed.roster.member(member)
    return OpenCard(
        id=member,
        fields=fields_html(typed or MemberForm(computed, subject)),
        points=(spread or PointsForm(card, computed.book)) if card.spreads_points else None,
        has_trait=bool(subject.traits),
        traits=trait_offers(computed, subject),
        takers=tuple((other.id, other.shown_name) for other in page.cards if other.id != member),
        first=page.cards[0].id == member,
        last=page.cards[-1].id == member,
        offers=mark_safe("")
        if search is None
        else picker(request, context, computed, member, search),
    )


def picker(
    request: HttpRequest,
    context: Mapping[str, Any],
    computed: ComputedGang,
    member: int | None,
    search: Search,
) -> SafeString:
    """The items on offer to a member, or for the stash."""

    def more() -> dict[str, Any]:
        holder = None if member is None else computed.roster.member(member)
        offers = item_offers(computed, holder, search, odds=shows_odds(request))
        card = None if member is None else context["page"].card(member)
        gang = context["gang"].pk
        address = (
            reverse("gangs:stash", args=[gang])
            if member is None
            else reverse("gangs:items", args=[gang, member])
        )
        return {"card": card, "search": search, "address": address, "offers": offers}

    about = (member, search) if _is_kept(request, search) else None
    return mark_safe(panel("gangs/builder/_offers.html", context, about, more))


def _is_kept(request: HttpRequest, search: Search) -> bool:
    """Whether a picker stays as it is: odds that take long are worked out a few at a time, and of
    words there are too many."""
    return not search.words and not shows_odds(request)


def shows_odds(request: HttpRequest) -> bool:
    """Whether the reader wants odds in pickers."""
    return bool(request.session.get(ODDS))
