"""The administrators' pages of rulebooks: upload, publish, hide, pin, make the newest, remove."""

from __future__ import annotations

import io
import re
import uuid
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts import notices
from accounts.models import Notice, User
from administration.acts.views import describe
from administration.models import Act
from rules.book.model import Book
from rules.editor import store as drafts
from rules.editor.data import start_empty
from rules.library import book_of, load, newest_books, remove
from rules.models import BookDraft, BookVersion, RemovedVersion, Rulebook, Variant
from rules.packages import forms
from rules.packages.archive import LABEL, pack
from rules.packages.writing import write_files
from rules.untrusted import LIMITS
from tests.rules.small import small
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import GOLD

pytestmark = pytest.mark.django_db
UPLOAD = "/administration/upload/"
WHY = "The club decided so"


def changed() -> Book:
    """Return the small rulebook with another price."""
    book = small()
    items = (book.items[0].model_copy(update={"price": 9}), *book.items[1:])
    return book.changed(items=items, edition="2")


def send_file(client: Client, content: bytes) -> Any:
    return client.post(UPLOAD, {"file": SimpleUploadedFile("book.zip", content)})


def hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of the form that publishes."""
    names = ("content", "digest", "seen", "token")
    found = {}
    for tag in re.findall(r"<input[^>]*>", page):
        name, value = (re.search(rf'{key}="([^"]*)"', tag) for key in ("name", "value"))
        if name and name[1] in names:
            found[name[1]] = value[1].replace("&quot;", '"').replace("&#x27;", "'") if value else ""
    return {key: value.replace("&amp;", "&") for key, value in found.items()}


def publish(client: Client, book: Book, **fields: Any) -> Any:
    page = send_file(client, pack(book)).content.decode()
    return client.post(UPLOAD, {"reason": WHY, **hidden(page), **fields})


def act(client: Client, slug: str, kind: str, **fields: Any) -> Any:
    address = f"/administration/rulebooks/{slug}/{kind}/"
    return client.post(address, {"reason": WHY, "token": uuid.uuid4(), **fields})


def newest(slug: str = "small") -> str:
    return BookVersion.objects.newest_digest(slug)


def test_uploaded_book_is_shown_first_and_published_with_a_reason(as_root: Client) -> None:
    book = small(licence="CC BY 4.0")
    page = send_file(as_root, pack(book)).content.decode()
    assert "This game is new here." in page
    assert "CC BY 4.0" in page and book.digest in page
    assert "no row cites" in page or "nobody can have it" in page
    assert not BookVersion.objects.exists() and not Rulebook.objects.exists()
    assert as_root.post(UPLOAD, {**hidden(page), "reason": ""}).status_code == 422
    assert as_root.post(UPLOAD, {**hidden(page), "reason": WHY}).status_code == 302
    assert newest() == book.digest
    record = Act.objects.get()
    assert (record.kind, record.subject, record.key) == ("publish", "rulebook", "small")
    assert record.reason == WHY
    assert describe(record) == f"root published 1 ({book.digest[:8]}) of the rulebook small."


def test_same_form_publishes_once(as_root: Client) -> None:
    page = send_file(as_root, pack(small())).content.decode()
    for _time in range(2):
        assert as_root.post(UPLOAD, {"reason": WHY, **hidden(page)}).status_code == 302
    assert Act.objects.count() == BookVersion.objects.count() == 1


def test_upload_of_a_known_game_shows_the_differences(as_root: Client) -> None:
    load(small())
    page = send_file(as_root, pack(changed())).content.decode()
    assert "Differences from the newest version here" in page
    assert re.search(r"<del>4</del>\s*→\s*<ins>9</ins>", page)
    assert newest() == small().digest


def test_upload_of_the_newest_version_offers_nothing(as_root: Client) -> None:
    load(small())
    page = send_file(as_root, pack(small())).content.decode()
    assert "This is the newest version here already." in page
    assert hidden(page) == {}


def test_publishing_shows_the_differences_again_when_another_version_came(as_root: Client) -> None:
    load(small())
    page = send_file(as_root, pack(changed())).content.decode()
    load(small(edition="between"))
    answer = as_root.post(UPLOAD, {"reason": WHY, **hidden(page)})
    assert answer.status_code == 409
    again = answer.content.decode()
    assert "Another version was published in the meantime." in again and WHY in again
    assert as_root.post(UPLOAD, {"reason": WHY, **hidden(again)}).status_code == 302
    assert newest() == changed().digest


def test_upload_lists_every_mistake_with_file_and_line(as_root: Client) -> None:
    files = write_files(small())
    files["items.toml"] = files["items.toml"].replace('group = "arms"', 'group = "alms"')
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as packed:
        for name, text in files.items():
            packed.writestr(f"small/{name}", text)
    answer = send_file(as_root, written.getvalue())
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "The rulebook has mistakes: nothing was stored." in page
    assert page.count("(sword), items.toml:") == 1 and "(bow), items.toml:" in page
    assert not BookVersion.objects.exists()


def test_upload_refuses_other_files_in_words(as_root: Client) -> None:
    answer = send_file(as_root, b"a picture")
    assert answer.status_code == 422
    assert "The file is not a zip, or is damaged." in answer.content.decode()
    assert as_root.post(UPLOAD, {}).status_code == 422


def test_upload_refuses_a_book_that_no_other_site_would_import(
    as_root: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "LIMITS", replace(LIMITS, values=50))
    answer = send_file(as_root, pack(small()))
    assert answer.status_code == 422
    assert "This rulebook is too large to work out." in answer.content.decode()


def test_upload_refuses_a_slug_that_addresses_use(as_root: Client) -> None:
    answer = send_file(as_root, pack(small(slug="version")))
    assert answer.status_code == 422
    assert "cannot have the slug “version”" in answer.content.decode()


def test_upload_says_that_files_were_changed_after_packing(as_root: Client) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(pack(small()))) as old, zipfile.ZipFile(written, "w") as new:
        for name in old.namelist():
            text = old.read(name).decode()
            new.writestr(name, text.replace('edition = "1"', 'edition = "3"'))
        assert f"small/{LABEL}" in old.namelist()
    page = send_file(as_root, written.getvalue()).content.decode()
    assert "Somebody has changed the files since they were packed." in page


def test_publishing_refuses_another_content_than_was_checked(as_root: Client) -> None:
    fields = hidden(send_file(as_root, pack(small())).content.decode())
    fields["content"] = small(edition="secret").canonical()
    for content in (fields["content"], "[]", "{", "{}", ""):
        answer = as_root.post(UPLOAD, {**fields, "content": content, "reason": WHY})
        assert answer.status_code == 422
        assert "Upload it again." in answer.content.decode()
    assert not BookVersion.objects.exists()


def test_hidden_book_leaves_the_lists_until_it_is_shown(as_root: Client) -> None:
    load(small())
    assert act(as_root, "small", "hide").status_code == 302
    assert "/rules/small/" not in Client().get("/rules/").content.decode()
    assert Client().get("/rules/small/").status_code == 200
    act(as_root, "small", "show")
    assert "/rules/small/" in Client().get("/rules/").content.decode()
    assert [row.kind for row in Act.objects.order_by("pk")] == ["hide", "show"]


def test_older_version_becomes_the_newest(as_root: Client) -> None:
    load(small())
    load(changed())
    assert act(as_root, "small", "make-newest", version="0" * 64).status_code == 422
    assert act(as_root, "small", "make-newest", version=small().digest).status_code == 302
    assert newest() == small().digest


def test_pin_and_unpin_keep_the_newest(as_root: Client) -> None:
    load(small())
    act(as_root, "small", "pin")
    assert Rulebook.objects.get().pinned_id == small().digest
    assert publish(as_root, changed()).status_code == 302
    assert Rulebook.objects.get().pinned_id == newest() == changed().digest
    act(as_root, "small", "unpin")
    assert Rulebook.objects.get().pinned_id is None
    assert newest() == changed().digest


def test_published_book_can_be_pinned_immediately(as_root: Client) -> None:
    publish(as_root, small(), pinned="on")
    assert Rulebook.objects.get().pinned_id == small().digest


def test_version_is_removed_unless_something_needs_it(as_root: Client, alice: User) -> None:
    load(small())
    base, _ = load(changed())
    variant = Variant.objects.create(owner=alice, name="Ours", base=base)
    answer = act(as_root, "small", "remove-version", version=base.digest)
    assert answer.status_code == 422
    assert "This version is needed: gangs: 0 · campaigns: 0 · variants: 1" in (
        answer.content.decode()
    )
    variant.delete()
    assert act(as_root, "small", "remove-version", version=base.digest).status_code == 302
    assert newest() == small().digest
    assert RemovedVersion.objects.get().digest == base.digest


def test_rulebook_is_removed_unless_something_needs_it(as_root: Client, alice: User) -> None:
    campaign = make_campaign(alice)
    answer = act(as_root, GOLD, "remove")
    assert answer.status_code == 422
    page = answer.content.decode()
    assert f"This rulebook is needed: {campaign}." in page and WHY in page
    campaign.delete()
    assert act(as_root, GOLD, "remove").status_code == 302
    assert newest_books() == [] and not Rulebook.objects.exists()
    assert as_root.get(f"/administration/rulebooks/{GOLD}/").status_code == 404
    assert "removed the rulebook" in as_root.get("/administration/acts/").content.decode()


def test_pages_show_versions_and_who_uses_them(as_root: Client, alice: User) -> None:
    campaign = make_campaign(alice)
    gang = make_player(campaign, alice)
    slug = gang.book.slug
    load(gang.book.changed(edition="later"))
    listed = as_root.get("/administration/rulebooks/").content.decode()
    assert f'href="/administration/rulebooks/{slug}/"' in listed
    assert "1 gang ·" in " ".join(listed.split())
    page = as_root.get(f"/administration/rulebooks/{slug}/").content.decode()
    assert f"/administration/gangs/{gang.pk}/" in page
    assert f"/administration/campaigns/{campaign.pk}/" in page
    assert "gangs: 1 · campaigns: 1 · variants: 0" in page
    assert "gangs: 0 · campaigns: 0 · variants: 0" in page


@pytest.fixture
def harbour(alice: User) -> BookDraft:
    """Return Alice's own game, of which she has published two versions."""
    data = {**start_empty(), "slug": "harbour", "name": {"en": "Harbour", "fr": "Le port"}}
    draft = drafts.start_game(alice, data, token=uuid.uuid4())
    drafts.publish(draft, expected_version=0)
    drafts.save_data(draft, {**data, "edition": "later"}, expected_version=1)
    drafts.publish(draft, expected_version=2)
    return draft


def states(draft: BookDraft) -> list[str]:
    """Return the digests of a game's published versions, in the order of their numbers."""
    return [*draft.states.order_by("number").values_list("digest", flat=True)]


def test_players_game_goes_on_the_front_page_and_off_again(
    as_root: Client, harbour: BookDraft
) -> None:
    first, second = states(harbour)
    listed = as_root.get("/administration/rulebooks/").content.decode()
    assert 'href="/administration/rulebooks/harbour/"' in listed
    assert "not on the front page" in (
        as_root.get("/administration/rulebooks/harbour/").content.decode()
    )
    assert "/rules/harbour/" not in Client().get("/rules/").content.decode()
    assert act(as_root, "harbour", "offer", version=first).status_code == 302
    assert "/rules/harbour/" in Client().get("/rules/").content.decode()
    assert newest("harbour") == first
    assert "version 1 on the front page" in (
        as_root.get("/administration/rulebooks/").content.decode()
    )
    assert act(as_root, "harbour", "offer", version=first).status_code == 422
    assert act(as_root, "harbour", "offer", version=second).status_code == 302
    assert newest("harbour") == second
    assert act(as_root, "harbour", "take-off").status_code == 302
    assert newest("harbour") == "" and states(harbour) == [first, second]
    assert "/rules/harbour/" not in Client().get("/rules/").content.decode()
    assert Client().get(f"/rules/version/{second}/").status_code == 200
    assert [describe(row) for row in Act.objects.order_by("pk")] == [
        f"root put v1 ({first[:8]}) of the rulebook harbour on the front page.",
        f"root put later ({second[:8]}) of the rulebook harbour on the front page.",
        "root took the rulebook harbour off the front page.",
    ]


def test_author_is_notified_with_the_reason_and_sees_the_version(
    as_root: Client, harbour: BookDraft, alice: User, client: Client
) -> None:
    act(as_root, "harbour", "offer", version=states(harbour)[0])
    client.force_login(alice)
    assert "version 1 on the front page" in client.get("/editor/").content.decode()
    assert "version 1 on the front page" in (
        client.get(harbour.get_absolute_url()).content.decode()
    )
    act(as_root, "harbour", "take-off")
    assert [notices.describe(one) for one in Notice.objects.filter(user=alice).order_by("pk")] == [
        f"An administrator has put Harbour on the front page. Why: {WHY}",
        f"An administrator has taken Harbour off the front page. Why: {WHY}",
    ]
    assert "on the front page" not in client.get(harbour.get_absolute_url()).content.decode()


def test_author_is_notified_in_a_language_that_the_game_does_not_have(
    as_root: Client, harbour: BookDraft, alice: User
) -> None:
    User.objects.filter(pk=alice.pk).update(language="de")
    assert act(as_root, "harbour", "offer", version=states(harbour)[0]).status_code == 302
    assert Notice.objects.get(user=alice).values["game"] == "Harbour"


def test_players_game_keeps_its_numbers_when_an_administrator_chooses_its_version(
    as_root: Client, harbour: BookDraft
) -> None:
    first, second = states(harbour)
    act(as_root, "harbour", "offer", version=first)
    act(as_root, "harbour", "offer", version=second)
    act(as_root, "harbour", "pin")
    act(as_root, "harbour", "make-newest", version=first)
    assert newest("harbour") == first
    assert [*harbour.states.order_by("number").values_list("number", flat=True)] == [1, 2]
    act(as_root, "harbour", "hide")
    act(as_root, "harbour", "take-off")
    row = Rulebook.objects.get(slug="harbour")
    assert (row.pinned_id, row.is_hidden) == (None, False)


def test_players_versions_are_taken_off_but_never_removed(
    as_root: Client, harbour: BookDraft
) -> None:
    first, second = states(harbour)
    act(as_root, "harbour", "offer", version=first)
    for kind in ("remove", "remove-version"):
        assert act(as_root, "harbour", kind, version=first).status_code in (409, 422)
    assert remove("harbour") == 1
    assert newest("harbour") == "" and states(harbour) == [first, second]
    assert not RemovedVersion.objects.exists()


def test_upload_of_a_players_version_keeps_its_number(as_root: Client, harbour: BookDraft) -> None:
    first, second = states(harbour)
    assert publish(as_root, book_of(second)).status_code == 302
    assert newest("harbour") == second and states(harbour) == [first, second]


def test_game_stays_on_the_front_page_when_its_author_deletes_it(
    as_root: Client, harbour: BookDraft
) -> None:
    first = states(harbour)[0]
    act(as_root, "harbour", "offer", version=first)
    harbour.delete()
    assert newest("harbour") == first
    assert as_root.get("/administration/rulebooks/harbour/").status_code == 200
    assert act(as_root, "harbour", "remove").status_code == 302
    assert newest("harbour") == "" and not Rulebook.objects.exists()


def test_page_of_a_deleted_game_does_not_exist(as_root: Client, harbour: BookDraft) -> None:
    harbour.delete()
    assert as_root.get("/administration/rulebooks/harbour/").status_code == 404
    assert as_root.get("/administration/rulebooks/").status_code == 200


def test_pages_exist_for_administrators_only(client: Client, alice: User) -> None:
    load(small())
    client.force_login(alice)
    for address in ("rulebooks/", "upload/", "rulebooks/small/", "rulebooks/small/remove/"):
        assert client.get(f"/administration/{address}").status_code == 404
    assert client.post(UPLOAD, {"content": "{}"}).status_code == 404
