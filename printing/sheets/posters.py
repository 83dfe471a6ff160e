"""Print wanted posters: one page for each member, to put up on the wall."""

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
from gangs.text.formats import fate_sentence, rating_unit, shown_name, with_unit
from printing.paper import orders
from printing.paper.orders import HEIGHTS, WIDTHS, Order, Style
from printing.paper.page import BLACK, ornament, page_rules
from printing.paper.scenery import emblem_picture
from printing.press.jobs import Job, picture_address
from printing.sheets.deeds import Season, captivities, day, deeds
from rules.book.look import INK
from rules.book.model import Book
from typesetting.measuring import even_out, fitting, fitting_name, join_lines, lines_height

# Millimetres: from the edge of the paper to the frame, which no printer needs to leave white, and
# from the frame to its content. The other sizes here are those of print/posters.css.
EDGE = 12.0
INSIDE = 10.0
FOOT = 5.0
ORNAMENT = 12.0
# Millimetres that a blank poster takes beside its empty picture.
WRITING = 164.0
# Points, the largest first; names and deeds take the largest size at which everything fits the
# page.
SHOUTS = (104, 96, 88, 80, 72, 64, 56, 48, 40)
BELOW = (24, 21, 18, 15, 12)
# A blank poster needs more room for writing.
BLANK_SHOUTS = (92, *SHOUTS[2:])
BLANK_BELOW = BELOW[1:]
NAMES = (60, 54, 48, 42, 36, 30, 26, 22, 18, 14, 12)
UNDER_NAME = 1.0
# A name above this size stays on one line.
ONE_LINE = 30
STANDING = 14
REWARD = 14
AMOUNTS = (40, 34, 28, 24, 20, 16, 12)
DEEDS = (19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8)
# Millimetres: the sizes that the picture may have.
PICTURES = (130, 124, 118, 112, 106, 100, 94, 88, 82, 76, 70, 64, 58, 52, 46)
# Letters shrink before the picture gets smaller than this.
LARGE_PICTURE = 94
TIGHT, FLAT = 1.05, 0.86
# How much wider spaced capitals are.
SPACED = 1.16
# Millimetres between the parts, and the number of gaps.
GAP, GAPS = 2.5, 5
# The paper within the frame of a poster in colour: every look is legible on it.
PAPER = "#f5efe3"
STYLES = ("fonts", "posters")
# The most blank posters in one order.
MOST_BLANKS = 10


@dataclass(frozen=True)
class PostersOrder(Order):
    """Options of a print of posters. ``members``: the members to print, past or present. Without
    any, and without ``blanks`` to fill in by hand, everybody present gets one.
    """

    members: tuple[int, ...] = ()
    blanks: int = 0
    style: Style = "illustrated"


@dataclass(frozen=True)
class PosterText:
    """The words of a poster. On a blank one, ``name`` and ``deeds`` are lines to write on."""

    shout: str
    below: str
    name: str
    standing: str
    reward: str = ""
    amount: str = ""
    deeds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Poster:
    """A poster with its words in measured lines. ``sizes`` are in CSS units; ``portrait``: the
    address of the member's picture, "" if there is none.
    """

    text: PosterText
    name: str
    standing: str
    deeds: Sequence[str]
    portrait: str
    sizes: Mapping[str, str]


def key(gang: Gang, order: PostersOrder) -> str:
    """Return the key of printed posters, without drawing them."""
    names = pictures_storage.picture_names(gang)
    return orders.key("posters", gang.pk, gang.version, gang.book_version_id, order, names)


def job(gang: Gang, order: PostersOrder) -> Job:
    """Return the posters for the press."""
    roster = gang.roster
    portraits = pictures_storage.files_of(gang, (member.id for member in roster.everyone()))
    html = markup(gang.book, roster, order, Season.of(gang), portraits)
    return Job(html, STYLES, tuple(portraits.values()))


def markup(
    book: Book,
    roster: Roster,
    order: PostersOrder,
    season: Season,
    portraits: Mapping[int | None, str] | None = None,
) -> str:
    """Return the posters as HTML for the printer. A gang without members gets a blank one."""
    chosen = [member for member in roster.everyone() if member.id in order.members]
    posters = []
    for member in chosen or (() if order.blanks else roster.members):
        file = (portraits or {}).get(member.id)
        text = _text(book, roster, member, season, order.language)
        posters.append(_laid_out(text, order, picture_address(file) if file else ""))
    blanks = order.blanks if posters or order.blanks else 1
    blank = _blank(book)
    room = _room(order)
    look = book.look
    return render_to_string(
        "printing/sheets/posters.html",
        {
            "order": order,
            "posters": posters,
            "blank": blank,
            "blanks": range(blanks),
            "title": _("%(gang)s: wanted posters") % {"gang": roster.name},
            "measures": page_rules(
                order,
                look,
                ground=PAPER if order.illustrated else "#fff",
                ink=INK["light"] if order.illustrated else BLACK,
                high=f"{HEIGHTS[order.paper] - 2 * EDGE - 0.5}mm",
                empty=f"{HEIGHTS[order.paper] - 2 * EDGE - WRITING}mm",
                shout=f"{fitting(blank.shout.upper(), BLANK_SHOUTS, room)}pt",
                below=f"{fitting(blank.below.upper(), BLANK_BELOW, room / SPACED)}pt",
                ornament=ornament(order, look),
            ),
            "corners": look.corners,
            "scenery": emblem_picture(order, look, book.title.translated(order.language)),
            "gang": roster.name,
            "book": book.title.translated(order.language),
        },
    )


# The words ------------------------------------------------------------------------------------


def _text(book: Book, roster: Roster, member: Member, season: Season, language: str) -> PosterText:
    name, state = shown_name(book, member), _state(book, roster, member, season)
    if member.rank not in book.rank:
        # The rules under which they left no longer apply to the gang, so their rank is unknown.
        return PosterText(*state, name, roster.name)
    card = render_member(ComputedGang.of(book, roster, member), member, language)
    standing = " · ".join(filter(None, (card.standing, roster.name)))
    told = tuple(deeds(season, member, name, roster.name))
    return PosterText(*state, name, standing, *_reward(book, roster, card), told)


def _state(book: Book, roster: Roster, member: Member, season: Season) -> tuple[str, str]:
    """Return the large word and the line below it, by the member's fate."""
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
    """Return the label and the reward: the worth in the game's own unit, or thanks where a game
    counts no worth.
    """
    if book.rating is None or card.rating <= 0:
        return _("Reward"), _("The thanks of all honest folk")
    gone = all(member.id != card.id for member in roster.members)
    label = _("Was worth") if gone else _("Reward")
    return label, with_unit(card.rating, rating_unit(book))


def _blank(book: Book) -> PosterText:
    return PosterText(
        _("Wanted"), _("Dead or alive"), _("Name"), "", _("Reward"), rating_unit(book)
    )


# The layout -----------------------------------------------------------------------------------


def _room(order: Order) -> float:
    """The width within the frame, in millimetres."""
    return WIDTHS[order.paper] - 2 * (EDGE + INSIDE)


def _laid_out(text: PosterText, order: Order, portrait: str) -> Poster:
    """Fit everything on a poster: with the largest picture, then the largest letters."""
    room = _room(order)
    down = HEIGHTS[order.paper] - 2 * (EDGE + INSIDE) - FOOT
    shout = fitting(text.shout.upper(), SHOUTS, room)
    below = fitting(text.below.upper(), BELOW, room / SPACED)
    amount = fitting(text.amount, AMOUNTS, room)
    name_size, name = fitting_name(text.name, NAMES, room, ONE_LINE)
    standing = even_out(text.standing, STANDING, room)
    fixed = (
        lines_height(1, shout, FLAT)
        + lines_height(len(even_out(text.below.upper(), below * SPACED, room, "title")), below)
        + lines_height(len(name), name_size, TIGHT)
        + lines_height(len(standing), STANDING)
        + UNDER_NAME
        + ORNAMENT
        + lines_height(1, REWARD)
        + lines_height(len(even_out(text.amount, amount, room, "title")), amount, TIGHT)
        + GAPS * GAP
    )
    picture, size, left = _sizes(text.deeds, room, down - fixed)
    gap = GAP + min(max(left, 0) / GAPS, 2 * GAP)
    return Poster(
        text,
        join_lines(name),
        join_lines(standing),
        [join_lines(even_out(deed, size, room)) for deed in text.deeds],
        portrait,
        {
            "shout": f"{shout}pt",
            "below": f"{below}pt",
            "name": f"{name_size}pt",
            "amount": f"{amount}pt",
            "deeds": f"{size}pt",
            "picture": f"{picture}mm",
            "gap": f"{gap:.1f}mm",
        },
    )


def _sizes(sentences: Sequence[str], room: float, free: float) -> tuple[float, float, float]:
    """Return the size of the picture, the size of the deeds' letters, and the height left over."""
    left = 0.0
    for size in DEEDS:
        lines = sum(len(even_out(deed, size, room)) for deed in sentences)
        text = lines_height(lines, size) + 1.5 * len(sentences)
        # Large letters are worth a smaller picture, but not a small one.
        for picture in PICTURES:
            left = free - text - picture
            if left >= 0 and (picture >= LARGE_PICTURE or size == DEEDS[-1]):
                return picture, size, left
    return PICTURES[-1], DEEDS[-1], left
