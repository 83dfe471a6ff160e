"""Copies of one's own gangs, and gangs founded from one's own templates: as the gang began, or as
it is now with its history.

A copy belongs to its founder only: it has its own link and pictures, and plays in no campaign.
"""

from __future__ import annotations

import secrets
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import cached_property

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import quotas
from accounts.http import actor
from accounts.language import rules_language
from accounts.quotas import QuotaFull
from common.forms import INVALID, OK, CrispyForm, NameField, require_safe_or_post
from common.turns import BUSY, Busy, importing
from gangs.access import GUEST, own_gang, own_gangs
from gangs.cards.render import render as render_gang
from gangs.cards.values import Page
from gangs.engine.actions import MOST_LETTERS, NUMBERED
from gangs.engine.computed import ComputedGang
from gangs.engine.differences import changes
from gangs.engine.entries import MOST_ENTRIES, ProfileRolled, Renamed
from gangs.engine.fold import book_now, fold
from gangs.engine.refounding import Refounding, refound
from gangs.engine.roster import Roster
from gangs.files.exporting import as_file
from gangs.files.format import BadFile, GangFile, Record
from gangs.files.importing import write_gang
from gangs.ledger.storage import read_entry, roster_when, stored_book
from gangs.models import Gang
from gangs.pages import founding
from gangs.pages.founding import NoRoom
from gangs.pictures import storage as pictures
from gangs.text.formats import rules_name
from gangs.versions.choices import choices, newest_of
from gangs.versions.text import Differences, describe
from rules.book.model import Book
from rules.library import book_of
from rules.models import BookVersion

BEGAN, NOW = "began", "now"


class CopyForm(CrispyForm):
    """The name of a copy and, for a gang that has played, which state of it to copy."""

    name = NameField(label=gettext_lazy("Name of the gang"))
    what = forms.ChoiceField(
        label=gettext_lazy("Copy it"),
        widget=forms.RadioSelect,
        initial=BEGAN,
        choices=[
            (BEGAN, gettext_lazy("as it began: before its first game, with the founding budget")),
            (NOW, gettext_lazy("as it is now: with its games, experience, injuries and money")),
        ],
    )

    def __init__(self, name: str, data: QueryDict | None, *, both: bool) -> None:
        """``both``: both states can be copied."""
        super().__init__(data, initial={"name": name})
        if not both:
            del self.fields["what"]

    @property
    def wants_history(self) -> bool:
        """Whether a valid form asks for the gang as it is now."""
        return self.cleaned_data.get("what") == NOW


@dataclass(frozen=True)
class Start:
    """A gang as it was before its first game. ``roster`` uses ``book``; ``rolls``: the rolls of its
    members' profiles."""

    book: Book
    roster: Roster
    rolls: tuple[ProfileRolled, ...]

    @classmethod
    def of(cls, gang: Gang) -> Start:
        """At most three queries."""
        standing, roster, book = gang.entries.live(), gang.roster, gang.book
        first = standing.filter(kind="played").first() if roster.playing else None
        if first is not None:
            roster = roster_when(gang, first)
            book = book_now(gang.first_book, roster, stored_book)
        if not any(member.rolled for member in roster.members):
            return cls(book, roster, ())
        rows = map(read_entry, standing.filter(kind="profile_rolled"))
        return cls(book, roster, tuple(row for row in rows if isinstance(row, ProfileRolled)))


@dataclass(frozen=True)
class Offer:
    """A gang to found from a start, under ``version``."""

    start: Start
    version: BookVersion

    @property
    def book(self) -> Book:
        """The rulebook of the new gang."""
        return book_of(self.version.pk)

    def refound(self, name: str) -> Refounding:
        """The founding, under a name."""
        start = self.start
        return refound(start.book, self.book, start.roster, name, start.rolls)

    @cached_property
    def page(self) -> Page:
        """The gang as it would be, with its rating, its money and what is wrong with it."""
        entries = self.refound(self.start.roster.name).entries
        roster = fold(self.book, enumerate(entries, start=1))
        return render_gang(ComputedGang.of(self.book, roster), rules_language())

    @cached_property
    def differences(self) -> Differences | None:
        """The differences from the gang that is copied; None under the same rules."""
        if self.book.digest == self.start.book.digest:
            return None
        return describe(changes(self.start.book, self.book, self.start.roster), self.book)


@own_gang(require_safe_or_post)
def copy(request: HttpRequest, gang: Gang) -> HttpResponse:
    """Show what a copy of the gang would be, and found it.

    ``?version=``: the version of the rulebook to found it with, the newest by default.
    """
    founded = founding.find_founded(request) if request.method == "POST" else None
    if founded is not None:
        return redirect(founded)
    version = _version_or_404(request, gang, request.GET.get("version", ""))
    offer = Offer(Start.of(gang), version)
    names = set(own_gangs(request).values_list("name", flat=True))
    both = gang.roster.playing and request.user.is_authenticated
    data = request.POST if request.method == "POST" else None
    form = CopyForm(free_name(gang.name, names), data, both=both)
    guest_key = GUEST.read(request) or secrets.token_urlsafe(16)
    response = None
    if form.is_valid():
        response = _found(request, gang, offer, form, guest_key)
    if response is None:
        response = _page(request, gang, offer, form)
    if not request.user.is_authenticated:
        GUEST.write(request, response, guest_key)
    return response


def free_name(name: str, taken: Container[str]) -> str:
    """The name with the first number behind it that no gang in ``taken`` has."""
    match = NUMBERED.fullmatch(name)
    base = (match[1] if match else name)[:MOST_LETTERS].rstrip()
    number = int(match[2]) + 1 if match else 2
    while f"{base} {number}" in taken:
        number += 1
    return f"{base} {number}"


def _version_or_404(request: HttpRequest, gang: Gang, wanted: str) -> BookVersion:
    """The version to found a copy with: the one wanted, or else the newest of the same rules."""
    own = BookVersion.objects.defer("canonical", "overlay").get(pk=gang.book_version_id)
    if not wanted:
        return newest_of(own) or own
    if wanted == own.pk:
        return own
    for choice in choices(own.pk, actor(request), wanted):
        if choice.version.pk == wanted:
            return choice.version
    raise Http404


def _found(
    request: HttpRequest, gang: Gang, offer: Offer, form: CopyForm, guest_key: str
) -> HttpResponse | None:
    """Found the copy that a valid form asks for; None if it cannot be, and the form says why."""
    name = form.cleaned_data["name"]
    try:
        if form.wants_history:
            with importing.one(request.user.pk):
                new = _with_history(request, gang, name)
            places = {place: place for place in gang.pictures}
        else:
            made = offer.refound(name)
            new = founding.found_once(request, offer.version, made.entries, guest_key=guest_key)
            places = {str(old): str(number) for old, number in made.members.items()}
            places[pictures.BADGE] = pictures.BADGE
    except NoRoom as no_room:
        if no_room.why != "guest":
            form.add_error(None, str(founding.NO_ROOM[no_room.why][1]))
        return founding.send_to_sign_up(request, no_room)
    except QuotaFull as full:
        form.add_error(None, quotas.describe(full))
        return None
    except Busy:
        form.add_error(None, str(BUSY))
        return None
    except BadFile:
        form.add_error(None, _("This history is too long to be copied: copy it as it began."))
        return None
    _finish(request, gang, new, places)
    return redirect(new)


def _with_history(request: HttpRequest, gang: Gang, name: str) -> Gang:
    """Write the gang's whole ledger as that of a new gang, as if it came as a file."""
    owner = actor(request)
    assert owner is not None
    quotas.check(owner, "imports")
    quotas.check(owner, "gangs")
    file, _batches = as_file(gang, "")
    if name != gang.name and len(file.records) < MOST_ENTRIES:
        file = _renamed(file, name)
    version = BookVersion.objects.defer("canonical", "overlay").get(pk=file.digest)
    return write_gang(version, file, owner=owner, token=founding.token_of(request))


def _renamed(file: GangFile, name: str) -> GangFile:
    last = file.records[-1]
    batch = 1 + max(record.batch for record in file.records)
    record = Record(seq=last.seq + 1, at=last.at, batch=batch, entry=Renamed(name=name))
    return file.model_copy(update={"records": (*file.records, record)})


def _finish(request: HttpRequest, gang: Gang, new: Gang, places: dict[str, str]) -> None:
    """Give the copy the pictures, and keep it hidden where administrators hide the original."""
    if gang.hidden_why and not new.hidden_why:
        Gang.objects.filter(pk=new.pk).update(hidden_why=gang.hidden_why)
    messages.success(request, _("This is the copy of %(name)s.") % {"name": gang.name})
    if not request.user.is_authenticated:
        return
    try:
        pictures.copy(gang, new, places)
    except QuotaFull as full:
        messages.warning(request, quotas.describe(full))
    except OSError:
        messages.warning(request, _("The pictures could not be copied."))


def _page(request: HttpRequest, gang: Gang, offer: Offer, form: CopyForm) -> HttpResponse:
    context = {
        "gang": gang,
        "form": form,
        "offer": offer,
        "page": offer.page,
        "rules": rules_name(offer.book),
        "token": secrets.token_hex(16),
    }
    status = INVALID if form.is_bound else OK
    return render(request, "gangs/pages/copy.html", context, status=status)


def templates_of(request: HttpRequest, slug: str) -> Iterable[Gang]:
    """The reader's own templates for a game, by name. One query, none for visitors."""
    if not request.user.is_authenticated:
        return ()
    mine = own_gangs(request).filter(is_template=True, book_version__slug=slug)
    return mine.defer("snapshot").order_by("name", "pk")
