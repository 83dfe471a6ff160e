"""Variants in the browser: owners, errors beside fields, stale pages, files."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from gangs.engine import offers
from gangs.engine.computed import ComputedGang
from gangs.engine.validation import findings
from rules import hooks
from rules.book.model import Book
from rules.book.vocabulary import Text
from rules.editor import documents, store
from rules.editor.documents import write_overlay
from rules.editor.overlay import MOST_CHANGES, Overlay
from rules.editor.places import LISTS, SINGLES, take_apart
from rules.hooks import Affected
from rules.library import book_of, load, newest_books
from rules.models import BookVersion, Variant
from tests.rules.editor.changing import with_row
from tests.rules.editor.test_overlay import HOSTILE
from tests.work import calls
from tests.world.gangs import GOLD, POINTS, make_gang, make_version, shipped

pytestmark = pytest.mark.django_db


@pytest.fixture
def variant(alice: User) -> Variant:
    """Return Alice's variant without changes."""
    return store.start_variant(alice, make_version(), "Club rules", token=uuid.uuid4())


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    """Return a client with Alice signed in."""
    client.force_login(alice)
    return client


def send(client: Client, variant: Variant, page: str, /, *place: str, **fields: object) -> object:
    """Send a form of the variant at its current version."""
    variant.refresh_from_db()
    data = {"seen": variant.draft_version, **fields}
    return client.post(reverse(f"editor:{page}", args=[variant.pk, *place]), data)


def drawn(client: Client, url: str) -> dict[str, object]:
    """Return the data that a page's row form sends without any input."""
    form = client.get(url).context["form"]
    data: dict[str, object] = {"seen": client.get(url).context["seen"]}
    for name in form.fields:
        value = form[name].value()
        data[name] = "" if value is None else value
    return {name: value for name, value in data.items() if value is not False}


def item_form(**fields: object) -> dict[str, object]:
    """Return the form data of a new weapon."""
    return {"name_en": "Bone saw", "price": 3, **fields}


def book_made(variant: Variant) -> Book:
    """Return the rulebook of the draft, which must have no mistakes."""
    variant.refresh_from_db()
    outcome = documents.check(variant)
    assert outcome.book is not None, outcome.wrong
    return outcome.book


def test_a_weapon_is_added_with_one_form(hers: Client, variant: Variant) -> None:
    book = shipped(POINTS)
    group = next(one for one in book.groups if one.columns and one.level_against)
    url = reverse("editor:add", args=[variant.pk, "items"]) + f"?sort={group.key}"
    page = hers.get(url).content.decode()
    assert all(column.name["en"] in page for column in group.columns)
    column = f"columns-{group.columns[0].key}"
    fields = {**item_form(seen=0, another=1), column: "6"}
    answer = hers.post(url, fields)
    # The next form is for the same kind of item.
    assert answer.status_code == 302 and answer["Location"] == url
    item = book_made(variant).item["bone-saw"]
    assert (item.group, item.price, item.level) == (group.key, 3, 3)
    assert item.columns == {group.columns[0].key: "6"}
    assert (item.name["en"], item.name["fr"], item.source) == ("Bone saw", "Bone saw", "house")
    # The same form sent twice adds one weapon; a second weapon of that name gets another key.
    assert hers.post(url, fields).status_code == 302
    assert len(book_made(variant).items) == len(book.items) + 1
    hers.post(url, {**fields, "seen": variant.draft_version})
    assert "bone-saw-2" in book_made(variant).item


def test_errors_are_beside_their_fields_and_the_form_keeps_its_input(
    hers: Client, variant: Variant
) -> None:
    item = shipped(POINTS).items[0].key
    url = reverse("editor:row", args=[variant.pk, "items", item])
    answer = hers.post(url, {**drawn(hers, url), "price": "cheap", "name_en": "Typed words"})
    assert answer.status_code == 422
    form = answer.context["form"]
    assert "price" in form.errors and "cheap" in answer.content.decode()
    assert "Typed words" in answer.content.decode()
    # The checker finds mistakes that the fields cannot know.
    effect = {"effects-count": 1, "effects-0-is": "add", "effects-0-amount": 1}
    answer = hers.post(url, {**drawn(hers, url), **effect, "effects-0-characteristic": "nonsense"})
    assert answer.status_code == 422
    (inner,) = answer.context["form"].parts["effects"].forms
    assert "nonsense" in str(inner.errors["characteristic"])
    variant.refresh_from_db()
    assert documents.overlay_of(variant) == Overlay()


def test_a_mistake_in_a_characteristic_is_shown_beside_it(hers: Client, variant: Variant) -> None:
    rank = shipped(POINTS).ranks[0]
    key = next(iter(rank.values))
    url = reverse("editor:row", args=[variant.pk, "ranks", rank.key])
    answer = hers.post(url, {**drawn(hers, url), f"values-{key}": "lots"})
    assert answer.status_code == 422
    assert f"values-{key}" in answer.context["form"].errors


def test_an_emptied_text_uses_the_other_language(hers: Client, variant: Variant) -> None:
    trait = shipped(POINTS).traits[0]
    url = reverse("editor:row", args=[variant.pk, "traits", trait.key])
    assert hers.post(url, {**drawn(hers, url), "name_en": ""}).status_code == 302
    name = book_made(variant).traits[0].name
    assert name["en"] == name["fr"] == trait.name["fr"]
    answer = hers.post(url, {**drawn(hers, url), "name_en": "", "name_fr": ""})
    assert answer.status_code == 422 and "name_en" in answer.context["form"].errors


def test_an_abbreviation_can_have_a_french_form(hers: Client, variant: Variant) -> None:
    url = reverse("editor:row", args=[variant.pk, "characteristics", "hp"])
    fields = drawn(hers, url)
    assert (fields["short_fr"], fields["short_fr_own"]) == ("HP", "PS")
    hers.post(url, fields | {"short_fr_own": "PV"})
    assert book_made(variant).characteristic["hp"].short == Text(en="HP", fr="HP", fr_own="PV")
    hers.post(url, drawn(hers, url) | {"short_fr_own": ""})
    assert book_made(variant).characteristic["hp"].short == Text(en="HP", fr="HP")


def every_row(variant: Variant) -> Iterator[tuple[str, str]]:
    """Yield every page with a form for changes, with its table."""
    written = take_apart(shipped(variant.base.slug))
    for table in SINGLES:
        if written.row(table, "") is not None:
            yield reverse("editor:single", args=[variant.pk, table]), table
    for table, names in written.tables.items():
        for row in list(names)[:2]:
            yield reverse("editor:row", args=[variant.pk, table, row]), table


@pytest.mark.long
@pytest.mark.parametrize(("slug", "language"), [(POINTS, "en"), (GOLD, "fr")])
def test_saving_an_unchanged_form_changes_nothing(
    hers: Client, alice: User, slug: str, language: str
) -> None:
    variant = store.start_variant(alice, make_version(slug), "Ours", token=uuid.uuid4())
    alice.language = language
    alice.save()
    for url, table in every_row(variant):
        answer = hers.post(url, drawn(hers, url))
        assert answer.status_code == 302, (table, url, answer.context["form"].errors)
        variant.refresh_from_db()
        assert documents.overlay_of(variant) == Overlay(), url


@pytest.mark.parametrize(
    ("row", "typed", "amount"),
    [
        ("light_cover", "2", 2),
        ("light_cover", "-1", -1),
        ("light_cover", "others + 1", "others + 1"),
        ("level_rc", "item.excess", "item.excess"),
    ],
)
def test_an_amount_can_be_a_number_or_an_expression(
    hers: Client, variant: Variant, row: str, typed: str, amount: int | str
) -> None:
    """The field is among the simple fields and accepts an expression."""
    url = reverse("editor:row", args=[variant.pk, "modifiers", row])
    form = hers.get(url).context["form"]
    assert "amount" in form.simple
    shown = {"shown_en": "+1 or more"} if isinstance(amount, str) else {}
    assert hers.post(url, {**drawn(hers, url), **shown, "amount": typed}).status_code == 302
    assert book_made(variant).modifier[row].amount == amount


def test_an_amount_that_a_table_cannot_show_needs_words(hers: Client, variant: Variant) -> None:
    url = reverse("editor:row", args=[variant.pk, "modifiers", "light_cover"])
    answer = hers.post(url, {**drawn(hers, url), "amount": "others + 1"})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == ["shown_en"]


@pytest.mark.long
@pytest.mark.parametrize("slug", [POINTS, GOLD])
def test_every_table_can_be_viewed_and_extended(hers: Client, alice: User, slug: str) -> None:
    variant = store.start_variant(alice, make_version(slug), "Ours", token=uuid.uuid4())
    for table in LISTS:
        assert hers.get(reverse("editor:table", args=[variant.pk, table])).status_code == 200
        answer = hers.get(reverse("editor:add", args=[variant.pk, table]))
        assert answer.status_code == 200
        # Missing values have errors beside the fields.
        sent = hers.post(reverse("editor:add", args=[variant.pk, table]), {"seen": 0})
        assert sent.status_code in (302, 422), table
    assert hers.get(variant.get_absolute_url()).status_code == 200


def test_search_finds_a_row_in_both_languages(hers: Client, variant: Variant) -> None:
    item = shipped(POINTS).items[0]
    url = reverse("editor:table", args=[variant.pk, "items"])
    for name in (item.name["fr"], item.name["en"].upper()):
        page = hers.get(url, {"q": name}).context["sections"]
        assert item.key in {row.row for _, rows in page for row in rows}
    assert hers.get(url, {"q": "nothing is called this"}).context["sections"] == []


@pytest.mark.long
def test_rows_can_be_hidden_banned_removed_and_restored(hers: Client, variant: Variant) -> None:
    book = shipped(POINTS)
    first, second = book.items[0].key, book.items[1].key
    send(hers, variant, "act", "items", first, act="hidden")
    send(hers, variant, "act", "items", second, act="banned")
    limit = next(iter(take_apart(book).tables["limits"]))
    send(hers, variant, "act", "limits", limit, act="remove")
    made = book_made(variant)
    assert made.item[first].status == "hidden" and made.item[second].status == "banned"
    assert len(made.limits) == len(book.limits) - 1
    page = hers.get(variant.get_absolute_url()).content.decode()
    assert "hidden" in page and "banned" in page and "removed" in page
    send(hers, variant, "act", "items", first, act="put-back", field="status")
    send(hers, variant, "act", "items", second, act="put-back")
    send(hers, variant, "act", "limits", limit, act="put-back")
    assert book_made(variant).changed(variant=None) == book
    answer = send(hers, variant, "act", "items", first, act="remove")
    assert answer.status_code == 404  # type: ignore[attr-defined]


def test_a_table_with_a_gap_can_be_saved_but_not_published(hers: Client, variant: Variant) -> None:
    book = shipped(POINTS)
    rows = f"tables.{book.tables[0].key}.rows"
    row = next(iter(take_apart(book).tables[rows]))
    answer = send(hers, variant, "act", rows, row, act="remove")
    assert answer.status_code == 302  # type: ignore[attr-defined]
    page = hers.get(variant.get_absolute_url())
    assert page.context["wrong"]
    answer = send(hers, variant, "publish")
    assert answer.status_code == 422  # type: ignore[attr-defined]
    assert not variant.states.exists()


def test_a_stale_page_says_so_and_keeps_its_input(hers: Client, variant: Variant) -> None:
    item, other = shipped(POINTS).items[0].key, shipped(POINTS).items[1].key
    url = reverse("editor:row", args=[variant.pk, "items", item])
    first = drawn(hers, url)
    send(hers, variant, "act", "items", other, act="banned")
    answer = hers.post(url, {**first, "price": 41})
    assert answer.status_code == 409 and 'value="41"' in answer.content.decode()
    assert book_made(variant).item[item].price != 41
    # The page with that message can be sent.
    again = {**first, "price": 41, "seen": answer.context["seen"]}
    assert hers.post(url, again).status_code == 302
    assert book_made(variant).item[item].price == 41
    # Sent twice, the change is made once.
    assert hers.post(url, again).status_code == 302


@pytest.mark.long
def test_a_repeated_publish_makes_one_version(hers: Client, variant: Variant) -> None:
    send(hers, variant, "add", "items", **item_form())
    variant.refresh_from_db()
    data = {"seen": variant.draft_version}
    url = reverse("editor:publish", args=[variant.pk])
    assert hers.get(url).status_code == 200
    assert hers.post(url, data).status_code == 302
    assert hers.post(url, data).status_code == 302
    (state,) = variant.states.all()
    book = book_of(state.pk)
    assert (state.number, state.slug) == (1, POINTS)
    assert book.variant is not None and book.variant.number == 1
    assert book.digest == state.pk
    # Without changes nothing is published, and the page names the current version.
    answer = send(hers, variant, "publish")
    assert answer.status_code == 422  # type: ignore[attr-defined]
    drawn_from = answer.context["seen"]  # type: ignore[attr-defined]
    variant.refresh_from_db()
    assert drawn_from == variant.draft_version
    send(hers, variant, "add", "items", **item_form(name_en="Second"))
    send(hers, variant, "publish")
    assert sorted(variant.states.values_list("number", flat=True)) == [1, 2]
    # The draft returns to the first version; an older page has no effect.
    send(hers, variant, "restore", "1")
    assert "second" not in book_made(variant).item and "bone-saw" in book_made(variant).item
    hers.post(reverse("editor:restore", args=[variant.pk, 2]), {"seen": 0})
    assert "second" not in book_made(variant).item
    assert send(hers, variant, "restore", "9").status_code == 404  # type: ignore[attr-defined]
    # The rulebook itself is unchanged.
    assert [version.pk for version, _ in newest_books()] == [variant.base_id]


def test_the_preview_lists_the_affected_gangs(
    hers: Client, variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[frozenset[str], str]] = []

    def finder(digests: frozenset[str], book: Book, user: User) -> Iterator[Affected]:
        asked.append((digests, user.username))
        yield Affected("The Regulars", "/somewhere/", ("Bone saw costs 3 more.",))

    monkeypatch.setattr(hooks, "_finders", [])
    hooks.install(finder)
    hooks.install(finder)
    send(hers, variant, "add", "items", **item_form())
    page = hers.get(reverse("editor:publish", args=[variant.pk])).content.decode()
    assert "The Regulars" in page and "Bone saw costs 3 more." in page and "1 gang" in page
    assert asked == [(frozenset({variant.base_id}), "alice")]


def test_other_users_can_neither_see_nor_change_a_variant(
    client: Client, charlie: User, variant: Variant
) -> None:
    book = shipped(POINTS)
    item = book.items[0].key
    places = {
        "edit": [],
        "names": [],
        "fair": [],
        "preview": [],
        "publish": [],
        "version": [],
        "export": [],
        "add": ["items"],
        "table": ["items"],
        "row": ["items", item],
        "single": ["campaign"],
    }
    posts = {"archive": [], "undo": [], "restore": ["1"], "act": ["items", item]}
    for user, expected in ((charlie, 404), (None, 302)):
        if user is not None:
            client.force_login(user)
        else:
            client.logout()
        for name, rest in places.items():
            url = reverse(f"editor:{name}", args=[variant.pk, *rest])
            assert client.get(url).status_code == expected, name
            if name not in ("edit", "export", "fair", "preview", "table"):
                assert client.post(url, {"seen": 0}).status_code == expected, name
        for name, rest in posts.items():
            url = reverse(f"editor:{name}", args=[variant.pk, *rest])
            assert client.post(url, {"seen": 0, "act": "banned"}).status_code == expected
    variant.refresh_from_db()
    assert variant.draft_version == 0 and variant.archived_at is None
    for name in ("list", "new", "import"):
        assert client.get(reverse(f"editor:{name}")).status_code == 302


def test_a_variant_can_be_started_renamed_and_archived(hers: Client, alice: User) -> None:
    make_version()
    url = reverse("editor:new-variant", args=[POINTS])
    assert hers.post(url, {"name": "", "token": uuid.uuid4()}).status_code == 422
    token = uuid.uuid4()
    for _ in range(2):
        assert hers.post(url, {"name": "Our club", "token": token}).status_code == 302
    (variant,) = Variant.objects.owned_by(alice)
    fields = {"name": "Their club", "token": uuid.uuid4()}
    send(hers, variant, "names", **fields)
    assert Variant.objects.get().name == "Their club"
    stale = hers.post(reverse("editor:names", args=[variant.pk]), {**fields, "seen": 0})
    assert stale.status_code == 409
    send(hers, variant, "archive")
    assert not Variant.objects.active().exists()
    assert "Their club" in hers.get(reverse("editor:list") + "?archived").content.decode()
    send(hers, variant, "archive", back=1)
    assert Variant.objects.active().exists()
    assert hers.get(reverse("editor:new-variant", args=["no-such-game"])).status_code == 404


def upload(client: Client, content: bytes | str, **fields: object) -> object:
    """Send a file to import."""
    raw = content.encode() if isinstance(content, str) else content
    file = SimpleUploadedFile("variant.json", raw, "application/json")
    data = {"file": file, "token": uuid.uuid4(), **fields}
    return client.post(reverse("editor:import"), data)


def test_an_exported_variant_can_be_imported(hers: Client, variant: Variant) -> None:
    send(hers, variant, "add", "items", **item_form())
    url = reverse("editor:export", args=[variant.pk])
    content = hers.get(url).content
    assert upload(hers, content).status_code == 302  # type: ignore[attr-defined]
    copy = Variant.objects.exclude(pk=variant.pk).get()
    variant.refresh_from_db()
    assert documents.overlay_of(copy) == documents.overlay_of(variant)
    assert (copy.name, copy.base_id) == (variant.name, variant.base_id)


def test_a_file_of_an_unknown_version_can_move_to_the_newest_version(
    hers: Client, variant: Variant
) -> None:
    send(hers, variant, "add", "items", **item_form())
    data = json.loads(hers.get(reverse("editor:export", args=[variant.pk])).content)
    lost = {"kind": "set", "table": "items", "row": "gone", "field": ["price"], "value": 1}
    data["overlay"]["changes"].append(lost)
    data["digest"] = "0" * 64
    answer = upload(hers, json.dumps(data))
    assert answer.status_code == 200  # type: ignore[attr-defined]
    context = answer.context  # type: ignore[attr-defined]
    assert context["kept"] == 1 and len(context["lost"]) == 1
    form = context["form"]
    fields = {name: form[name].value() for name in ("content", "token")}
    sent = hers.post(reverse("editor:import"), {**fields, "anyway": 1})
    assert sent.status_code == 302
    copy = Variant.objects.exclude(pk=variant.pk).get()
    assert len(documents.overlay_of(copy).changes) == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_upload_is_refused_in_words_and_with_little_work(hers: Client, name: str) -> None:
    make_version()
    answers = []
    assert calls(lambda: answers.append(upload(hers, HOSTILE[name][0]))) < 600_000
    [answer] = answers
    assert answer.status_code == 422  # type: ignore[attr-defined]
    assert answer.context["form"].errors["file"]  # type: ignore[attr-defined]
    assert not Variant.objects.exists()


def test_a_file_that_contradicts_itself_is_refused(hers: Client, variant: Variant) -> None:
    make_version(GOLD)
    data = json.loads(hers.get(reverse("editor:export", args=[variant.pk])).content)
    nonsense = {"kind": "set", "table": "items", "row": "x", "field": ["price"], "value": 1}
    for change in (
        {"book": GOLD},
        {"book": "no-such-game", "digest": "0" * 64},
        {"overlay": {"changes": [nonsense]}},
    ):
        answer = upload(hers, json.dumps({**data, **change}))
        assert answer.status_code == 422, change  # type: ignore[attr-defined]
    malformed = {
        "kind": "set",
        "table": "items",
        "row": shipped(POINTS).items[0].key,
        "field": ["name"],
        "value": [1, {"en": 2}],
    }
    answer = upload(hers, json.dumps({**data, "overlay": {"changes": [malformed]}}))
    assert answer.status_code == 422  # type: ignore[attr-defined]
    assert Variant.objects.count() == 1


@pytest.mark.long
def test_a_newer_rulebook_takes_the_changes_that_fit(hers: Client, variant: Variant) -> None:
    book = shipped(POINTS)
    item = book.items[-1]
    written = take_apart(book)
    overlay = with_row(
        book,
        Overlay(),
        "items",
        item.key,
        {**(written.row("items", item.key) or {}), "price": 44},
    )
    first = book.items[0]
    data = {**(written.row("items", first.key) or {}), "price": 45}
    overlay = with_row(book, overlay, "items", first.key, data)
    store.save(variant, write_overlay(overlay), expected_version=0)
    url = reverse("editor:version", args=[variant.pk])
    assert hers.get(url).status_code == 302
    newer = book.model_copy(update={"items": book.items[:-1], "edition": "2", "samples": ()})
    newer = Book.model_validate(newer.model_dump())
    version, _ = load(newer)
    assert "newer version" in hers.get(variant.get_absolute_url()).content.decode()
    page = hers.get(url)
    (lost,) = page.context["lost"]
    assert item.name["en"] in lost
    variant.refresh_from_db()
    fields = {"seen": variant.draft_version, "version": version.pk}
    assert hers.post(url, {**fields, "seen": 0}).status_code == 409
    assert hers.post(url, fields).status_code == 302
    variant.refresh_from_db()
    assert variant.base_id == version.pk
    assert book_made(variant).item[first.key].price == 45


def test_the_quota_limits_the_number_of_variants(
    hers: Client, variant: Variant, settings: Any
) -> None:
    settings.QUOTAS = {**settings.QUOTAS, "variants": 1}
    url = reverse("editor:new-variant", args=[POINTS])
    answer = hers.post(url, {"name": "More", "token": uuid.uuid4()})
    assert answer.status_code == 422
    content = hers.get(reverse("editor:export", args=[variant.pk])).content
    assert upload(hers, content).status_code == 422  # type: ignore[attr-defined]


def test_a_published_version_outlives_its_owner(alice: User, variant: Variant) -> None:
    state = store.publish(variant, expected_version=0)
    assert store.find_offered(alice)[0][0] == state
    alice.delete()
    state.refresh_from_db()
    assert state.variant is None and state.number == 1
    assert list(BookVersion.objects.newest()) == [BookVersion.objects.get(number=None)]


@pytest.mark.long
def test_an_owner_can_found_gangs_and_campaigns_with_a_variant(
    hers: Client, alice: User, charlie: User, variant: Variant
) -> None:
    send(hers, variant, "add", "items", **item_form())
    send(hers, variant, "publish")
    state = variant.states.get()
    for page, new in (("gangs", "gangs:new"), ("campaigns", "campaigns:new")):
        target = f"{reverse(new, args=[POINTS])}?version={state.pk}"
        assert target in hers.get(reverse(f"{page}:choose-book")).content.decode()
        assert hers.get(target).status_code == 200
    fields = {"name": "Own rules", "token": uuid.uuid4()}
    for new in ("gangs:new", "campaigns:new"):
        target = f"{reverse(new, args=[POINTS])}?version={state.pk}"
        assert hers.post(target, fields).status_code == 302
    assert state.gangs.get().book.item["bone-saw"].price == 3
    assert state.campaigns.get().book.variant is not None
    # Other users are not offered it and cannot start a campaign with it.
    hers.force_login(charlie)
    for page in ("gangs", "campaigns"):
        assert state.pk not in hers.get(reverse(f"{page}:choose-book")).content.decode()
    target = f"{reverse('campaigns:new', args=[POINTS])}?version={state.pk}"
    assert hers.get(target).status_code == 404


@pytest.mark.long
def test_a_whole_table_can_be_pasted(hers: Client, variant: Variant) -> None:
    book = shipped(POINTS)
    group = next(one for one in book.groups if len(one.columns) > 2 and one.level_against)
    url = f"{reverse('editor:paste', args=[variant.pk, 'items'])}?sort={group.key}"
    page = hers.get(url).content.decode()
    assert all(column.name["en"] in page for column in group.columns)
    bad = "Long knife; cheap\n\n; 4\nSabre; 5; 5; 1; a; b; c; d; e; f; g\n–; 4"
    answer = hers.post(url, {"seen": 0, "lines": bad})
    assert answer.status_code == 422 and "Long knife; cheap" in answer.content.decode()
    errors = answer.context["form"].errors["lines"]
    assert [error.partition(":")[0] for error in errors] == [
        "Line 1",
        "Line 3",
        "Line 4",
        "Line 5",
    ]
    lines = "Long knife\t4\t3\t1\t2\t–\nSabre;5\r\nSabre;6;;2;;;7;;Cuts well.\n"
    fields = {"seen": 0, "lines": lines}
    for _ in range(2):
        assert hers.post(url, fields).status_code == 302
    made = book_made(variant)
    assert len(made.items) == len(book.items) + 3
    knife, sabre, other = (made.item[key] for key in ("long-knife", "sabre", "sabre-2"))
    assert (knife.price, knife.level, knife.hands) == (4, 3, 1)
    assert knife.columns == {group.columns[0].key: "2"}
    assert (sabre.price, sabre.level, other.level, other.hands) == (5, 5, 6, 2)
    assert other.columns == {group.columns[2].key: "7"}
    assert other.text is not None and other.text["fr"] == "Cuts well."
    again = {"seen": 0, "lines": "Something else; 1"}
    assert hers.post(url, again).status_code == 409
    assert hers.post(url, {"seen": 1, "lines": "x;1\n" * 400}).status_code == 422
    assert hers.post(url, {"seen": 1, "lines": ""}).status_code == 422


def test_a_full_variant_says_so(hers: Client, variant: Variant) -> None:
    hide = {"kind": "status", "table": "items", "row": "x", "status": "hidden"}
    full = Overlay.model_validate({"changes": [hide] * MOST_CHANGES})
    store.save(variant, write_overlay(full), expected_version=0)
    answer = send(hers, variant, "add", "items", **item_form())
    assert answer.status_code == 422  # type: ignore[attr-defined]
    answer = send(hers, variant, "paste", "items", lines="Bone saw; 3")
    assert answer.status_code == 422  # type: ignore[attr-defined]
    item = shipped(POINTS).items[0].key
    answer = send(hers, variant, "act", "items", item, act="banned")
    assert answer.status_code == 302  # type: ignore[attr-defined]
    variant.refresh_from_db()
    assert documents.overlay_of(variant) == full


def test_a_banned_item_is_an_error_and_a_hidden_item_is_not_offered(
    hers: Client, alice: User, variant: Variant
) -> None:
    gang = make_gang(alice, POINTS)
    member = next(one for one in gang.roster.members if one.items)
    carried = member.items[0].key
    send(hers, variant, "act", "items", carried, act="hidden")
    hidden = ComputedGang.of(book_made(variant), gang.roster)
    assert carried not in {offer.row.key for offer in offers.items(hidden, member)}
    name = hidden.book.item[carried].name
    assert name not in {found.values.get("what") for found in findings(hidden.book, gang.roster)}
    send(hers, variant, "act", "items", carried, act="banned")
    banned = book_made(variant)
    assert name in {found.values.get("what") for found in findings(banned, gang.roster)}


def test_change_that_does_not_fit_stays_until_it_is_dropped(hers: Client, variant: Variant) -> None:
    lost = {"kind": "set", "table": "items", "row": "gone", "field": ["price"], "value": 1}
    overlay = Overlay.model_validate({"changes": [lost]})
    store.save(variant, write_overlay(overlay), expected_version=0)
    item = shipped(POINTS).items[0].key
    send(hers, variant, "act", "items", item, act="banned")
    page = hers.get(variant.get_absolute_url())
    assert [change.row for change, _words in page.context["misfits"]] == ["gone"]
    assert "Drop it" in page.content.decode() and not page.context["sound"]
    send(hers, variant, "act", "items", "gone", act="put-back", home=1)
    (kept,) = documents.overlay_of(Variant.objects.get()).changes
    assert (kept.kind, kept.row) == ("status", item)
    assert book_made(variant).item[item].status == "banned"


def test_notes_concern_only_what_a_variant_can_change(hers: Client, variant: Variant) -> None:
    sample = next(one for one in shipped(POINTS).samples if any(who.items for who in one.members))
    carried = next(item for who in sample.members for item in who.items)
    send(hers, variant, "act", "items", str(carried), act="banned")
    assert hers.get(variant.get_absolute_url()).context["notes"] == []
