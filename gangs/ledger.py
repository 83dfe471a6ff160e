"""The ledger: the only place that writes a gang's entries and its snapshot.

Each function is one transaction. The caller says which version of the gang the user saw: if
somebody was faster, Stale is raised and nothing is written. A form that arrives twice is written
once.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import User
from gangs import stories, versions
from gangs.entries import Entry
from gangs.exchange import GangFile, Record, roster_of, written
from gangs.fold import Misfit, fold, refold
from gangs.models import Gang, StoredEntry, Strike
from gangs.refusal import Refusal
from gangs.roster import Roster
from gangs.stored import columns
from gangs.stored import numbered as numbered
from gangs.stored import read as read
from gangs.stored import stored_book as stored_book
from gangs.worth import gang_rating
from rules.library import book_of
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
        _store(gang, roster, last_seq=gang.last_seq + len(entries), appended=entries)
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
    """Take back everything that was done in ``batch``, and replay the rest.

    Raises Leftovers if other entries would no longer fit, unless ``with_misfits`` says that they
    are struck too; Stale as ``append``; Refusal if there is nothing to strike, or if it must not
    be struck here: a campaign and its gangs have to agree, on who is in it and on the rules, so
    ``leaving`` is the campaign's word.
    """
    with transaction.atomic():
        _claim(gang, seen, None)
        stored = list(gang.entries.live())
        if not any(entry.batch == batch for entry in stored):
            raise Refusal("nothing_to_strike")
        kept = [entry for entry in stored if entry.batch != batch]
        struck = {entry.kind for entry in stored if entry.batch == batch}
        if "founded" in struck:
            raise Refusal("founding_stays")
        if "joined" in struck and not leaving:
            raise Refusal("joined_stays")
        if "upgraded" in struck and not leaving:
            versions.check(gang)
        roster, misfits = refold(gang.first_book, numbered(kept), stored_book)
        if misfits and not with_misfits:
            by_seq = {entry.seq: entry for entry in kept}
            raise Leftovers([(by_seq[seq], misfit) for seq, misfit in misfits])
        act = Strike.objects.create(gang=gang, actor=actor)
        seqs = {entry.seq for entry in stored if entry.batch == batch}
        seqs.update(seq for seq, _ in misfits)
        gang.entries.filter(seq__in=seqs).update(struck=act)
        _store(gang, roster)
    return act


def restore(gang: Gang, act: Strike, *, seen: int) -> None:
    """Take a strike back: its entries stand again, in their old places.

    Raises Misfit if they no longer fit, Refusal if they joined a campaign that the gang has left
    since or if a campaign says which rules the gang goes by, and Stale as ``append``.
    """
    with transaction.atomic():
        _claim(gang, seen, None)
        kinds = set(gang.entries.filter(struck=act).values_list("kind", flat=True))
        if "joined" in kinds:
            raise Refusal("joined_stays")
        if "upgraded" in kinds:
            versions.check(gang)
        _check_games(gang, act)
        gang.entries.filter(struck=act).update(struck=None)
        roster = replayed(gang)
        act.delete()
        _store(gang, roster)


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


def exported(gang: Gang) -> str:
    """The gang's whole ledger as a file: struck entries too, people's names not."""
    batches: dict[uuid.UUID, int] = {}
    strikes: dict[int, int] = {}
    records = [
        Record(
            seq=stored.seq,
            at=stored.at,
            batch=batches.setdefault(stored.batch, len(batches)),
            struck=strikes.setdefault(stored.struck_id, len(strikes))
            if stored.struck_id is not None
            else None,
            entry=read(stored),
        )
        for stored in gang.entries.order_by("seq")
    ]
    return written(gang.first_book, records)


def imported(version: BookVersion, file: GangFile, *, owner: User | None) -> Gang:
    """A new gang with the ledger of ``file``. Raises BadFile if the entries contradict each other.

    A campaign elsewhere is not one here: those entries come along as history.
    """
    roster = roster_of(book_of(version.digest), file, stored_book)
    now = timezone.now()
    batches: dict[int, uuid.UUID] = {}
    strikes: dict[int, Strike] = {}
    with transaction.atomic():
        gang = Gang.objects.create(
            owner=owner, book_version=version, founded_with=version, imported_at=now
        )
        for record in file.records:
            batches.setdefault(record.batch, uuid.uuid4())
            if record.struck is not None and record.struck not in strikes:
                strikes[record.struck] = Strike.objects.create(gang=gang, actor=owner)
        StoredEntry.objects.bulk_create(
            StoredEntry(
                gang=gang,
                seq=record.seq,
                place=record.seq,
                number=record.seq,
                **columns(record.entry),
                batch=batches[record.batch],
                actor=owner,
                at=record.at,
                struck=None if record.struck is None else strikes[record.struck],
            )
            for record in file.records
        )
        _store(gang, roster, last_seq=len(file.records))
    return gang


def mend(gang: Gang) -> None:
    """Write what the entries fold to into the snapshot, as a change like any other.

    Raises Misfit if they do not fold, and Stale if somebody changes the gang meanwhile.
    """
    with transaction.atomic():
        _claim(gang, gang.version, None)
        _store(gang, replayed(gang))


def replayed(gang: Gang) -> Roster:
    """The roster folded from the gang's first entry on, without looking at the snapshot."""
    return fold(gang.first_book, numbered(gang.entries.live()), books=stored_book)


def dumped(roster: Roster) -> str:
    """The roster as it is stored in a snapshot."""
    return roster.model_dump_json(exclude_defaults=True)


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


def _store(
    gang: Gang,
    roster: Roster,
    last_seq: int | None = None,
    appended: Sequence[Entry] | None = None,
) -> None:
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
