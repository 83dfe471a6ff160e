"""Wanted posters: a member on a page to be put up on the wall, with what is said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from gangs.cards.render import render_member
from gangs.cards.values import Card
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member, Roster
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from gangs.prints.deeds import Season, captivities, day, deeds
from gangs.text.formats import fate_sentence, rating_unit, shown_name, with_unit
from printing import orders
from printing.measuring import MILLIMETRES, Face, Line, Run, fitting, fitting_name, wrapped
from printing.orders import HEIGHTS, WIDTHS, Order, Style
from printing.press import Job, picture_address
from rules.book.look import INK, mixed
from rules.book.model import Book
from rules.prints.page import BLACK, page_rules

# Millimetres: from the edge of the paper to the frame, and from the frame to what stands in it.
EDGE = 12.0
INSIDE = 9.0
FOOT = 8.0
# Points, the largest first; names and deeds take the largest with which all of it fits the page.
SHOUTS = (100, 92, 84, 76, 68, 60, 52, 44)
BELOW = (26, 22, 18, 14)
NAMES = (54, 48, 42, 36, 30, 26, 22, 18, 14, 12)
# A name above this size stays on one line.
ONE_LINE = 30
STANDING = 15
REWARD = 17
AMOUNTS = (48, 40, 32, 24, 18)
DEEDS = (16, 15, 14, 13, 12, 11, 10, 9, 8)
# Millimetres: how large the picture may be.
PICTURES = (92, 84, 76, 68, 60, 52, 44)
# How much of the picture's height an emblem takes, where there is no portrait.
EMBLEM = 0.7
LEADING = 1.25
TIGHT = 1.05
GAP = 3.0
# The paper of a poster in colour: what every look can be read on.
PAPER = "#f5efe3"


@dataclass(frozen=True)
class PostersOrder(Order):
    """How posters are wanted. ``members``: of whom, past or present; everybody present if none."""

    members: tuple[int, ...] = ()
    style: Style = "illustrated"


@dataclass(frozen=True)
class PosterText:
    """What a poster says."""

    shout: str
    below: str
    name: str
    standing: str
    reward: str = ""
    amount: str = ""
    deeds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Poster:
    """A poster: its words in lines as they were measured, with their sizes, which are CSS's."""

    text: PosterText
    name: str
    standing: str
    deeds: Sequence[str]
    portrait: str
    sizes: Mapping[str, str]


def key(gang: Gang, order: PostersOrder) -> str:
    """What identifies printed posters, known without drawing them."""
    names = pictures_storage.picture_names(gang)
    return orders.key("posters", gang.pk, gang.version, gang.book_version_id, order, names)


def job(gang: Gang, order: PostersOrder) -> Job:
    """The posters for the press."""
    roster = gang.roster
    portraits = pictures_storage.files_of(gang, (member.id for member in roster.everyone()))
    html = markup(gang.book, roster, order, Season.of(gang), portraits)
    return Job(html, ("fonts", "posters"), tuple(portraits.values()))


def markup(
    book: Book,
    roster: Roster,
    order: PostersOrder,
    season: Season,
    portraits: Mapping[int | None, str] | None = None,
) -> str:
    """The posters as HTML for the printer. Of a gang with nobody in it there is a blank one."""
    chosen = [member for member in roster.everyone() if member.id in order.members]
    posters = []
    for member in chosen or roster.members:
        file = (portraits or {}).get(member.id)
        text = _text(book, roster, member, season, order.language)
        posters.append(_laid_out(text, order, picture_address(file) if file else ""))
    if not posters:
        posters = [_laid_out(_blank(book), order, "")]
    look = book.look
    coloured = order.illustrated
    return render_to_string(
        "gangs/prints/posters.html",
        {
            "order": order,
            "posters": posters,
            "title": _("%(gang)s: wanted posters") % {"gang": roster.name},
            "measures": page_rules(
                order,
                look,
                background=PAPER if coloured else "#fff",
                ink=INK["light"] if coloured else BLACK,
                high=f"{HEIGHTS[order.paper] - 2 * EDGE - 0.5}mm",
            ),
            "corners": look.corners,
            "emblem": look.emblem,
            "emblem_colour": mixed(look.accent.light, PAPER, 0.85) if coloured else "none",
            "line": look.accent.light if coloured else "#000",
            "gang": roster.name,
            "book": book.title.translated(order.language),
        },
    )


# What is said ---------------------------------------------------------------------------------


def _text(book: Book, roster: Roster, member: Member, season: Season, language: str) -> PosterText:
    name, state = shown_name(book, member), _state(book, roster, member, season)
    if member.rank not in book.rank:
        # They left under rules that are no longer the gang's: what they were cannot be worked out.
        return PosterText(*state, name, roster.name)
    card = render_member(ComputedGang.of(book, roster, member), member, language)
    standing = " · ".join(filter(None, (card.standing, roster.name)))
    sentences = tuple(deeds(season, member, card, roster.name))
    return PosterText(*state, name, standing, *_reward(book, roster, card), sentences)


def _state(book: Book, roster: Roster, member: Member, season: Season) -> tuple[str, str]:
    """What is shouted, and what is said below it: by what became of them."""
    departed = next((gone for gone in roster.departed if gone.member.id == member.id), None)
    if departed is not None:
        if departed.fate == "dead":
            people = season.timeline.people
            person = next((person for person in people if person.id == member.id), None)
            if person is None or person.gone_at is None:
                return _("Wanted no more"), _("Dead: the hunt is over")
            return _("Wanted no more"), _("Died on %(day)s") % {"day": day(person.gone_at)}
        return _("Vanished"), fate_sentence(departed.fate, book)
    held = captivities(book)
    caught = [ailment for ailment in member.afflictions if ailment.condition in held]
    if caught:
        captor = caught[-1].against
        below = _("Held by %(gang)s") % {"gang": captor} if captor else _("Held under lock and key")
        return _("Caught"), below
    return _("Wanted"), _("Dead or alive")


def _reward(book: Book, roster: Roster, card: Card) -> tuple[str, str]:
    """What they are worth, in the game's own unit; thanks, where a game counts no worth."""
    if book.rating is None or card.rating <= 0:
        return _("Reward"), _("The thanks of all honest folk")
    gone = all(member.id != card.id for member in roster.members)
    label = _("Was worth") if gone else _("Reward")
    return label, with_unit(card.rating, rating_unit(book))


def _blank(book: Book) -> PosterText:
    amount = f"\u2026 {rating_unit(book)}"
    return PosterText(_("Wanted"), _("Dead or alive"), "\u00a0", "\u00a0", _("Reward"), amount)


# How it is set --------------------------------------------------------------------------------


def _laid_out(text: PosterText, order: Order, portrait: str) -> Poster:
    """A poster on which everything fits: the largest picture, then the largest letters."""
    room = WIDTHS[order.paper] - 2 * (EDGE + INSIDE)
    high = HEIGHTS[order.paper] - 2 * (EDGE + INSIDE) - FOOT
    shout = fitting(text.shout.upper(), SHOUTS, room)
    below = fitting(text.below, BELOW, room)
    amount = fitting(text.amount, AMOUNTS, room)
    name_size, name = fitting_name(text.name, NAMES, room, ONE_LINE)
    fixed = _high(1, shout, 1) + _high(len(_lines(text.below, below, room, "title")), below)
    fixed += _high(len(name), name_size, TIGHT)
    fixed += _high(len(_lines(text.standing, STANDING, room)), STANDING)
    fixed += _high(1, REWARD) + _high(
        len(_lines(text.amount, amount, room, "title")), amount, TIGHT
    )
    fixed += 6 * GAP
    picture, size, left = _sizes(text.deeds, room, high - fixed)
    gap = GAP + min(max(left, 0) / 7, 4)
    return Poster(
        text,
        _joined(name),
        _joined(_lines(text.standing, STANDING, room)),
        [_joined(_lines(deed, size, room)) for deed in text.deeds],
        portrait,
        {
            "shout": f"{shout}pt",
            "below": f"{below}pt",
            "name": f"{name_size}pt",
            "amount": f"{amount}pt",
            "deeds": f"{size}pt",
            "picture": f"{picture}mm",
            "emblem": f"{picture * EMBLEM:.1f}mm",
            "above": f"{picture * (1 - EMBLEM) / 2 - 3:.1f}mm",
            "gap": f"{gap:.1f}mm",
        },
    )


def _sizes(sentences: Sequence[str], room: float, free: float) -> tuple[float, float, float]:
    """The sizes of the picture and of the deeds' letters, and how much room is left."""
    left = 0.0
    for size in DEEDS:
        lines = sum(len(_lines(deed, size, room)) for deed in sentences)
        text = _high(lines, size) + len(sentences)
        # Large letters are worth a smaller picture, but not a tiny one.
        for picture in PICTURES:
            left = free - text - picture
            if left >= 0:
                return picture, size, left
    return PICTURES[-1], DEEDS[-1], left


def _lines(text: str, size: float, room: float, face: Face = "plain") -> list[Line]:
    return wrapped([Run(text, face)], size, room)


def _joined(lines: Sequence[Line]) -> str:
    return "\n".join("".join(run.text for run in line) for line in lines)


def _high(lines: int, size: float, leading: float = LEADING) -> float:
    return lines * size * leading * MILLIMETRES
