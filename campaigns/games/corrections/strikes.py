"""Taking back a whole game or a bargain in all gangs, or in none.

Its entries are struck in every gang's history, and the rest is replayed; a bargain that no longer
fits in one gang is struck in the other, too. The campaign's row is taken first, then the game's or
the bargain's, then the gangs' in the order of their keys.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns.engine.how import FOUGHT
from campaigns.fixtures import find_fixture, telling_outdated
from campaigns.locking import count_change
from campaigns.models import Bargain, Campaign, Game, Side
from common.errors import Refusal, Stale
from common.locking import update_if
from gangs import hooks
from gangs.engine.entries import KINDS, Upgraded
from gangs.ledger import writer
from gangs.ledger.revision import Weighed, find_undone, weigh
from gangs.models import Gang, StoredEntry, Strike

# Kinds of entries that are never struck along with a game: the campaign decides on them.
FIXED = (*(kind for kind, model in KINDS.items() if model.stays), Upgraded.kind)
Versions = Mapping[uuid.UUID, int]
Seqs = Mapping[uuid.UUID, Collection[int]]


@dataclass(frozen=True)
class Stroke:
    """The entries to strike in one gang, by ``seq``, and the gang's state without them."""

    gang: Gang
    seqs: frozenset[int]
    weighed: Weighed


def why_bound(gang: Gang, batches: Collection[uuid.UUID]) -> Refusal | None:
    """The reason why some of these batches cannot be struck or restored in only one gang, or
    None."""
    if Bargain.objects.filter(batch__in=batches).exists():
        return Refusal("bound")
    sides = Side.objects.filter(gang=gang, batch__in=batches)
    if sides.filter(game__status=Game.Status.STRUCK).exists():
        return Refusal("game_struck")
    if sides.exclude(game__how__in=FOUGHT).exists():
        return Refusal("bound_to_game")
    return None


# Weighing


def weigh_game(game: Game, also: Seqs | None = None) -> list[Stroke]:
    """Preview taking the whole game back, gang by gang. ``also``: later entries to strike, too.
    Writes nothing."""
    keys = {side.gang_id for side in game.sides.all() if side.gang_id is not None}
    standing = StoredEntry.objects.live().filter(_of(game), gang__in=keys)
    return _weigh(game.campaign, standing, keys, also)


def weigh_bargain(bargain: Bargain, also: Seqs | None = None) -> list[Stroke]:
    """Preview taking the bargain back in both gangs. Writes nothing."""
    standing = StoredEntry.objects.live().filter(batch=bargain.batch or uuid.UUID(int=0))
    keys = {key for key in (bargain.giver_id, bargain.taker_id) if key is not None}
    return _weigh(bargain.campaign, standing, keys, also)


def weigh_restore(game: Game) -> list[Stroke]:
    """Preview restoring a game that was taken back, gang by gang. Writes nothing. Raises Misfit and
    Refusal as ``restore_game``."""
    strokes = []
    for act in _acts_of(game).select_related("gang__owner"):
        undone = find_undone(act.gang, act)
        weighed = weigh(act.gang, strike=undone.strike, restore=undone.restore, exact=undone.exact)
        strokes.append(Stroke(act.gang, frozenset(undone.strike), weighed))
    return strokes


def _weigh(
    campaign: Campaign,
    entries: Iterable[StoredEntry],
    keys: Collection[uuid.UUID],
    also: Seqs | None,
) -> list[Stroke]:
    """Preview striking the ``entries``, and all bargains that do not fit without them, in every
    gang."""
    struck: dict[uuid.UUID, set[int]] = {key: set() for key in keys}
    for entry in (*entries, *_chosen(keys, also)):
        struck.setdefault(entry.gang_id, set()).add(entry.seq)
    bargains: set[uuid.UUID] = set()
    while True:
        gangs = Gang.objects.filter(pk__in=struck).select_related("owner").order_by("pk")
        strokes = [
            Stroke(gang, frozenset(struck[gang.pk]), weigh(gang, strike=struck[gang.pk]))
            for gang in gangs
        ]
        unfit = {entry.batch for stroke in strokes for entry, _why in stroke.weighed.misfits}
        affected = Bargain.objects.filter(campaign=campaign, batch__in=unfit - bargains)
        more = {batch for batch in affected.values_list("batch", flat=True) if batch is not None}
        if not more:
            return strokes
        bargains |= more
        for entry in StoredEntry.objects.live().filter(batch__in=more):
            struck.setdefault(entry.gang_id, set()).add(entry.seq)


def _chosen(keys: Collection[uuid.UUID], also: Seqs | None) -> Iterator[StoredEntry]:
    """The later entries that the organiser also chose to strike. Entries of bargains are left out:
    they are struck in both gangs or not at all.
    """
    for key, seqs in (also or {}).items():
        if key in keys:
            standing = StoredEntry.objects.live().filter(gang=key, seq__in=seqs)
            bound = Bargain.objects.filter(batch=OuterRef("batch"))
            yield from standing.exclude(kind__in=FIXED).exclude(Exists(bound))


# Striking


def strike_game(
    game: Game, *, actor: User, reason: str, expected_version: int, versions: Versions, also: Seqs
) -> None:
    """Take a whole game back, with the post-games of all its sides.

    ``expected_version``, ``versions``: the versions of the game and its gangs that the organiser
    saw; ``also``: the later entries to strike, too, by gang. Raises Stale if something has changed
    meanwhile, Refusal if other entries would no longer fit, or if there is nothing to take back.
    """
    with transaction.atomic(), telling_outdated(find_fixture(game)):
        count_change(game.campaign)
        occasion = uuid.uuid4()
        _turn(
            game,
            Game.Status.CONFIRMED,
            expected_version,
            status=Game.Status.STRUCK,
            struck_by=actor,
            struck_why=reason,
            occasion=occasion,
        )
        _strike(weigh_game(game, also), versions, actor, reason, occasion)
        campaigns_notices.game_struck(game, reason, actor=actor)


def restore_game(game: Game, *, actor: User, reason: str, expected_version: int) -> None:
    """Restore a game that was taken back, in every gang.

    Raises Stale if the game has changed meanwhile, and Misfit, Leftovers or Refusal if the game
    does not fit what a gang has done since.
    """
    with transaction.atomic(), telling_outdated(find_fixture(game)):
        count_change(game.campaign)
        rows = list(_acts_of(game))
        _turn(
            game,
            Game.Status.STRUCK,
            expected_version,
            status=Game.Status.CONFIRMED,
            struck_by=None,
            struck_why="",
            occasion=None,
        )
        hooks.oversight.lock_postgames([strike.gang_id for strike in rows])
        for strike in rows:
            gang = Gang.objects.select_for_update(of=("self",), no_key=True).get(pk=strike.gang_id)
            writer.revise(
                gang,
                undoes=strike,
                expected_version=gang.version,
                actor=actor,
                reason=reason,
                by_organiser=gang.owner_id != actor.pk,
                leaving=True,
            )


def _acts_of(game: Game) -> QuerySet[Strike]:
    """The corrections by which a game was taken back, in the order of their gangs."""
    return Strike.objects.filter(occasion=game.occasion, undone_by=None).order_by("gang")


def strike_bargain(
    bargain: Bargain, *, actor: User, reason: str, versions: Versions, also: Seqs
) -> None:
    """Take a bargain back in both gangs. Raises as ``strike_game``."""
    with transaction.atomic():
        count_change(bargain.campaign)
        strokes = weigh_bargain(bargain, also)
        if not any(stroke.seqs for stroke in strokes):
            raise Refusal("nothing_to_strike")
        _strike(strokes, versions, actor, reason, uuid.uuid4())


def _strike(
    strokes: list[Stroke], versions: Versions, actor: User, reason: str, occasion: uuid.UUID
) -> None:
    """Strike the previewed entries in all gangs, as one occasion."""
    if {stroke.gang.pk: stroke.gang.version for stroke in strokes} != dict(versions):
        raise Stale
    if any(stroke.weighed.misfits for stroke in strokes):
        raise Refusal("strokes_left_over")
    hooks.oversight.lock_postgames([stroke.gang.pk for stroke in strokes])
    for stroke in strokes:
        if stroke.seqs:
            writer.revise(
                stroke.gang,
                strike=stroke.seqs,
                expected_version=stroke.gang.version,
                actor=actor,
                reason=reason,
                by_organiser=stroke.gang.owner_id != actor.pk,
                leaving=True,
                occasion=occasion,
            )


def _turn(game: Game, start: str, expected_version: int, **values: Any) -> None:
    """Change the game's status. The update is the lock. Raises Refusal if the game has another
    status, and Stale if it has changed since it was seen."""
    if game.status != start:
        raise Refusal("gone")
    update_if(Game.objects.filter(status=start), game.pk, expected_version, **values)
    game.refresh_from_db()


def _of(game: Game) -> Q:
    """Selects a game's entries in the gangs' histories: its post-games, and its hirelings."""
    batches = [side.batch for side in game.sides.all() if side.batch is not None]
    return Q(batch__in=batches) | Q(kind="hired", data__game=str(game.pk))
