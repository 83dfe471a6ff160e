"""The ledger: the only place that writes a gang's entries and its snapshot.

Each function is one transaction. The caller passes the version of the gang that the user saw; if
somebody has changed it since, Stale is raised and nothing is written. A form that arrives twice is
written once.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q, Sum, TextField
from django.db.models.functions import Cast, Length

from accounts.models import User
from common.errors import Refusal, Stale
from common.locking import update_if
from gangs import hooks
from gangs.engine.entries import KINDS, MOST_ENTRIES, Entry
from gangs.engine.errors import Misfit
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from gangs.engine.timeline import LedgerLine
from gangs.ledger import timelines
from gangs.ledger.revision import Insertion, find_undone, number_insertions, rows_of, weigh
from gangs.ledger.storage import (
    GangColumns,
    columns,
    entries_of,
    replay_roster,
    row_of,
    stored_book,
    time_of_writing,
)
from gangs.models import Gang, Guest, StoredEntry, Strike
from rules.models import BookVersion

# Limits on a visitor's gang, who needs no account: entries and corrections, and characters in all.
# The largest gangs take a fraction of that.
MOST_GUEST_ENTRIES = 1_000
MOST_GUEST_TEXT = 300_000


class Leftovers(Exception):
    """Striking these entries would leave others that no longer fit. Nothing was written.

    ``misfits``: (entry, why) for each of those.
    """

    def __init__(self, misfits: list[tuple[StoredEntry, Misfit]]) -> None:
        super().__init__("entries that no longer fit")
        self.misfits = misfits


def found(
    version: BookVersion,
    entries: Sequence[Entry],
    *,
    owner: User | None,
    guest: Guest | None = None,
    token: str | None = None,
) -> Gang:
    """Found a gang with its first entries. ``guest``: the visitor who owns it, if one does."""
    with transaction.atomic():
        gang = Gang.objects.create(
            owner=owner, guest=guest, book_version=version, founded_with=version
        )
        append(gang, entries, expected_version=0, actor=owner, token=token)
    return gang


def append(
    gang: Gang,
    entries: Sequence[Entry],
    *,
    expected_version: int,
    actor: User | None,
    token: str | None = None,
    batch: uuid.UUID | None = None,
) -> bool:
    """Append ``entries`` to the gang's ledger and bring its snapshot up to date.

    ``expected_version``: the version of the gang that the user saw; ``token``: the form's, if there
    was one; ``batch``: the key that binds the entries together, a new one by default. Returns
    False, and writes nothing, if this form was written before. Raises Stale if the gang has
    changed since, Misfit if an entry does not fit, and Refusal if the ledger is full or another
    gang has a holding that the gang would get.
    """
    if not entries:
        return True
    _check_room(gang, len(entries))
    with transaction.atomic():
        numbered = list(enumerate(entries, start=gang.last_seq + 1))
        before, batch = gang.roster, batch or uuid.uuid4()
        roster = fold(gang.first_book, numbered, before, stored_book)
        row = columns(gang, roster, last_seq=numbered[-1][0])
        # The campaign's lock comes before the gang's, as everywhere.
        hooks.oversight.check_holders(gang, before, roster)
        # The update of the gang's row is the lock, so it comes before the entries.
        if not _take_version(gang, expected_version, token, **row._asdict()):
            return False
        new = [(seq, Insertion(seq, entry)) for seq, entry in numbered]
        _write(gang, new, batch=batch, actor=actor, at=row.changed_at, token=token)
        _renew(gang, row)
        at, bound = row.changed_at, str(batch)
        appended = [LedgerLine(seq, seq, entry, at, bound) for seq, entry in numbered]
        timelines.keep_with(gang, before, roster, appended)
    return True


def _write(
    gang: Gang,
    new: Iterable[tuple[int, Insertion]],
    *,
    batch: uuid.UUID | None,
    actor: User | None,
    at: datetime.datetime,
    token: str | None,
    act: Strike | None = None,
) -> None:
    """Write new entries, each with its ``seq``; the first gets the form's ``token``."""
    batch = batch or uuid.uuid4()
    StoredEntry.objects.bulk_create(
        row_of(
            added.entry,
            gang=gang,
            seq=seq,
            place=added.place,
            number=added.number or seq,
            batch=added.batch or batch,
            actor=actor,
            at=added.at or at,
            token=token if seq == gang.last_seq + 1 else None,
            added_by=act,
        )
        for seq, added in new
    )


def strike(
    gang: Gang,
    batch: uuid.UUID,
    *,
    expected_version: int,
    actor: User | None,
    with_misfits: bool = False,
    leaving: bool = False,
) -> Strike:
    """Take back the entries of ``batch``; replay the rest. Raises as ``revise``."""
    seqs = [entry.seq for entry in entries_of(gang, batch)]
    return revise(
        gang,
        strike=seqs,
        expected_version=expected_version,
        actor=actor,
        with_misfits=with_misfits,
        leaving=leaving,
    )


def revise(
    gang: Gang,
    *,
    strike: Collection[int] = (),
    insert: Sequence[Insertion] = (),
    undoes: Strike | None = None,
    expected_version: int,
    actor: User | None = None,
    token: str | None = None,
    batch: uuid.UUID | None = None,
    reason: str = "",
    by_organiser: bool = False,
    with_misfits: Collection[int] | bool = False,
    leaving: bool = False,
    occasion: uuid.UUID | None = None,
) -> Strike:
    """Strike entries, by their ``seq``; insert others in their places; replay the rest, and work
    later post-games out again.

    ``undoes``: a correction to take back: the entries that it struck are restored in their old
    places, and those that it added or restored are struck. That is a correction itself, which can
    be taken back in turn. ``batch``: that of the new entries, a new one by default;
    ``with_misfits``: entries to strike as well if they no longer fit (True: any); ``occasion``: a
    key for corrections of several gangs together; ``leaving``: the campaign corrects it, so that
    its gangs and its rules stay in step. If a form (``token``) was written before, nothing is
    written, and the correction that it made is returned.

    Raises Leftovers if others would no longer fit, Misfit if a new or restored entry does not fit
    in its place, Stale as ``append``, and Refusal if there is nothing to correct, if a later
    correction builds on ``undoes`` or it is taken back already, or if only the campaign may do it.
    """
    _check_room(gang, len(insert), acts=1)
    with transaction.atomic():
        hooks.oversight.lock_holders(gang)
        if gang.roster.campaigns:
            hooks.oversight.lock_postgames([gang.pk])
        if not _take_version(gang, expected_version, token):
            return gang.strikes.get(added__token=token)
        back: list[int] = []
        exact, replayed = False, set[int]()
        if undoes is not None:
            back, brought, exact, known = find_undone(gang, undoes)
            replayed.update(known)
            _check_games(gang, undoes)
            strike = {*brought, *strike}
        elif not strike and not insert:
            raise Refusal("nothing_to_strike")
        found = weigh(gang, strike=strike, insert=insert, restore=back, exact=exact)
        over = {entry.seq for entry, _ in found.misfits}
        if over and not strike and not insert:
            raise found.misfits[0][1]
        if with_misfits is not True and not over <= set(with_misfits or ()):
            raise Leftovers(found.misfits)
        over.update(strike)
        # A correction of a whole game puts its gangs right one after the other.
        if not leaving:
            hooks.oversight.check_holders(gang, gang.roster, found.roster)
            check_correction(gang, over.union(back), kinds={added.entry.kind for added in insert})
        # Entries that a restored post-game no longer brings stay struck.
        derived = found.struck.difference(back)
        back = [seq for seq in back if seq not in found.struck]
        over.update(derived)
        insert = [*insert, *found.insert]
        _check_room(gang, len(insert), acts=1)
        new = number_insertions(gang, insert)
        replayed.update(derived, (seq for seq, _added in new[len(new) - len(found.insert) :]))
        act = Strike.objects.create(
            gang=gang,
            actor=actor,
            reason=reason,
            by_organiser=by_organiser,
            undoes=undoes,
            restored=back,
            replayed=sorted(replayed),
            occasion=occasion,
            at=time_of_writing(gang),
        )
        # In this order: no two entries that are not struck may have the same number.
        gang.entries.filter(seq__in=over).update(struck=act)
        gang.entries.filter(seq__in=back).update(struck=None)
        _write(gang, new, batch=batch, actor=actor, at=act.at, token=token, act=act)
        last_seq = gang.last_seq + len(insert)
        undone = list(rows_of(gang, over).values()) if found.cuts_end else None
        store(gang, found.roster, last_seq=last_seq, undone=undone)
        hooks.oversight.postgames_replayed(gang, found.replayed, actor)
        if by_organiser:
            hooks.oversight.corrected(gang, act)
        return act


def _check_room(gang: Gang, entries: int, acts: int = 0) -> None:
    """Raise Refusal if the gang's history has no room for this many ``entries`` and ``acts``."""
    if gang.last_seq + entries > MOST_ENTRIES:
        raise Refusal("history_full")
    if gang.guest_id is not None:
        text = gang.entries.aggregate(size=Sum(Length(Cast("data", TextField()))))["size"] or 0
        written = gang.last_seq + gang.strikes.count()
        if written + entries + acts > MOST_GUEST_ENTRIES or text > MOST_GUEST_TEXT:
            raise Refusal("guest_history_full")


def check_correction(gang: Gang, seqs: Collection[int], kinds: Collection[str] = ()) -> None:
    """Raise Refusal if a history may not strike or restore one of these entries, or may not enter
    one of the new entries' ``kinds``."""
    rows = gang.entries.filter(seq__in=seqs).values_list("kind", "batch")
    touched = {*kinds, *(kind for kind, _ in rows)}
    # In a fixed order, so that the same refusal always comes first.
    for kind in sorted(touched):
        if KINDS[kind].stays:
            raise Refusal(KINDS[kind].stays)
    if "upgraded" in touched:
        hooks.check_rules_free(gang)
    hooks.check_unbound(gang, {batch for _, batch in rows})


def _check_games(gang: Gang, act: Strike) -> None:
    """Raise Misfit if entries of a post-game would be restored without their game.

    A strike may have taken single entries of a post-game that was itself struck later.
    """
    batches = gang.entries.filter(struck=act).values("batch")
    games = gang.entries.filter(kind="played", batch__in=batches)
    standing = games.filter(Q(struck=None) | Q(struck=act))
    # A post-game keeps its batch however often it is committed: one of its games must remain.
    if games.exclude(batch__in=standing.values("batch")).exists():
        raise Misfit("no_game")


def was_written(gang: Gang, token: str) -> bool:
    """Whether the form with this token is in the ledger already."""
    return gang.entries.filter(token=token).exists()


def mend(gang: Gang) -> None:
    """Store the fold of the entries, as a change like any other.

    Raises Misfit if they do not fold, and Stale if somebody changes the gang meanwhile.
    """
    with transaction.atomic():
        _take_version(gang, gang.version, None)
        store(gang, replay_roster(gang))


def _take_version(gang: Gang, expected_version: int, token: str | None, **values: Any) -> bool:
    """Take the next version of the gang with these ``values`` of its row, or raise Stale. False if
    the form was written before.

    The caller decided by ``gang`` as it was read, so that must be the version that the user saw.
    """
    try:
        if gang.version != expected_version:
            raise Stale
        update_if(Gang, gang.pk, expected_version, **values)
    except Stale:
        if token and was_written(gang, token):
            return False
        raise
    return True


def store(
    gang: Gang,
    roster: Roster,
    last_seq: int | None = None,
    undone: Sequence[StoredEntry] | None = None,
) -> None:
    """Update the gang's row and its timeline to the fold of all its entries.

    Only for callers that have just written entries, in the same transaction. ``undone``: the
    entries that were struck, if they were the last ones and nothing else has changed.
    """
    row = columns(gang, roster, gang.last_seq if last_seq is None else last_seq)
    _renew(gang, row)
    Gang.objects.filter(pk=gang.pk).update(version=gang.version, **row._asdict())
    if undone is None:
        timelines.keep(gang, roster)
    else:
        timelines.keep_without(gang, roster, undone)


def _renew(gang: Gang, row: GangColumns) -> None:
    """Set the columns of the gang that was read to the values just written."""
    for name, value in row._asdict().items():
        setattr(gang, name, value)
    gang.version += 1
