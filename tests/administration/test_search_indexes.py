"""The administrators' searches, with or without indexes of trigrams."""

from __future__ import annotations

import pytest

from accounts.models import User
from administration import search_indexes
from administration.archives.postgres import _without_trigrams
from administration.pages.views import find_accounts, find_campaigns, find_gangs
from campaigns.models import Campaign
from gangs.models import Gang
from tests.world.campaigns import make_campaign, make_player

pytestmark = pytest.mark.django_db


def test_search_finds_a_part_of_a_name_in_any_case(alice: User, bob: User) -> None:
    campaign = make_campaign(bob)
    gang = make_player(campaign, alice)
    Gang.objects.filter(pk=gang.pk).update(name="The Red Wolves")
    Campaign.objects.filter(pk=campaign.pk).update(name="A hundred % of it")
    assert list(find_gangs("D WOLV")) == [gang] == list(find_gangs("ALIC"))
    assert list(find_gangs(str(gang.pk))) == [gang] == list(find_gangs(f"/s/{gang.share_key}/"))
    assert list(find_campaigns("hundred % o")) == [campaign] == list(find_campaigns("BOB"))
    assert list(find_campaigns(f"/watch/{campaign.watch_key}/")) == [campaign]
    assert list(find_campaigns("d%%")) == [] == list(find_gangs("x%y")) == list(find_accounts("%"))
    assert list(find_accounts("LIC")) == [alice]


def test_restored_database_needs_no_extension_of_the_copied_one() -> None:
    kept = "3456; 1259 16789 INDEX public gang_changed skirmish\n"
    left_out = f"3457; 1259 16790 INDEX public {next(iter(search_indexes.NAMES))} skirmish\n"
    assert _without_trigrams(kept + left_out) == kept
