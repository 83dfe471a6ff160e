"""Keys of programs: made with the password, ended with it, and counted where they come from."""

from __future__ import annotations

import logging
import secrets
from typing import Any

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import Notice, User
from api import operations, tokens
from api.description import describe
from api.models import Token
from campaigns.models import Campaign
from common.models import CacheEntry
from tests.accounts.authentication.test_two_factor import PASSWORD
from tests.api.test_api import Reader, reader

NEW = "a better horse battery"


@pytest.fixture(autouse=True)
def no_counts() -> None:
    cache.clear()


def test_invented_keys_are_refused_and_count_by_address(
    campaign: Campaign, alice: User, settings: Any
) -> None:
    settings.API_REQUESTS_A_MINUTE = 5
    valid, rows = reader(alice), CacheEntry.objects.count()
    path = "/rulebooks"
    for number in range(12):
        invented = Reader(secrets.choice(("watch_", "skirmish_", "")) + secrets.token_hex(8))
        invented.ask(path, 401 if number < 5 else 429)
    Reader().ask(path, 429)
    assert CacheEntry.objects.count() <= rows + 1
    # Neighbours change nothing for a valid key.
    valid.ask(path)
    Reader(f"watch_{campaign.watch_key}").ask(path)
    other_place = {**Reader("watch_x").headers, "x-forwarded-for": "203.0.113.9"}
    settings.TRUSTED_PROXIES = 1
    assert Client().get(f"/api/v1{path}", headers=other_place).status_code == 401


def test_watch_key_of_a_hidden_or_changed_link_is_refused(campaign: Campaign) -> None:
    key = campaign.watch_key
    Reader(f"watch_{key}").ask(f"/campaigns/{campaign.pk}")
    Campaign.objects.filter(pk=campaign.pk).update(hidden_why="An act")
    Reader(f"watch_{key}").ask("/rulebooks", 401)
    Campaign.objects.filter(pk=campaign.pk).update(hidden_why="", watch_key="another")
    Reader(f"watch_{key}").ask("/rulebooks", 401)


def test_watch_key_counts_for_each_address(campaign: Campaign, settings: Any) -> None:
    settings.API_REQUESTS_A_MINUTE, settings.TRUSTED_PROXIES = 2, 1
    headers = Reader(f"watch_{campaign.watch_key}").headers

    def ask(address: str) -> int:
        sent = {**headers, "x-forwarded-for": address}
        return Client().get("/api/v1/rulebooks", headers=sent).status_code

    assert [ask("203.0.113.9") for _time in range(3)] == [200, 200, 429]
    assert ask("203.0.113.10") == 200


def test_pages_about_the_api_leave_the_forms_of_other_tabs_alone(alice: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    browser.get(reverse("api-pages:tokens"))
    before = browser.cookies["csrftoken"].value
    for name in ("api-docs:documentation", "api-docs:openapi"):
        browser.get(reverse(name))
        assert browser.cookies["csrftoken"].value == before
    form = {"name": "x", "csrfmiddlewaretoken": before}
    assert browser.post(reverse("api-pages:tokens"), form).status_code == 200


def test_pages_of_other_sites_may_read_and_not_write(campaign: Campaign) -> None:
    headers = {"origin": "https://club.example", **Reader(f"watch_{campaign.watch_key}").headers}
    path = f"/api/v1/campaigns/{campaign.pk}"
    known = Client().get(path, headers=headers)
    asked = [
        known,
        Client().get(path, headers={**headers, "if-none-match": known["ETag"]}),
        Client().get(path, headers={"origin": "https://club.example"}),
        Client().get("/api/v1/nothing", headers=headers),
    ]
    assert [answer.status_code for answer in asked] == [200, 304, 401, 404]
    for answer in asked:
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer
    wanted = {**headers, "access-control-request-method": "POST"}
    allowed = Client().options(path, headers=wanted)
    assert allowed.status_code == 200 and "POST" not in allowed["Access-Control-Allow-Methods"]
    assert "authorization" in allowed["Access-Control-Allow-Headers"]
    for elsewhere in ("/", "/api/", reverse("account_login")):
        answer = Client().get(elsewhere, headers=headers)
        assert "Access-Control-Allow-Origin" not in answer


def test_head_and_options_are_answered(alice: User) -> None:
    headers = reader(alice).headers
    whole = Client().get("/api/v1/me", headers=headers)
    head = Client().head("/api/v1/me", headers=headers)
    assert (head.status_code, head.content) == (200, b"")
    assert head["ETag"] == whole["ETag"]
    for path, methods in (("/api/v1/me", "GET, HEAD"), ("/api/v1/gangs", "GET, HEAD")):
        answer = Client().options(path, headers=headers)
        assert answer.status_code == 204 and answer.content == b""
        assert answer["Allow"].startswith(methods)
        assert Client().put(path, headers=headers)["Allow"] == answer["Allow"]


def test_bug_is_a_logged_500(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_args: Any) -> Any:
        raise ValueError("a bug")

    monkeypatch.setattr(operations, "offered_books", fail)
    client = Client(raise_request_exception=False)
    with caplog.at_level(logging.ERROR, "django.request"):
        answer = client.get("/api/v1/rulebooks", headers=reader(alice).headers)
    assert answer.status_code == 500 and answer["Content-Type"] == "application/problem+json"
    assert any(record.exc_info and record.levelname == "ERROR" for record in caplog.records)


def test_description_defines_everything_that_it_names() -> None:
    whole = describe()

    def look(value: Any) -> None:
        if isinstance(value, dict):
            if "$ref" in value:
                found: Any = whole
                for step in value["$ref"].removeprefix("#/").split("/"):
                    found = found[step]
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)

    look(whole)
    # Clients have a file for each.
    assert all(name.isidentifier() and len(name) < 40 for name in whole["components"]["schemas"])
    schemes = whole["components"]["securitySchemes"]
    for methods in whole["paths"].values():
        for operation in methods.values():
            named = {name for choice in operation["security"] for name in choice}
            assert named and named <= schemes.keys()
    assert [scheme["scheme"] for scheme in schemes.values()] == ["bearer"]


# Tokens and passwords


def test_token_that_writes_requires_the_password_and_sends_a_notice(alice: User) -> None:
    browser = Client()
    browser.force_login(alice)
    address, form = reverse("api-pages:tokens"), {"name": "League bot", "writes": "on"}
    assert browser.post(address, {"name": "Display"}).context["secret"]
    Notice.objects.all().delete()
    asked = browser.post(address, form)
    assert asked["Location"].startswith(reverse("account_reauthenticate"))
    assert not Token.objects.filter(writes=True).exists()
    page = browser.post(asked["Location"], {"password": PASSWORD, "next": address})
    [token] = Token.objects.filter(writes=True)
    assert token.name == "League bot" and page.context["secret"].endswith(token.ending)
    assert f'action="{address}"' in page.content.decode()
    assert "League bot" in browser.get(reverse("notices")).content.decode()
    # The password was typed a moment ago.
    assert browser.post(address, form).context["secret"]


def change(browser: Client, **more: str) -> None:
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW, **more}
    assert browser.post(reverse("account_change_password"), form).status_code == 302


@pytest.fixture
def browser(alice: User) -> Client:
    """A browser of alice's, who has two tokens."""
    reader(alice), reader(alice, writes=True)
    found = Client()
    found.force_login(alice)
    return found


def test_tokens_end_with_the_password(browser: Client, bob: User) -> None:
    theirs = reader(bob)
    page = browser.get(reverse("account_change_password")).content.decode()
    assert 'name="end_programs"' in page and "checked" in page
    change(browser, programs_shown="1", end_programs="on")
    assert not Token.objects.exclude(user=bob).exists()
    theirs.ask("/me")


def test_tokens_stay_when_their_owner_unticks_it(browser: Client) -> None:
    change(browser, programs_shown="1")
    assert Token.objects.count() == 2


def test_tokens_end_when_the_form_did_not_ask(browser: Client) -> None:
    change(browser)
    assert not Token.objects.exists()


@pytest.mark.parametrize(("sent", "left"), [({"end_programs": "on"}, 0), ({}, 2)])
def test_tokens_end_with_all_other_sessions(
    browser: Client, sent: dict[str, str], left: int
) -> None:
    assert 'name="end_programs"' in browser.get(reverse("account")).content.decode()
    browser.post(reverse("end-other-sessions"), {"programs_shown": "1", **sent})
    assert Token.objects.count() == left


def test_tokens_end_when_the_password_is_reset(browser: Client, alice: User) -> None:
    key = [user_pk_to_url_str(alice), default_token_generator.make_token(alice)]
    visitor = Client()
    page = visitor.get(reverse("account_reset_password_from_key", args=key), follow=True)
    form = {"password1": NEW, "password2": NEW}
    assert visitor.post(page.redirect_chain[-1][0], form).status_code == 302
    assert not Token.objects.exists()


def test_forms_without_tokens_do_not_mention_them(alice: User) -> None:
    browser = Client()
    browser.force_login(alice)
    for name in ("account_change_password", "account"):
        assert 'name="end_programs"' not in browser.get(reverse(name)).content.decode()
    assert tokens.count_of(alice) == 0
