"""Notices: in the reader's language, counted beside the bell, mailed on request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from accounts import mailing, notices
from accounts.models import Notice, User
from accounts.notices import describe, notify, person
from common import background

CAT = "a_cat_sat"
PLACE = "/gangs/"


@pytest.fixture(autouse=True)
def _a_sentence(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A kind of notice used only here, with a word that has a translation."""
    from django.utils.translation import gettext as _

    monkeypatch.setattr(notices, "_kinds", {**notices._kinds})
    notices.register(CAT, lambda values: f"{_('Password')}: {values['cat']}")
    yield


def wants_mail(user: User, language: str = "", *, verified: bool = True) -> User:
    user.mail_notices, user.language = True, language
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=verified, primary=True)
    return user


def test_everybody_but_the_actor_gets_one_notice(alice: User, bob: User) -> None:
    notify([alice, bob, alice, None], CAT, {"cat": "Tom"}, PLACE, except_for=bob)
    [notice] = Notice.objects.all()
    assert (notice.user, notice.kind, notice.values, notice.url) == (
        alice,
        CAT,
        {"cat": "Tom"},
        PLACE,
    )


def test_unknown_kind_of_notice_raises_an_error(alice: User) -> None:
    with pytest.raises(KeyError):
        notify([alice], "no_such_kind", {}, "")


def test_placeholder_account_gets_no_notice(alice: User) -> None:
    alice.stands_for = "Alice of the other club"
    notify([alice], CAT, {"cat": "Tom"}, "")
    assert not Notice.objects.exists()


def test_bell_counts_without_an_extra_query(client: Client, alice: User, bob: User) -> None:
    client.force_login(alice)
    client.get("/rules/")
    with CaptureQueriesContext(connection) as before:
        page = client.get("/rules/").content.decode()
    assert 'aria-label="Notices"' in page
    for cat in ("Tom", "Tim"):
        notify([alice, bob], CAT, {"cat": cat}, PLACE)
    notify([bob], CAT, {"cat": "Tam"}, PLACE)
    with CaptureQueriesContext(connection) as after:
        page = client.get("/rules/").content.decode()
    assert 'aria-label="Notices: 2 new"' in page
    assert len(after) == len(before)


def test_followed_notice_is_marked_as_read(client: Client, alice: User) -> None:
    notify([alice], CAT, {"cat": "Tom"}, PLACE)
    notify([alice], CAT, {"cat": "Tim"}, "")
    client.force_login(alice)
    page = client.get("/notices/").content.decode()
    assert "Password: Tom" in page and page.count("notice-new") == 2
    [tim, tom] = Notice.objects.all()
    for _twice in range(2):
        assert client.post(f"/notices/{tom.pk}/").headers["Location"] == PLACE
    assert client.post(f"/notices/{tim.pk}/").headers["Location"] == "/notices/"
    assert not Notice.objects.filter(read_at=None).exists()
    assert "notice-new" not in client.get("/notices/").content.decode()


def test_list_marks_no_notice_as_read(client: Client, alice: User) -> None:
    notify([alice], CAT, {"cat": "Tom"}, PLACE)
    client.force_login(alice)
    client.get("/notices/")
    assert Notice.objects.get().read_at is None


def test_notice_of_another_user_is_not_found(client: Client, alice: User, bob: User) -> None:
    notify([alice], CAT, {"cat": "Tom"}, PLACE)
    client.force_login(bob)
    assert client.post(f"/notices/{Notice.objects.get().pk}/").status_code == 404
    client.post("/notices/read/")
    assert Notice.objects.get().read_at is None
    assert "Tom" not in client.get("/notices/").content.decode()


def test_all_notices_can_be_marked_as_read(client: Client, alice: User) -> None:
    for cat in ("Tom", "Tim"):
        notify([alice], CAT, {"cat": cat}, PLACE)
    client.force_login(alice)
    client.post("/notices/read/")
    first = set(Notice.objects.values_list("read_at", flat=True))
    client.post("/notices/read/")
    assert set(Notice.objects.values_list("read_at", flat=True)) == first
    assert None not in first


def test_long_lists_have_pages(client: Client, alice: User) -> None:
    for number in range(35):
        notify([alice], CAT, {"cat": f"Cat number {number}."}, "")
    client.force_login(alice)
    assert "Cat number 34." in client.get("/notices/").content.decode()
    second = client.get("/notices/?page=2").content.decode()
    assert "Cat number 0." in second and "Cat number 34." not in second
    assert client.get("/notices/?page=nonsense").status_code == 200


def test_notice_of_a_removed_kind_breaks_no_page(client: Client, alice: User) -> None:
    Notice.objects.create(user=alice, kind="of_long_ago")
    Notice.objects.create(user=alice, kind=CAT, values={"dog": "Rex"})
    client.force_login(alice)
    assert client.get("/notices/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_notice_is_mailed_in_the_readers_language(alice: User, bob: User, settings: object) -> None:
    settings.SITE_URL = "https://gangs.example.org"  # type: ignore[attr-defined]
    notify([wants_mail(alice, "fr"), wants_mail(bob)], CAT, {"cat": "Tom\nTim"}, PLACE)
    french, english = mail.outbox
    assert french.to == ["alice@example.org"] and english.to == ["bob@example.org"]
    assert french.subject == "[Skirmish] Mot de passe: Tom Tim"
    assert english.subject == "[Skirmish] Password: Tom Tim"
    assert "https://gangs.example.org/gangs/" in english.body
    assert "https://gangs.example.org/notices/" in english.body
    assert Notice.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_notice_is_mailed_only_on_request_to_a_confirmed_address(alice: User, bob: User) -> None:
    notify([alice, wants_mail(bob, verified=False)], CAT, {"cat": "Tom"}, PLACE)
    assert mail.outbox == []
    assert Notice.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_rolled_back_notice_is_not_mailed(alice: User) -> None:
    wants_mail(alice)
    with pytest.raises(RuntimeError), transaction.atomic():
        notify([alice], CAT, {"cat": "Tom"}, PLACE)
        raise RuntimeError
    assert mail.outbox == [] and not Notice.objects.exists()


def test_mails_are_turned_on_and_off_on_the_page(
    client: Client, alice: User, settings: Any
) -> None:
    settings.MAIL_SERVER = True
    client.force_login(alice)
    assert "you have none yet" in client.get("/notices/").content.decode()
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    assert alice.email in client.get("/notices/").content.decode()
    client.post("/notices/mail/", {"mail_notices": ["night", "postgame"]})
    alice.refresh_from_db()
    assert alice.wants_mail_about("night") and not alice.wants_mail_about("paired")
    page = client.get("/notices/").content.decode()
    assert page.count("checked") == 2
    client.post("/notices/mail/")
    alice.refresh_from_db()
    assert not alice.mail_notices


def test_notice_is_mailed_only_about_a_wanted_topic(alice: User, bob: User) -> None:
    User.objects.filter(pk=wants_mail(alice).pk).update(mail_off=[notices.OTHER])
    alice.refresh_from_db()
    notify([alice, wants_mail(bob)], CAT, {"cat": "Tom"}, PLACE)
    [one] = mailing.stored_mails()
    assert one.body["to"] == bob.email


def test_choice_of_an_unknown_topic_stores_nothing_and_says_so(
    client: Client, alice: User, settings: Any
) -> None:
    settings.MAIL_SERVER = True
    client.force_login(wants_mail(alice))
    answer = client.post("/notices/mail/", {"mail_notices": "on"})
    assert answer.status_code == 422 and "is-invalid" in answer.content.decode()
    alice.refresh_from_db()
    assert alice.mail_notices and not alice.mail_off


def test_site_without_mails_offers_no_choice_of_them(
    client: Client, alice: User, settings: Any
) -> None:
    settings.MAIL_SERVER = False
    client.force_login(alice)
    page = client.get("/notices/").content.decode()
    assert "mail_notices" not in page and "notices appear only here" in page


def test_topic_of_a_later_release_is_mailed(alice: User) -> None:
    User.objects.filter(pk=wants_mail(alice).pk).update(mail_off=["night"])
    alice.refresh_from_db()
    assert alice.wants_mail_about("something new")


def test_only_administrators_choose_about_the_site(
    client: Client, alice: User, settings: Any
) -> None:
    settings.MAIL_SERVER = True
    client.force_login(alice)
    assert "reported pages" not in client.get("/notices/").content.decode()
    User.objects.filter(pk=alice.pk).update(is_staff=True)
    assert "reported pages" in client.get("/notices/").content.decode()


@pytest.mark.parametrize(("change", "sent"), [({}, 1), ({"read_at": timezone.now()}, 0)])
def test_mail_of_a_kind_that_can_be_done_is_checked_before_it_is_sent(
    alice: User, change: dict[str, Any], sent: int
) -> None:
    notices.register(CAT, lambda values: "A cat", is_due=lambda notice: True)
    notify([wants_mail(alice)], CAT, {}, PLACE)
    Notice.objects.update(**change)
    background.carry_out(mailing.LANE)
    assert len(mail.outbox) == sent


def test_notice_has_a_persons_name_of_now(alice: User, bob: User) -> None:
    notices.register(CAT, lambda values: values["cat"])
    notify([alice], CAT, {"cat": f"{person(bob)} feeds Tom ({person(bob)})"}, PLACE)
    notice = Notice.objects.get()
    assert "bob" not in str(notice.values) and describe(notice) == "bob feeds Tom (bob)"
    User.objects.filter(pk=bob.pk).update(username="rob")
    assert describe(notice) == "rob feeds Tom (rob)"
    bob.delete()
    assert describe(notice) == "[deleted account] feeds Tom"
    with translation.override("fr"):
        assert describe(notice) == "[compte supprimé] feeds Tom"


def test_mail_of_a_notice_is_written_when_it_is_sent(alice: User, bob: User) -> None:
    notices.register(CAT, lambda values: values["cat"])
    for _twice in range(2):
        notify([wants_mail(alice)], CAT, {"cat": person(bob)}, PLACE)
        EmailAddress.objects.all().delete()
    Notice.objects.latest("pk").delete()
    assert all("bob" not in f"{job.title} {job.body}" for job in mailing.stored_mails())
    bob.delete()
    background.carry_out(mailing.LANE)
    [sent] = mail.outbox
    assert "[deleted account]" in sent.subject and "bob" not in sent.body


def test_names_take_one_query_for_a_page_of_notices(client: Client, alice: User, bob: User) -> None:
    notices.register(CAT, lambda values: values["cat"])
    client.force_login(alice)

    def queries(count: int) -> int:
        for _each in range(count):
            notify([alice], CAT, {"cat": person(bob)}, PLACE)
        with CaptureQueriesContext(connection) as captured:
            assert "bob" in client.get("/notices/").content.decode()
        return len(captured)

    assert queries(1) == queries(20)
