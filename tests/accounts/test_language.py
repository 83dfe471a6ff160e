"""The language switch keeps the page, and an account remembers it."""

import re

import pytest
from django.test import Client

from accounts.models import User

PAGE = "/accounts/signup/?next=/campaigns/"


def test_the_switch_returns_to_the_same_page_in_the_new_language(client: Client, db: None) -> None:
    response = client.post("/language/", {"language": "fr", "next": PAGE})
    assert response.headers["Location"] == PAGE
    assert '<html lang="fr" ' in client.get(PAGE).content.decode()


def test_switch_offers_the_current_page_to_return_to(client: Client, db: None) -> None:
    assert f'name="next" value="{PAGE}"' in client.get(PAGE).content.decode()


def test_account_remembers_the_language_on_another_device(client: Client, alice: User) -> None:
    client.force_login(alice)
    client.post("/language/", {"language": "fr", "next": "/"})
    alice.refresh_from_db()
    assert alice.language == "fr"
    phone = Client(headers={"accept-language": "en"})
    phone.force_login(alice)
    response = phone.get("/accounts/email/")
    assert response.headers["Content-Language"] == "fr"
    assert '<html lang="fr" ' in response.content.decode()


def test_account_page_marks_the_language_that_it_is_in(client: Client, alice: User) -> None:
    client.force_login(alice)
    client.post("/language/", {"language": "fr", "next": "/"})
    page = client.get("/accounts/").content.decode()
    pressed = re.findall(r'name="language" value="(\w+)"[^>]*aria-pressed="true"', page)
    assert pressed == ["fr"]


def test_language_does_not_affect_the_next_visitor_of_the_process(
    client: Client, alice: User
) -> None:
    alice.language = "fr"
    alice.save()
    client.force_login(alice)
    client.get("/accounts/email/")
    assert '<html lang="en" ' in Client().get("/accounts/login/").content.decode()


@pytest.mark.parametrize("code", ["", "xx", "es"])
def test_an_unknown_language_is_not_stored(client: Client, alice: User, code: str) -> None:
    client.force_login(alice)
    client.post("/language/", {"language": code, "next": "/"})
    alice.refresh_from_db()
    assert alice.language == ""


def test_language_is_not_changed_by_a_link(client: Client, db: None) -> None:
    assert client.get("/language/?language=fr").status_code == 405


def test_switch_never_leads_away_from_the_site(client: Client, db: None) -> None:
    response = client.post("/language/", {"language": "fr", "next": "https://elsewhere.example/"})
    assert response.headers["Location"] == "/"
