"""Writing the results of many games in one transaction, as an organiser decides single ones, and
taking them back together.

Results that were played count without losses: nobody has said yet who fell.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, cast

from django.db import transaction
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from campaigns.club.planning import plans
from campaigns.club.planning.plans import Plan
from campaigns.engine.claims import Account
from campaigns.engine.how import Manner
from campaigns.games import results, unfought
from campaigns.games.report_forms import ReportForms, place_name
from campaigns.league.entering.lines import LineForm
from campaigns.locking import lock
from campaigns.models import Campaign, Game, Side
from campaigns.refusals import refusal_sentence
from campaigns.table.report import table_account
from campaigns.text import game_title, side_label, side_names
from common.errors import Refusal, Stale


class BadLines(Exception):
    """Raised if some lines cannot be written; nothing is. ``errors``: sentences by the key of the
    line."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(errors)
        self.errors = errors


@dataclass(frozen=True)
class Written:
    """A result as it was written. ``words``: how it ended for each side; ``made``: its game was
    made for it; ``played_on``, ``reported_by``: of the planned game before; ``version``: of the
    game after it."""

    game: str
    words: str
    made: bool
    played_on: str
    reported_by: int | None
    version: int


def write(
    campaign: Campaign,
    forms: Iterable[LineForm],
    day: date,
    *,
    actor: User,
    token: uuid.UUID,
    dry: bool = False,
) -> list[Written]:
    """Write the result of every filled line, all valid. ``day``: of games that nobody has planned;
    ``dry``: take everything back at the end, for the preview.

    A form that arrives twice writes once. Raises BadLines, and Refusal if the campaign is over.
    """
    written, errors = [], dict[str, str]()
    with transaction.atomic():
        lock(campaign)
        for form in forms:
            try:
                with transaction.atomic():
                    written.append(_write_line(campaign, form, day, actor, token))
            except Refusal as refusal:
                errors[form.line.key] = refusal_sentence(refusal)
            except Stale:
                errors[form.line.key] = _("Somebody has reported this game in the meantime.")
            except BadLines as bad:
                errors |= bad.errors
        if errors or dry:
            transaction.set_rollback(True)
    if errors:
        raise BadLines(errors)
    return written


def _write_line(
    campaign: Campaign, form: LineForm, day: date, actor: User, token: uuid.UUID
) -> Written:
    """Decide the game of one line; a fixture without a game gets one."""
    game, made = _find_game(campaign, form, day, actor, token)
    sides = list(game.sides.with_standing().select_related("gang__owner").order_by("pk"))
    for side in sides:
        side.game = game
    before = game.played_on.isoformat(), game.reported_by_id
    account = _account(form, game, sides)
    if game.status == Game.Status.CONFIRMED:
        if account != results.account_of(game, sides):
            raise Stale
    else:
        version = game.version if made else form.seen
        results.decide(
            game, account=account, actor=actor, expected_version=version or 0, asks_who_fell=True
        )
    sides = list(game.sides.with_standing().select_related("gang__owner").order_by("pk"))
    for side in sides:
        side.game = game
    names = side_names(sides)
    words = [
        _("%(name)s: %(value)s") % {"name": names[side.pk], "value": label}
        for side in sides
        if (label := side_label(side))
    ]
    said = " · ".join(words) or str(Game.How(game.how).label)
    return Written(str(game.pk), said, made, *before, game.version)


def _find_game(
    campaign: Campaign, form: LineForm, day: date, actor: User, token: uuid.UUID
) -> tuple[Game, bool]:
    """The game of a line, and whether it was made for it. A form that arrives twice finds the game
    that it made."""
    line = form.line
    key = uuid.uuid5(token, line.key)
    game = line.game or campaign.games.filter(token=key).first()
    if game is not None:
        # ``results.decide`` locks it, after the holdings: the other order could be a deadlock.
        game = Game.objects.filter(pk=game.pk).first()
        if game is None:
            raise Refusal("gone")
        game.campaign = campaign
        return game, game.token == key
    fixture = line.fixture
    assert fixture is not None
    if fixture.home is None or fixture.away is None:
        raise Refusal("fixture_off")
    planned, gangs = Plan(day), [fixture.home, fixture.away]
    options: dict[str, Any] = {"fixture": fixture, "is_news": False}
    return plans.plan(campaign, gangs, planned, actor=actor, token=key, **options), True


def _account(form: LineForm, game: Game, sides: Sequence[Side]) -> Account:
    """The account that a line gives of its game. Raises BadLines if the game needs a report of its
    own."""
    by_gang = {str(side.gang_id): side for side in sides}
    if by_gang.keys() != form.line.names.keys():
        raise Stale
    kind, _colon, rest = form.chosen.partition(":")
    if kind not in ("", "played", "level"):
        absent = [by_gang[rest].pk] if rest else [side.pk for side in sides]
        return unfought.account_without_battle(game, sides, cast(Manner, kind), absent)
    told = table_account(game, sides)
    data = _as_posted(ReportForms(game, sides, told, table=told))
    gang, _colon, result = rest.partition(":") if kind == "played" else ("", "", rest)
    data["winner"] = str(by_gang[gang].pk) if gang else result
    data["result"] = result if gang else ""
    for other, place in form.chosen_places.items():
        data[place_name(by_gang[other])] = place
    report = ReportForms(game, sides, told, table=told, data=data)
    if not report.is_valid():
        raise BadLines({form.line.key: _first_error(report)})
    return report.account()


def _as_posted(report: ReportForms) -> QueryDict:
    """The fields of an empty report as a browser would send them."""
    data = QueryDict(mutable=True)
    for form in (report.result, *report.side_forms):
        for field in form:
            value = field.value()
            if value is True:
                data[field.html_name] = "on"
            elif isinstance(value, list | tuple):
                data.setlist(field.html_name, list(map(str, value)))
            elif value == 0 and field.name.startswith("track-"):
                # A tracker that ended at 0; without a number, it would stay as before the game.
                data[field.html_name] = "0"
            elif value not in (None, False):
                data[field.html_name] = value.isoformat() if isinstance(value, date) else str(value)
    return data


def _first_error(report: ReportForms) -> str:
    """The first error of a report, with the advice to report this game on its own page."""
    for form in (report.result, *report.side_forms):
        for errors in form.errors.values():
            words = " ".join(map(str, errors))
            return _("%(why)s Report this game on its own page.") % {"why": words}
    return _("Report this game on its own page.")


def as_kept(written: Iterable[Written]) -> list[dict[str, Any]]:
    """The results as a session keeps them until they are taken back."""
    return [asdict(one) for one in written]


def take_back(campaign: Campaign, kept: Sequence[dict[str, Any]], *, actor: User) -> list[str]:
    """Take results back, as far as nothing has followed: games that were made for them are deleted,
    planned ones are open again. Return the titles of games that stay, since somebody has corrected
    them or played a post-game. Raises Refusal if the campaign is over."""
    stay = []
    with transaction.atomic():
        lock(campaign)
        for one in (Written(**row) for row in kept):
            game = campaign.games.filter(pk=one.game).first()
            if game is None:
                continue
            game.campaign = campaign
            try:
                with transaction.atomic():
                    day = date.fromisoformat(one.played_on)
                    results.reopen(
                        game,
                        expected_version=one.version,
                        day=day,
                        reported_by=one.reported_by,
                    )
                    if one.made:
                        results.withdraw(game, actor=actor, expected_version=game.version)
            except (Refusal, Stale):
                sides = game.sides.with_standing().select_related("gang__owner").order_by("pk")
                stay.append(game_title(game.campaign.book, side_names(list(sides)).values()))
    return stay


def usual_day(last: date | None) -> date:
    """The day on which games were played that nobody has planned: today, or the last day of a
    round that is over."""
    today = timezone.localdate()
    return today if last is None else min(today, last)
