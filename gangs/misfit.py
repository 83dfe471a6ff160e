"""A misfit: an entry that no longer fits what stands before it."""

from __future__ import annotations


class Misfit(Exception):
    """An entry that no longer fits what stands before it.

    ``code``: no_member, no_item, no_trait, no_condition, unknown (the rulebook has no such row),
    played_twice, no_game (the game that it came from is struck), no_gang (the gang is not
    founded yet, or is already), unknown_book (this site does not have the version of the rulebook
    that the gang was upgraded to) or other_rules (that is a rulebook of another game).
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
