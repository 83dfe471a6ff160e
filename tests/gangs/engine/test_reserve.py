"""Money that a new gang keeps for what it still needs, so that its guide has no dead end."""

from __future__ import annotations

from gangs.engine import actions, offers, reserve
from gangs.engine.checklist import tasks
from gangs.engine.computed import ComputedGang
from gangs.engine.roster import Member
from rules.book.model import Book
from tests.gangs.rosters import member, roster
from tests.world.gangs import shipped

BLADES = "du-sang-sur-la-lame"


def gang_of(book: Book, *members: Member, games: int = 0) -> ComputedGang:
    return ComputedGang.of(book, roster(book, *members, games=games))


def needed(gang: ComputedGang) -> list[tuple[str, int, float]]:
    return [(need.name["en"], need.count, need.price) for need in reserve.needs(gang)]


def test_a_new_gang_keeps_the_price_of_the_members_that_it_needs() -> None:
    book = shipped(BLADES)
    gang = gang_of(book, member("leader"))
    assert needed(gang) == [("Second", 1, 2), ("Henchman", 1, 1)]
    assert reserve.amount_to_keep(reserve.needs(gang)) == 3
    rest = reserve.needs_after(reserve.needs(gang), "second", of_members=True)
    assert reserve.name_needs(rest)["en"] == "Henchman"


def test_needs_of_the_same_rank_are_named_together() -> None:
    gang = gang_of(shipped("au-un-pour-un"))
    found = reserve.needs(gang)
    assert [need.count for need in found] == [1, 1, 1]
    assert reserve.name_needs(found)["fr"] == "Chef, 2 × Sous-fifre"


def test_members_of_any_rank_are_kept_for_besides_those_of_certain_ranks() -> None:
    book = shipped(BLADES)
    gang = gang_of(book)
    assert needed(gang) == [("Leader", 1, 4), ("Second", 1, 2), ("Henchman", 1, 1)]
    gang = gang_of(book, member("leader"), member("henchman"))
    assert needed(gang) == [("Second", 1, 2)]


def test_nothing_is_kept_once_the_gang_plays() -> None:
    assert needed(gang_of(shipped(BLADES), member("leader"), games=1)) == []


# Traits of the second and the leader, one coin each, until this much of the twelve is left.
def spent_until(left: int) -> ComputedGang:
    book = shipped(BLADES)
    traits = [row.key for row in book.traits if row.sold and row.price == 1][: 6 - left]
    gang = gang_of(book, member("leader", traits=traits), member("second"))
    assert gang.left == left
    return gang


def test_offer_warns_before_it_takes_the_money_for_a_requirement() -> None:
    gang = spent_until(1)
    second = gang.roster.members[1]
    asked = [offer for offer in offers.traits(gang, second) if offer.price == 1]
    warned = {offer.caution.code for offer in asked if offer.caution}
    assert warned == {"keep_for"}
    ranks = {offer.row.key: offer for offer in offers.ranks(gang)}
    assert ranks["henchman"].caution is None
    rich = spent_until(2)
    free = [offer for offer in offers.traits(rich, second) if offer.price == 1]
    assert free and not any(offer.caution for offer in free)


def test_task_that_no_money_is_left_for_is_stuck() -> None:
    def stuck(gang: ComputedGang) -> set[str]:
        return {rank for task in tasks(gang) if task.is_stuck for rank in task.ranks}

    assert stuck(spent_until(1)) == set()
    assert "henchman" in stuck(spent_until(0))


def test_everybody_gets_a_name_of_their_own() -> None:
    book = shipped(BLADES)
    gang = gang_of(
        book, member("leader", name="Ann"), *(member("henchman", name="") for _ in range(4))
    )
    entries = actions.name_everybody(gang, ["Ann", "Ben", "Cid"])
    names = [entry.name for entry in entries if entry.kind == "named"]
    assert names == ["Ben", "Cid", "Ann 2", "Ben 2"]


def test_every_book_has_forty_names_for_each_language() -> None:
    for slug in (BLADES, "cran", "blackwater-gulch", "au-un-pour-un", "zombstone"):
        names = shipped(slug).names
        for language in (names.root["en"], names.root["fr"]):
            assert len({name.casefold() for name in language}) == len(language) >= 40


def test_ready_recruits_are_named_as_people() -> None:
    """Not as their weapons."""
    for slug in (BLADES, "cran", "blackwater-gulch", "au-un-pour-un", "zombstone"):
        book = shipped(slug)
        for language in ("en", "fr"):
            weapons = {item.name.translated(language).casefold() for item in book.items}
            people = {row.name.translated(language).casefold() for row in book.archetypes}
            assert not people & weapons


def test_gear_that_no_money_is_left_for_is_stuck() -> None:
    book = shipped("cran")
    dear = max((row for row in book.items if row.status == "offered"), key=lambda row: row.price)
    for count, is_stuck in ((1, False), (22, True)):
        gang = gang_of(book, member("veteran", items=[dear.key] * count), member("novice"))
        (task,) = [task for task in tasks(gang) if task.kind == "items"]
        assert task.is_stuck == is_stuck
        assert any(not need.of_members for need in reserve.needs(gang))
