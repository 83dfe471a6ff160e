"""Campaigns of two gangs, as the tests of campaigns have them."""

from tests.campaigns.conftest import (  # noqa: F401 - Fixtures.
    as_user,
    campaign,
    dora,
    hers,
    theirs,
)
