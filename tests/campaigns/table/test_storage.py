"""A table's rows: opened once, every tap once, numbered without a gap."""

from __future__ import annotations

import itertools
import json
import uuid
from typing import Any

import pytest

from accounts.models import Notice, User
from accounts.notices import describe
from campaigns.models import Campaign, Table, TableSide
from campaigns.table import people, storage, taps
from campaigns.table.fold import fold
from campaigns.table.storage import Pushed
from common.errors import Refusal
from gangs.models import Gang
from tests.world.campaigns import make_game

NUMBERS = itertools.count(1)
PHONE = uuid.uuid4()


def pushed(tap: taps.AnyTap, device: uuid.UUID = PHONE, n: int = 0, **more: Any) -> Pushed:
    number = n or next(NUMBERS)
    values = {"after": 0, "at": number, "turn": 1, "act": uuid.uuid4(), **more}
    return Pushed(device=device, n=number, tap=tap, **values)


def opened(campaign: Campaign, actor: User, *gangs: Gang) -> Table:
    game = make_game(campaign, actor, *gangs)
    return storage.open_for(game, list(game.sides.select_related("gang__owner")))


def why_refused(answer: int | Refusal) -> str:
    """The reason why a tap is not in the log."""
    assert isinstance(answer, Refusal)
    return answer.code


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def test_game_has_one_table_with_all_sides(table: Table, hers: Gang) -> None:
    assert table.game is not None
    sides = list(table.game.sides.select_related("gang__owner"))
    assert storage.open_for(table.game, sides) == table
    assert Table.objects.count() == 1
    everybody = people.people_of(table)
    mine = [person.member.id for person in everybody.values() if person.fighter.side == 1]
    assert mine == [member.id for member in hers.roster.members]
    assert [*everybody] == [figure.key for figure in people.start_of(table).figures]


def test_opening_a_table_tells_the_other_player_once(
    campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    game = make_game(campaign, alice, hers, theirs)
    sides = list(game.sides.select_related("gang__owner"))
    for _twice in range(2):
        storage.open_for(game, sides, actor=alice)
    notice = Notice.objects.get(kind="game_on")
    assert notice.user == theirs.owner and "is on" in describe(notice)


def test_table_keeps_its_gangs_as_they_were(table: Table) -> None:
    before = people.start_of(table)
    Gang.objects.all().delete()
    people._start.cache_clear()
    people._seats.cache_clear()
    after = people.start_of(Table.objects.get(pk=table.pk))
    assert [one.key for one in after.figures] == [one.key for one in before.figures]
    assert after.sides == before.sides
    assert {side.gang for side in TableSide.objects.all()} == {None}


def test_repeated_taps_are_stored_once(table: Table, alice: User) -> None:
    figure = people.start_of(table).figures[0].key
    rows = [pushed(taps.Acted(figure=figure)), pushed(taps.Note(text="Charge!"))]
    assert storage.push(table, alice, rows) == [1, 2]
    assert storage.push(table, alice, [*rows, *rows]) == [1, 2, 1, 2]
    more = pushed(taps.TurnEnded())
    assert storage.push(table, alice, [rows[1], more]) == [2, 3]
    log = storage.log_of(table)
    assert [one.tap for one in log] == [rows[0].tap, rows[1].tap, more.tap]
    assert [one.seq for one in log] == [1, 2, 3]
    assert {one.actor for one in log} == {alice.pk}
    assert storage.log_of(table, since=2) == log[2:]
    assert fold(people.start_of(table), log).turn == 2


def test_tap_cannot_have_seen_a_future_tap(table: Table, alice: User) -> None:
    storage.push(table, alice, [pushed(taps.Note(text="Late"), after=999)])
    assert [one.after for one in storage.log_of(table)] == [0]


def test_repeated_form_is_stored_once(table: Table, alice: User) -> None:
    tap, act = taps.Note(text="Charge!"), uuid.uuid4()
    for expected in (1, 1):
        assert storage.say(table, alice, PHONE, [tap], act=act, after=0, turn=1) == expected
    assert storage.say(table, alice, PHONE, [tap], act=uuid.uuid4(), after=1, turn=1) == 2
    assert [one.device_seq for one in storage.log_of(table)] == [1, 2]


def test_end_of_play_is_stored(table: Table, alice: User) -> None:
    storage.push(table, alice, [pushed(taps.GameEnded())])
    table.refresh_from_db()
    assert table.ended_at is not None


def test_table_has_a_limited_size(
    table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "MOST_TAPS", 2)
    rows = [pushed(taps.Note(text="Charge!")) for _time in range(3)]
    for _again in range(2):
        *numbers, why = storage.push(table, alice, rows)
        assert (numbers, why_refused(why)) == ([1, 2], "table_full")
    assert [one.device_seq for one in storage.log_of(table)] == [row.n for row in rows[:2]]
    with pytest.raises(Refusal, match="table_full"):
        storage.say(table, alice, PHONE, [rows[2].tap], act=uuid.uuid4(), after=2, turn=1)


@pytest.mark.parametrize("text", [b"", b"{}", b"7", b"\xff", b"[" * 5000])
def test_push_without_a_list_is_refused(text: bytes) -> None:
    with pytest.raises(Refusal, match="no_taps"):
        storage.read_pushed(text)


def test_invalid_tap_does_not_block_the_others() -> None:
    good = [pushed(taps.Note(text="Charge!")), pushed(taps.TurnEnded(), turn=99)]
    first, last = (row.model_dump(mode="json") for row in good)
    bad: list[Any] = [
        [],
        None,
        {"n": 1},
        first | {"turn": 100},
        first | {"more": 1},
        first | {"tap": {"kind": "danced"}},
        first | {"tap": {"kind": "said", "text": "x" * 301}},
        first | {"tap": {"kind": "rolled", "roll": "shot", "by": 1, "faces": [[1] * 60] * 100}},
    ]
    sent = json.dumps([first, *bad, last])
    assert storage.read_pushed(sent.encode()) == [good[0], *[None] * len(bad), good[1]]


def test_push_has_a_limited_number_of_taps() -> None:
    row = pushed(taps.Note(text="x")).model_dump_json()
    most = storage.MOST_AT_ONCE
    assert len(storage.read_pushed(f"[{','.join([row] * most)}]".encode())) == most
    with pytest.raises(Refusal, match="no_taps"):
        storage.read_pushed(f"[{','.join([row] * (most + 1))}]".encode())


def test_push_makes_few_queries(table: Table, alice: User, django_assert_num_queries: Any) -> None:
    rows = [pushed(taps.Note(text="Charge!")) for _time in range(30)]
    # Tests run in a transaction, so a savepoint is around the table's row, known taps, rows,
    # number.
    with django_assert_num_queries(6):
        storage.push(table, alice, rows)
