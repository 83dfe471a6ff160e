"""Messages about events: results, deaths, advances, and post-games that nobody has played yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.dates import date_format
from campaigns.models import Game, Side
from campaigns.season.chronicle_text import address, brief, chronicle_lines, plain, told_lines
from campaigns.season.sending import game_text
from campaigns.statistics.chronicle import Line
from campaigns.text import owner_name, side_names
from gangs.text.passages import Passage, TextLine, Title, title_of
from outbound.hooks.subjects import WINDOW, Message, Sight, Subject
from outbound.models import Kind

# Results of one look at most: the newest ones.
MOST_RESULTS = 40
RISES = ("advance", "rose", "promoted")


def result_subjects(sight: Sight) -> Iterator[Subject]:
    """Yield games with a result, and games that were taken back after their result was sent."""
    since = timezone.localdate(sight.now) - WINDOW
    for game in sight.loaded.games[: 2 * MOST_RESULTS]:
        key = f"result:{game.pk}"
        is_confirmed = game.status == Game.Status.CONFIRMED
        is_new = game.played_on > since or (game.claim and sight.is_recent(game.claim.at))
        if (is_confirmed and is_new) or key in sight.sent:
            yield Subject(Kind.RESULTS, key, partial(_result, sight, game))


def _result(sight: Sight, game: Game) -> Message:
    game.campaign = sight.campaign
    sides = list(game.sides.with_standing().select_related("gang__owner", "verdict_by"))
    for side in sides:
        side.game = game
    text = game_text(game, sides, sight.reader)
    picture = str(game.pk) if game.status == Game.Status.CONFIRMED else ""
    return Message(title_of(text), text, game.get_absolute_url(), picture)


def death_subjects(sight: Sight) -> Iterator[Subject]:
    """Yield the deaths of the last days."""
    for line in chronicle_lines(sight.loaded.season):
        if line.kind == "died" and sight.is_recent(line.at):
            yield Subject(Kind.DEATHS, line.key, partial(_death, sight, line))


def _death(sight: Sight, line: Line) -> Message:
    words = plain(sight.loaded.season.book, line)
    path = address(sight.campaign, line)
    if line.member:
        path = reverse("campaigns:career", args=[sight.campaign.pk, line.gang, line.member])
    return Message(words, [TextLine("", strong=words)], path)


def advance_subjects(sight: Sight) -> Iterator[Subject]:
    """Yield each gang's advances of the last days, those of one post-game together, the oldest
    first."""
    groups: defaultdict[str, list[Line]] = defaultdict(list)
    for line in told_lines(sight.loaded.season):
        if line.kind in RISES and sight.is_recent(line.at):
            groups[f"advances:{line.gang}:{line.game or line.day}"].append(line)
    for key, lines in sorted(groups.items(), key=lambda group: group[1][0].at):
        yield Subject(Kind.ADVANCES, key, partial(_advances, sight, lines))


def _advances(sight: Sight, lines: Sequence[Line]) -> Message:
    season, first = sight.loaded.season, lines[0]
    title = _("Advances: %(gang)s") % {"gang": season.names[first.gang]}
    text: list[Passage] = [Title(title), *(TextLine(brief(season.book, line)) for line in lines)]
    path = sight.campaign.get_absolute_url()
    if first.game:
        path = reverse("campaigns:game", args=[first.game])
    return Message(title, text, path)


def postgame_subjects(sight: Sight) -> Iterator[Subject]:
    """Yield the days, from the next day on, whose games wait for post-games or had a message that
    said so."""
    today = timezone.localdate(sight.now)
    waiting: defaultdict[date, list[Side]] = defaultdict(list)
    for game, sides in sight.loaded.with_sides(sight.loaded.games[:1]).items():
        if game.status != Game.Status.CONFIRMED or not game.is_fought:
            continue
        for side in sides:
            side.game = game
            if side.gang is not None and (side.correcting or not side.done):
                waiting[game.played_on].append(side)
    days = {day for day in waiting if today - WINDOW < day < today}
    prefix = f"{Kind.POSTGAMES}:"
    days |= {
        date.fromisoformat(key.removeprefix(prefix)) for key in sight.sent if key.startswith(prefix)
    }
    for day in sorted(days):
        if day > today - WINDOW:
            compose = partial(_postgames, sight, day, waiting[day])
            yield Subject(Kind.POSTGAMES, f"{prefix}{day}", compose)


def _postgames(sight: Sight, day: date, sides: Sequence[Side]) -> Message:
    title = _("Post-games of %(day)s") % {"day": date_format(day, "j F Y")}
    text: list[Passage] = [Title(title)]
    if sides:
        text.append(TextLine(_("Still to be played by:")))
        names = side_names(sides)
        text += [TextLine(owner_name(side), strong=names[side.pk]) for side in sides]
    else:
        text.append(TextLine(_("Everybody has played theirs.")))
    return Message(title, text, sight.campaign.get_absolute_url())
