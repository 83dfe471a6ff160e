"""Playing the open post-games of a campaign with the site's dice, in one press of an organiser.

Each is played by the same answers as by hand. The site only throws dice and declares steps as
finished; a choice that only the player can make stays open for them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from campaigns import notices
from campaigns.engine import answers, rolls
from campaigns.models import Campaign, Game, Membership, Side, SideQuerySet
from campaigns.postgames import correction, drafts
from campaigns.postgames.drafts import Change, Postgame
from campaigns.seeds import Dice, dice_of
from common.errors import Refusal, Stale
from gangs.engine.errors import Misfit
from gangs.ledger.writer import Leftovers

# The most post-games that one press tries: each takes less than a tenth of a second.
MOST = 60
# The most answers that one post-game gets.
MOST_ANSWERS = 200
# The answers that spend and change nothing, by the kind of question.
HARMLESS = {"captive": "stay", "search": "nothing", "supply": "0"}

# ``played``: written into the gang's history; ``waits``: something is left for the player to decide
# or to correct; ``changed``: somebody played or changed it meanwhile.
Outcome = Literal["played", "waits", "changed"]


def find_open(campaign: Campaign, organiser: User) -> SideQuerySet:
    """The sides with an open post-game that an organiser may play, the oldest game first: in the
    campaign, and in earlier ones that are archived, if the gang plays on here."""
    plays_here = Membership.objects.playing().filter(campaign=campaign, gang=OuterRef("gang"))
    earlier = Q(Exists(plays_here), game__campaign__archived_at__isnull=False)
    sides = Side.objects.undone().filter(
        Q(game__campaign=campaign) | earlier,
        game__campaign__in=Campaign.objects.organised_by(organiser),
        game__status=Game.Status.CONFIRMED,
        gang__isnull=False,
    )
    return sides.order_by("game__played_on", "game__created_at", "pk")


@dataclass
class Tally:
    """The numbers of post-games that one press has played, left to their players, and found changed
    meanwhile; ``rest``: the sides that it did not try."""

    played: int = 0
    waits: int = 0
    changed: int = 0
    rest: Sequence[int] = ()


def begin_with(first: int | None, sides: Sequence[int]) -> list[int]:
    """Return keys of sides with this one and those after it first, then those before it."""
    place = sides.index(first) if first in sides else 0
    return [*sides[place:], *sides[:place]]


def play_all(
    campaign: Campaign, seen: Collection[int], *, actor: User, first: int | None = None
) -> Tally:
    """Play the open post-games among the sides ``seen``, at most ``MOST``, each in a transaction of
    its own. ``first``: the side to begin with, if an earlier press has tried those before it."""
    found = find_open(campaign, actor).filter(pk__in=seen)
    keys = begin_with(first, list(found.values_list("pk", flat=True)))
    tally = Tally(rest=keys[MOST:])
    for key in keys[:MOST]:
        match play_out(key, actor=actor):
            case "played":
                tally.played += 1
            case "waits":
                tally.waits += 1
            case "changed":
                tally.changed += 1
    return tally


def play_out(key: int, *, actor: User, dice: Dice | None = None) -> Outcome:
    """Play a side's post-game as far as no choice of its player is needed, and write it if nothing
    is left. ``dice``: other dice than the side's own.

    Dice that fell stay in the draft. The game is locked first, so two presses play it once.
    """
    try:
        with transaction.atomic():
            drafts.hold(_read(key))
            side = _read(key)
            if side.correcting or drafts.is_done(side):
                return "changed"
            if side.batch is not None or drafts.earlier(side) is not None:
                return "waits"
            return _play_out(side, actor, dice)
    except (Refusal, Stale, Side.DoesNotExist):
        return "changed"
    except Misfit:
        return "waits"


def _read(key: int) -> Side:
    return Side.objects.select_related("game__campaign", "gang__owner").get(pk=key)


def _play_out(side: Side, actor: User, dice: Dice | None) -> Outcome:
    postgame = drafts.load(side)
    for _ in range(MOST_ANSWERS):
        thrower = dice or dice_of(side)
        change = _next_change(postgame, thrower)
        if change is None:
            break
        try:
            postgame = drafts.answer(
                postgame, change, expected_version=side.draft_version, actor=actor, dice=thrower
            )
        except Refusal:
            return "waits"
    if not postgame.playthrough.complete:
        return "waits"
    try:
        weighed = correction.consequences(postgame)
        if weighed is not None and (weighed.misfits or weighed.implausible):
            return "waits"
        drafts.commit(
            side,
            seen_draft=side.draft_version,
            seen_gang=postgame.base.gang.version,
            actor=actor,
        )
    except (Refusal, Leftovers):
        return "waits"
    notices.postgame_played(side, actor=actor)
    return "played"


def _next_change(postgame: Postgame, dice: Dice) -> Change | None:
    """The next answer that needs no player; None if there is none."""
    state = postgame.playthrough.current
    if state is None or state.refused:
        return None
    if state.waiting:
        return partial(answers.roll, change=partial(rolls.throw_all, by=dice))
    for question in state.questions:
        if question.chosen is None:
            harmless = HARMLESS.get(question.kind)
            if harmless not in [choice.value for choice in question.available]:
                return None
            return partial(answers.choose, key=question.key, value=harmless)
    return partial(answers.finish, step=state.step.key) if state.may_finish else None
