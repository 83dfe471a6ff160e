"""A user's data as one file: it is complete, contains nothing of others, and can be imported."""

from __future__ import annotations

import io
import json
import tracemalloc
import uuid
import warnings
from typing import Any
from zipfile import ZipFile

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts import data_export, deletion, mailing
from accounts.models import Notice, User
from administration.models import Act, PageReport
from campaigns.files.data_export import SAID
from campaigns.models import Attendance, Campaign, Side
from campaigns.table import storage, taps
from gangs.ledger import writer
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from rules.models import Variant
from tests.world.campaigns import (
    confirmed,
    make_campaign,
    make_game,
    make_night,
    make_player,
    reported,
)
from tests.world.gangs import make_big_gang, make_gang

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/data/"


def as_user(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def download(user: User) -> dict[str, bytes]:
    """Return the files of the user's download by path."""
    response = as_user(user).post(ADDRESS)
    assert response.status_code == 200 and response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"].startswith("attachment; filename=")
    with warnings.catch_warnings(), ZipFile(io.BytesIO(b"".join(response))) as zipped:
        warnings.simplefilter("error")
        assert zipped.testzip() is None
        return {name: zipped.read(name) for name in zipped.namelist()}


def one(files: dict[str, bytes], start: str, end: str = "") -> Any:
    """Return the only file with this name."""
    [content] = [
        content for name, content in files.items() if name.startswith(start) and name.endswith(end)
    ]
    return content if end == ".jpg" else json.loads(content)


def upload(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("file.json", content, "application/json")


def test_download_has_the_account_and_its_notices(alice: User, bob: User) -> None:
    EmailAddress.objects.create(user=alice, email=alice.email, verified=True, primary=True)
    values = {"actor": "bob", "campaign": "The long winter"}
    Notice.objects.create(user=alice, kind="invited", values=values, url="/campaigns/")
    Notice.objects.create(user=bob, kind="invited", values={**values, "campaign": "Not hers"})
    files = download(alice)
    account = one(files, "account")
    assert account["username"] == "alice" and "password" not in account
    assert account["email_addresses"] == [
        {"email": "alice@example.org", "verified": True, "primary": True}
    ]
    [notice] = one(files, "notices")
    assert notice["text"] == "bob invites you to the campaign The long winter."
    assert notice["url"] == "/campaigns/" and notice["read_at"] is None
    assert b"Skirmish" in files["read-me.txt"]
    assert not any(b"Not hers" in content for content in files.values())


def test_download_has_mails_to_confirmed_addresses(alice: User, bob: User) -> None:
    for user, verified in ((alice, True), (bob, False)):
        EmailAddress.objects.create(user=user, email=user.email, verified=verified, primary=True)
        mailing.compose("Hello", f"A secret of {user}", user.email).save()
    mailing.stored_mails().filter(title__contains="alice").update(body={})
    files = download(alice)
    [mail] = one(files, "mails")
    assert mail["title"] == "[Skirmish] Hello → alice@example.org" and mail["sent_at"] is None
    # Bob's address is unconfirmed and may belong to somebody else.
    assert one(download(bob), "mails") == []
    deletion.delete(alice)
    deletion.delete(bob)
    [left] = mailing.stored_mails()
    assert left.body["to"] == bob.email


def test_gangs_are_exported_with_pictures_and_can_be_imported(alice: User, bob: User) -> None:
    # Two gangs have the same name.
    gang, archived, _ = make_gang(alice), make_gang(alice, name="Old"), make_gang(alice)
    make_gang(bob, name="Bob’s own", sample=None)
    Gang.objects.filter(pk=archived.pk).update(archived_at="2026-01-01T00:00Z")
    first = gang.roster.members[0]
    pictures_storage.keep(gang, first.id, pictures_storage.Decoded((b"small", b"a large one")))
    pictures_storage.keep(gang, None, pictures_storage.Decoded((b"small", b"a large badge")))
    files = download(alice)
    folder = f"-{gang.pk.hex[:8]}/"
    pictures = {name.rpartition(folder)[2]: text for name, text in files.items() if folder in name}
    assert len(pictures) == 3 and pictures["pictures/badge.jpg"] == b"a large badge"
    [portrait] = [name for name in pictures if f"pictures/{first.id}-" in name]
    assert pictures[portrait] == b"a large one"
    written = [text for name, text in files.items() if name.endswith("/gang.json")]
    assert len(written) == 3 and not any("Bob’s own".encode() in text for text in files.values())
    client = as_user(bob)
    for text in written:
        answer = client.post("/gangs/import/", {"file": upload(text)})
        assert answer.status_code == 302, answer.content.decode()
    came = Gang.objects.filter(owner=bob).exclude(imported_at=None)
    hers = Gang.objects.filter(owner=alice)
    assert sorted(one.snapshot for one in came) == sorted(one.snapshot for one in hers)


def test_variants_are_exported_and_can_be_imported(alice: User, bob: User) -> None:
    gang = make_gang(alice)
    row = gang.book.items[0].key
    change = {"kind": "status", "table": "items", "row": row, "status": "banned"}
    draft = json.dumps({"changes": [change]})
    variant = Variant.objects.create(
        owner=alice, name="Our rules", base=gang.book_version, draft=draft
    )
    files = download(alice)
    text = files[f"variants/our-rules-{variant.pk.hex[:8]}/draft.json"]
    answer = as_user(bob).post(
        "/editor/import/", {"file": upload(text), "token": "5ca1ab1e-0000-4000-8000-00000000000a"}
    )
    assert answer.status_code == 302, answer.content.decode()
    there = json.loads(Variant.objects.get(owner=bob).draft)["changes"]
    assert [(came["row"], came["status"]) for came in there] == [(row, "banned")]


class TestCampaigns:
    @pytest.fixture
    def campaign(self, alice: User, bob: User, charlie: User) -> Campaign:
        """Bob's campaign, in which alice and charlie play."""
        campaign = make_campaign(bob)
        hers, theirs = make_player(campaign, alice), make_player(campaign, charlie)
        game = make_game(campaign, alice, hers, theirs)
        confirmed(reported(game, alice), charlie)
        Side.objects.filter(gang=hers).update(tale="We held the bridge.")
        night = make_night(campaign)
        Attendance.objects.create(night=night, gang=hers, answer="yes", by=alice)
        Attendance.objects.create(night=night, gang=theirs, answer="no", by=charlie)
        return campaign

    def test_organiser_gets_the_whole_campaign(self, campaign: Campaign, bob: User) -> None:
        files = download(bob)
        file = one(files, "campaigns/the-long-winter")
        assert len(file["gangs"]) == 2 and len(file["games"]) == 1
        assert one(files, "campaigns/of-others") == []
        text = files[f"campaigns/the-long-winter-{campaign.pk.hex[:8]}.json"]
        token = "5ca1ab1e-0000-4000-8000-00000000000b"
        answer = as_user(bob).post("/campaigns/import/", {"file": upload(text), "token": token})
        assert answer.status_code == 302, answer.content.decode()

    def test_player_gets_their_own_statements(
        self, campaign: Campaign, alice: User, charlie: User
    ) -> None:
        [said] = one(download(alice), "campaigns/of-others")
        assert said["campaign"] == campaign.name
        assert said["seats"] == [{"role": "player", "joined_at": said["seats"][0]["joined_at"]}]
        assert [answer["answer"] for answer in said["answers"]] == ["yes"]
        assert len(said["games_reported"]) == len(said["reports"]) == 1
        [side] = said["sides_of_your_gangs"]
        assert side["tale"] == "We held the bridge."
        [theirs] = one(download(charlie), "campaigns/of-others")
        assert "games_reported" not in theirs and theirs["verdicts"][0]["verdict"] == "confirmed"
        assert "We held the bridge." not in json.dumps(theirs)

    def test_player_gets_their_statements_after_leaving(
        self, campaign: Campaign, alice: User
    ) -> None:
        campaign.participants.filter(user=alice).delete()
        [said] = one(download(alice), "campaigns/of-others")
        assert "seats" not in said and said["reports"]

    def test_organiser_gets_their_corrections_of_other_gangs(
        self, campaign: Campaign, alice: User, bob: User
    ) -> None:
        gang = Gang.objects.get(owner=alice)
        batch = gang.entries.order_by("seq").last().batch  # type: ignore[union-attr]
        writer.strike(
            gang, batch, expected_version=gang.version, actor=bob, with_misfits=True, leaving=True
        )
        gang.strikes.update(reason="It was another game.")
        wrote = one(download(bob), "gangs/corrections")
        assert wrote["corrections"][0]["reason"] == "It was another game."
        assert wrote["corrections"][0]["gang__name"] == gang.name
        assert one(download(alice), "gangs/corrections") == {"corrections": [], "entries": []}


# Every column that names a user, with the place of its data in the file or the reason why it is
# left out.
NAMED = {
    "accounts.Notice.user": "notices.json",
    "accounts.Reminder.user": "only prevents a second one: notices.json has the reminder",
    "account.EmailAddress.user": "account.json",
    "mfa.Authenticator.user": "account.json says whether there is one; secrets are not handed out",
    "accounts.Quota.user": "account.json",
    "accounts.DailyUse.user": "account.json",
    "accounts.SiteInvitation.made_by": "administration.json",
    "administration.Act.by": "administration.json",
    "administration.PageReport.reporter": "reports.json",
    "administration.HiddenText.author": "hidden-texts.json",
    "admin.LogEntry.user": "nobody writes it: Django's admin only shows",
    "outbound.PushDevice.user": "devices.json",
    "api.Token.user": "api-tokens.json",
    "api.SentFile.user": "api-files.json",
    "outbound.Hook.by": "channels.json",
    "gangs.Gang.owner": "gangs/",
    "gangs.StoredEntry.actor": "gangs/",
    "gangs.Strike.actor": "gangs/",
    "campaigns.Table.owner": "tables.json",
    "rules.Variant.owner": "variants/",
    "rules.BookDraft.owner": "games/",
    "rules.BookTranslation.author": "translations/",
    "rules.CatalogueImport.owner": "catalogues/",
    "rules.SharedGame.by": "shelf.json",
    "rules.ForeignShelf.owner": "games-of-other-sites.json",
    "rules.ForeignGame.owner": "games-of-other-sites.json",
    "rules.BookEditor.user": "the game is its owner's; its editors find it under “My rulebooks”",
    "accounts.User_groups.user": "nobody is in a group",
    "accounts.User_user_permissions.user": "nobody has permissions of their own",
}


def test_every_column_that_names_a_user_is_listed() -> None:
    naming = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.get_fields()
        if field.concrete and field.related_model is User
    }
    said = {f"{part.model._meta.label}.{name}" for part in SAID for name in part.by}
    assert naming == {*NAMED, *said} - {"campaigns.Side.gang__owner"}


# Columns of an account that its owner does not get: secrets, what others wrote for others to read,
# and the skeleton, which follows from the name.
NOT_THEIRS = {
    "id",
    "password",
    "session_round",
    "blocked_why",
    "stands_for",
    "skeleton",
    "is_active",
    "is_staff",
    "is_superuser",
}
RENAMED = {"date_joined": "signed_up_at", "last_login": "last_signed_in_at"}


def test_every_column_of_an_account_is_in_the_download(alice: User) -> None:
    account = one(download(alice), "account")
    columns = {field.name for field in User._meta.concrete_fields}
    assert columns >= NOT_THEIRS
    assert {RENAMED.get(name, name) for name in columns - NOT_THEIRS} <= account.keys()


def test_download_has_tables_without_a_campaign(alice: User, bob: User) -> None:
    own, others = (
        storage.open_alone([make_gang(user)], owner=user, guest=None, token=f"of {user}")
        for user in (alice, bob)
    )
    note = [taps.Note(text="Charge!")]
    for table in (own, others):
        for user in (alice, bob):
            act = uuid.uuid4()
            storage.say(table, user, uuid.uuid4(), note, act=act, after=0, turn=1)
    tables = one(download(alice), "tables")
    [table] = tables["tables"]
    assert (table["sides"], len(table["told"])) == ([Gang.objects.get(owner=alice).name], 2)
    assert [row["data"] for row in tables["told_at_tables_of_others"]] == [{"text": "Charge!"}]


def test_download_has_reports_and_administrative_acts(alice: User, bob: User) -> None:
    page = {"page": "/s/x/", "title": "A sheet", "why": "other", "words": "It shouts."}
    PageReport.objects.create(**page, reporter=alice)
    Act.objects.create(kind="block", by=bob, by_name="bob", subject="account", key="1", reason="So")
    assert one(download(alice), "reports")[0]["words"] == "It shouts."
    assert one(download(bob), "reports") == []
    assert one(download(bob), "administration")["acts"][0]["reason"] == "So"
    assert not [name for name in download(alice) if "administration" in name]


# Size and frequency


def test_downloads_are_limited_for_each_hour(alice: User, bob: User) -> None:
    client = as_user(alice)
    for _ in range(5):
        assert b"".join(client.post(ADDRESS)).startswith(b"PK")
    answer = client.post(ADDRESS)
    assert answer.status_code == 429
    assert "Try again in an hour" in answer.content.decode()
    assert download(bob)
    assert client.get(ADDRESS).status_code == 405


@pytest.mark.long
def test_download_needs_no_more_memory_than_its_largest_part(alice: User) -> None:
    """The data has 120 megabytes of pictures and gangs with many members."""
    for _ in range(3):
        make_big_gang(alice, 40)
    gang = Gang.objects.filter(owner=alice).latest("created_at")
    picture = b"\xff\xd8\xff" + bytes(600_000) + b"\xff\xd9"
    for number in range(200):
        content = picture + str(number).encode()
        pictures_storage.keep(gang, number, pictures_storage.Decoded((b"small", content)))
    data_export.archive(alice).close()
    tracemalloc.start()
    try:
        with data_export.archive(alice) as written:
            size = written.seek(0, io.SEEK_END)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size > 120_000_000
    assert peak < 32_000_000, peak


def test_full_disk_leaves_no_partial_file(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_given: object) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(data_export, "_account", full)
    with pytest.raises(OSError, match="No space"):
        data_export.archive(alice)


def test_deletion_page_offers_the_download(alice: User) -> None:
    page = as_user(alice).get(reverse("farewell")).content.decode()
    assert f'action="{ADDRESS}"' in page
