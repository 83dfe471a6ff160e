"""Names of a league's rounds, the same for pages, notices, calendars and channels."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from campaigns.engine.league.bracket import count_rounds
from campaigns.engine.league.facts import Entered, Match, key_of
from campaigns.models import Entrant, Fixture, Round, Stage


def name_round(stage_format: str, number: int, left: int | None) -> str:
    """The name of a round: in a knock-out final, semi-finals and so on, else its number. ``left``:
    the number of rounds after it in a knock-out."""
    if stage_format == Stage.Format.LADDER:
        return _("Challenges")
    names = {0: _("Final"), 1: _("Semi-finals"), 2: _("Quarter-finals")}
    if left in names:
        return names[left]
    return _("Round %(number)s") % {"number": number}


def name_rounds(rounds: Iterable[Round]) -> dict[int, str]:
    """The names of rounds by key. Queries as ``count_left``; reads the stages."""
    rounds = list(rounds)
    left = count_left(rounds)
    return {one.pk: name_round(one.stage.format, one.number, left.get(one.pk)) for one in rounds}


def title_rounds(rounds: Iterable[Round]) -> dict[int, str]:
    """The stage and the name of rounds by key, such as "Winter league · Round 3"; a ladder has one
    round. Queries as ``count_left``; reads the stages."""
    rounds = list(rounds)
    names = name_rounds(rounds)
    return {
        one.pk: one.stage.name
        if one.stage.format == Stage.Format.LADDER
        else f"{one.stage.name} · {names[one.pk]}"
        for one in rounds
    }


def title_fixtures(fixtures: Iterable[Fixture]) -> dict[int, str]:
    """As ``title_rounds``, for fixtures by key: the game for the third place is named, too."""
    fixtures = list(fixtures)
    titles = title_rounds({one.round_id: one.round for one in fixtures}.values())
    return {
        one.pk: f"{one.round.stage.name} · {_('Third place')}"
        if one.losers
        else titles[one.round_id]
        for one in fixtures
    }


def count_left(rounds: Sequence[Round]) -> dict[int, int]:
    """The number of rounds of its knock-out after each round, by key: 0 for the final. Rounds of
    other formats are left out. No query without a knock-out, else two; reads the stages."""
    rounds = [one for one in rounds if one.stage.format == Stage.Format.KNOCK_OUT]
    if not rounds:
        return {}
    stages = {one.stage_id for one in rounds}
    entrants: defaultdict[uuid.UUID, list[Entered]] = defaultdict(list)
    rows = Entrant.objects.filter(stage__in=stages)
    for stage, gang, name, seed, left_at in rows.values_list(
        "stage", "gang", "name", "seed", "left_at"
    ):
        has_left = left_at is not None or gang is None
        entrants[stage].append(Entered(key_of(gang, name), seed, has_left=has_left))
    matches: defaultdict[uuid.UUID, list[Match]] = defaultdict(list)
    for one in Fixture.objects.filter(round__stage__in=stages).select_related("round"):
        away = None if one.is_bye else key_of(one.away_id, one.away_name)
        home = key_of(one.home_id, one.home_name)
        matches[one.round.stage_id].append(
            Match(one.pk, one.round.number, one.number, home, away, losers=one.losers)
        )
    counts = {stage: count_rounds(entrants[stage], matches[stage]) for stage in stages}
    return {one.pk: counts[one.stage_id] - one.number for one in rounds}
