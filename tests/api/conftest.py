"""A campaign with two players and their organiser."""

from tests.campaigns.conftest import campaign, dora, hers, theirs

__all__ = ["campaign", "dora", "hers", "theirs"]
