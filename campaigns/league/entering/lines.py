"""The lines of the page on which an organiser enters the results of a round or a night: a line for
each game, or for each fixture that has none yet, with the ways in which it can have ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import Q
from django.http import QueryDict
from django.utils.translation import gettext as _

from campaigns.engine.how import FORFEITS, Manner
from campaigns.fixtures import fixture_line, fixture_names, standing_game, with_games
from campaigns.games.report_forms import DRAW
from campaigns.games.unfought_form import HEADINGS
from campaigns.models import Campaign, Fixture, Game, Night, Round, Side
from campaigns.text import game_title, side_names
from common.forms import posted_version
from gangs.text.formats import localize

# The most lines on a page; the rest of a larger night follows once these are entered.
MOST_LINES = 40
# The ways in which a game can end on this page, besides being played. Games that were called off
# or abandoned have their own pages.
GIVEN_AWAY: Sequence[Manner] = [how for how in FORFEITS if how != "walk-over"]
Choices = list[tuple[str, Any]]


@dataclass(frozen=True)
class Line:
    """A game of the round or night, or a fixture without one. ``names``: of its sides, by the keys
    of their gangs; ``state``: what is known of it, in words; ``is_open``: its result can be
    entered."""

    key: str
    title: str
    url: str
    state: str
    names: Mapping[str, str]
    is_open: bool
    game: Game | None = None
    fixture: Fixture | None = None


class LineForm(forms.Form):
    """The result of one line, in one choice: "played:<gang>:<result>", "level:<result>" (also any
    result of gangs on one side), or the way in which it was given away with the gang that did so.
    Three or more sides may have places instead."""

    result = forms.ChoiceField(required=False, widget=forms.Select(attrs={"class": "form-select"}))

    def __init__(self, line: Line, campaign: Campaign, data: QueryDict | None) -> None:
        super().__init__(data, prefix=line.key)
        self.line, self.posted = line, data
        field = self.fields["result"]
        assert isinstance(field, forms.ChoiceField)
        field.label = line.title
        field.choices = _choices(line.names, campaign)
        if len(line.names) > 2 and not campaign.book.who_plays.is_together:
            numbers = range(1, len(line.names) + 1)
            places: Choices = [("", "–"), *((str(place), str(place)) for place in numbers)]
            for gang, name in line.names.items():
                label = _("Place of %(name)s") % {"name": name}
                self.fields[f"place-{gang}"] = forms.ChoiceField(
                    label=label, choices=places, required=False
                )

    @property
    def seen(self) -> int | None:
        """The version of the game that the page showed; None for a fixture without a game."""
        if self.line.game is None or self.posted is None:
            return None
        return posted_version(self.posted, f"{self.prefix}-seen")

    @property
    def places(self) -> list[forms.BoundField]:
        """The fields of the places."""
        return [field for field in self if field.name != "result"]

    @property
    def chosen(self) -> str:
        """The choice of a valid form; "" if the line stays as it is."""
        return str(self.cleaned_data.get("result") or "")

    @property
    def chosen_places(self) -> dict[str, str]:
        """The places of a valid form by gang, as far as there are any."""
        found = {gang: self.cleaned_data.get(f"place-{gang}") for gang in self.line.names}
        return {gang: place for gang, place in found.items() if place}

    @property
    def is_filled(self) -> bool:
        """Whether a valid form says how the game ended."""
        return bool(self.chosen or self.chosen_places)


def _choices(names: Mapping[str, str], campaign: Campaign) -> Choices:
    rows = campaign.rules.results
    if campaign.book.who_plays.is_together:
        ends: Choices = [(f"level:{row.key}", localize(row.name)) for row in rows]
        return [("", _("No result yet")), (_("How did it end?"), ends)]
    won = [row for row in rows if row.kind != "level"]
    level: Choices = [
        (f"level:{row.key}", localize(row.name)) for row in rows if row.kind == "level"
    ]
    wins: Choices = [
        (f"played:{gang}:{row.key}", f"{name} · {localize(row.name)}" if len(won) > 1 else name)
        for gang, name in names.items()
        for row in won
    ]
    found: Choices = [("", _("No result yet"))]
    if wins:
        found.append((_("Who won?"), wins))
    found.append((_("Nobody won"), level or [(f"level:{DRAW}", _("Draw"))]))
    for how in GIVEN_AWAY:
        # A closed list hides the headings: without its own, a gang that did not come would look
        # like the winner. The heading comes first, since a narrow screen cuts a long label off.
        heading = str(HEADINGS[how])
        gangs: Choices = [(f"{how}:{gang}", f"{heading} · {name}") for gang, name in names.items()]
        if how == "no-show":
            gangs.append((f"{how}:", _("Nobody came")))
        found.append((heading, gangs))
    return found


def lines_of_night(night: Night) -> list[Line]:
    """The games of a night: first those that wait for a result, in the order in which they were
    planned. Two queries."""
    games = night.games.exclude(status=Game.Status.STRUCK).order_by("created_at")
    return _game_lines(games, night.campaign)


def _game_lines(games: Iterable[Game], campaign: Campaign) -> list[Line]:
    sides = Side.objects.with_standing().select_related("gang__owner").defer("gang__snapshot")
    of_games: dict[Any, list[Side]] = {}
    found = sorted(games, key=lambda game: game.status != Game.Status.PLANNED)[:MOST_LINES]
    for side in sides.filter(game__in=found).order_by("pk"):
        of_games.setdefault(side.game_id, []).append(side)
    lines = []
    for game in found:
        game.campaign = campaign
        here = of_games.get(game.pk, [])
        names = side_names(here)
        lines.append(
            Line(
                key=f"game-{game.pk}",
                title=game_title(campaign.book, names.values()),
                url=game.get_absolute_url(),
                state=str(Game.Status(game.status).label),
                names={str(side.gang_id): names[side.pk] for side in here},
                is_open=game.status == Game.Status.PLANNED
                and all(side.gang_id is not None for side in here),
                game=game,
            )
        )
    return lines


def lines_of_round(one: Round) -> list[Line]:
    """The fixtures of a round between two gangs, in their order, without those that were called
    off. Where there are too many, as in a ladder, those with a result are left out first. Two
    queries."""
    rows = with_games(one.fixtures.filter(called_off_at=None)).exclude(away_name="")
    has_result = Q(game__isnull=False) & ~Q(
        game__status__in=[Game.Status.PLANNED, Game.Status.STRUCK]
    )
    found = rows.alias(has_result=has_result).order_by("has_result", "number")[:MOST_LINES]
    lines = []
    for fixture in sorted(found, key=lambda fixture: fixture.number):
        fixture.round = one
        shown, game = fixture_line(fixture), standing_game(fixture)
        names = dict(zip((fixture.home_id, fixture.away_id), fixture_names(fixture), strict=True))
        if game is not None:
            game.campaign = one.stage.campaign
        lines.append(
            Line(
                key=f"fixture-{fixture.pk}",
                title=shown.title,
                url=game.get_absolute_url() if game is not None else fixture.get_absolute_url(),
                state=f"{_('Third place')} · {shown.state}" if fixture.losers else shown.state,
                names={str(gang): name for gang, name in names.items() if gang is not None},
                is_open=len(names) == 2
                and None not in names
                and (game is None or game.status == Game.Status.PLANNED),
                game=game,
                fixture=fixture,
            )
        )
    return lines
