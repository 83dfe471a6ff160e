"""Messages about nights to come: who is coming, who meets whom, and rounds of a league."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import combinations

from django.utils.timezone import localdate, localtime
from django.utils.translation import gettext as _

from accounts.dates import date_format
from campaigns.access import playing
from campaigns.club.nights import schedule
from campaigns.club.planning.views import explain_proposal
from campaigns.engine.pairing import Candidate, Pairing, Past
from campaigns.models import Attendance, Fixture, Game, Night, Round, Stage
from campaigns.round_names import title_fixtures, title_rounds
from campaigns.season.sending import night_head
from campaigns.text import GameLine, disambiguate, game_lines
from gangs.text.passages import Passage, TextLine, Title
from outbound.hooks.subjects import Message, Sight, Subject, list_names
from outbound.models import Kind

# Further nights than the next one have a message if they are as near as this.
SOON = timedelta(days=14)


def night_subjects(sight: Sight) -> Iterator[Subject]:
    """Yield the nights to come that should have a message: the next one, those that are near, and
    those that have one already. A night that is called off gets a second message."""
    is_next = True
    for night in schedule.next_nights(sight.campaign):
        night.campaign = sight.campaign
        key = f"night:{night.pk}"
        is_on = night.cancelled_at is None
        is_near = is_on and (is_next or night.starts_at < sight.now + SOON)
        is_next = is_next and not is_on
        if key in sight.sent or is_near:
            yield Subject(Kind.NIGHTS, key, partial(_night, night), is_past=False)
            if not is_on:
                yield Subject(Kind.NIGHTS, f"off:{night.pk}", partial(_off, night), is_past=False)
        if is_on and night.games.exclude(status=Game.Status.STRUCK).exists():
            key = f"pairings:{night.pk}"
            yield Subject(Kind.PAIRINGS, key, partial(_pairings, sight, night), is_past=False)


def _day(night: Night) -> str:
    return date_format(localtime(night.starts_at), "l j F")


def _night(night: Night) -> Message:
    text = night_head(night)
    guests = schedule.guests(night, playing(night.campaign))
    for answer, label in Attendance.Answer.choices:
        text += list_names(str(label), [guest.name for guest in guests if guest.answer == answer])
    silent = [guest.name for guest in guests if not guest.answer]
    text += list_names(_("No answer yet"), silent)
    if night.cancelled_at is None:
        text.append(TextLine(_("Are you coming? Answer here:")))
    title = _("Game night, %(day)s") % {"day": _day(night)}
    return Message(title, text, night.get_absolute_url())


def _off(night: Night) -> Message:
    words = _("The night of %(day)s is called off.") % {"day": _day(night)}
    text: list[Passage] = [Title(night.campaign.name), TextLine("", strong=words)]
    return Message(words, text, night.get_absolute_url())


def _pairings(sight: Sight, night: Night) -> Message:
    games = night.games.exclude(status=Game.Status.STRUCK).order_by("created_at")
    lines = disambiguate(game_lines(games, sight.reader, sight.campaign))
    title = _("Pairings of %(day)s") % {"day": _day(night)}
    if sight.campaign.book.who_plays.is_in_groups:
        title = _("Games of %(day)s") % {"day": _day(night)}
    reasons = _reasons(night, lines)
    fixtures = {
        fixture.game_id: fixture
        for fixture in Fixture.objects.filter(game__night=night).select_related("round__stage")
    }
    titles = title_fixtures(fixtures.values())
    text: list[Passage] = [Title(title)]
    for line in lines:
        fixture = fixtures.get(line.game.pk)
        of_round = titles[fixture.pk] if fixture is not None else ""
        parts = (line.outcome, line.scenario, of_round, reasons.get(line.game.pk, ""))
        text.append(TextLine(" · ".join(filter(None, parts)), strong=line.title))
    return Message(title, text, night.get_absolute_url())


def _reasons(night: Night, lines: Sequence[GameLine]) -> dict[uuid.UUID, str]:
    """Return the reasons for each game that is still to be played, by its key. Six queries."""
    open_lines = [line for line in lines if line.game.status == Game.Status.PLANNED]
    gangs = {side.gang.pk: side.gang for line in open_lines for side in line.sides if side.gang}
    if not gangs:
        return {}
    candidates = {one.gang: one for one in schedule.candidates(night, list(gangs.values()))}
    past = schedule.past_of(night)
    book = night.campaign.book
    found = {}
    for line in open_lines:
        keys = [str(side.gang_id) for side in line.sides]
        met = [candidates[key] for key in keys if key in candidates]
        if len(met) > 1:
            found[line.game.pk] = explain_proposal(book, _pairing(met, past))
    return found


def _pairing(met: Sequence[Candidate], past: Past) -> Pairing:
    """Return the gangs of a planned game as the proposal showed them: without the game itself."""
    pairs = [frozenset((one.gang, other.gang)) for one, other in combinations(met, 2)]
    ratings = [one.rating for one in met]
    return Pairing(
        gangs=tuple(one.gang for one in met),
        ratings=tuple(ratings),
        apart=max(ratings) - min(ratings),
        met=sum(max(past.meetings.get(pair, 0) - 1, 0) for pair in pairs),
        same_owner=False,
        met_last=any(pair in past.last for pair in pairs),
    )


def round_subjects(sight: Sight) -> Iterator[Subject]:
    """Yield the rounds that have opened lately. Challenges on a ladder are no rounds."""
    today = localdate()
    rounds = Round.objects.filter(
        stage__campaign=sight.campaign,
        stage__ended_at=None,
        opens__lte=today,
        opens__gt=today - SOON,
    ).exclude(stage__format=Stage.Format.LADDER)
    for one in rounds.select_related("stage").order_by("opens", "pk"):
        yield Subject(Kind.PAIRINGS, f"round:{one.pk}", partial(_round, one))


def _round(one: Round) -> Message:
    title = title_rounds([one])[one.pk]
    text: list[Passage] = [Title(title)]
    if one.due is not None:
        day = date_format(one.due, "j F Y")
        text.append(TextLine(_("To be played by %(day)s.") % {"day": day}))
    for fixture in one.fixtures.filter(called_off_at=None):
        words = _("bye") if fixture.is_bye else ""
        text.append(TextLine(words, strong=str(fixture)))
    return Message(title, text, one.stage.get_absolute_url())
