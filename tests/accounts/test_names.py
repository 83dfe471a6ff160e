"""No new name looks like another player's; names of earlier releases stay."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from accounts.skeletons import skeleton
from tests.campaigns.racing import race

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
# Of alice, with a Cyrillic letter, full-width letters, a capital I, a digit, a dotless i, an l in
# capitals, an invisible letter, and mathematical letters.
LIKE_ALICE = (
    "\u0430lice",
    "\uff41\uff4c\uff49\uff43\uff45",
    "aIice",
    "al1ce",
    "al\u0131ce",
    "ALlCE",
    "alice\u3164",
    "\U0001d4b6lice",
    "ALICE",
    "Alice",
)
FRENCH = ("Léa", "Lea", "René", "Rène", "Maël", "Maëlle", "Noé", "Noë", "Côme", "Come", "Çelik")


def sign_up(client: Client, name: str, **more: str) -> Any:
    # Each has a password of its own: the same form twice would sign in.
    password = f"a wholly different phrase for {name!a}"
    data = {"username": name, "password1": password, "password2": password, **more}
    return client.post("/accounts/signup/", data)


@pytest.mark.parametrize("name", LIKE_ALICE)
def test_name_that_looks_like_anothers_is_refused_beside_its_field(alice: User, name: str) -> None:
    answer = sign_up(Client(), name, email="somebody@example.org")
    page = answer.content.decode()
    assert answer.status_code == 422 and list(answer.context["form"].errors) == ["username"]
    assert "somebody@example.org" in page
    assert User.objects.get() == alice


def test_refusal_is_in_the_readers_language(alice: User) -> None:
    pages = [
        sign_up(Client(headers={"accept-language": code}), "aIice").content.decode()
        for code in ("en", "fr")
    ]
    assert "looks like another player’s" in pages[0] and "ressemble" in pages[1]


def test_accents_make_names_different() -> None:
    for name in FRENCH:
        assert sign_up(Client(), name).status_code == 302, name
    assert len({skeleton(name) for name in FRENCH}) == len(FRENCH)


@pytest.mark.parametrize(
    ("one", "other"), [("Вера", "вера"), ("ΝΙΚΟΣ", "νικος"), ("ВОВ", "BOB"), ("Tom", "Torn")]
)
def test_names_alike_in_other_scripts_exclude_each_other(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        User.objects.all().delete()
        assert sign_up(Client(), first).status_code == 302
        assert sign_up(Client(), second).status_code == 422
        assert User.objects.get().username == first


@pytest.mark.parametrize("name", ["a@b", "dora@example.org", "dora smith", "dora!"])
def test_new_name_has_letters_and_few_signs(client: Client, name: str) -> None:
    answer = sign_up(client, name)
    assert answer.status_code == 422 and list(answer.context["form"].errors) == ["username"]
    assert not User.objects.exists()


def test_names_of_earlier_releases_stay_and_sign_in(client: Client) -> None:
    names = ("dora@example.org", "alice", "\u0430lice")
    for name in names:
        User.objects.create_user(name, password=PASSWORD)
    assert len({user.skeleton for user in User.objects.exclude(username=names[0])}) == 1
    for name in names:
        browser = Client()
        form = {"login": name, "password": PASSWORD}
        assert browser.post("/accounts/login/", form).status_code == 302
        user = User.objects.get(username=name)
        assert browser.session["_auth_user_id"] == str(user.pk)
        user.language = "fr"
        user.save()


def test_skeleton_follows_a_name_that_changes(alice: User) -> None:
    alice.username = "dora"
    alice.save(update_fields=["username"])
    alice.refresh_from_db()
    assert alice.skeleton == skeleton("dora")
    assert sign_up(Client(), "alice").status_code == 302


def test_person_of_another_site_keeps_no_name_from_others() -> None:
    User.objects.create(username="~stand-in", stands_for="alice", is_active=False)
    assert sign_up(Client(), "alice").status_code == 302


def test_administrator_gets_no_name_like_anothers(alice: User, monkeypatch: Any) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    for name in ("aIice", "root@example.org"):
        with pytest.raises(CommandError):
            call_command("createsuperuser", interactive=False, username=name, email="")
    with pytest.raises(Exception, match="looks like"):
        User.objects.create_superuser("al1ce")
    assert User.objects.get() == alice


@pytest.mark.django_db(transaction=True)
def test_names_alike_chosen_at_the_same_time_make_one_account() -> None:
    for number in range(3):
        names = (f"mila{number}", f"mi1a{number}", f"m\u0456la{number}", f"MILA{number}")
        answers = race(*(partial(sign_up, Client(), name) for name in names))
        assert sorted(status for status, _page in answers) == [302, 422, 422, 422]
        assert User.objects.count() == number + 1
