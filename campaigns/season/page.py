"""The campaign page, rendered for one reader."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.dates import date_format
from accounts.http import Request, site_url
from accounts.models import User
from campaigns import fixtures as campaign_fixtures
from campaigns import holders
from campaigns.club.home.duties import games_waiting
from campaigns.club.nights import questions, schedule
from campaigns.engine.captives import captive_steps
from campaigns.games.captives.bargains import may_answer
from campaigns.models import Bargain, Campaign, Game, Participant
from campaigns.postgames import playing_all
from campaigns.season.chronicle_text import chronicle_lines, link_line
from campaigns.season.freshness import readable_state_or_404
from campaigns.season.loading import GAMES, LoadedSeason, load_season
from campaigns.season.standings.text import rank_gangs, standings_table
from campaigns.statistics.chronicle import newest
from campaigns.statistics.signs import colours
from campaigns.story import story_lines, story_of
from campaigns.text import GameLine, bargain_title, disambiguate, game_line
from common import waiting
from gangs.hooks import Duty
from gangs.text.formats import localize

# The numbers of past nights and of chronicle lines on the page.
LAST_NIGHTS = 3
NEWS = 6


@dataclass(frozen=True)
class CampaignPage:
    """A campaign's page for one reader.

    ``context`` is the template's; its ``body`` is everything below the page's head. ``state``
    identifies everything the page shows.
    """

    context: dict[str, Any]
    state: str


def campaign_page(request: Request, campaign_id: uuid.UUID) -> CampaignPage:
    """Render the page; ``?page=`` selects older games.

    Raises Http404 if the reader may not see it.
    """
    state = readable_state_or_404(request, campaign_id)
    return _render(request, load_season(campaign_id, state), has_stages=bool(state.stages))


def _render(request: Request, loaded: LoadedSeason, *, has_stages: bool) -> CampaignPage:
    user, campaign, season = request.user, loaded.campaign, loaded.season
    page = Paginator(loaded.games, GAMES).get_page(request.GET.get("page"))
    games, live, duties = _games_and_duties(loaded, user, page)
    to_come, over = schedule.around(campaign, LAST_NIGHTS)
    role = campaign.role_of(user)
    mine = [gang for gang in loaded.playing if gang.is_owned_by(user)]
    head: dict[str, Any] = {
        "campaign": campaign,
        "organises": campaign.is_run_by(user),
        # Spectators only watch; players and organisers do more.
        "is_player": role not in ("", Participant.Role.SPECTATOR),
        "is_follower": bool(role),
        "fewest": season.book.who_plays.fewest,
        "has_enough_gangs": len(loaded.playing) >= season.book.who_plays.fewest,
        "own_gang": mine[0] if mine else None,
        "live": live,
        "duties": [
            *duties,
            *_carried_games(campaign, user, duties),
            *_open_postgames(campaign, user),
            *_requests(campaign, user),
        ],
        "questions": questions.ask(
            to_come[:2], {campaign.pk: [] if campaign.archived_at else mine}
        ),
        "own_answers": questions.OWN_ANSWERS,
    }
    has_rounds = has_stages and campaign.archived_at is None
    context = head | {
        "colours": colours(season),
        "has_few_gangs": len(loaded.playing) < season.book.who_plays.fewest,
        "has_gang": bool(mine),
        "places": holders.list_places(campaign),
        "takes_captives": bool(captive_steps(season.rules)),
        "story": story_lines(campaign, story_of(campaign)),
        "has_ranking": bool(rank_gangs(season)),
        "is_ranked": bool(season.table.ranking_of(season.book)),
        "standings": standings_table(loaded, user),
        "news": [
            link_line(season.book, campaign.pk, line)
            for line in newest(chronicle_lines(season), NEWS)
        ],
        "rounds": campaign_fixtures.current_rounds(campaign) if has_rounds else [],
        "games": games,
        "page": page,
        "left_out_games": [
            (game.id, season.title_of(game))
            for game in (*season.counted, *season.struck)
            if game.left_out
        ],
        "last_nights": over,
        "options": options(campaign),
        "site_url": site_url(request),
    }
    body = render_to_string("campaigns/season/_campaign.html", context)
    shown = {
        **head,
        "campaign": str(campaign),
        "questions": [question.shown for question in head["questions"]],
    }
    shown |= {"own_gang": str(head["own_gang"]), "live": [line.game.pk for line in live]}
    return CampaignPage(head | {"body": body}, waiting.state(body, shown))


def _games_and_duties(
    loaded: LoadedSeason, user: User, page: Page[Game]
) -> tuple[list[GameLine], list[GameLine], list[Duty]]:
    """Return the games of a page, the games that are being played, and the user's duties in games
    of any age. Makes a query if a game is still to be played."""
    base, book = reverse("campaigns:list"), loaded.season.book
    live = set()
    if any(game.status == Game.Status.PLANNED for game in loaded.games):
        being_played = Game.objects.being_played().filter(campaign=loaded.campaign)
        live = set(being_played.values_list("pk", flat=True))
    found = [
        game_line(book, game, sides, user, f"{base}games/{game.pk}/", is_live=game.pk in live)
        for game, sides in loaded.with_sides(list(page)).items()
    ]
    lines = disambiguate(found[::-1])[::-1]
    duties = [
        Duty(awaited.url, awaited.text, f"{line.title}, {day}")
        # Oldest first: only the oldest open post-game can be played.
        for line in reversed(lines)
        for day in [date_format(line.game.played_on, "j N Y")]
        for awaited in line.awaits
        if awaited.url
    ]
    shown = [line for line in lines if line.game in page]
    return shown, [line for line in lines if line.is_live], [*duties, *_offers(loaded, user)]


def _carried_games(campaign: Campaign, user: User, known: Collection[Duty]) -> list[Duty]:
    """Return what the season before has left open for the user's gangs that play on here, without
    the ``known`` duties of this campaign. Makes no query for a first season."""
    follows = campaign.previous_id is not None and campaign.archived_at is None
    if not follows or not user.is_authenticated:
        return []
    here = campaign.memberships.filter(left_at=None, gang__owner=user)
    rows = list(here.select_related("gang").defer("gang__snapshot"))
    if not rows:
        return []
    listed = {duty.url for duty in known}
    found = games_waiting(user, memberships=rows)
    return [duty for duty in found if duty.campaign == campaign.pk and duty.url not in listed]


def _open_postgames(campaign: Campaign, user: User) -> list[Duty]:
    """Return an organiser's duty if earlier seasons have left post-games open for gangs that play
    on here. One query, none for a first season, and another for the name of the last one."""
    follows = campaign.previous_id is not None and campaign.archived_at is None
    if not follows or not campaign.is_run_by(user):
        return []
    count = playing_all.find_open(campaign, user).exclude(game__campaign=campaign).count()
    if not count:
        return []
    words = ngettext(
        "%(count)s post-game of the last season is open",
        "%(count)s post-games of the last season are open",
        count,
    )
    url = reverse("campaigns:open-postgames", args=[campaign.pk])
    assert campaign.previous is not None
    return [Duty(url, words % {"count": count}, campaign.previous.name)]


def _requests(campaign: Campaign, user: User) -> list[Duty]:
    """Return an organiser's duty if gangs ask to join."""
    count = campaign.join_requests.count() if campaign.is_run_by(user) else 0
    if not count or campaign.archived_at is not None:
        return []
    words = ngettext("%(count)s gang asks to join", "%(count)s gangs ask to join", count)
    url = reverse("campaigns:people", args=[campaign.pk])
    return [Duty(f"{url}#requests", words % {"count": count}, campaign.name)]


def _offers(loaded: LoadedSeason, user: User) -> list[Duty]:
    """Return a duty for each offer that the user may answer."""
    if not user.is_authenticated:
        return []
    url = reverse("campaigns:captives", args=[loaded.campaign.pk])
    words = _("An offer about captives is waiting for an answer")
    season = loaded.season
    names = {uuid.UUID(gang.id): season.names[gang.id] for gang in season.gangs}
    found = []
    for bargain in loaded.bargains:
        if bargain.status == Bargain.Status.OPEN:
            bargain.campaign = loaded.campaign
            bargain.giver = loaded.gangs.get(str(bargain.giver_id))
            bargain.taker = loaded.gangs.get(str(bargain.taker_id))
            if may_answer(bargain, user):
                found.append(Duty(url, words, bargain_title(bargain, names)))
    return found


def options(campaign: Campaign) -> list[tuple[str, str]]:
    """Return the campaign's options in words, without those that each gang chooses for itself."""
    found = []
    for setting in campaign.book.settings:
        if setting.gang_only:
            continue
        value = str(campaign.settings.get(setting.key, setting.default))
        if setting.kind == "choice":
            names = {choice.key: localize(choice.name) for choice in setting.choices}
            value = names.get(value, value)
        found.append((localize(setting.name), value))
    return found
