"""The ledger: the only place that writes a gang's entries and its snapshot.

Each function is one transaction. The caller says which version of the gang the user saw: if
somebody was faster, Stale is raised and nothing is written. A form that arrives twice is written
once.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import User
from gangs import bonds, corrections, stories, versions
from gangs.correcting import Insertion as Insertion
from gangs.correcting import inserted, outcome, undone
from gangs.correcting import weigh as weigh
from gangs.entries import Entry
from gangs.fold import Misfit, fold
from gangs.journal import dumped as dumped
from gangs.journal import entries_of as entries_of
from gangs.journal import exported as exported
from gangs.journal import replayed as replayed
from gangs.journal import roster_at as roster_at
from gangs.journal import roster_before as roster_before
from gangs.models import Gang, StoredEntry, Strike
from gangs.refusal import Refusal
from gangs.roster import Roster
from gangs.stored import columns
from gangs.stored import numbered as numbered
from gangs.stored import read as read
from gangs.stored import stored_book as stored_book
from gangs.worth import gang_rating
from rules.models import BookVersion

# A file must be able to hold a whole ledger, and a request to fold it.
MOST_ENTRIES = 20_000


class Stale(Exception):
    """The gang has changed since the user saw it; nothing was written."""


class Leftovers(Exception):
    """Striking these entries would leave others that no longer fit. Nothing was written.

    ``misfits``: (entry, why) for each of those.
    """

    def __init__(self, misfits: list[tuple[StoredEntry, Misfit]]) -> None:
        super().__init__("entries that no longer fit")
        self.misfits = misfits


def found(
    version: BookVersion, entries: Sequence[Entry], *, owner: User | None, token: str | None = None
) -> Gang:
    """Start a new gang with its first entries."""
    with transaction.atomic():
        gang = Gang.objects.create(owner=owner, book_version=version, founded_with=version)
        append(gang, entries, seen=0, actor=owner, token=token)
    return gang


def append(
    gang: Gang,
    entries: Sequence[Entry],
    *,
    seen: int,
    actor: User | None,
    token: str | None = None,
    batch: uuid.UUID | None = None,
) -> bool:
    """Append ``entries`` to the gang's ledger and bring its snapshot up to date.

    ``seen``: the version of the gang that the decision was made on; ``token``: the form's, if it
    came from one; ``batch``: what binds the entries together, a new one by default. Returns False
    if this very form was written before: then nothing is written again.
    Raises Stale if the gang is no longer as it was seen, Misfit if an entry does not fit, and
    Refusal if the ledger is full.
    """
    if not entries:
        return True
    if gang.last_seq + len(entries) > MOST_ENTRIES:
        raise Refusal("history_full")
    with transaction.atomic():
        if not _claim(gang, seen, token):
            return False
        roster = gang.roster
        first = gang.last_seq + 1
        roster = fold(gang.first_book, enumerate(entries, start=first), roster, stored_book)
        batch = batch or uuid.uuid4()
        now = timezone.now()
        StoredEntry.objects.bulk_create(
            StoredEntry(
                gang=gang,
                seq=seq,
                place=seq,
                number=seq,
                **columns(entry),
                batch=batch,
                actor=actor,
                at=now,
                token=token if seq == first else None,
            )
            for seq, entry in enumerate(entries, start=first)
        )
        store(gang, roster, last_seq=gang.last_seq + len(entries), appended=entries)
    return True


def strike(
    gang: Gang,
    batch: uuid.UUID,
    *,
    seen: int,
    actor: User | None,
    with_misfits: bool = False,
    leaving: bool = False,
) -> Strike:
    """Take back everything that was done in ``batch``; replay the rest. Raises as ``revise``."""
    seqs = [entry.seq for entry in entries_of(gang, batch)]
    return revise(
        gang, strike=seqs, seen=seen, actor=actor, with_misfits=with_misfits, leaving=leaving
    )


def revise(
    gang: Gang,
    *,
    strike: Collection[int] = (),
    insert: Sequence[Insertion] = (),
    seen: int,
    actor: User | None,
    token: str | None = None,
    batch: uuid.UUID | None = None,
    reason: str = "",
    by_organiser: bool = False,
    with_misfits: Collection[int] | bool = False,
    leaving: bool = False,
    at: datetime.datetime | None = None,
) -> Strike:
    """Take entries back, by their ``seq``; let others stand in their places; replay the rest.

    ``batch``: what the new entries belong to, a new one by default; ``with_misfits``: which
    entries are struck too if they no longer fit (True: whichever they are); ``at``: when, one
    moment for what is done in several gangs. A form (``token``) that was written before is not
    written again: the correction that it made is returned.
    Raises Leftovers if others would no longer fit, Misfit if a new entry does not fit in its place,
    Stale as ``append``, and Refusal if there is nothing to correct, or if it must not be done here:
    a campaign and its gangs have to agree, on who is in it and on the rules, so ``leaving`` is
    the campaign's word.
    """
    if gang.last_seq + len(insert) > MOST_ENTRIES:
        raise Refusal("history_full")
    with transaction.atomic():
        if not _claim(gang, seen, token):
            return gang.strikes.get(added__token=token)
        if not strike and not insert:
            raise Refusal("nothing_to_strike")
        return _correct(
            gang,
            Strike(
                gang=gang,
                actor=actor,
                reason=reason,
                by_organiser=by_organiser,
                at=at or timezone.now(),
            ),
            strike=strike,
            insert=insert,
            batch=batch,
            token=token,
            with_misfits=with_misfits,
            leaving=leaving,
        )


def restore(
    gang: Gang,
    act: Strike,
    *,
    seen: int,
    actor: User | None = None,
    reason: str = "",
    by_organiser: bool = False,
    strike: Collection[int] = (),
    with_misfits: Collection[int] | bool = False,
    leaving: bool = False,
) -> Strike:
    """Take a correction back: what it struck stands again, in its old place, and what it added or
    put back is struck. That is a correction, too, and can be taken back in its turn. ``strike``:
    what else is struck with it.

    Raises Misfit if something no longer fits, and Leftovers if that is because of what the
    correction had brought. Raises Refusal if it is taken back already, if a later correction stands
    on it, if its entries joined a campaign that the gang has left since or if a campaign says
    which rules the gang goes by; and Stale as ``append``.
    """
    with transaction.atomic():
        _claim(gang, seen, None)
        back, brought = undone(gang, act)
        _check_games(gang, act)
        undoing = Strike(
            gang=gang,
            actor=actor,
            reason=reason,
            by_organiser=by_organiser,
            undoes=act,
            restored=back,
        )
        struck = {*brought, *strike}
        return _correct(gang, undoing, strike=struck, with_misfits=with_misfits, leaving=leaving)


def _correct(
    gang: Gang,
    act: Strike,
    *,
    strike: Collection[int],
    insert: Sequence[Insertion] = (),
    batch: uuid.UUID | None = None,
    token: str | None = None,
    with_misfits: Collection[int] | bool = False,
    leaving: bool = False,
) -> Strike:
    """Write a correction down, whose act is not saved yet. Raises as ``revise``."""
    found = outcome(gang, strike=strike, insert=insert, restore=act.restored)
    over = {entry.seq for entry, _ in found.misfits}
    if over and not strike and not insert:
        raise found.misfits[0][1]
    if with_misfits is not True and not over <= set(with_misfits or ()):
        raise Leftovers(found.misfits)
    over.update(strike)
    if not leaving:
        moved = over.union(act.restored)
        check_correction(gang, moved, kinds={each.entry.kind for each in insert})
    act.save()
    # In this order: no two entries that stand may bear the same number.
    gang.entries.filter(seq__in=over).update(struck=act)
    gang.entries.filter(seq__in=act.restored).update(struck=None)
    batch = batch or uuid.uuid4()
    first = gang.last_seq + 1
    StoredEntry.objects.bulk_create(
        StoredEntry(
            gang=gang,
            seq=seq,
            place=insertion.place,
            number=insertion.number or seq,
            **columns(insertion.entry),
            batch=insertion.batch or batch,
            actor=act.actor,
            at=insertion.at or act.at,
            token=token if seq == first else None,
            added_by=act,
        )
        for seq, insertion in inserted(gang, insert)
    )
    store(gang, found.roster, last_seq=gang.last_seq + len(insert))
    corrections.tell(gang, act)
    return act


def check_correction(gang: Gang, seqs: Collection[int], kinds: Collection[str] = ()) -> None:
    """Raise Refusal if one of these entries is not struck or put back in a history, or if one of a
    new entry's ``kinds`` is not entered there."""
    rows = gang.entries.filter(seq__in=seqs).values_list("kind", "batch")
    touched = {*kinds, *(kind for kind, _ in rows)}
    if "founded" in touched:
        raise Refusal("founding_stays")
    if "joined" in touched:
        raise Refusal("joined_stays")
    if "upgraded" in touched:
        versions.check(gang)
    bonds.check(gang, {batch for _, batch in rows})


def _check_games(gang: Gang, act: Strike) -> None:
    """What a game brought does not come back without the game.

    A strike may have taken along single entries of a post-game that was itself struck later.
    Raises Misfit.
    """
    batches = gang.entries.filter(struck=act).values("batch")
    games = gang.entries.filter(kind="played", batch__in=batches)
    standing = games.filter(Q(struck=None) | Q(struck=act))
    # A post-game keeps its batch however often it is committed: one of its games must stand.
    if games.exclude(batch__in=standing.values("batch")).exists():
        raise Misfit("no_game")


def was_written(gang: Gang, token: str) -> bool:
    """Whether the form with this token is in the ledger already."""
    return gang.entries.filter(token=token).exists()


def mend(gang: Gang) -> None:
    """Write what the entries fold to into the snapshot, as a change like any other.

    Raises Misfit if they do not fold, and Stale if somebody changes the gang meanwhile.
    """
    with transaction.atomic():
        _claim(gang, gang.version, None)
        store(gang, replayed(gang))


def _claim(gang: Gang, seen: int, token: str | None) -> bool:
    """Make the next version ours, or raise Stale. False if the form was written before.

    The update is the lock: of two that saw the same version, one changes a row and the other none,
    on every database. The decision was made on ``gang`` as it was read, so that must be the version
    seen, too; what was read is then what stands.
    """
    if gang.version == seen:
        claimed = Gang.objects.filter(pk=gang.pk, version=seen).update(version=F("version") + 1)
        if claimed:
            return True
    if token and was_written(gang, token):
        return False
    raise Stale


def store(
    gang: Gang,
    roster: Roster,
    last_seq: int | None = None,
    appended: Sequence[Entry] | None = None,
) -> None:
    """Bring the gang's row and its story up to date with what its entries fold to now.

    Only for whoever has just written entries, in the same transaction; ``appended``: those, if
    they came last and nothing else has changed.
    """
    gang.book_version_id = roster.book or gang.founded_with_id
    gang.snapshot = dumped(roster)
    gang.name = roster.name
    gang.size = len(roster.members)
    gang.rating = gang_rating(gang.book, roster).total
    gang.version += 1
    if last_seq is not None:
        gang.last_seq = last_seq
    gang.save(
        update_fields=[
            "version",
            "book_version",
            "snapshot",
            "name",
            "size",
            "rating",
            "last_seq",
            "changed_at",
        ]
    )
    stories.keep(gang, roster, appended)
