"""The sentences that confirm a change, or its undoing."""

from __future__ import annotations

from django.utils.translation import override

from gangs.builder.confirmations import describe_undone
from gangs.engine.entries import Named, Recruited
from tests.gangs.rosters import member, roster
from tests.world.gangs import GOLD, shipped


def test_undone_act_is_told_by_its_recruit_only_when_it_begins_with_one() -> None:
    book = shipped(GOLD)
    gang = roster(book, member("leader", name="Ada"))
    named = Named(member=gang.members[0].id, name="Zoe")
    joined = Recruited(rank="henchman", name="Bob")
    with override("en"):
        told = describe_undone(book, gang, [joined, joined, named])
        assert "Bob" in told and "1 more" in told
        told = describe_undone(book, gang, [named, joined])
        assert "Zoe" in told and "1 more" in told
