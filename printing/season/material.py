"""Load the material of a yearbook once, in a number of queries that depends only on the number of
the campaign's stages.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, islice, zip_longest
from operator import attrgetter

from django.utils import timezone

from campaigns.games import photos as game_photos
from campaigns.games.game_story import Tale, load_tales
from campaigns.league.pages import StageLine, stage_lines
from campaigns.models import Campaign, Game, Night, Photo
from campaigns.season.freshness import state_of
from campaigns.season.loading import LoadedSeason, load_season
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from gangs.ledger.storage import number_entries, stored_book
from gangs.models import Gang, StoredEntry
from gangs.pictures.storage import file_name, files_of


@dataclass(frozen=True)
class Material:
    """A campaign with everything that its yearbook shows. ``nights``: by their ids; ``tales``: of
    confirmed games; ``rosters``: of every gang at the end of its time here, by its id; ``photos``:
    of confirmed games; ``stages``: of its league.
    """

    loaded: LoadedSeason
    nights: Mapping[str, Night]
    tales: Sequence[Tale]
    rosters: Mapping[str, Roster]
    photos: Sequence[Photo] = ()
    stages: Sequence[StageLine] = ()

    def pictures(self, heroes: Collection[tuple[str, int]]) -> Mapping[tuple[str, int | None], str]:
        """Return the picture files that exist: the gangs' badges (by None), and the portraits of
        these ``heroes``, by gang and number.
        """
        found: dict[tuple[str, int | None], str] = {}
        for row in self.loaded.memberships:
            gang = str(row.gang_id)
            wanted = [None, *(member for home, member in heroes if home == gang)]
            found |= {(gang, who): file for who, file in files_of(row.gang, wanted).items()}
        return found

    def photos_of(self, most: int) -> Mapping[str, list[tuple[str, str]]]:
        """Return the photos of each game: their files that exist, and their captions. A book has
        ``most`` of them; games take turns, so that each has its first before one has its second.
        """
        by_game: defaultdict[str, list[Photo]] = defaultdict(list)
        for photo in self.photos:
            by_game[str(photo.game_id)].append(photo)
        turns = zip_longest(*by_game.values())
        found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for photo in islice((photo for turn in turns for photo in turn if photo), most):
            if game_photos.content_of(photo, game_photos.SMALL) is not None:
                file = file_name(photo.name, game_photos.SMALL)
                found[str(photo.game_id)].append((file, photo.label))
        return found

    @cached_property
    def tales_of(self) -> Mapping[str, list[Tale]]:
        """The tales of each game that has any."""
        ordered = sorted(self.tales, key=lambda tale: tale.game)
        return {game: list(group) for game, group in groupby(ordered, key=lambda tale: tale.game)}


def contents(campaign: Campaign) -> tuple[object, ...]:
    """Return everything that identifies a yearbook's content, without rendering it: three queries.

    Records with a version appear as that number. Tales and captions have none, so they appear in
    full; answers to the next night are left out.
    """
    state = state_of(campaign.pk)
    zone = timezone.get_default_timezone_name()
    shown = [(photo.pk, photo.label) for photo in photos(campaign)]
    return campaign.name, state and replace(state, answers=""), zone, tales(campaign), shown


def tales(campaign: Campaign) -> list[Tale]:
    """Return the players' tales of the campaign's confirmed games, oldest first. One query."""
    return load_tales(Game.objects.filter(campaign=campaign, status=Game.Status.CONFIRMED))


def photos(campaign: Campaign) -> list[Photo]:
    """Return the photos of the campaign's confirmed games, oldest first. One query."""
    games = Game.objects.filter(campaign=campaign, status=Game.Status.CONFIRMED)
    return list(Photo.objects.shown().filter(game__in=games))


def material(campaign: Campaign) -> Material:
    """Load a campaign's material."""
    loaded = load_season(campaign.pk)
    played = {game.night for game in loaded.season.games if game.night}
    nights = {str(night.pk): night for night in campaign.nights.filter(pk__in=played)}
    stages = stage_lines(campaign)
    return Material(loaded, nights, tales(campaign), rosters(loaded), photos(campaign), stages)


def rosters(loaded: LoadedSeason) -> dict[str, Roster]:
    """Return each gang's roster at the end of its time in the campaign, by its id. At most three
    queries.

    A gang that still plays here has its current roster. A gang that has left, and every gang once
    the campaign is over, has the roster after its last game here.
    """
    season = loaded.season
    places = {
        row.gang_id: moments[-1].place
        for row in loaded.memberships
        if (row.left_at or season.ended_at)
        and (moments := season.moments(season.gang[str(row.gang_id)]))
    }
    moved_on = [
        row.gang
        for row in loaded.memberships
        if row.gang_id in places and row.gang.last_seq > places[row.gang_id]
    ]
    keys = [row.gang_id for row in loaded.memberships]
    snapshots = Gang.objects.filter(pk__in=keys).values_list("pk", "snapshot")
    found = {str(key): Roster.model_validate_json(snapshot) for key, snapshot in snapshots}
    return found | _folded(moved_on, places)


def _folded(gangs: Sequence[Gang], places: Mapping[uuid.UUID, int]) -> dict[str, Roster]:
    """Fold the gangs up to these places of their ledgers."""
    if not gangs:
        return {}
    rows = StoredEntry.objects.filter(gang__in=gangs, struck=None).order_by("gang", "place", "seq")
    by_gang = {key: list(group) for key, group in groupby(rows, key=attrgetter("gang_id"))}
    return {
        str(gang.pk): fold(
            gang.first_book,
            number_entries(row for row in by_gang[gang.pk] if row.place <= places[gang.pk]),
            books=stored_book,
        )
        for gang in gangs
    }
