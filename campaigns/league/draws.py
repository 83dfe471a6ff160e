"""Proposals for the next rounds of a stage, with their reasons in words. Nothing is written here:
an organiser changes a proposal or makes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.club.nights.schedule import find_empty
from campaigns.engine.league.bracket import Place, draw_first_round
from campaigns.engine.league.circle import Drawn, complete, round_robin
from campaigns.engine.league.facts import Match
from campaigns.engine.league.swiss import (
    DrawnPair,
    SwissDraw,
    Wishes,
    draw_swiss,
    swiss_field,
)
from campaigns.fixtures import fixture_title
from campaigns.league.loading import LoadedStage
from campaigns.league.rounds import last_day
from campaigns.models import Fixture, Stage

NO_WISHES = Wishes()


@dataclass(frozen=True)
class DrawnLine:
    """A proposed fixture: its gangs (``away``: "" for a bye), and why they meet. ``warning``: why
    it is worse than one would like; ``number``, ``sources``, ``losers``: its place in a bracket."""

    home: str
    away: str = ""
    why: str = ""
    warning: str = ""
    number: int | None = None
    sources: tuple[Fixture | None, Fixture | None] = (None, None)
    losers: bool = False


@dataclass(frozen=True)
class RoundDraw:
    """The proposed fixtures of a round; ``is_new``: the round does not exist yet."""

    number: int
    opens: date
    due: date | None
    lines: Sequence[DrawnLine]
    is_new: bool = True


@dataclass(frozen=True)
class Draw:
    """The proposal. ``may_change``: an organiser may swap its gangs; ``note``: something to know
    before making it; ``replaces_byes``: the byes of the rounds that are filled are drawn again."""

    rounds: Sequence[RoundDraw] = ()
    may_change: bool = False
    note: str = ""
    replaces_byes: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to make."""
        return not any(one.lines for one in self.rounds)


def propose_rounds(
    loaded: LoadedStage, wishes: Wishes = NO_WISHES, number: int | None = None
) -> Draw:
    """The next rounds. ``number``: an existing round whose free gangs are to be paired."""
    if len(loaded.playing) < 2:
        return Draw(note=_("Two gangs must play in this stage."))
    match loaded.stage.format:
        case Stage.Format.SWISS:
            found = _swiss(loaded, wishes, number)
        case Stage.Format.ROUND_ROBIN:
            found = _round_robin(loaded)
        case Stage.Format.KNOCK_OUT:
            found = _knock_out(loaded)
        case _:
            found = Draw()
    notes = [note for note in (found.note, _note_empty(loaded)) if note]
    return replace(found, note=" ".join(notes))


def has_next(loaded: LoadedStage) -> bool:
    """Whether another round may be proposed: a round robin has none once every pair has a fixture,
    a knock-out none while its games are still to be played. A Swiss always has one."""
    if not loaded.rounds or loaded.stage.format == Stage.Format.SWISS:
        return True
    return not propose_rounds(loaded).is_empty


def empty_gangs(loaded: LoadedStage) -> set[str]:
    """The gangs that play on and have no members, by key: nobody can play them. One query."""
    return {str(key) for key in find_empty(loaded.playing)}


def _note_empty(loaded: LoadedStage) -> str:
    """A note about gangs without members, if there are any."""
    empty = empty_gangs(loaded)
    if not empty:
        return ""
    names = ", ".join(sorted(loaded.names[key] for key in empty))
    if loaded.stage.format == Stage.Format.SWISS:
        return _("Not paired, since they have no members: %(names)s.") % {"names": names}
    return _("These gangs have no members yet: %(names)s.") % {"names": names}


def days_of_next(loaded: LoadedStage) -> tuple[date, date | None]:
    """The days of the round after the last one: it opens today if the last one is decided, else on
    the day after that is due, but not before today."""
    days, today = loaded.stage.rules.days, timezone.localdate()
    last = loaded.rounds[-1] if loaded.rounds else None
    opens = today
    is_waiting = last is not None and (not last.is_open or last.number in loaded.open_rounds)
    if is_waiting and last is not None and last.due is not None:
        opens = max(today, last.due + timedelta(days=1))
    return opens, last_day(opens, days)


# Swiss


def _swiss(loaded: LoadedStage, wishes: Wishes, number: int | None) -> Draw:
    existing = next((one for one in loaded.rounds if one.number == number), None)
    matches = loaded.matches
    free = {one.gang for one in loaded.entered if not one.has_left}
    byes: list[Match] = []
    if existing is not None:
        free = find_free(loaded, existing.number)
        # The gang with the bye of this round can play a gang that came late.
        byes = find_byes(loaded, existing.number) if free else []
        free |= {match.home for match in byes}
        matches = [match for match in matches if match not in byes]
    free -= empty_gangs(loaded)
    field = swiss_field(
        loaded.entered,
        matches,
        loaded.stage.rules,
        wishes,
        free,
        loaded.around,
        is_first=existing.number == 1 if existing is not None else not loaded.rounds,
    )
    drawn = draw_swiss(field)
    lines = [_pair_line(pair) for pair in drawn.pairs]
    if drawn.bye is not None:
        lines.append(DrawnLine(drawn.bye.gang, why=_why_bye(drawn, len(field.seats))))
    if existing is not None:
        one = RoundDraw(existing.number, existing.opens, existing.due, lines, is_new=False)
        return Draw([one], may_change=True, replaces_byes=bool(byes))
    opens, due = days_of_next(loaded)
    last = loaded.rounds[-1].number if loaded.rounds else 0
    return Draw([RoundDraw(last + 1, opens, due, lines)], may_change=True, note=_open_note(loaded))


def find_free(loaded: LoadedStage, number: int) -> set[str]:
    """The gangs that play on and have no fixture in a round."""
    busy = {
        gang
        for match in loaded.matches
        if match.round == number and match.outcome != "off"
        for gang in match.sides
    }
    return {one.gang for one in loaded.entered if not one.has_left} - busy


def find_byes(loaded: LoadedStage, number: int) -> list[Match]:
    """The byes of a round whose gangs play on."""
    playing = {one.gang for one in loaded.entered if not one.has_left}
    return [
        match
        for match in loaded.matches
        if match.round == number and match.away is None and match.outcome != "off"
        if match.home in playing
    ]


def _open_note(loaded: LoadedStage) -> str:
    """A warning that results are still missing, if they are."""
    count = sum(match.outcome == "open" and match.away is not None for match in loaded.matches)
    if not count:
        return ""
    words = ngettext(
        "%(count)s game of earlier rounds is still open: its result may change the table.",
        "%(count)s games of earlier rounds are still open: their results may change the table.",
        count,
    )
    return words % {"count": count}


def _pair_line(pair: DrawnPair) -> DrawnLine:
    return DrawnLine(pair.home.gang, pair.away.gang, _why_pair(pair), _warn_of(pair))


def _why_pair(pair: DrawnPair) -> str:
    """The reasons for a pair: points, meetings, wishes."""
    points = [pair.home.points, pair.away.points]
    if points[0] == points[1]:
        words = ngettext("both on %(points)s point", "both on %(points)s points", points[0])
        parts = [words % {"points": number_format(points[0])}]
    else:
        values = {"more": number_format(max(points)), "less": number_format(min(points))}
        parts = [_("points: %(more)s against %(less)s") % values]
    if pair.met:
        met = ngettext("met %(count)s time before", "met %(count)s times before", pair.met)
        parts.append(met % {"count": pair.met})
    else:
        parts.append(_("never met before"))
    if pair.is_wanted:
        parts.append(_("as you wish"))
    return " · ".join(parts)


def _warn_of(pair: DrawnPair) -> str:
    if pair.is_unwanted:
        return _("against your wish: it could not be avoided")
    if pair.same_owner:
        return _("one player’s own gangs: it could not be avoided")
    if pair.met:
        return _("a rematch: it could not be avoided")
    return ""


def _why_bye(drawn: SwissDraw, free: int) -> str:
    assert drawn.bye is not None
    if free == 1:
        return _("nobody else is free")
    if drawn.bye.byes:
        return _("lowest in the table; nobody has had fewer byes")
    return _("lowest in the table that has had no bye")


# Round robin


def _round_robin(loaded: LoadedStage) -> Draw:
    rules = loaded.stage.rules
    gangs = [str(gang.pk) for gang in loaded.playing]
    if not loaded.rounds:
        opens, _due = days_of_next(loaded)
        found = round_robin(gangs, rules.legs)
        return Draw(_dated(loaded, found, 1, opens))
    today = timezone.localdate()
    with_game = {one.round_id for one in loaded.fixtures if one.game_id is not None}
    to_come = {
        one.number: one for one in loaded.rounds if one.opens > today and one.pk not in with_game
    }
    matches = [match for match in loaded.matches if not (match.is_bye and match.round in to_come)]
    missing = complete(gangs, matches, list(to_come), rules.legs)
    if not _meetings(missing.added.values()) and not missing.rounds:
        return Draw(note=_("Everybody has a fixture against everybody."))
    filled = [
        RoundDraw(number, to_come[number].opens, to_come[number].due, _lines(drawn), is_new=False)
        for number, drawn in missing.added.items()
    ]
    opens, _due = days_of_next(loaded)
    further = _dated(loaded, missing.rounds, loaded.rounds[-1].number + 1, opens)
    return Draw([*filled, *further], replaces_byes=True)


def _meetings(rounds: Iterable[Sequence[Drawn]]) -> int:
    return sum(away is not None for drawn in rounds for _home, away in drawn)


def _dated(
    loaded: LoadedStage, rounds: Sequence[Sequence[Drawn]], number: int, opens: date
) -> list[RoundDraw]:
    """New rounds, one after the other. Without a length they all open on the same day."""
    days = loaded.stage.rules.days
    return [
        RoundDraw(number + place, start, last_day(start, days), _lines(drawn))
        for place, drawn in enumerate(rounds)
        for start in [opens + timedelta(days=days * place)]
    ]


def _lines(drawn: Sequence[Drawn]) -> list[DrawnLine]:
    """The fixtures of a round, byes last: so the tables are numbered without a gap."""
    ordered = sorted(drawn, key=lambda pair: pair[1] is None)
    return [DrawnLine(home, away or "") for home, away in ordered]


# Knock-out


def _knock_out(loaded: LoadedStage) -> Draw:
    opens, due = days_of_next(loaded)
    if not loaded.rounds:
        gangs = [str(gang.pk) for gang in loaded.playing]
        seeds = {gang: seed for seed, gang in enumerate(gangs, start=1)}
        lines = [_seeded_line(home, away, seeds) for home, away in draw_first_round(gangs)]
        return Draw([RoundDraw(1, opens, due, lines)], may_change=True)
    state, known = loaded.bracket, {one.number: one for one in loaded.rounds}
    found: dict[int, list[DrawnLine]] = defaultdict(list)
    for place in state.to_make:
        found[place.round].append(_bracket_line(loaded, place))
    rounds = [
        RoundDraw(number, known[number].opens, known[number].due, lines, is_new=False)
        if number in known
        else RoundDraw(number, opens, due, lines)
        for number, lines in sorted(found.items())
    ]
    return Draw(rounds, note=_waiting_note(loaded))


def _bracket_line(loaded: LoadedStage, place: Place) -> DrawnLine:
    """The proposed fixture for a place of the bracket."""
    by_key = {fixture.pk: fixture for fixture in loaded.fixtures}
    home, away = place.sources
    if len(place.gangs) == 1:
        why = _("no opponent is left")
    elif place.round == 1:
        why = _("drawn again by seeds")
    elif place.losers:
        why = _("the losers of the semi-finals")
    else:
        why = _("the winners of their games")
    first, *others = place.gangs
    return DrawnLine(
        first,
        others[0] if others else "",
        why=why,
        number=place.number,
        sources=(by_key[home.key] if home else None, by_key[away.key] if away else None),
        losers=place.losers,
    )


def drawn_note(loaded: LoadedStage) -> str:
    """The draws of a knock-out that wait for an organiser to say who goes on; "" without any."""
    undecided = loaded.bracket.undecided_keys
    drawn = [fixture_title(fixture) for fixture in loaded.fixtures if fixture.pk in undecided]
    if not drawn:
        return ""
    return _("After a draw, say on the fixture who goes on: %(names)s.") % {
        "names": ", ".join(drawn)
    }


def _waiting_note(loaded: LoadedStage) -> str:
    """The results for which the bracket waits."""
    parts = []
    if drawn := drawn_note(loaded):
        parts.append(drawn)
    if loaded.outdated:
        parts.append(
            _("Some fixtures no longer follow from the results before them: settle those first.")
        )
    if any(not place.is_known for place in loaded.bracket.places):
        parts.append(_("Further games follow as soon as both gangs are known."))
    return " ".join(parts)


def _seeded_line(home: str, away: str | None, seeds: dict[str, int]) -> DrawnLine:
    if away is None:
        return DrawnLine(home, "", _("seed %(seed)s: no opponent") % {"seed": seeds[home]})
    values = {"one": seeds[home], "other": seeds[away]}
    return DrawnLine(home, away, _("seed %(one)s against seed %(other)s") % values)
