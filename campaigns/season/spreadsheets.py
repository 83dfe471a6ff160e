"""A campaign as tables for spreadsheets: files of separated values (CSV).

Programs read them at the key of the feed, which has no language of its own: ``?lang=`` selects the
words, and ``?separator=`` the signs between columns and in numbers.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.formats import get_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from django.views.decorators.http import conditional_page, require_safe

from accounts.http import Request, site_url
from accounts.language import reading
from campaigns.access import open_to_spectators, reader_campaign_or_404
from campaigns.club.nights import schedule
from campaigns.club.old_results import own_tables
from campaigns.engine.how import FOUGHT
from campaigns.models import Attendance, Fixture, Game, Stage
from campaigns.season.freshness import state_watched_by
from campaigns.season.loading import LoadedSeason, load_season
from campaigns.season.standings.text import column_name, rank_gangs
from campaigns.statistics.luck import luck
from campaigns.statistics.standings import columns, find_sides
from campaigns.table.luck.text import SOURCES
from common.downloads import plain_name
from common.spreadsheets import STYLES, Rows, write_csv
from gangs.engine.roster import FOLLOWED, Member
from gangs.models import Gang
from gangs.text.formats import localize
from rules.book.vocabulary import name_of
from rules.engine.costing import Points

STYLE_WORDS: Mapping[str, Promise] = {
    "semicolon": gettext_lazy("Semicolons, %(number)s"),
    "comma": gettext_lazy("Commas, %(number)s"),
}


@open_to_spectators
@require_safe
def spreadsheets(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Show the addresses of the tables, and how spreadsheets load them. ``?separator=`` selects the
    signs; without it, they are those of the reader's language."""
    campaign = reader_campaign_or_404(request, campaign_id)
    usual = "semicolon" if get_format("DECIMAL_SEPARATOR") == "," else "comma"
    chosen = request.GET.get("separator", "")
    chosen = chosen if chosen in STYLES else usual
    query = f"?lang={translation.get_language()}&separator={chosen}"
    tables = [
        (name, title, reverse("campaigns:csv", args=[campaign.watch_key, name]) + query)
        for name, (title, _make) in TABLES.items()
    ]
    styles = [
        (key, words % {"number": f"1{STYLES[key].decimal}5"}) for key, words in STYLE_WORDS.items()
    ]
    context = {
        "campaign": campaign,
        "tables": tables,
        "styles": styles,
        "chosen": chosen,
        "site_url": site_url(request),
    }
    return render(request, "campaigns/season/spreadsheets.html", context)


@login_not_required
@require_safe
@conditional_page
def table(request: HttpRequest, key: str, name: str) -> HttpResponse:
    """Return a table of the campaign with this watch key; ``?lang=`` selects its language, and
    ``?separator=`` its signs: without it, those that addresses of earlier versions have."""
    state = state_watched_by(key)
    if state is None or name not in TABLES:
        raise Http404
    loaded = load_season(state.id, state)
    asked = request.GET.get("lang", "")
    language = asked if asked in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    with translation.override(language), reading():
        _title, make = TABLES[name]
        style = STYLES.get(request.GET.get("separator", ""), STYLES["comma"])
        content = write_csv(*make(loaded), style)
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    file_name = f"{plain_name(loaded.campaign.name, 'campaign')}-{name}.csv"
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    response["X-Robots-Tag"] = "noindex"
    return response


def _standings(loaded: LoadedSeason) -> tuple[Sequence[str], Rows]:
    season = loaded.season
    shown = [column for column in columns(season.book, season.table) if column != "wins"]
    heading = [_("Place"), _("Gang"), _("Player"), _("Won"), _("Drawn"), _("Lost")]
    heading += [column_name(season.book, column)[0] for column in shown]

    def rows() -> Rows:
        for row in rank_gangs(season):
            gang = season.gang.get(row.gang)
            record = (row.won, row.level, row.lost)
            values = [_number(row.value(column)) for column in shown]
            yield (
                row.shown_place,
                gang.name if gang else row.name,
                gang.owner if gang else "",
                *record,
                *values,
            )

    return heading, rows()


def _number(value: Points | Fraction) -> Points:
    """A share with three decimals; any other value as it is."""
    return round(float(value), 3) if isinstance(value, Fraction) else value


def _games(loaded: LoadedSeason) -> tuple[Sequence[str], Rows]:
    """One row for each side of each confirmed game, oldest first. Makes one query."""
    season, book = loaded.season, loaded.season.book
    kinds = {key: str(words) for key, words in own_tables.OUTCOMES.items()}
    # A side that did not come has not lost, unless the club says so.
    absent = {"loser": str(own_tables.ABSENT), "level": ""}
    heading = [str(words) for words in own_tables.GAME_COLUMNS.values()]

    def rows() -> Rows:
        places = _league_places(loaded)
        for game, side, brought in find_sides(season):
            named = kinds if game.how in FOUGHT else kinds | absent
            result = localize(name_of(book.campaign.result, game.result))
            yield (
                game.id,
                game.day,
                localize(name_of(book.scenario, game.scenario)),
                result or str(Game.How(game.how).label),
                side.name,
                _player(loaded, side.gang),
                named.get(side.kind, side.kind),
                side.rating,
                len(side.report.fielded),
                brought.taken_out,
                brought.points,
                *places.get(game.id, ("", None)),
            )

    return heading, rows()


def _league_places(loaded: LoadedSeason) -> dict[str, tuple[str, int | None]]:
    """Return the stage and the round of each game that decides a fixture, by the game's key.
    Challenges on a ladder have no round. Makes one query."""
    fixtures = Fixture.objects.filter(round__stage__campaign=loaded.campaign, game__isnull=False)
    rows = fixtures.values_list(
        "game", "round__stage__name", "round__stage__format", "round__number"
    )
    return {
        str(game): (stage, None if kind == Stage.Format.LADDER else number)
        for game, stage, kind, number in rows
    }


def _player(loaded: LoadedSeason, gang: str) -> str:
    found = loaded.season.gang.get(gang)
    return found.owner if found else ""


def _members(loaded: LoadedSeason) -> tuple[Sequence[str], Rows]:
    """Every member of every gang, the dead and departed included; of a gang that has left,
    everybody who has played. Makes one query."""
    season, book = loaded.season, loaded.season.book
    heading = [_("Gang"), _("Player"), _("Name"), _("Rank"), _("State"), _("Games")]
    heading += [_("Experience"), _("Enemies taken out of action")]
    fates = {"": "", "dead": _("dead"), "dismissed": _("dismissed")}
    fates[FOLLOWED] = _("left with their owner")

    def describe(name: str, rank: str, fate: str) -> Sequence[str]:
        gone = book.campaign.departure.get(fate)
        state = localize(gone.name) if gone else fates.get(fate, "")
        return name, localize(name_of(book.rank, rank)), state

    def rows() -> Rows:
        members = _present_members(loaded)
        for gang in season.gangs:
            about = gang.name, gang.owner
            for person in gang.timeline.people:
                yield (
                    *about,
                    *describe(person.name, person.rank, person.fate),
                    person.games,
                    person.experience,
                    person.taken_out,
                )
            for member, fate in members.get(gang.id, ()):
                if member.id not in gang.people:
                    shown = describe(member.name, member.rank, fate)
                    yield *about, *shown, 0, member.experience, 0

    return heading, rows()


def _present_members(loaded: LoadedSeason) -> dict[str, list[tuple[Member, str]]]:
    """Return the members, and those who have departed with their fates, of each gang that has not
    left, by the gang's key. Makes one query."""
    here = [row.gang_id for row in loaded.memberships if row.left_at is None]
    found: dict[str, list[tuple[Member, str]]] = {}
    for gang in Gang.objects.filter(pk__in=here).only("snapshot"):
        roster = gang.roster
        departed = [(gone.member, gone.fate) for gone in roster.departed]
        found[str(gang.pk)] = [*((member, "") for member in roster.members), *departed]
    return found


def _nights(loaded: LoadedSeason) -> tuple[Sequence[str], Rows]:
    """One row for each gang at each night. Makes two queries."""
    answers = {key: str(label) for key, label in Attendance.Answer.choices}
    heading = [_("Night"), _("Day"), _("Begins"), pgettext("of a night", "Place")]
    heading += [_("Called off"), _("Gang")]
    heading += [_("Player"), _("Answer")]

    def rows() -> Rows:
        nights = list(loaded.campaign.nights.order_by("starts_at"))
        guests = schedule.guests_of(nights, loaded.playing)
        for night in nights:
            begins = localtime(night.starts_at)
            off = _("yes") if night.cancelled_at else ""
            about = (str(night.pk), begins.date(), f"{begins:%H:%M}", night.place, off)
            for guest in guests[night.pk]:
                player = str(guest.gang.owner or "")
                yield *about, guest.gang.name, player, answers.get(guest.answer, "")

    return heading, rows()


def _luck(loaded: LoadedSeason) -> tuple[Sequence[str], Rows]:
    """One row for each side's dice of each kind in each game."""
    heading = [_("Game"), _("Day"), _("Gang"), _("Dice"), _("Attempts"), _("Successes")]
    heading += [_("Expected"), _("Chance of at least or at most as many")]
    kinds = {"attempt": _("at the table"), "fate": _("after the game")}

    def rows() -> Rows:
        for game in loaded.season.games:
            for tries in game.luck.tries:
                if tries.side < len(game.sides):
                    found = luck(tries.chances, tries.came)
                    about = f"{kinds[tries.what]}, {SOURCES[tries.source]}"
                    yield (
                        game.id,
                        game.day,
                        game.sides[tries.side].name,
                        about,
                        found.tries,
                        found.came,
                        round(found.expected, 3),
                        round(found.tail, 5),
                    )

    return heading, rows()


# The tables, by the name in their address: the title of a link to it, and its maker.
TABLES: Mapping[str, tuple[Promise, Callable[[LoadedSeason], tuple[Sequence[str], Rows]]]] = {
    "standings": (gettext_lazy("Standings"), _standings),
    "games": (gettext_lazy("Games"), _games),
    "members": (gettext_lazy("Members"), _members),
    "nights": (gettext_lazy("Game nights"), _nights),
    "luck": (gettext_lazy("Luck"), _luck),
}
