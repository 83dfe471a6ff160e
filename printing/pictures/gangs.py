"""A gang or one of its members as a picture to save, and the page that offers it in two shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from accounts.language import rules_language
from common.forms import number
from gangs.access import own_gang, shared_gang_or_404
from gangs.cards.cache import page_of
from gangs.cards.sheet import member_worth
from gangs.cards.values import Card, Page
from gangs.models import Gang
from gangs.pages.sheet import describe_worth
from gangs.pictures import faces, storage
from gangs.text.formats import with_unit
from printing.paper import orders
from printing.pictures import answers
from printing.pictures.gang_link import face_of
from printing.pictures.values import (
    SIZES,
    Face,
    Named,
    Notes,
    People,
    Preview,
    Shape,
    Values,
    as_shape,
)

SHAPES: Mapping[Shape, Promise] = {
    "wide": gettext_lazy("Wide, for chats and links"),
    "tall": gettext_lazy("Tall, for phones"),
}


class Offered(NamedTuple):
    """A picture on the page. ``address``: of the file; ``name``: to save it under."""

    words: str
    address: str
    name: str
    width: int
    height: int


def show_pictures(
    request: HttpRequest, subject: Model, title: str, back: str, address: Callable[[Shape], str]
) -> HttpResponse:
    """Show the page with both shapes of a picture. ``subject``: the gang or campaign in it;
    ``address``: of the picture in a shape."""
    name = slugify(title) or "picture"
    offered = [
        Offered(str(words), address(shape), f"{name}-{shape}.png", *SIZES[shape])
        for shape, words in SHAPES.items()
    ]
    context = {"subject": subject, "title": title, "back": back, "offered": offered}
    return render(request, "printing/pictures/save.html", context)


@own_gang(require_safe)
def pictures(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Offer pictures of one's own gang, or of ``?member=``."""

    def address(shape: Shape) -> str:
        return reverse("gangs:saved-picture", args=[gang.pk, shape])

    return _page(request, gang, gang.get_absolute_url(), address)


@login_not_required
@require_safe
def shared_pictures(request: HttpRequest, key: str) -> HttpResponse:
    """Offer pictures of a shared gang, or of ``?member=``."""
    found = shared_gang_or_404(key)

    def address(shape: Shape) -> str:
        return reverse("gangs:shared-saved-picture", args=[key, shape])

    response = _page(request, found, reverse("gangs:shared", args=[key]), address)
    response["X-Robots-Tag"] = "noindex"
    return response


@own_gang(require_safe)
def picture(request: HttpRequest, gang: Gang, shape: str) -> HttpResponseBase:
    """Return a picture of one's own gang, or of ``?member=``."""
    return _picture(request, gang, as_shape(shape))


@login_not_required
@require_safe
def shared_picture(request: HttpRequest, key: str, shape: str) -> HttpResponseBase:
    """Return a picture of a shared gang, or of ``?member=``, to any reader with the link."""
    return _picture(request, shared_gang_or_404(key), as_shape(shape))


def _page(
    request: HttpRequest, gang: Gang, back: str, address: Callable[[Shape], str]
) -> HttpResponse:
    card = _asked_card(request, gang)
    if card is None:
        return show_pictures(request, gang, gang.name, back, address)
    query = f"?member={card.id}"
    return show_pictures(request, gang, card.shown_name, back, lambda shape: address(shape) + query)


def _picture(request: HttpRequest, gang: Gang, shape: Shape) -> HttpResponseBase:
    card = _asked_card(request, gang)
    shown = (gang.pk, gang.version, gang.book_version_id, sorted(gang.pictures.items()))
    which = (shape, card.id if card else None, rules_language(), settings.SITE_NAME)
    key = orders.key("saved picture", "gang", *shown, *which)

    def make() -> Preview:
        return picture_of(gang, shape) if card is None else picture_of_member(gang, card, shape)

    return answers.answer(request, key, make)


def _asked_card(request: HttpRequest, gang: Gang) -> Card | None:
    """Return the card of ``?member=``, None if the address has none. Raises Http404."""
    if "member" not in request.GET:
        return None
    card = page_of(gang).card(number(request.GET["member"]) or 0)
    if card is None:
        raise Http404
    return card


def picture_of(gang: Gang, shape: Shape) -> Preview:
    """Return the contents of a gang's picture: its members with their equipment."""
    page = page_of(gang)
    purses = [with_unit(purse.amount, purse.unit) for purse in page.purses if purse.amount]
    return _preview(
        gang,
        shape,
        title=gang.name,
        above=gang.book.title.translated(rules_language()),
        facts=" · ".join(filter(None, (page.origin, describe_worth(gang), *purses))),
        badge=face_of(gang, None, faces.face_of_gang(str(gang.pk), gang.name)),
        blocks=[People([_row(gang, page, card) for card in page.cards])],
    )


def _row(gang: Gang, page: Page, card: Card) -> Named:
    text = " · ".join(filter(None, (card.standing, ", ".join(item.name for item in card.kit))))
    worth = with_unit(card.rating, page.rating_unit) if page.rating_name else ""
    return Named(_face(gang, card, storage.SMALL), card.shown_name, text, worth)


def picture_of_member(gang: Gang, card: Card, shape: Shape) -> Preview:
    """Return the contents of a member's picture: portrait, characteristics, abilities, items."""
    page = page_of(gang)
    lines = [
        (_("Abilities"), ", ".join(dict.fromkeys(_abilities(card)))),
        (_("Items"), ", ".join(item.name for item in card.kit)),
        (_("Conditions"), ", ".join(text.name for text in card.afflictions)),
        (_("Career"), _career(card)),
    ]
    values = Values([(stat.short, stat.value) for stat in card.stats])
    return _preview(
        gang,
        shape,
        title=card.shown_name,
        above=gang.name,
        facts=" · ".join(filter(None, (card.placed, member_worth(page, card)))),
        badge=_face(gang, card, storage.LARGE),
        blocks=[values, Notes([(label, text) for label, text in lines if text])],
        is_portrait=True,
    )


def _abilities(card: Card) -> Iterator[str]:
    """Yield the names of a member's abilities, without those in the line below their name."""
    names = (text.name for text in card.abilities)
    yield from (name for name in names if name not in (card.rank, card.profession))


def _career(card: Card) -> str:
    """Return the games and enemies of a member in words; "" before their first game."""
    if not card.games:
        return ""
    games = ngettext("%(count)s game", "%(count)s games", card.games) % {"count": card.games}
    out = ngettext(
        "%(count)s enemy out of action", "%(count)s enemies out of action", card.taken_out
    )
    parts = (games, out % {"count": card.taken_out} if card.taken_out else "", card.learned)
    return " · ".join(filter(None, parts))


def _preview(gang: Gang, shape: Shape, **content: object) -> Preview:
    look = gang.book.look
    return Preview(
        **content,  # type: ignore[arg-type]
        foot=settings.SITE_NAME,
        emblem=look.emblem,
        accent=look.accent.dark,
        shape=shape,
    )


def _face(gang: Gang, card: Card, size: int) -> Face:
    letters = faces.face_of_member(str(gang.pk), card.id, card.shown_name)
    return face_of(gang, card.id, letters, size)
