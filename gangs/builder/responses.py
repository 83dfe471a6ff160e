"""The builder's desk: a gang drawn for its owner, and the answers to his changes.

A change answers with what it changed: with htmx only the cards that differ and the summary bar,
otherwise the whole page.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.http import actor
from gangs import holds, ledger, offers, saying
from gangs.access import INVITATION
from gangs.cards import Card, ItemLine, Page
from gangs.drawing import item_line
from gangs.drawn import page_of, scene_of
from gangs.entries import Entry
from gangs.forms import MemberForm, RecruitForm, form_token, version_seen
from gangs.models import Gang
from gangs.refusal import Refusal
from gangs.roster import Member
from gangs.scene import Scene
from gangs.wording import language, refusal_sentence, spoken

Decision = Callable[[Scene, int], list[Entry]]
OK = 200
CONFLICT = 409
INVALID = 422
# So many traits on offer are shown without being asked for.
FEW_TRAITS = 12


def desk(
    request: HttpRequest,
    gang: Gang,
    *,
    opened: int | None = None,
    error: str = "",
    recruit_form: RecruitForm | None = None,
    member_form: MemberForm | None = None,
    wanted: str | None = None,
) -> dict[str, Any]:
    """Everything the builder page needs. ``opened``: the member whose card is open, and ``wanted``:
    what is searched for in his picker; ``error``: why the last change was refused, shown where it
    was tried."""
    scene = scene_of(gang)
    page = page_of(gang)
    return {
        "gang": gang,
        "book": gang.book,
        "base": gang.get_absolute_url(),
        "page": page,
        "state": form_state(request, gang),
        "opened": open_card(scene, page, opened, member_form, wanted) if opened else None,
        "error": error,
        "recruit_form": recruit_form or RecruitForm(scene, fresh=not page.cards),
        "guest": not request.user.is_authenticated,
        "invitation": None if scene.roster.campaigns else request.session.get(INVITATION),
        "campaigns": scene.roster.campaigns,
        "htmx": bool(getattr(request, "htmx", False)),
    }


def form_state(request: HttpRequest, gang: Gang) -> SafeString:
    """What every form of a page carries: the page's tokens, and the gang's version it shows."""
    return format_html(
        '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
        '<input type="hidden" name="version" value="{}">'
        '<input type="hidden" name="token" value="{}">',
        get_token(request),
        gang.version,
        uuid.uuid4().hex,
    )


def open_card(
    scene: Scene,
    page: Page,
    member: int,
    form: MemberForm | None = None,
    wanted: str | None = None,
) -> dict[str, Any] | None:
    """What an open card needs beyond the card itself; None if the member is gone.

    ``wanted``: what is searched for in the picker; None while the picker is closed.
    """
    card = page.card(member)
    if card is None:
        return None
    subject = scene.roster.member(member)
    if form is None:
        form = MemberForm(scene, subject)
    traits = trait_lines(scene, subject)
    lines = [line for family in traits for line in family["offers"]]
    return {
        "id": member,
        "form": form,
        "traits": traits,
        # The first of a few is shown without being asked for; that there is none is said at once.
        "trait_to_choose": not subject.traits
        and len(lines) <= FEW_TRAITS
        and any(not line["refusal"] for line in lines),
        "no_trait": _shared(line["refusal"] for line in lines) if lines else "",
        "takers": [(other.id, other.shown_name) for other in page.cards if other.id != member],
        "first": page.cards[0].id == member,
        "last": page.cards[-1].id == member,
        "wanted": wanted,
        "offers": None if wanted is None else item_lines(scene, subject, wanted),
    }


def trait_lines(scene: Scene, member: Member) -> list[dict[str, Any]]:
    """The traits on offer for a member, in words, by family; what keeps all of a family from him
    is said once, as the family's ``refusal``."""
    families: dict[str, list[dict[str, Any]]] = {}
    for offer in offers.traits(scene, member):
        if offer.row.key not in member.traits:
            line = {
                "key": offer.row.key,
                "name": spoken(offer.row.name),
                "text": spoken(offer.row.text),
                **_remarks(offer),
            }
            family = spoken(offer.row.family) if offer.row.family else ""
            families.setdefault(family, []).append(line)
    return [
        {"name": name, "offers": lines, "refusal": _shared(line["refusal"] for line in lines)}
        for name, lines in families.items()
    ]


def _shared(refusals: Iterable[str]) -> str:
    """What all say, if they all say the same."""
    said = set(refusals)
    return said.pop() if len(said) == 1 else ""


def item_lines(scene: Scene, member: Member | None, wanted: str) -> dict[str, Any]:
    """The items on offer whose name or group holds ``wanted``, in words: those that can be had by
    group, and the others by what stands against them. Once the budget is used up, that is said
    once."""
    free: dict[str, list[dict[str, Any]]] = {}
    refused: dict[str, list[dict[str, Any]]] = {}
    cautions = []
    for offer in offers.items(scene, member):
        line: ItemLine = item_line(scene, offer.row.key, language())
        if wanted.casefold() not in f"{line.name} {line.group}".casefold():
            continue
        drawn = {"line": line, **_remarks(offer)}
        if offer.refusal:
            refused.setdefault(drawn["refusal"], []).append(drawn)
        else:
            free.setdefault(line.group, []).append(drawn)
            cautions.append(offer.caution.code if offer.caution else "")
    over = len(cautions) > 1 and set(cautions) == {"over_budget"}
    return {
        "free": list(free.items()),
        "refused": list(refused.items()),
        "refused_count": sum(map(len, refused.values())),
        "caution": _("Everything here goes over the budget.") if over else "",
    }


def _remarks(offer: offers.Offer[Any]) -> dict[str, Any]:
    return {
        "price": offer.price,
        "refusal": refusal_sentence(offer.refusal) if offer.refusal else "",
        "caution": refusal_sentence(offer.caution) if offer.caution else "",
    }


def change(
    request: HttpRequest,
    gang: Gang,
    decide: Decision,
    *,
    opened: int | None = None,
    wanted: str | None = None,
) -> HttpResponse:
    """Carry out a decision about ``gang`` and answer with what changed, and with a word about it.

    ``decide`` gets the scene and the number of the next entry; a Refusal of its is shown in words.
    """
    # Only an answer that tells the difference needs the page as it was.
    before = page_of(gang) if getattr(request, "htmx", False) else None
    outcome = attempt(request, gang, decide)
    return answer(request, gang, before, outcome, opened=opened, wanted=wanted)


@dataclass(frozen=True)
class Outcome:
    """What came of a change. ``error``: the words of a refusal; ``said``: what was done."""

    error: str = ""
    status: int = OK
    said: str = ""


def attempt(request: HttpRequest, gang: Gang, decide: Decision) -> Outcome:
    """Try to append what ``decide`` says."""
    try:
        entries = decide(scene_of(gang), gang.last_seq + 1)
        holds.check(gang, entries)
        said = saying.done(gang.book, gang.roster, entries)
        ledger.append(
            gang,
            entries,
            seen=version_seen(request),
            actor=actor(request),
            token=form_token(request.POST, request.path),
        )
    except Refusal as refusal:
        # A second click finds the thing already done, and may be refused for that very reason.
        if ledger.was_written(gang, form_token(request.POST, request.path)):
            return Outcome()
        return Outcome(refusal_sentence(refusal), INVALID)
    except ledger.Stale:
        gang.refresh_from_db()
        return Outcome(stale_sentence(), CONFLICT)
    return Outcome(said=said)


def stale_sentence() -> str:
    """Why a change on an old page was not made."""
    return _(
        "This gang was changed elsewhere in the meantime. Nothing was overwritten: here it is as it"
        " stands now, so look and try again."
    )


def answer(
    request: HttpRequest,
    gang: Gang,
    before: Page | None,
    outcome: Outcome,
    *,
    opened: int | None = None,
    recruit_form: RecruitForm | None = None,
    member_form: MemberForm | None = None,
    wanted: str | None = None,
) -> HttpResponse:
    """The page after a change, or with htmx what differs from the page ``before``, needed there.

    The forms are those to show again with what was typed; an open picker stays open.
    """
    htmx = getattr(request, "htmx", False)
    if outcome.status == OK and not htmx:
        if outcome.said:
            messages.success(request, outcome.said)
        return redirect(place(gang, opened))
    if wanted is None and "q" in request.POST:
        wanted = searched(request.POST)
    context = desk(
        request,
        gang,
        opened=opened,
        error=outcome.error,
        recruit_form=recruit_form,
        member_form=member_form,
        wanted=wanted,
    )
    if not htmx:
        return render(request, "gangs/builder.html", context, status=outcome.status)
    assert before is not None
    context["changed"] = difference(before, context["page"], opened)
    context["done"] = outcome.said
    return render(request, "gangs/changed.html", context, status=outcome.status)


def searched(data: QueryDict) -> str:
    """What is searched for in the picker."""
    return data.get("q", "").strip()[:80]


def difference(before: Page, after: Page, opened: int | None) -> dict[str, Any]:
    """Which cards to send again. A new order of the same members means all of them."""
    old = {card.id: card for card in before.cards}
    new_ids = [card.id for card in after.cards]
    kept = [card.id for card in before.cards if card.id in new_ids]
    added = [card for card in after.cards if card.id not in old]
    if (
        [card.id for card in after.cards if card.id in old] != kept
        or (added and new_ids[: len(kept)] != kept)
        or not before.cards
        or not after.cards
    ):
        return {"all": True, "added": added}
    changed: list[Card] = [
        card
        for card in after.cards
        if card.id in old and (card != old[card.id] or card.id == opened)
    ]
    return {
        "all": False,
        "cards": changed,
        "added": added,
        "removed": [member for member in old if member not in new_ids],
        # What is in the stash can be handed to everybody by name.
        "stash": before.stash != after.stash
        or (bool(after.stash) and _names(before) != _names(after)),
    }


def _names(page: Page) -> list[tuple[int, str]]:
    return [(card.id, card.shown_name) for card in page.cards]


def place(gang: Gang, opened: int | None) -> str:
    """The address of the builder with a card open."""
    base = gang.get_absolute_url()
    return f"{base}?open={opened}#member-{opened}" if opened else base
