"""Pages of channels: adding one, its settings, its messages, and its secrets."""

from __future__ import annotations

import json
import uuid

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.models import Campaign
from outbound.hooks import sending, storage
from outbound.models import Delivery, Hook, Kind
from tests.meanwhile import just_before
from tests.outbound.fake_discord import NUMBER, TOKEN, URL
from tests.outbound.hooks.conftest import SIGNED_URL, AddHook

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser(client: Client, bob: User) -> Client:
    client.force_login(bob)
    return client


@pytest.fixture
def page(campaign: Campaign) -> str:
    return reverse("hooks:channels", args=[campaign.pk])


def form(address: str = URL, **more: object) -> dict[str, object]:
    return {
        "address": address,
        "kinds": ["nights", "results"],
        "language": "fr",
        "thread": "",
        "token": uuid.uuid4(),
        **more,
    }


def test_a_pasted_address_becomes_a_channel_that_never_shows_it(
    organiser: Client, page: str, campaign: Campaign
) -> None:
    sent = form()
    response = organiser.post(page, sent, follow=True)
    hook = Hook.objects.get()
    assert (hook.campaign, hook.service, hook.language) == (campaign, "discord", "fr")
    assert hook.kinds == ["nights", "results"]
    # The form again, and both pages.
    organiser.post(page, sent)
    assert Hook.objects.count() == 1
    texts = [response.content.decode(), organiser.get(page).content.decode()]
    for text in texts:
        assert f"discord.com …{TOKEN[-4:]}" in text
        assert TOKEN not in text
        assert NUMBER not in text


def test_the_secret_of_a_signed_channel_is_shown_once(organiser: Client, page: str) -> None:
    sent = form(SIGNED_URL)
    response = organiser.post(page, sent)
    hook = Hook.objects.get()
    assert hook.signing_secret in response.content.decode()
    assert response["Cache-Control"] == "no-store"
    again = organiser.post(page, sent, follow=True)
    assert hook.signing_secret not in again.content.decode()
    renewed = organiser.post(f"{page}{hook.pk}/secret/")
    before, hook = hook.signing_secret, Hook.objects.get()
    assert hook.signing_secret != before
    assert hook.signing_secret in renewed.content.decode()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://discord.com/x", "must start with https://"),
        ("https://discord.com/channels/1/2", "not a webhook’s"),
        ("https://127.0.0.1/x", "does not belong to a public server"),
        ("https://club.example:8443/x", "usual port"),
    ],
)
def test_a_wrong_address_is_explained_and_stays_in_the_form(
    organiser: Client, page: str, address: str, words: str
) -> None:
    response = organiser.post(page, form(address))
    assert response.status_code == 422
    assert words in response.content.decode()
    assert address in response.content.decode()
    assert not Hook.objects.exists()


def test_a_campaign_has_only_a_few_channels(
    organiser: Client, page: str, add_hook: AddHook
) -> None:
    for number in range(storage.MOST):
        add_hook(f"{SIGNED_URL}/{number}")
    response = organiser.post(page, form())
    assert response.status_code == 422
    assert Hook.objects.count() == storage.MOST


def test_an_account_has_only_so_many_channels(
    organiser: Client, page: str, settings: object
) -> None:
    settings.QUOTAS = settings.QUOTAS | {"hooks": 0}  # type: ignore[attr-defined]
    response = organiser.post(page, form())
    assert response.status_code == 422
    assert "which is the limit" in response.content.decode()


def test_an_archived_campaign_takes_no_channel(
    organiser: Client, page: str, campaign: Campaign
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(archived_at=timezone.now())
    assert "its channels get nothing" in organiser.get(page).content.decode()
    response = organiser.post(page, form())
    assert response.status_code == 422
    assert not Hook.objects.exists()


def test_settings_of_a_stale_page_are_not_saved(
    organiser: Client, page: str, add_hook: AddHook
) -> None:
    hook = add_hook()
    own = f"{page}{hook.pk}/"
    sent = {"kinds": ["deaths"], "language": "en", "thread": "123456789", "seen": 0}
    assert organiser.post(own, sent).status_code == 302
    hook.refresh_from_db()
    assert (hook.kinds, hook.thread) == (["deaths"], "123456789")
    response = organiser.post(own, sent | {"kinds": ["results"]})
    assert response.status_code == 409
    assert "not saved yet" in response.content.decode()
    hook.refresh_from_db()
    assert hook.kinds == ["deaths"]
    assert organiser.post(own, sent | {"thread": "main"}).status_code == 422


def test_the_page_shows_what_servers_answered(
    organiser: Client, page: str, add_hook: AddHook
) -> None:
    hook = add_hook()
    rows = {
        "a": {"is_waiting": True, "tries": 3, "reason": "too_slow"},
        "b": {"is_waiting": False, "tries": 1, "status": 400, "answer": "Invalid <b>Body</b>"},
    }
    for key, values in rows.items():
        Delivery.objects.create(hook=hook, kind="nights", key=key, title="Night", **values)
    text = organiser.get(f"{page}{hook.pk}/").content.decode()
    assert "Not sent yet, after 3 tries" in text
    assert "did not answer within five seconds" in text
    assert "answer 400" in text
    assert "Invalid &lt;b&gt;Body&lt;/b&gt;" in text


def test_a_test_message_is_sent_once_in_a_while(
    organiser: Client, page: str, add_hook: AddHook
) -> None:
    hook = add_hook()
    own = f"{page}{hook.pk}/test/"
    assert organiser.post(own).status_code == 302
    assert organiser.post(own).status_code == 422
    assert hook.deliveries.filter(kind="test").count() == 1


def test_channel_that_is_deleted_meanwhile_sends_no_test_message(
    organiser: Client, page: str, add_hook: AddHook
) -> None:
    hook = add_hook()
    delete = Hook.objects.filter(pk=hook.pk).delete
    with just_before('FROM "outbound_hook"', delete, nth=2):
        assert organiser.post(f"{page}{hook.pk}/test/").status_code in (404, 422)


def test_a_channel_is_switched_off_and_on_and_deleted(
    organiser: Client, page: str, add_hook: AddHook
) -> None:
    hook = add_hook()
    own = f"{page}{hook.pk}/"
    organiser.post(f"{own}off/")
    assert "An organiser switched it off." in organiser.get(own).content.decode()
    assert organiser.post(f"{own}test/").status_code == 422
    organiser.post(f"{own}on/")
    hook.refresh_from_db()
    assert hook.off_at is None
    assert organiser.post(f"{own}nonsense/").status_code == 404
    assert organiser.post(f"{own}delete/").status_code == 302
    assert not Hook.objects.exists()


def test_the_channel_of_another_campaign_is_not_found(
    organiser: Client, add_hook: AddHook, bob: User
) -> None:
    from tests.world.campaigns import make_campaign

    hook, other = add_hook(), make_campaign(bob)
    for url in (
        reverse("hooks:channel", args=[other.pk, hook.pk]),
        reverse("hooks:channel", args=[uuid.uuid4(), hook.pk]),
    ):
        assert organiser.get(url).status_code == 404


def test_the_page_of_a_channel_polls_for_news(
    organiser: Client, page: str, add_hook: AddHook
) -> None:
    own = f"{page}{add_hook().pk}/"
    response = organiser.get(own)
    state = response.context["state"]
    assert organiser.get(own, {"since": state}).status_code == 204
    assert organiser.get(own, {"since": "other"}).status_code == 200


def test_settings_lead_to_the_channels(organiser: Client, page: str, campaign: Campaign) -> None:
    settings = reverse("campaigns:settings", args=[campaign.pk])
    assert f'href="{page}"' in organiser.get(settings).content.decode()


def test_own_data_names_the_channels_without_their_address(add_hook: AddHook, bob: User) -> None:
    hook = add_hook(SIGNED_URL)
    [file] = storage.files_of(bob)
    assert isinstance(file.content, str)
    [row] = json.loads(file.content)
    assert (row["host"], row["ending"]) == ("club.example", SIGNED_URL[-4:])
    assert SIGNED_URL not in file.content
    assert hook.signing_secret not in file.content


def test_a_deleted_account_leaves_its_channels_to_the_campaign(
    add_hook: AddHook, bob: User
) -> None:
    hook = add_hook()
    Hook.objects.filter(by=bob).update(by=None)
    hook.refresh_from_db()
    sending.switch_off(hook, Hook.Off.DELETED)
    assert bob.notices.filter(kind=sending.NOTICE).count() == 1


def test_a_new_channel_gets_all_kinds(organiser: Client, page: str) -> None:
    text = organiser.get(page).content.decode()
    assert text.count("checked") == len(Kind.values)
