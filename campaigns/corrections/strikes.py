"""Taking back what concerns several gangs: a whole game, or a bargain. All of them, or none.

What one gang has from it is struck in its history, and the rest replayed; a bargain that no longer
fits in one gang goes in the other, too. The campaign's row is taken first, then the game's or the
bargain's, then the gangs' in the order of their keys.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from accounts.models import User
from campaigns import announcing
from campaigns.joining import claim
from campaigns.models import Bargain, Campaign, Game, Side
from gangs import ledger
from gangs.correcting import Weighed
from gangs.ledger import Stale
from gangs.models import Gang, StoredEntry, Strike
from gangs.refusal import Refusal

# What a campaign and its gangs agree on is not struck along with a game.
FIXED = ("founded", "joined", "upgraded")
Versions = Mapping[uuid.UUID, int]
Seqs = Mapping[uuid.UUID, Collection[int]]


@dataclass(frozen=True)
class Stroke:
    """What is struck in one gang, by ``seq``, and what would become of it."""

    gang: Gang
    seqs: frozenset[int]
    weighed: Weighed


class StrokesLeftOver(Exception):
    """Later entries of some gangs would no longer fit, and nobody said what becomes of them.
    Nothing was written."""


def bond(gang: Gang, batches: Collection[uuid.UUID]) -> Refusal | None:
    """Why some of these batches cannot be taken back, or put back, in one gang alone."""
    if Bargain.objects.filter(batch__in=batches).exists():
        return Refusal("bound")
    sides = Side.objects.filter(gang=gang, batch__in=batches)
    if sides.filter(game__status=Game.Status.STRUCK).exists():
        return Refusal("game_struck")
    return None


# Weighing


def weigh_game(game: Game, also: Seqs | None = None) -> list[Stroke]:
    """What taking the whole game back would bring about, gang by gang; ``also``: what else is to
    be struck. Nothing is written."""
    keys = {side.gang_id for side in game.sides.all() if side.gang_id is not None}
    standing = StoredEntry.objects.live().filter(_of(game), gang__in=keys)
    return _weigh(game.campaign, standing, keys, also)


def weigh_bargain(bargain: Bargain, also: Seqs | None = None) -> list[Stroke]:
    """What taking the bargain back would bring about in both gangs. Nothing is written."""
    standing = StoredEntry.objects.live().filter(batch=bargain.batch or uuid.UUID(int=0))
    keys = {key for key in (bargain.giver_id, bargain.taker_id) if key is not None}
    return _weigh(bargain.campaign, standing, keys, also)


def _weigh(
    campaign: Campaign,
    entries: Iterable[StoredEntry],
    keys: Collection[uuid.UUID],
    also: Seqs | None,
) -> list[Stroke]:
    """Strike ``entries``, and all bargains that no longer fit without them, in every gang."""
    struck: dict[uuid.UUID, set[int]] = {key: set() for key in keys}
    for entry in (*entries, *_chosen(keys, also)):
        struck.setdefault(entry.gang_id, set()).add(entry.seq)
    bargains: set[uuid.UUID] = set()
    while True:
        gangs = Gang.objects.filter(pk__in=struck).select_related("owner").order_by("pk")
        strokes = [
            Stroke(gang, frozenset(struck[gang.pk]), ledger.weigh(gang, strike=struck[gang.pk]))
            for gang in gangs
        ]
        lost = {entry.batch for stroke in strokes for entry, _why in stroke.weighed.misfits}
        along = Bargain.objects.filter(campaign=campaign, batch__in=lost - bargains)
        found = {batch for batch in along.values_list("batch", flat=True) if batch is not None}
        if not found:
            return strokes
        bargains |= found
        for entry in StoredEntry.objects.live().filter(batch__in=found):
            struck.setdefault(entry.gang_id, set()).add(entry.seq)


def _chosen(keys: Collection[uuid.UUID], also: Seqs | None) -> Iterator[StoredEntry]:
    """The entries that somebody chose to strike along. Whole bargains go with what they need."""
    for key, seqs in (also or {}).items():
        if key in keys:
            standing = StoredEntry.objects.live().filter(gang=key, seq__in=seqs)
            bound = Bargain.objects.filter(batch=OuterRef("batch"))
            yield from standing.exclude(kind__in=FIXED).exclude(Exists(bound))


# Striking


def strike_game(
    game: Game, *, actor: User, reason: str, seen: int, versions: Versions, also: Seqs
) -> None:
    """Take a whole game back, with the post-games of all its sides.

    ``seen``, ``versions``: the game and its gangs as the decision was made on; ``also``: which
    later entries are struck along, by gang. Raises Stale if something has changed meanwhile,
    StrokesLeftOver if others would no longer fit, Refusal if there is nothing to take back.
    """
    with transaction.atomic():
        claim(game.campaign)
        _turn(
            game,
            Game.Status.CONFIRMED,
            seen,
            status=Game.Status.STRUCK,
            struck_by=actor,
            struck_why=reason,
        )
        _strike(weigh_game(game, also), versions, actor, reason)
        announcing.game_struck(game, reason, actor=actor)


def restore_game(game: Game, *, actor: User, reason: str, seen: int) -> None:
    """Put a game back that was taken back, in every gang.

    Raises Stale if the game has changed meanwhile, and Misfit, Leftovers or Refusal if what a gang
    has done since does not go with it.
    """
    with transaction.atomic():
        claim(game.campaign)
        acts = _acts(game)
        _turn(
            game,
            Game.Status.STRUCK,
            seen,
            status=Game.Status.CONFIRMED,
            struck_by=None,
            struck_why="",
        )
        for act in sorted(acts, key=lambda act: act.gang_id):
            gang = Gang.objects.select_for_update(of=("self",), no_key=True).get(pk=act.gang_id)
            ledger.restore(
                gang,
                act,
                seen=gang.version,
                actor=actor,
                reason=reason,
                by_organiser=gang.owner_id != actor.pk,
                leaving=True,
            )


def strike_bargain(
    bargain: Bargain, *, actor: User, reason: str, versions: Versions, also: Seqs
) -> None:
    """Take a bargain back in both gangs. Raises as ``strike_game``."""
    with transaction.atomic():
        claim(bargain.campaign)
        strokes = weigh_bargain(bargain, also)
        if not any(stroke.seqs for stroke in strokes):
            raise Refusal("nothing_to_strike")
        _strike(strokes, versions, actor, reason)


def _strike(strokes: list[Stroke], versions: Versions, actor: User, reason: str) -> None:
    """Carry out what was weighed and seen."""
    if {stroke.gang.pk: stroke.gang.version for stroke in strokes} != dict(versions):
        raise Stale
    if any(stroke.weighed.misfits for stroke in strokes):
        raise StrokesLeftOver
    now = timezone.now()
    for stroke in strokes:
        if stroke.seqs:
            ledger.revise(
                stroke.gang,
                strike=stroke.seqs,
                seen=stroke.gang.version,
                actor=actor,
                reason=reason,
                by_organiser=stroke.gang.owner_id != actor.pk,
                leaving=True,
                at=now,
            )


def _turn(game: Game, start: str, seen: int, **values: object) -> None:
    """Change the game if it is still as it was seen; the update is the lock."""
    if game.status != start:
        raise Refusal("gone")
    turned = Game.objects.filter(pk=game.pk, version=seen, status=start)
    if not turned.update(version=F("version") + 1, **values):
        raise Stale
    game.refresh_from_db()


def _of(game: Game) -> Q:
    """What the gangs have in their histories from a game: its post-games, those hired for it."""
    batches = [side.batch for side in game.sides.all() if side.batch is not None]
    return Q(batch__in=batches) | Q(kind="hired", data__game=str(game.pk))


def _acts(game: Game) -> list[Strike]:
    """The corrections that took the game back, one for each gang that had something of it."""
    known = Strike.objects.filter(
        actor=game.struck_by_id, reason=game.struck_why, undone_by=None
    ).order_by("pk")
    own = known.filter(entries__in=StoredEntry.objects.filter(_of(game)))
    newest = own.order_by("at").last()
    if newest is None:
        return []
    # One gang's part may have been corrected away before, in the same words.
    known = known.filter(at=newest.at)
    acts = {act.gang_id: act for act in own.filter(at=newest.at)}
    struck = StoredEntry.objects.filter(struck__in=acts.values())
    along = Bargain.objects.filter(batch__in=struck.values("batch")).values("batch")
    others = known.filter(entries__in=StoredEntry.objects.filter(batch__in=along))
    return list(({act.gang_id: act for act in others} | acts).values())
