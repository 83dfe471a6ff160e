"""Captives and bargains in words, and what their reader may do about them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.engine import captives
from campaigns.engine.captives import Party
from campaigns.games.captives import bargains
from campaigns.games.captives.bargains import Prisoner
from campaigns.models import Bargain, Campaign, Side
from campaigns.text import bargain_parties, side_names
from gangs.models import Gang
from gangs.text.formats import say_amount, shown_name
from rules.book.model import Book


@dataclass(frozen=True)
class BargainLine:
    """A bargain in words, and what its reader may do about it. ``giver``, ``taker``: the names of
    its gangs, with their players' among namesakes."""

    bargain: Bargain
    giver: str
    taker: str
    sentences: list[str]
    may_answer: bool
    may_withdraw: bool


@dataclass(frozen=True)
class CaptiveLine:
    """A captive on the page. ``gang``, ``captors``: names, with their players' among namesakes;
    ``offers``: the captors that the reader may bargain with, each with its name."""

    prisoner: Prisoner
    gang: str
    captors: Sequence[str]
    offers: Sequence[tuple[Gang, str]]


def captive_line(
    prisoner: Prisoner, names: Mapping[uuid.UUID, str], user: User, *, organises: bool
) -> CaptiveLine:
    """A captive as the reader may deal with them. ``names``: of all gangs of the campaign."""
    return CaptiveLine(
        prisoner,
        names[prisoner.gang.pk],
        [names[captor.pk] for captor in prisoner.captors],
        [
            (captor, names[captor.pk])
            for captor in captors_to_ask(prisoner, user, organises=organises)
        ],
    )


def captors_to_ask(prisoner: Prisoner, user: User, *, organises: bool) -> list[Gang]:
    """The captors that the user may bargain with about a captive."""
    mine = organises or prisoner.gang.is_owned_by(user)
    return [captor for captor in prisoner.captors if mine or captor.is_owned_by(user)]


def captives_between(campaign: Campaign, sides: Sequence[Side]) -> list[str]:
    """Sentences about the captives that the sides of a game hold of each other: the game may free
    them. Reads the sides' gangs, and the campaign's gangs if one of the sides misses a captive."""
    names = side_names(sides)
    gangs = {side.gang: names[side.pk] for side in sides if side.gang is not None}
    if not any(captives.find_held(campaign.book, gang.roster) for gang in gangs):
        return []
    lines = []
    for prisoner in bargains.prisoners(campaign) if len(gangs) > 1 else ():
        captors = [gangs[captor] for captor in prisoner.captors if captor in gangs]
        if prisoner.gang in gangs and captors:
            values = {
                "who": shown_name(campaign.book, prisoner.captive.member),
                "gang": gangs[prisoner.gang],
                "captor": ", ".join(captors),
            }
            lines.append(_("%(who)s (%(gang)s) is held by %(captor)s.") % values)
    return lines


def bargain_line(
    book: Book, bargain: Bargain, user: User, names: Mapping[uuid.UUID, str]
) -> BargainLine:
    """A bargain as the user may deal with it. Reads the gangs and their owners. ``names``: of all
    gangs of the campaign."""
    waits, called = bargain.status == Bargain.Status.OPEN, bargain_parties(bargain, names)
    return BargainLine(
        bargain,
        called["giver"],
        called["taker"],
        sentences(book, bargain, names),
        may_answer=waits and bargains.may_answer(bargain, user),
        may_withdraw=waits and bargains.may_withdraw(bargain, user),
    )


def sentences(book: Book, bargain: Bargain, known: Mapping[uuid.UUID, str]) -> list[str]:
    """The terms of a bargain in sentences: the members to free, and the ransom. ``known``: the
    names of all gangs of the campaign."""
    terms = bargain.sound_terms
    if terms is None:
        return [_("This offer cannot be read.")]
    names = bargain_parties(bargain, known)
    gangs: dict[Party, Gang | None] = {"giver": bargain.giver, "taker": bargain.taker}
    lines = []
    for party, gang in gangs.items():
        freed = [_who(gang, member) for member in terms.freed(party)]
        if freed:
            values = {"gang": names[party], "names": ", ".join(freed)}
            lines.append(_("%(gang)s gets back: %(names)s.") % values)
    if terms.ransom and terms.payer:
        other: Party = "taker" if terms.payer == "giver" else "giver"
        lines.append(
            _("%(payer)s pays %(amount)s to %(other)s.")
            % {
                "payer": names[terms.payer],
                "other": names[other],
                "amount": say_amount(book, terms.ransom, terms.currency),
            }
        )
    else:
        lines.append(_("Nothing is paid."))
    return lines


def _who(gang: Gang | None, member: int) -> str:
    everyone = gang.roster.everyone() if gang is not None else ()
    person = next((person for person in everyone if person.id == member), None)
    return shown_name(gang.book, person) if gang is not None and person else _("somebody")
