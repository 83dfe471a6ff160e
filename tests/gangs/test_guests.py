"""Visitors build gangs before they sign up, and keep them afterwards."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.models import User
from common.errors import Refusal
from gangs.access import SESSION_GANGS
from gangs.engine.entries import Noted
from gangs.ledger import writer
from gangs.models import Gang, Guest
from gangs.pages import deleting
from gangs.pages.founding import MOST_GUEST_GANGS
from gangs.pictures import storage as pictures_storage
from tests.campaigns.racing import Press, race
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import POINTS, make_gang, make_version, shipped

WEEK = timedelta(days=7)

pytestmark = pytest.mark.django_db


def found(client: Client, name: str = "Wanderers") -> Gang:
    make_version()
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": name, "token": name})
    assert answer.status_code == 302, answer.content
    return Gang.objects.latest("created_at")


def test_visitors_gang_is_seen_only_by_their_browser(client: Client) -> None:
    gang = found(client)
    assert gang.owner is None
    assert client.get(gang.get_absolute_url()).status_code == 200
    assert (
        "this gang lives in this browser only"
        in client.get(gang.get_absolute_url()).content.decode()
    )
    assert Client().get(gang.get_absolute_url()).status_code == 404
    assert "Wanderers" in client.get("/").content.decode()


def test_visitors_gang_is_adopted_at_sign_up(client: Client) -> None:
    gang = found(client)
    answer = client.post(
        "/accounts/signup/",
        {
            "username": "newcomer",
            "password1": "a long enough phrase",
            "password2": "a long enough phrase",
        },
        follow=True,
    )
    assert answer.status_code == 200
    gang.refresh_from_db()
    assert gang.owner == User.objects.get(username="newcomer")
    assert "Wanderers" in client.get("/gangs/").content.decode()


def test_visitors_gang_is_adopted_at_sign_in(client: Client, alice: User) -> None:
    gang = found(client)
    client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    gang.refresh_from_db()
    assert gang.owner == alice
    assert client.get(gang.get_absolute_url()).status_code == 200


def sign_up(client: Client) -> HttpResponse:
    phrase = "a long enough phrase"
    return client.post(
        "/accounts/signup/", {"username": "newcomer", "password1": phrase, "password2": phrase}
    )


def test_sign_up_returns_to_the_gang_that_was_being_built(client: Client) -> None:
    first, second = found(client), found(client, "Strays")
    # The gang that was changed last, not the gang that was founded last.
    Gang.objects.filter(pk=first.pk).update(changed_at=timezone.now() + timedelta(minutes=1))
    answer = sign_up(client)
    assert answer["Location"] == first.get_absolute_url()
    text = client.get(answer["Location"]).content.decode()
    assert "Your 2 gangs are saved to your account. Carry on with Wanderers." in text
    second.refresh_from_db()
    assert second.owner == User.objects.get(username="newcomer")


def test_sign_up_returns_to_the_gang_that_the_visitor_came_from(client: Client) -> None:
    first, _second = found(client), found(client, "Strays")
    page = client.get(first.get_absolute_url()).content.decode()
    way = f"/accounts/signup/?next={first.get_absolute_url()}"
    assert f'href="{way}"' in page
    phrase = "a long enough phrase"
    sent = {"username": "newcomer", "password1": phrase, "password2": phrase}
    answer = client.post(way, sent)
    assert answer["Location"] == first.get_absolute_url()
    text = client.get(answer["Location"]).content.decode()
    assert "Your 2 gangs are saved to your account. Carry on with Wanderers." in text


def test_sign_in_returns_to_the_gang_that_was_being_built(client: Client, alice: User) -> None:
    gang = found(client)
    sent = {"login": "alice", "password": "correct horse battery"}
    answer = client.post("/accounts/login/", sent)
    assert answer["Location"] == gang.get_absolute_url()
    text = client.get(answer["Location"]).content.decode()
    assert "Wanderers is saved to your account. Carry on where you were." in text
    # Only once: the next sign-in has no gang to return to.
    client.post("/accounts/logout/")
    assert client.post("/accounts/login/", sent)["Location"] == "/tonight/"
    # A visitor with another destination does not return to it either.
    client.post("/accounts/logout/")
    found(client, "Strays")
    assert client.post("/accounts/login/?next=/notices/", sent)["Location"] == "/notices/"


def test_somebody_elses_gang_is_never_adopted(client: Client, alice: User, bob: User) -> None:
    gang = found(client)
    gang.owner = bob
    gang.save()
    client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    gang.refresh_from_db()
    assert gang.owner == bob


def test_a_visitor_has_room_for_a_few_gangs(client: Client) -> None:
    for number in range(MOST_GUEST_GANGS):
        found(client, f"Gang {number}")
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "One more", "token": "t"})
    assert answer["Location"] == "/accounts/signup/"
    assert Gang.objects.count() == MOST_GUEST_GANGS


def test_founding_twice_with_one_form_founds_once(client: Client) -> None:
    gang = found(client)
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "Wanderers", "token": "Wanderers"})
    assert answer["Location"] == gang.get_absolute_url()
    assert Gang.objects.count() == 1


def test_a_gang_needs_a_name_and_keeps_what_was_chosen(client: Client) -> None:
    make_version()
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": " ", "option-fame_level": "350"})
    text = answer.content.decode()
    assert answer.status_code == 422 and 'value="350"' in text
    assert client.get("/gangs/new/no-such-game/").status_code == 404


def test_visitor_may_found_a_ready_made_gang(client: Client) -> None:
    make_version()
    page = client.get(f"/gangs/new/{POINTS}/").content.decode()
    sample = Gang.objects.count()
    key = page.split('name="sample" value="')[1].split('"')[0]
    client.post(f"/gangs/new/{POINTS}/", {"sample": key, "token": "s"})
    assert Gang.objects.count() == sample + 1
    assert Gang.objects.latest("created_at").size >= 5


def sign_in(client: Client, name: str = "alice") -> None:
    client.post("/accounts/login/", {"login": name, "password": "correct horse battery"})


# Simultaneous requests


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_simultaneous_foundings_respect_the_visitors_limit() -> None:
    """24 forms of one page, all sent at the same moment."""
    make_version()
    address = f"/gangs/new/{POINTS}/"
    page = Client()
    page.get(address)

    def founding(number: int) -> Press:
        browser = Client()
        browser.cookies.update(page.cookies)
        return lambda: browser.post(address, {"name": f"Gang {number}", "token": f"{number}"})

    answers = race(*(founding(number) for number in range(24)))
    assert {status for status, _ in answers} == {302}
    assert Gang.objects.count() == MOST_GUEST_GANGS and Guest.objects.count() == 1
    there = page.get("/").content.decode()
    for gang in Gang.objects.all():
        assert gang.name in there
        assert page.get(gang.get_absolute_url()).status_code == 200


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("signed_in", [False, True], ids=["visitor", "user"])
def test_same_form_sent_many_times_together_founds_once(signed_in: bool) -> None:
    make_version()
    address = f"/gangs/new/{POINTS}/"
    page = Client()
    if signed_in:
        page.force_login(User.objects.create_user("alice"))
    page.get(address)

    def founding() -> Press:
        browser = Client()
        browser.cookies.update(page.cookies)
        return lambda: browser.post(address, {"name": "Only one", "token": "once"})

    answers = race(*(founding() for _ in range(8)))
    assert {status for status, _ in answers} == {302}
    assert Gang.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_simultaneous_sign_ins_hand_gangs_over_once() -> None:
    alice = User.objects.create_user("alice", password="correct horse battery")
    page = Client()
    for number in range(3):
        found(page, f"Gang {number}")

    def signing_in() -> Press:
        browser = Client()
        browser.cookies.update(page.cookies)
        return lambda: browser.post(
            "/accounts/login/", {"login": "alice", "password": "correct horse battery"}
        )

    answers = race(signing_in(), signing_in())
    assert [status for status, _ in answers] == [302, 302]
    # The second sign-in gets no message about gangs.
    assert sorted("are saved" in text for _, text in answers) == [False, True]
    assert Gang.objects.filter(owner=alice, guest=None).count() == 3


def test_gang_founded_after_the_sign_in_is_handed_over_next_time(
    client: Client, alice: User
) -> None:
    first = found(client, "First")
    late = Client()
    late.cookies.update(client.cookies)
    sign_in(client)
    second = found(late, "Second")
    client.post("/accounts/logout/")
    assert second.get_absolute_url() in client.get("/").content.decode()
    sign_in(client)
    assert set(Gang.objects.filter(owner=alice)) == {first, second}


# Ownership


def test_forged_guest_cookie_gives_no_access(client: Client) -> None:
    gang = found(client)
    assert gang.guest is not None
    for forged in (gang.guest.key, f":{gang.guest.key}", client.cookies["guest"].value[:-1]):
        stranger = Client()
        stranger.cookies["guest"] = forged
        assert stranger.get(gang.get_absolute_url()).status_code == 404
        assert "Wanderers" not in stranger.get("/").content.decode()


def test_gangs_of_an_old_session_still_belong_to_the_visitor(client: Client, alice: User) -> None:
    """The site is updated while visitors build."""
    old = make_gang(None, name="From before", sample=None)
    stranger = Client()
    session = client.session
    session[SESSION_GANGS] = [str(old.pk)]
    session.save()
    client.cookies["sessionid"] = session.session_key
    assert "From before" in client.get("/").content.decode()
    assert client.get(old.get_absolute_url()).status_code == 200
    assert stranger.get(old.get_absolute_url()).status_code == 404
    # The next founding makes them a guest, and their earlier gangs count.
    new = found(client)
    old.refresh_from_db()
    assert old.guest == new.guest is not None
    assert SESSION_GANGS not in client.session
    sign_in(client)
    assert set(Gang.objects.filter(owner=alice, guest=None)) == {old, new}


def test_gangs_of_an_old_session_are_handed_over(client: Client, alice: User) -> None:
    old, kept = make_gang(None), make_gang(None)
    Gang.objects.filter(pk=kept.pk).update(kept_at=timezone.now())
    session = client.session
    session[SESSION_GANGS] = [str(old.pk), str(kept.pk)]
    session.save()
    client.cookies["sessionid"] = session.session_key
    sign_in(client)
    assert set(Gang.objects.filter(owner=alice)) == {old}
    assert SESSION_GANGS not in client.session


# Limits


def test_foundings_from_one_address_are_limited(client: Client, settings: Any) -> None:
    """A visitor without cookies still has an address. With an account, the limit does not apply."""
    settings.ACCOUNT_RATE_LIMITS = {"found": "3/h/ip"}
    for number in range(3):
        found(Client(), f"Gang {number}")
    form = {"name": "One too many", "token": "t"}
    answer = client.post(f"/gangs/new/{POINTS}/", form)
    text = answer.content.decode()
    assert answer.status_code == 429 and int(answer["Retry-After"]) > 0
    assert "One too many" in text and 'href="/accounts/signup/"' in text
    assert Gang.objects.count() == 3 and Guest.objects.count() == 3
    elsewhere = client.post(f"/gangs/new/{POINTS}/", form, REMOTE_ADDR="192.0.2.7")
    assert elsewhere.status_code == 302


def test_repeated_form_finds_its_gang_despite_the_limit(client: Client, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"found": "1/h/ip"}
    gang = found(client)
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "Wanderers", "token": "Wanderers"})
    assert answer["Location"] == gang.get_absolute_url()


def test_site_limits_the_number_of_visitors_gangs(
    client: Client, alice: User, settings: Any
) -> None:
    settings.MOST_GUEST_GANGS_OF_SITE = 2
    first = found(client, "First")
    found(Client(), "Second")
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "Third", "token": "t"})
    assert answer.status_code == 503 and int(answer["Retry-After"]) > 0
    assert 'href="/accounts/signup/"' in answer.content.decode()
    assert Gang.objects.count() == 2
    # Users are not limited, and gangs that a user takes over make room.
    sign_in(client)
    assert client.post(f"/gangs/new/{POINTS}/", {"name": "Hers", "token": "h"}).status_code == 302
    assert found(Client(), "Third").owner is None
    first.refresh_from_db()
    assert first.owner == alice


def test_founding_is_refused_when_there_is_no_room_for_visitors(
    client: Client, settings: Any
) -> None:
    make_version()
    settings.MOST_GUEST_GANGS_OF_SITE = 0
    answer = client.post(f"/gangs/new/{POINTS}/", {"name": "Nobody’s", "token": "t"})
    assert answer.status_code == 503 and not Gang.objects.exists()


def test_visitors_gang_has_a_limited_number_of_changes(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    gang = found(client)
    monkeypatch.setattr(writer, "MOST_GUEST_ENTRIES", gang.last_seq + 1)
    address = f"{gang.get_absolute_url()}about/"

    def rename(name: str, version: int) -> tuple[int, str]:
        answer = client.post(address, {"name": name, "version": version, "token": name})
        return answer.status_code, answer.content.decode()

    assert rename("Renamed", 1)[0] == 302
    status, text = rename("Renamed again", 2)
    assert status == 422 and "sign up" in text
    assert Gang.objects.get().name == "Renamed"
    sign_in(client)
    assert rename("Renamed again", 2)[0] == 302


def test_visitors_gang_has_limited_text_and_corrections(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    gang = found(client)
    assert gang.guest is not None
    monkeypatch.setattr(writer, "MOST_GUEST_TEXT", 3_000)
    writer.append(gang, [Noted(text="x" * 3_000)], expected_version=1, actor=None)
    with pytest.raises(Refusal, match="guest_history_full"):
        writer.append(gang, [Noted(text="")], expected_version=2, actor=None)
    monkeypatch.undo()
    monkeypatch.setattr(writer, "MOST_GUEST_ENTRIES", gang.last_seq + 1)
    batch = gang.entries.get(seq=gang.last_seq).batch
    act = writer.strike(gang, batch, expected_version=gang.version, actor=None)
    with pytest.raises(Refusal, match="guest_history_full"):
        writer.revise(gang, undoes=act, expected_version=gang.version, actor=None)


# Deletion


def test_unchanged_visitors_gang_is_deleted_after_a_week(
    client: Client, alice: User, django_capture_on_commit_callbacks: Any
) -> None:
    old, fresh, owned = found(client, "Old"), found(Client(), "Fresh"), make_gang(alice)
    empty = Guest.objects.create(key="empty")
    pictures_storage.keep(old, None, pictures_storage.Decoded((b"small", b"large")))
    name = pictures_storage.name_of(old, None)
    assert pictures_storage.content_of(old, name, pictures_storage.LARGE) == b"large"
    long_ago = timezone.now() - WEEK
    Gang.objects.filter(pk__in=[old.pk, owned.pk]).update(changed_at=long_ago)
    with django_capture_on_commit_callbacks(execute=True):
        assert deleting.tidy_guests() == 1
    assert set(Gang.objects.all()) == {fresh, owned}
    assert pictures_storage.content_of(old, name, pictures_storage.LARGE) is None
    # Guests who stay away are deleted, too, unless they have a gang or were here just now.
    assert Guest.objects.filter(pk__in=[empty.pk, old.guest_id, fresh.guest_id]).count() == 3
    Guest.objects.update(seen_at=long_ago)
    assert deleting.tidy_guests() == 0
    assert [guest.pk for guest in Guest.objects.all()] == [fresh.guest_id]


def test_deletion_works_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deleting, "BATCH", 2)
    for _ in range(5):
        make_gang(None, sample=None)
    Gang.objects.update(changed_at=timezone.now() - WEEK)
    assert deleting.tidy_guests() == 5 and not Gang.objects.exists()


class TestNamesOfReadyMadeGangs:
    """A player who takes the same ready-made gang twice must give it another name."""

    URL = f"/gangs/new/{POINTS}/"

    def take(self, client: Client, sample: Any, **values: str) -> HttpResponse:
        return client.post(
            self.URL, {"sample": sample.key, "token": values.pop("token", ""), **values}
        )

    def test_founding_asks_for_a_name_when_it_is_taken(self, client: Client, alice: User) -> None:
        sample = make_version(POINTS) and shipped(POINTS).samples[0]
        client.force_login(alice)
        assert "is taken" not in client.get(self.URL).content.decode()
        assert self.take(client, sample).status_code == 302
        assert Gang.objects.get().name == sample.name
        assert f"“{sample.name}” is taken" in client.get(self.URL).content.decode()
        answer = self.take(client, sample)
        assert answer.status_code == 422 and "This field is required" in answer.content.decode()
        answer = self.take(client, sample, gang_name=sample.name.upper())
        assert answer.status_code == 422 and "This name is taken, too." in answer.content.decode()
        assert self.take(client, sample, gang_name="The Others").status_code == 302
        assert {gang.name for gang in Gang.objects.all()} == {sample.name, "The Others"}

    def test_same_ready_made_form_founds_once(self, client: Client, alice: User) -> None:
        sample = make_version(POINTS) and shipped(POINTS).samples[0]
        client.force_login(alice)
        places = {self.take(client, sample, token="t")["Location"] for _ in range(2)}
        assert places == {Gang.objects.get().get_absolute_url()}

    def test_founding_checks_names_in_the_campaign_of_an_invitation(
        self, client: Client, alice: User, bob: User
    ) -> None:
        campaign = make_campaign(bob, POINTS)
        make_player(campaign, bob)
        sample = shipped(POINTS).samples[0]
        client.get(f"/campaigns/join/{campaign.invite_key}/")
        assert f"“{sample.name}” is taken" in client.get(self.URL).content.decode()
        assert self.take(client, sample).status_code == 422
