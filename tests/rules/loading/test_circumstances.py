"""A circumstance that no expression reads is a mistake of the rulebook."""

from rules.book.model import Book
from rules.book.rolls import Circumstance
from rules.loading.check_building import check


def test_a_circumstance_that_no_roll_reads_is_a_mistake(blackwater: Book) -> None:
    idle = Circumstance(key="idle", name=blackwater.name, source="house")
    assert check(blackwater) == []
    for circumstances, place in (
        ((idle, *blackwater.circumstances), 0),
        ((*blackwater.circumstances, idle), len(blackwater.circumstances)),
    ):
        assert check(blackwater.changed(circumstances=circumstances)) == [
            (("circumstances", place, "key"), "no expression uses this circumstance")
        ]
