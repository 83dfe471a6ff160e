"""Tables in the database: opening, reading logs, adding taps."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone
from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from accounts.models import User
from campaigns import notices as campaigns_notices
from campaigns import seeds
from campaigns.engine.crew import CrewCandidate, candidates, find_fit
from campaigns.engine.report import MOST_TURNS, Turn
from campaigns.models import Game, Side, Table, TableEntry, TableSide
from campaigns.table.crews.preparing import homes_of, prepare_crew
from campaigns.table.people import keep_departed
from campaigns.table.taps import (
    LONGEST_DATA,
    MOST_OF_ONE,
    MOST_SEQ,
    MOST_TAPS,
    TAPS,
    AnyTap,
    Clock,
    DeviceSeq,
    GameEnded,
    Logged,
    Note,
    Rolled,
    Struck,
    TapKey,
    UndoAnswered,
    Undone,
    resolve_aliases,
)
from common.errors import Refusal
from gangs.engine.roster import Roster
from gangs.models import Gang, Guest
from gangs.short_codes import short_code
from rules.book.vocabulary import Frozen

logger = logging.getLogger(__name__)

# The most taps of one request. A phone that was offline for long sends several.
MOST_AT_ONCE = 500
# The code of a refused tap that the phone may send again under another number.
TAKEN = "tap_number_taken"


class Pushed(Frozen):
    """A tap as a phone sends it. ``n``: the phone's number for it; the rest as in ``Logged``."""

    device: uuid.UUID
    n: DeviceSeq
    after: Annotated[int, Field(ge=0, le=MOST_SEQ)]
    at: Clock
    turn: Turn
    act: uuid.UUID
    tap: AnyTap

    @property
    def key(self) -> TapKey:
        """The phone and its number for the tap."""
        return self.device, self.n


_SENT: TypeAdapter[tuple[JsonValue, ...]] = TypeAdapter(
    Annotated[tuple[JsonValue, ...], Field(max_length=MOST_AT_ONCE)]
)
_TAPS: TypeAdapter[tuple[AnyTap, ...]] = TypeAdapter(
    Annotated[tuple[AnyTap, ...], Field(min_length=1, max_length=MOST_AT_ONCE)]
)


def read_taps(text: str) -> tuple[AnyTap, ...]:
    """Read the taps of a page's button. Raises Refusal if they are not a list of taps."""
    try:
        taps = _TAPS.validate_json(text)
    except ValidationError:
        raise Refusal("no_taps") from None
    if any(len(TAPS.dump_json(tap)) > LONGEST_DATA for tap in taps):
        raise Refusal("no_taps")
    return tuple(map(_of_phone, taps))


def read_pushed(text: bytes) -> list[Pushed | None]:
    """Read what a phone sent, with None in place of each row that is not a tap, so that the others
    still count. Raises Refusal if it is not a list, or too long.
    """
    try:
        return [_read_sent(row) for row in _SENT.validate_json(text)]
    except ValidationError:
        raise Refusal("no_taps") from None


def _read_sent(sent: object) -> Pushed | None:
    try:
        row = Pushed.model_validate(sent)
    except ValidationError:
        return None
    if len(TAPS.dump_json(row.tap)) > LONGEST_DATA:
        return None
    return row.model_copy(update={"tap": _of_phone(row.tap)})


def _of_phone(tap: AnyTap) -> AnyTap:
    """Return a tap without the fields that only the server sets."""
    if isinstance(tap, Rolled) and (tap.thrown or tap.passed or tap.answered_by is not None):
        thrown_there = {"thrown": False, "by_phone": True} if tap.thrown else {}
        return tap.model_copy(update={"passed": (), "answered_by": None, **thrown_there})
    return _unsigned(tap)


def _unsigned(tap: AnyTap) -> AnyTap:
    """Return a tap without the person that the server adds. Repeated taps are compared without it,
    since whether somebody must be asked may have changed."""
    if isinstance(tap, Struck | Undone) and tap.asked_by is not None:
        return tap.model_copy(update={"asked_by": None})
    if isinstance(tap, UndoAnswered) and tap.by is not None:
        return tap.model_copy(update={"by": None})
    return tap


# Opening.


def open_for(game: Game, sides: Sequence[Side], *, actor: User | None = None) -> Table:
    """Return the table of a game, opened now if there is none. Reads the sides' gangs. The players
    are notified, except ``actor``.

    Raises Refusal if the game can no longer be played.
    """
    found = Table.objects.filter(game=game).first()
    if found is not None:
        return found
    with transaction.atomic():
        locked = Game.objects.select_for_update(no_key=True).get(pk=game.pk)
        found = Table.objects.filter(game=game).first()
        if found is not None:
            return found
        if locked.status != Game.Status.PLANNED:
            raise Refusal("not_planned")
        if game.campaign.archived_at is not None:
            raise Refusal("campaign_archived")
        table = Table.objects.create(
            game=game,
            book_version_id=game.campaign.book_version_id,
            settings=game.campaign.settings,
            scenario=game.scenario,
        )
        living = [side for side in sides if side.gang is not None]
        homes = homes_of(living, game)
        for number, side in enumerate(living, start=1):
            assert side.gang is not None
            _seat(table, number, side.gang, prepare_crew(side, homes).crew, homes, side.word)
        if actor is not None:
            campaigns_notices.game_on(game, actor=actor)
    return table


def open_alone(
    gangs: Sequence[Gang],
    *,
    owner: User | None,
    guest: Guest | None,
    token: str,
    scenario: str = "",
) -> Table:
    """Open a table without a campaign for these gangs, under the rules of the first.

    In the caller's transaction.
    """
    first = gangs[0]
    table = Table.objects.create(
        book_version_id=first.book_version_id,
        settings=dict(first.roster.settings),
        scenario=scenario,
        owner=owner,
        guest=guest,
        token=token,
        code=short_code(),
    )
    for number, gang in enumerate(gangs, start=1):
        _seat_all(table, number, gang)
    return table


def seat_opponent(
    table: Table, gang: Gang, *, actor: User | None, device: uuid.UUID, note: str
) -> None:
    """Seat a second gang at a table without a campaign, with a ``note`` for the story, which is
    the first tap: other phones see it, and the sides are fixed. Does nothing if the gang is there.

    Raises Refusal if somebody has tapped, the place is taken, or the table is deleted.
    """
    with transaction.atomic():
        locked = lock_row(table)
        there = list(locked.sides.values_list("gang", flat=True))
        if gang.pk in there:
            return
        if locked.game_id is not None or locked.seq or len(there) != 1:
            raise Refusal("table_begun")
        _seat_all(locked, 2, gang)
        now = int(timezone.now().timestamp() * 1000)
        said = Note(text=note)
        row = Pushed(device=device, n=1, after=0, at=now, turn=1, act=uuid.uuid4(), tap=said)
        _append(locked, actor, [row])


def _seat_all(table: Table, number: int, gang: Gang) -> None:
    """Seat a gang with everybody who can play."""
    members = candidates(gang.book, gang.roster, {}, table.scenario)
    _seat(table, number, gang, find_fit(members), {})


def _seat(
    table: Table,
    number: int,
    gang: Gang,
    crew: Iterable[CrewCandidate],
    homes: dict[str, Roster],
    word: str = "",
) -> None:
    crew = list(crew)
    hired = [one.hired for one in crew if one.hired is not None]
    kept = {
        hire.gang: keep_departed(
            homes[hire.gang], {one.member for one in hired if one.gang == hire.gang}
        )
        for hire in hired
    }
    TableSide.objects.create(
        table=table,
        number=number,
        gang=gang,
        name=gang.name,
        book_version_id=gang.book_version_id,
        snapshot=gang.snapshot,
        crew=[(one.hired.gang, one.hired.member) if one.hired else one.member.id for one in crew],
        homes={key: home.model_dump(mode="json") for key, home in kept.items()},
        word=word,
    )


# Reading.


def log_of(table: Table, since: int = 0) -> list[Logged]:
    """Load the taps of a table after number ``since``, in the order of arrival. One query."""
    rows = TableEntry.objects.filter(table=table.pk, seq__gt=since).order_by("seq")
    return [told for row in rows if (told := read_row(row)) is not None]


def read_row(row: TableEntry) -> Logged | None:
    """Return a stored tap as a value, None if it cannot be read."""
    try:
        tap = _read_tap(row.kind, json.dumps(row.data))
    except (ValidationError, TypeError):
        logger.warning("%s %s: the tap cannot be read", row._meta.label, row.pk)
        return None
    return Logged(
        seq=row.seq,
        device=_device(row.device),
        device_seq=row.device_seq,
        after=row.after,
        at=row.at,
        turn=row.turn,
        act=row.act,
        tap=tap,
        actor=row.actor_id,
    )


# Many taps of an evening are equal, and come from the same phones. Sharing one value of each halves
# the memory of a cached log.


@lru_cache(maxsize=4096)
def _read_tap(kind: str, data: str) -> AnyTap:
    """Read a stored tap. Raises ValidationError, and TypeError for data that are not an object."""
    return TAPS.validate_python({**json.loads(data), "kind": kind})


@lru_cache(maxsize=4096)
def _device(device: uuid.UUID) -> uuid.UUID:
    return device


# Tapping.


def push(table: Table, actor: User | None, rows: Sequence[Pushed]) -> list[int | Refusal]:
    """Add the rows of a phone that the log does not have. Returns for each row its number in the
    log, where it has exactly this content, or the refusal.

    Raises Refusal if the table is deleted.
    """
    with transaction.atomic():
        locked = lock_row(table)
        known, by_site = _known(locked, rows)
        meant = _resolved(locked, rows)
        first: dict[TapKey, Pushed] = {}
        for row in meant:
            first.setdefault(row.key, row)
        others = {row.key for row in meant if not _is_free(row, known.get(row.key), first)}
        # A phone that strikes its own tap does not mean another tap that has the same number here.
        spoiled = {
            row.key
            for row in rows
            if isinstance(row.tap, Struck) and (row.tap.device, row.tap.device_seq) in others
        }
        new = [row for key, row in first.items() if key not in known and key not in spoiled]
        new = [row for row in new if row.act not in by_site]
        room, why = _room(locked, actor, len(new))
        added = {row.key: seq for seq, row in enumerate(new[:room], start=locked.seq + 1)}
        _append(locked, actor, new[:room])

    def answer(row: Pushed) -> int | Refusal:
        if row.key in added and first[row.key] == row:
            return added[row.key]
        stored = known.get(row.key)
        if stored is not None and _has(stored, row):
            return stored.seq
        if stored is not None or row.key in spoiled or first[row.key] != row:
            return refuse_number()
        return Refusal("no_taps") if row.act in by_site else why

    return [answer(row) for row in meant]


def _is_free(row: Pushed, stored: TableEntry | None, first: Mapping[TapKey, Pushed]) -> bool:
    """Whether no other tap has a row's number, in the log or in this request."""
    return first[row.key] == row if stored is None else _has(stored, row)


def _known(table: Table, rows: Sequence[Pushed]) -> tuple[dict[TapKey, TableEntry], set[uuid.UUID]]:
    """Load the stored taps with the numbers of these rows, and the acts of these rows for which the
    application threw dice. Phones add nothing to those: other players cannot undo them alone."""
    numbered = Q(device__in={row.device for row in rows}, device_seq__in={row.n for row in rows})
    thrown = Q(act__in={row.act for row in rows}, kind="rolled", data__thrown=True)
    found = list(TableEntry.objects.filter(numbered | thrown, table=table.pk))
    by_site = {one.act for one in found if one.kind == "rolled" and one.data.get("thrown")}
    return {(one.device, one.device_seq): one for one in found}, by_site


def _has(entry: TableEntry, row: Pushed) -> bool:
    """Whether a stored tap is this row, and not another one with its number."""
    told = read_row(entry)
    sent = row.turn, row.at, row.act, _unsigned(row.tap), _after(row, entry.seq)
    return told is not None and sent == (
        told.turn,
        told.at,
        told.act,
        _unsigned(told.tap),
        told.after,
    )


def _after(row: Pushed, seq: int) -> int:
    """Return the last tap that a phone had seen, limited to the earlier ones."""
    return min(row.after, seq - 1)


def _resolved(table: Table, rows: Sequence[Pushed]) -> list[Pushed]:
    """Return the rows with phone ids in place of aliases in strikes. One query if there are any."""
    if not any(isinstance(row.tap, Struck) for row in rows):
        return list(rows)
    taps = resolve_aliases(table.pk, [row.tap for row in rows], _devices(table))
    return [row.model_copy(update={"tap": tap}) for row, tap in zip(rows, taps, strict=True)]


def _devices(table: Table) -> set[uuid.UUID]:
    """Load the ids of all phones that have tapped at a table."""
    entries = TableEntry.objects.filter(table=table.pk)
    return set(entries.order_by().values_list("device", flat=True).distinct())


def _room(table: Table, actor: User | None, number: int) -> tuple[int, Refusal]:
    """Return how many of ``number`` new taps a person may add, and why no more. All visitors
    without an account count as one person."""
    room, why = MOST_TAPS - table.seq, refuse_room()
    if table.seq + number > MOST_OF_ONE:
        own = MOST_OF_ONE - TableEntry.objects.filter(table=table.pk, actor=actor).count()
        if own < room:
            room, why = own, Refusal("table_share_full", maximum=MOST_OF_ONE)
    return max(0, room), why


def say(
    table: Table,
    actor: User | None,
    device: uuid.UUID,
    taps: Sequence[AnyTap],
    *,
    act: uuid.UUID,
    after: int,
    turn: int,
    at: int | None = None,
    seen: int = 0,
) -> int:
    """Add taps from a form. Returns the last number of the log. Adds nothing if the log has more
    taps of the act than the form had ``seen``: the form came twice, or somebody else was quicker.

    ``after`` and ``turn`` may be any number and are limited to possible ones; ``at``: the time of
    the taps, by default now. Raises Refusal if the table is deleted or full, or if another form has
    used the act.
    """
    with transaction.atomic():
        locked = lock_row(table)
        if any(isinstance(tap, Struck) for tap in taps):
            taps = resolve_aliases(locked.pk, taps, _devices(locked))
        every = TableEntry.objects.filter(table=table.pk)
        there = list(every.filter(act=act).order_by("seq"))
        if len(there) > seen:
            if not seen and _contents(there)[: len(taps)] != [*map(_unsigned, taps)]:
                raise refuse_number()
            return locked.seq
        room, why = _room(locked, actor, len(taps))
        if room < len(taps):
            raise why
        device, last = _numbers(locked, device, len(taps))
        now = int(timezone.now().timestamp() * 1000)
        rows = [
            Pushed(
                device=device,
                n=n,
                after=max(0, min(after, locked.seq)),
                at=now if at is None else at,
                turn=max(1, min(turn, MOST_TURNS)),
                act=act,
                tap=tap,
            )
            for n, tap in enumerate(taps, start=last + 1)
        ]
        return _append(locked, actor, rows)


def _contents(entries: Iterable[TableEntry]) -> list[AnyTap | None]:
    return [_unsigned(told.tap) if (told := read_row(entry)) else None for entry in entries]


def _numbers(table: Table, device: uuid.UUID, number: int) -> tuple[uuid.UUID, int]:
    """Return a phone id with this many numbers left, and its last used number: another id if
    somebody has used up the numbers of the first."""
    while True:
        mine = TableEntry.objects.filter(table=table.pk, device=device)
        last = mine.aggregate(last=Max("device_seq"))["last"] or 0
        if last + number <= MOST_SEQ:
            return device, last
        device = uuid.uuid5(device, "next")


def refuse_number() -> Refusal:
    """Return the refusal of a number that another tap has."""
    return Refusal("tap_number_taken")


def refuse_room() -> Refusal:
    """Return the refusal of taps at a full table."""
    return Refusal("table_full", maximum=MOST_TAPS)


def lock_row(table: Table) -> Table:
    """Lock and return the table's row. Raises Refusal if the table is deleted."""
    found = Table.objects.select_for_update(no_key=True).filter(pk=table.pk).first()
    if found is None:
        raise Refusal("gone")
    return found


def _append(table: Table, actor: User | None, rows: Sequence[Pushed]) -> int:
    if not rows:
        return table.seq
    TableEntry.objects.bulk_create(
        TableEntry(
            table=table,
            seq=seq,
            device=row.device,
            device_seq=row.n,
            after=_after(row, seq),
            at=row.at,
            turn=row.turn,
            act=row.act,
            actor=actor,
            kind=row.tap.kind,
            data=row.tap.model_dump(mode="json", exclude={"kind"}, exclude_defaults=True),
        )
        for seq, row in enumerate(rows, start=table.seq + 1)
    )
    values: dict[str, object] = {"seq": table.seq + len(rows), "changed_at": timezone.now()}
    is_over = any(isinstance(row.tap, GameEnded) for row in rows)
    if table.ended_at is None and is_over:
        values["ended_at"] = values["changed_at"]
    Table.objects.filter(pk=table.pk).update(**values)
    if is_over:
        seeds.show(Table.objects.filter(pk=table.pk))
    return table.seq + len(rows)
