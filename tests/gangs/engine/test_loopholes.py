"""Loopholes by which a gang could gain something unearned: all are closed."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User
from common.errors import Refusal
from gangs.engine import actions
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.engine.entries import Entry
from gangs.engine.errors import Misfit
from gangs.engine.roster import Roster
from gangs.engine.validation import findings
from gangs.ledger import writer
from gangs.models import Gang
from tests.world.gangs import GOLD, POINTS, make_gang, rostered, scene_of, shipped

GAME = kinds.Played(game="g1", title="t", result="victory", side="winner", fielded=())


def append(gang: Gang, *entries: Entry) -> None:
    writer.append(gang, entries, expected_version=gang.version, actor=None)


def test_game_counts_once_when_its_post_game_is_struck_and_restored(alice: User) -> None:
    gang = make_gang(alice)
    income = kinds.Earned(amount=4, why="result", key="victory")
    append(gang, GAME, income)
    batch = gang.entries.live().latest("seq").batch
    act = writer.strike(gang, batch, expected_version=gang.version, actor=alice)
    append(gang, GAME, income)
    with pytest.raises(Misfit, match="played_twice"):
        writer.revise(gang, undoes=act, expected_version=gang.version)
    gang.refresh_from_db()
    assert (gang.roster.games, gang.roster.treasury) == (1, 4)


def test_income_of_a_struck_game_cannot_be_restored_without_it(alice: User) -> None:
    gang = make_gang(alice)
    append(gang, kinds.Recruited(rank="henchman", name="Bill"))
    bill, recruited = gang.last_seq, gang.entries.latest("seq").batch
    append(gang, GAME, kinds.Learned(member=bill, amount=2))
    game = gang.entries.latest("seq").batch
    first = writer.strike(
        gang, recruited, expected_version=gang.version, actor=alice, with_misfits=True
    )
    second = writer.strike(gang, game, expected_version=gang.version, actor=alice)
    with pytest.raises(Misfit, match="no_game"):
        writer.revise(gang, undoes=first, expected_version=gang.version)
    gang.refresh_from_db()
    writer.revise(gang, undoes=second, expected_version=gang.version)
    writer.revise(gang, undoes=first, expected_version=gang.version)
    assert gang.roster.member(bill).experience == 2


def test_a_budget_overdrawn_at_the_founding_is_never_forgotten() -> None:
    book = shipped(GOLD)
    entries: list[Entry] = [*actions.found(book, "Spenders", {})]
    entries += [kinds.Recruited(rank="leader", paid=4) for _ in range(4)]

    def codes(roster: Roster) -> set[str]:
        kind = {limit.text["en"]: limit.kind for limit in book.limits}
        return {kind[finding.text["en"]] for finding in findings(book, roster)}

    assert "overspent" in codes(rostered(book, entries))
    game = kinds.Played(game="g", title="t", result="draw", side="level", fielded=())
    later = rostered(book, [*entries, game])
    assert later.overspent == 4 and "overspent" in codes(later)
    assert "overspent" not in codes(rostered(book, [*entries[:3], game]))


def test_captives_gear_is_out_of_reach(alice: User) -> None:
    gang = make_gang(alice)
    member = next(member for member in gang.roster.members if member.items)
    held = next(row.key for row in gang.book.conditions if row.absent)
    append(gang, GAME, kinds.Suffered(member=member.id, condition=held))
    computed = scene_of(gang)
    item = member.items[0].id
    for decide in (
        lambda: actions.move(computed, item, None),
        lambda: actions.discard(computed, item),
        lambda: actions.dismiss(computed, member.id),
    ):
        with pytest.raises(Refusal, match="absent"):
            decide()


def test_recruit_is_free_in_a_campaign_without_money(alice: User) -> None:
    book = shipped(POINTS)
    for money, paid in (("yes", None), ("no", 0)):
        roster = rostered(book, [*actions.found(book, "X", {"money": money}), GAME])
        computed = ComputedGang.of(book, roster)
        if paid is None:
            with pytest.raises(Refusal, match="too_dear"):
                actions.recruit(computed, "henchman", "")
        else:
            assert actions.recruit(computed, "henchman", "") == [kinds.Recruited(rank="henchman")]
            assert computed.left is None


def test_undo_asks_when_later_entries_depend_on_it(client: Client, alice: User) -> None:
    gang = make_gang(alice, sample=None)
    append(gang, kinds.Recruited(rank="henchman", name="Bill"))
    batch = gang.entries.live().latest("seq").batch
    append(gang, kinds.Bought(item="knife", member=2))
    writer.append(
        gang, [kinds.Noted(text="n")], expected_version=gang.version, actor=None, batch=batch
    )
    client.force_login(alice)
    answer = client.post(f"{gang.get_absolute_url()}undo/", {"version": gang.version})
    assert answer.status_code == 200 and "These would no longer fit" in answer.content.decode()
    assert Gang.objects.get(pk=gang.pk).roster == gang.roster


def test_full_ledger_refuses_entries(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    gang = make_gang(alice)
    monkeypatch.setattr(writer, "MOST_ENTRIES", gang.last_seq)
    with pytest.raises(Refusal, match="history_full"):
        append(gang, kinds.Noted(text="n"))


def test_mend_raises_the_version(alice: User) -> None:
    gang = make_gang(alice)
    right, version = gang.snapshot, gang.version
    Gang.objects.filter(pk=gang.pk).update(snapshot="{}")
    writer.mend(Gang.objects.get(pk=gang.pk))
    gang.refresh_from_db()
    assert (gang.snapshot, gang.version) == (right, version + 1)


@pytest.mark.parametrize(
    "address",
    ["/s/%00/", "/s/%00/sheet.pdf", "/campaigns/join/%00/", f"/gangs/new/{GOLD}/?version=%00"],
)
def test_odd_address_is_not_found(client: Client, alice: User, address: str) -> None:
    client.force_login(alice)
    assert client.get(address).status_code == 404
