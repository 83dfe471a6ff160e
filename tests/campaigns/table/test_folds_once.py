"""No request folds a table's log twice."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.models import Campaign, Table
from campaigns.table import fold as module
from campaigns.table import folded, people, storage, taps
from campaigns.table.fold import NEAR
from campaigns.table.luck import tries
from campaigns.table.standing import Folding
from campaigns.table.storage import Pushed
from gangs.models import Gang
from tests.campaigns.table.attempts.test_views import duel_address, fields
from tests.campaigns.table.test_storage import opened

AsUser = Callable[[User], Client]
TOLD = 120
PHONE = uuid.uuid4()


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    """A table whose every fourth tap is a roll that counts for luck."""
    table = opened(campaign, alice, hers, theirs)
    keys = [one.key for one in people.start_of(table).figures]
    storage.push(table, alice, [told(n, keys[n % len(keys)]) for n in range(1, TOLD + 1)])
    return Table.objects.get(pk=table.pk)


def told(n: int, figure: str) -> Pushed:
    jump = taps.Rolled(roll="jump", by=figure, faces=((3, 4),), outcome="failed", thrown=n > 60)
    tap = taps.Acted(figure=figure) if n % 4 else jump
    turn = 1 + 5 * n // TOLD
    return Pushed(device=PHONE, n=n, after=n - 1, at=n, turn=turn, act=uuid.uuid4(), tap=tap)


@contextmanager
def count_folds(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[taps.Logged]]:
    """The taps folded inside the block, repeated for each fold."""
    folded_taps: list[taps.Logged] = []
    take = module.take

    def counted(table: Folding, logged: taps.Logged) -> None:
        folded_taps.append(logged)
        take(table, logged)

    with monkeypatch.context() as patched:
        patched.setattr(module, "take", counted)
        yield folded_taps


def forget() -> None:
    """Empty the caches, as in a process that has not seen the table."""
    folded._kept.kept.clear()
    tries._of_tables.kept.clear()


def addresses(table: Table) -> dict[str, str]:
    key = people.start_of(table).figures[0].key
    of_table: dict[str, list[object]] = {
        "table": [],
        "table-story": [],
        "table-since": [TOLD - 1],
        "table-figure": [key],
        "table-beforehand": [key],
        "table-dice": [storage.log_of(table)[-1].act],
    }
    found = {
        name: reverse(f"campaigns:{name}", args=[table.pk, *more])
        for name, more in of_table.items()
    }
    for name in ("game", "game-report"):
        found[name] = reverse(f"campaigns:{name}", args=[table.game_id])
    return found | {"table-attempt": duel_address(table)}


@pytest.mark.long
def test_every_page_folds_the_log_once(
    as_user: AsUser, table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = as_user(alice)
    for name, address in addresses(table).items():
        forget()
        with count_folds(monkeypatch) as folded_taps:
            assert client.get(address).status_code == 200
        # Pages of dice go back to the beginning of their act.
        assert TOLD <= len(folded_taps) <= TOLD + NEAR, name
        with count_folds(monkeypatch) as folded_taps:
            assert client.get(address).status_code == 200
        assert len(folded_taps) <= NEAR, name


def test_every_change_folds_the_log_at_most_once(
    as_user: AsUser, table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, attempt = as_user(alice), duel_address(table, action="duel")
    throw = fields(client.get(attempt).content.decode()) | {"how": "throw"}
    strike = taps.TAPS_LIST.dump_json((taps.Struck(device=PHONE, device_seq=TOLD - 3),)).decode()
    path = reverse("campaigns:table-taps", args=[table.pk])
    for address, data in (
        (attempt.partition("?")[0], throw),
        (path, {"taps": strike, "token": "strike", "after": TOLD, "turn": 6}),
    ):
        forget()
        with count_folds(monkeypatch) as folded_taps:
            assert client.post(address, data).status_code == 302
        assert len(folded_taps) <= TOLD + NEAR
    dice = reverse("campaigns:table-dice", args=[table.pk, act_of_dice(table)])
    with count_folds(monkeypatch) as folded_taps:
        client.post(dice, {"spend": "", "seen": 1, "after": TOLD, "turn": 6})
    assert 0 < len(folded_taps) <= 3 * NEAR


def act_of_dice(table: Table) -> uuid.UUID:
    return next(one.act for one in storage.log_of(table)[TOLD:] if isinstance(one.tap, taps.Rolled))


@pytest.mark.long
def test_luck_folds_the_log_once_and_later_only_new_taps(
    as_user: AsUser, table: Table, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, page = as_user(alice), reverse("campaigns:game-throws", args=[table.game_id])
    forget()
    with count_folds(monkeypatch) as folded_taps:
        client.get(page)
    # Once for the page, and once with a stop before each roll.
    assert len(folded_taps) <= 2 * TOLD
    key = people.start_of(table).figures[0].key
    storage.push(table, alice, [told(TOLD + 4, key)])
    with count_folds(monkeypatch) as folded_taps:
        client.get(page)
    assert 0 < len(folded_taps) <= 2 * NEAR
    with count_folds(monkeypatch) as folded_taps:
        client.get(page)
    assert folded_taps == []


def test_chances_use_the_table_before_each_act(table: Table) -> None:
    """The same as if the log were folded from its beginning for each act."""
    found = folded.fold_table(table)
    rolls = list(tries._rolls(found))
    assert len(rolls) == TOLD // 4
    chances = tries._work_out_chances(found, rolls, {})
    for roll in rolls:
        before = module.fold(found.start, [one for one in found.log if one.seq < roll.first])
        assert chances[roll.key] == tries._chance(found.start, before, roll)
