"""Trophies in words."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaigns.season.loading import LoadedSeason
from campaigns.statistics.season_facts import Season
from campaigns.statistics.trophies import HeldTrophy, Holder, list_trophies, trophies_of
from campaigns.text import list_names
from gangs.text.formats import localize
from rules.book.annotations import marker
from rules.book.labels import Values
from rules.book.season import Trophy, TrophyCount


def count_name(count: TrophyCount) -> str:
    """The count that wins a trophy, in words."""
    values = marker(Trophy.model_fields["count"], Values)
    assert values is not None
    return _(str(values.labels[count]))


def find_trophies(season: Season) -> Sequence[HeldTrophy]:
    """The trophies of a season with their holders."""
    return season.cached(season, "trophies", lambda: list_trophies(season))


def holder_name(holder: Holder) -> str:
    """A holder in words, with the number that won the trophy."""
    name = holder.gang_name
    if holder.name:
        values = {"name": localize(holder.name), "gang": holder.gang_name}
        name = _("%(name)s (%(gang)s)") % values
    if holder.number is None:
        return name
    return _("%(name)s: %(value)s") % {"name": name, "value": number_format(holder.number)}


def trophy_lines(season: Season) -> list[tuple[str, str, str]]:
    """Each trophy that somebody holds: its name, what it is for, and its holders."""
    return [
        (
            localize(trophy.name),
            localize(trophy.text),
            list_names([holder_name(holder) for holder in trophy.holders]),
        )
        for trophy in find_trophies(season)
        if trophy.holders
    ]


def lines_of(loaded: LoadedSeason, gang: str, member: int | None = None) -> list[str]:
    """The trophies of a gang and its members in a season, or only those of one ``member``."""
    return [
        localize(trophy.name)
        if holder.member == member or not holder.name
        else _("%(name)s: %(value)s")
        % {"name": localize(trophy.name), "value": localize(holder.name)}
        for trophy, holder in trophies_of(find_trophies(loaded.season), gang)
        if member is None or holder.member == member
    ]
