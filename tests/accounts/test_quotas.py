"""Quotas of an account: explained in words, and never exceeded even with many tabs."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts import quotas
from accounts.models import DailyUse, User
from campaigns.files.exporting import export_campaign as exported_campaign
from campaigns.models import Campaign
from gangs.files.exporting import export_gang
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from gangs.pictures.storage import Decoded
from rules.models import Variant
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import POINTS, make_gang, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def limited(settings: Any, **most: int) -> None:
    settings.QUOTAS = {**settings.QUOTAS, **most}


def found(client: Client, name: str) -> Any:
    return client.post(f"/gangs/new/{POINTS}/", {"name": name, "token": name})


def upload(content: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("file.json", content.encode())


def test_gang_beyond_the_quota_is_refused(hers: Client, alice: User, settings: Any) -> None:
    limited(settings, gangs=1)
    make_version()
    assert found(hers, "The first").status_code == 302
    refused = found(hers, "The second")
    assert refused.status_code == 422
    page = refused.content.decode()
    assert "You have 1 gangs" in page and 'value="The second"' in page
    # The same form leads to the gang that it founded before.
    assert found(hers, "The first").status_code == 302
    assert [gang.name for gang in alice.gangs.all()] == ["The first"]


def test_ready_made_gang_counts_towards_the_quota(hers: Client, alice: User, settings: Any) -> None:
    limited(settings, gangs=0)
    sample = make_version() and make_gang(None).book.samples[0].key
    refused = hers.post(f"/gangs/new/{POINTS}/", {"sample": sample, "token": "x"})
    assert refused.status_code == 422
    assert "which is the limit" in refused.content.decode()
    assert not alice.gangs.exists()


def test_visitors_gang_is_claimed_even_beyond_the_quota(
    client: Client, alice: User, settings: Any
) -> None:
    make_version()
    found(client, "Wanderers")
    limited(settings, gangs=0)
    client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    assert alice.gangs.count() == 1


def test_account_can_be_granted_a_larger_or_smaller_quota(alice: User, bob: User) -> None:
    usual = quotas.most(bob, "gangs")
    quotas.grant(alice, "gangs", 3)
    quotas.grant(alice, "gangs", 2)
    assert (quotas.most(alice, "gangs"), quotas.most(bob, "gangs")) == (2, usual)
    quotas.grant(alice, "gangs", None)
    assert quotas.most(alice, "gangs") == usual


def test_imports_are_limited_for_each_day(hers: Client, alice: User, settings: Any) -> None:
    limited(settings, imports=2)
    file = export_gang(make_gang(alice))
    assert hers.post("/gangs/import/", {"file": upload(file)}).status_code == 302
    assert hers.post("/gangs/import/", {"file": upload(file)}).status_code == 302
    refused = hers.post("/gangs/import/", {"file": upload(file)})
    assert refused.status_code == 422
    assert "You have imported 2 files today" in refused.content.decode()
    assert alice.gangs.count() == 3
    yesterday = timezone.localdate() - timedelta(days=1)
    DailyUse.objects.update(day=yesterday)
    assert hers.post("/gangs/import/", {"file": upload(file)}).status_code == 302


@pytest.mark.parametrize("address", ["/gangs/import/", "/campaigns/import/"])
def test_rejected_import_does_not_count(
    hers: Client, alice: User, bob: User, settings: Any, address: str
) -> None:
    """Choosing a wrong file does not use up the quota."""
    limited(settings, imports=1)
    campaign = make_campaign(bob)
    gang = export_gang(make_player(campaign, bob))
    right, wrong = gang, exported_campaign(campaign).decode()
    if address == "/campaigns/import/":
        right, wrong = wrong, right
    form = {"own_name": "", "token": str(uuid.uuid4())}
    unknown = right.replace(campaign.book.digest, "0" * 64)
    for bad in ("{", wrong, right[:-100], unknown):
        assert hers.post(address, {"file": upload(bad), **form}).status_code == 422
    assert not DailyUse.objects.exists()
    assert hers.post(address, {"file": upload(right), **form}).status_code == 302
    assert [use.count for use in DailyUse.objects.all()] == [1]
    refused = hers.post(address, {"file": upload(right), **form})
    assert "You have imported 1 files today" in refused.content.decode()


def test_imported_gang_beyond_the_quota_is_refused(
    hers: Client, alice: User, settings: Any
) -> None:
    file = export_gang(make_gang(alice))
    limited(settings, gangs=1)
    refused = hers.post("/gangs/import/", {"file": upload(file)})
    assert refused.status_code == 422
    assert "You have 1 gangs" in refused.content.decode()


def test_imported_campaign_counts_with_the_importers_gangs(
    hers: Client, alice: User, bob: User, settings: Any
) -> None:
    campaign = make_campaign(bob)
    make_player(campaign, alice)
    file = exported_campaign(campaign).decode()
    limited(settings, campaigns=0)
    form = {"own_name": "alice", "token": uuid.uuid4()}
    refused = hers.post("/campaigns/import/", {"file": upload(file), **form})
    assert refused.status_code == 422
    assert "You run 0 campaigns" in refused.content.decode()
    limited(settings, campaigns=1, gangs=1)
    refused = hers.post("/campaigns/import/", {"file": upload(file), **form})
    assert refused.status_code == 422
    assert "You have 1 gangs" in refused.content.decode()
    assert Campaign.objects.count() == 1
    limited(settings, campaigns=1, gangs=2)
    assert hers.post("/campaigns/import/", {"file": upload(file), **form}).status_code == 302
    # The same form again leads to the campaign that it made.
    assert hers.post("/campaigns/import/", {"file": upload(file), **form}).status_code == 302
    assert Campaign.objects.count() == 2


def test_campaign_beyond_the_quota_is_refused(hers: Client, alice: User, settings: Any) -> None:
    limited(settings, campaigns=1)
    make_version()
    form = {"name": "First", "token": uuid.uuid4(), "notes": ""}
    fields = {**form, **_settings_fields(hers)}
    assert hers.post(f"/campaigns/new/{POINTS}/", fields).status_code == 302
    assert hers.post(f"/campaigns/new/{POINTS}/", fields).status_code == 302
    again = {**fields, "name": "Second", "token": uuid.uuid4()}
    refused = hers.post(f"/campaigns/new/{POINTS}/", again)
    assert refused.status_code == 422
    assert "You run 1 campaigns" in refused.content.decode()
    assert [campaign.name for campaign in Campaign.objects.all()] == ["First"]


def _settings_fields(client: Client) -> dict[str, Any]:
    """Return the form's current data for the campaign's options."""
    form = client.get(f"/campaigns/new/{POINTS}/").context["form"]
    known = {"name", "token", "notes"}
    return {
        name: form.get_initial_for_field(field, name)
        for name, field in form.fields.items()
        if name not in known and form.get_initial_for_field(field, name) is not None
    }


def test_variant_beyond_the_quota_is_refused(hers: Client, alice: User, settings: Any) -> None:
    limited(settings, variants=1)
    make_version()
    form = {"name": "Ours", "token": str(uuid.uuid4())}
    assert hers.post(f"/editor/new/{POINTS}/", form).status_code == 302
    assert hers.post(f"/editor/new/{POINTS}/", form).status_code == 302
    other = {"name": "More", "token": str(uuid.uuid4())}
    refused = hers.post(f"/editor/new/{POINTS}/", other)
    assert refused.status_code == 422
    assert "You have 1 variants" in refused.content.decode()
    assert Variant.objects.owned_by(alice).count() == 1


def test_pictures_of_all_gangs_share_a_quota(alice: User, settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path
    limited(settings, pictures=2)
    one, two = make_gang(alice), make_gang(alice)
    red, blue = Decoded((b"small red", b"large red")), Decoded((b"small blue", b"large blue"))
    pictures_storage.keep(one, None, red)
    pictures_storage.keep(two, None, red)
    with pytest.raises(quotas.QuotaFull):
        pictures_storage.keep(one, one.roster.members[0].id, red)
    # Replacing a picture does not count.
    pictures_storage.keep(two, None, blue)
    assert pictures_storage.count_of(alice) == 2


def test_portrait_page_explains_a_full_quota(
    hers: Client, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(settings, pictures=0)
    decoded = Decoded((b"small", b"large"))
    monkeypatch.setattr(pictures_storage, "decode", lambda content, who: decoded)
    gang = make_gang(alice)
    answer = hers.post(f"/gangs/{gang.pk}/badge/", {"picture": upload("any")})
    assert answer.status_code == 422
    assert "Your gangs have 0 pictures" in answer.content.decode()


def test_old_uses_are_deleted(alice: User) -> None:
    today = timezone.localdate()
    for days in (0, quotas.KEPT_DAYS, quotas.KEPT_DAYS + 1):
        DailyUse.objects.create(user=alice, kind="imports", day=today - timedelta(days=days))
    assert quotas.clear_old_uses() == 1
    assert DailyUse.objects.count() == 2


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_quota_is_not_exceeded_by_many_tabs(alice: User, settings: Any) -> None:
    limited(settings, gangs=3, imports=4)
    make_version()
    file = export_gang(make_gang(alice))
    clients = [Client() for _tab in range(8)]
    for client in clients:
        client.force_login(alice)

    def try_it(number: int) -> int:
        try:
            if number % 2:
                answer = clients[number].post("/gangs/import/", {"file": upload(file)})
            else:
                answer = found(clients[number], f"Tab {number}")
            return int(answer.status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(try_it, range(8)))
    assert answers == [302, 302] + [422] * 6
    assert Gang.objects.filter(owner=alice).count() == 3
