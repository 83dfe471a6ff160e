"""Games written in the browser: from nothing to a gang, by whom, and what is refused."""

from __future__ import annotations

import html
import re
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from common.errors import Stale
from gangs.models import Gang
from rules import library
from rules.editor import documents, store
from rules.editor.data import assemble, name_game, start_empty, start_from, take_apart_data
from rules.loading import apart
from rules.models import BookDraft, BookVersion
from rules.untrusted import LIMITS
from tests.random_cases import one_soon
from tests.rules.editor.test_row_form import sent
from tests.world.gangs import GOLD, make_version, shipped

pytestmark = pytest.mark.django_db


def start(owner: User, slug: str = "harbour", **fields: Any) -> BookDraft:
    """Return a new draft that starts empty."""
    data = {**start_empty(), "slug": slug, "languages": ["en"], **fields}
    return store.start_game(owner, data, token=uuid.uuid4())


@pytest.fixture
def draft(alice: User) -> BookDraft:
    """Return Alice's new game."""
    return start(alice)


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    """Return a client with Alice signed in."""
    client.force_login(alice)
    return client


def send(client: Client, draft: BookDraft, page: str, /, *place: str, **fields: object) -> Any:
    """Send a form of the draft at its current version."""
    draft.refresh_from_db()
    address = reverse(f"editor:{page}", args=[draft.pk, *place])
    return client.post(address, {"seen": draft.version, **fields})


def test_empty_book_is_sound(draft: BookDraft) -> None:
    checked = documents.check(draft)
    assert checked.wrong == () and checked.book is not None
    assert checked.book.name["en"] == "New game"


@pytest.mark.parametrize("slug", [folder.name for folder in library.shipped_folders()])
def test_taking_a_book_apart_and_assembling_it_changes_nothing(slug: str) -> None:
    book = shipped(slug)
    data = assemble(take_apart_data(start_from(book)))
    assert type(book).model_validate(data) == book


def test_new_game_goes_from_nothing_to_a_gang(hers: Client, alice: User) -> None:
    form = {"name": "Harbour Wars", "slug": "Harbour Wars", "languages": "en", "start": ""}
    answer = hers.post("/editor/new/", {**form, "token": str(uuid.uuid4())})
    draft = BookDraft.objects.get(owner=alice, slug="harbour-wars")
    assert answer["Location"] == draft.get_absolute_url()
    added = [
        ("groups", {"name_en": "Blades"}),
        ("items", {"name_en": "Cutlass", "price": 4}),
        ("characteristics", {"name_en": "Fight", "short_en": "F", "text_en": "Hits.", "start": 3}),
        ("traits", {"name_en": "Sailor", "text_en": "Climbs.", "price": 5, "sold": "on"}),
    ]
    for table, fields in added:
        address = reverse("editor:add", args=[draft.pk, table])
        blank = sent(hers.get(address).context["form"]).dict()
        draft.refresh_from_db()
        answer = hers.post(address, {**blank, **fields, "seen": draft.version})
        assert answer.status_code == 302, answer.context["form"].errors
    address = reverse("editor:row", args=[draft.pk, "ranks", "fighter"])
    page = hers.get(address)
    blank = sent(page.context["form"]).dict()
    draft.refresh_from_db()
    answer = hers.post(address, {**blank, "name_en": "Sailor", "price": 8, "seen": draft.version})
    assert answer.status_code == 302
    assert "Harbour Wars" in hers.get(draft.get_absolute_url()).content.decode()
    preview = hers.get(reverse("editor:preview", args=[draft.pk])).content.decode()
    assert "Leader" in preview and "cannot be built" not in preview

    assert send(hers, draft, "publish").status_code == 302
    state = draft.states.get()
    assert state.number == 1
    book = library.book_of(state.pk)
    assert [row.name["en"] for row in book.items] == ["Cutlass"]
    assert book.rank["fighter"].price == 8
    hers.post(f"/gangs/new/harbour-wars/?version={state.pk}", {"name": "The Gulls"})
    gang = Gang.objects.get(name="The Gulls")
    assert gang.book_version_id == state.pk


@pytest.mark.parametrize("language", ["en", "fr"])
def test_new_game_starts_in_the_language_of_its_author(hers: Client, language: str) -> None:
    page = hers.get("/editor/new/", HTTP_ACCEPT_LANGUAGE=language)
    assert re.search(rf'<input[^>]*value="{language}"[^>]* checked', page.content.decode())


@pytest.mark.parametrize(("language", "name"), [("en", "Leader"), ("fr", "Chef")])
def test_game_of_one_language_starts_in_it_for_every_reader(language: str, name: str) -> None:
    data = name_game(start_empty(), "harbour", "Harbour", [language], "Alice")
    assert data["ranks"][0]["name"] == {"en": name, "fr": name}
    assert data["sources"]["own"]["text"]["en"] == data["sources"]["own"]["text"]["fr"]
    both = name_game(start_empty(), "harbour", "Harbour", ["en", "fr"], "Alice")
    assert both["ranks"][0]["name"] == {"en": "Leader", "fr": "Chef"}


def test_sign_in_says_that_a_game_needs_an_account(client: Client) -> None:
    page = client.get("/editor/", follow=True).content.decode()
    assert "belongs to an account" in page
    assert "belongs to an account" not in client.get("/accounts/login/").content.decode()


def test_new_game_has_an_address_made_from_its_name(hers: Client, alice: User) -> None:
    form = {"name": "Le Port à l’Aube", "slug": "", "languages": "en", "start": ""}
    answer = hers.post("/editor/new/", {**form, "token": str(uuid.uuid4())})
    assert answer["Location"] == BookDraft.objects.get(slug="le-port-a-laube").get_absolute_url()
    nameless = hers.post("/editor/new/", {**form, "name": "", "token": str(uuid.uuid4())})
    assert nameless.status_code == 422


@pytest.mark.parametrize("language", ["en", "fr"])
def test_row_of_a_one_language_game_has_no_field_for_another_language(
    hers: Client, alice: User, language: str
) -> None:
    draft = start(alice, languages=[language])
    address = reverse("editor:add", args=[draft.pk, "characteristics"])
    form = hers.get(address).context["form"]
    assert not form.second
    texts = {f"{name}_{language}": name for name in ("name", "short", "text")}
    assert texts.keys() <= form.fields.keys() and "short_fr_own" not in form.fields
    answer = hers.post(address, {**sent(form).dict(), **texts, "seen": draft.version})
    assert answer.status_code == 302
    dice = hers.get(reverse("editor:add", args=[draft.pk, "tables"])).context["form"]
    assert "(" not in str(dice.fields[f"faces_{language}"].label)


def test_new_rows_cite_the_games_own_rules_and_may_have_new_properties(
    hers: Client, draft: BookDraft
) -> None:
    for table, fields in (
        ("groups", {"name_en": "Blades"}),
        ("items", {"name_en": "Cutlass", "price": 4, "tags-new": "Two edges, rusty"}),
    ):
        address = reverse("editor:add", args=[draft.pk, table])
        blank = sent(hers.get(address).context["form"]).dict()
        draft.refresh_from_db()
        hers.post(address, {**blank, **fields, "seen": draft.version})
    draft.refresh_from_db()
    book = documents.check(draft).book
    assert book is not None and not book.cites_house(book.items[0])
    assert book.items[0].tags == {"two_edges", "rusty"}
    page = hers.get(reverse("editor:row", args=[draft.pk, "items", "cutlass"]))
    assert "two edges" in page.content.decode()


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Kinds of items, Blades: Has no items."), ("fr", "Lames : N’a pas d’objets.")],
)
def test_note_names_its_row_once(hers: Client, alice: User, language: str, words: str) -> None:
    group = {"key": "blades", "source": "own", "name": {"en": "Blades", "fr": "Lames"}}
    draft = start(alice, languages=["en", "fr"], groups=[group])
    page = hers.get(draft.get_absolute_url(), HTTP_ACCEPT_LANGUAGE=language).content.decode()
    assert words in html.unescape(page).replace("\N{NO-BREAK SPACE}", " ")
    assert "“blades”" not in page and "« blades »" not in page


def test_rating_keeps_the_unit_of_the_money_until_it_has_its_own(
    hers: Client, draft: BookDraft
) -> None:
    def save(table: str, unit: str) -> str:
        address = reverse("editor:single", args=[draft.pk, table])
        form = hers.get(address).context["form"]
        draft.refresh_from_db()
        sent_form = {**sent(form).dict(), "unit_en": unit, "seen": draft.version}
        assert hers.post(address, sent_form).status_code == 302
        draft.refresh_from_db()
        return str(documents.data_of(draft)["rating"]["unit"]["en"])

    assert save("money", "crowns") == "crowns"
    assert save("rating", "renown") == "renown"
    assert save("money", "shells") == "renown"


def test_rows_of_a_dice_table_say_what_happens(hers: Client, alice: User) -> None:
    rows = [
        {"low": 1, "high": 3, "name": {"en": "Lost"}, "outcomes": [{"kind": "dies"}]},
        {"low": 4, "high": 6, "name": {"en": "Nothing"}, "outcomes": []},
    ]
    frights = {"key": "frights", "name": {"en": "Frights"}, "dice": "1d6", "source": "own"}
    draft = start(alice, tables=[{**frights, "rows": rows}])
    page = hers.get(
        reverse("editor:table", args=[draft.pk, "tables.frights.rows"])
    ).content.decode()
    assert page.count('<span class="price">') == 1 and '<span class="price">dies</span>' in page
    assert "Open a row to say what happens" in page
    row = hers.get(reverse("editor:row", args=[draft.pk, "tables.frights.rows", "1-3"]))
    assert "Open a row" not in row.content.decode()


def test_rules_of_a_players_game_are_earlier_only_if_it_has_a_later_version(
    hers: Client, draft: BookDraft
) -> None:
    def read(number: int) -> str:
        state = draft.states.get(number=number)
        return str(hers.get(reverse("rules:version", args=[state.pk])).content.decode())

    send(hers, draft, "publish")
    assert "An earlier version" not in read(1)
    draft.refresh_from_db()
    data = documents.data_of(draft)
    store.save_data(draft, {**data, "edition": "2"}, expected_version=draft.version)
    send(hers, draft, "publish")
    assert "An earlier version" in read(1) and "An earlier version" not in read(2)
    # The game is not on the front page, so there are no rules of the site to lead to.
    assert "as they are now" not in read(1)
    library.load(library.book_of(draft.states.get(number=1).pk))
    assert "An earlier version" not in read(2)


def test_rules_of_a_players_game_show_no_codes_and_explain_no_mark_that_they_lack(
    hers: Client, draft: BookDraft
) -> None:
    blank = sent(hers.get(reverse("editor:add", args=[draft.pk, "limits"])).context["form"]).dict()
    sentence = {**blank, "text_en": "One leader only.", "severity": "error", "maximum": 1}
    assert send(hers, draft, "add", "limits", **sentence).status_code == 302
    send(hers, draft, "publish")
    base = reverse("rules:version", args=[draft.states.get().pk])
    building = hers.get(f"{base}building/").content.decode()
    assert "One leader only." in building and "one-leader-only" not in building
    overview = hers.get(base).content.decode()
    assert "this site proposes" not in overview and "v1 · " in overview


def test_stale_form_marks_nothing_that_it_does_not_use(hers: Client, draft: BookDraft) -> None:
    address = reverse("editor:row", args=[draft.pk, "ranks", "fighter"])
    form = {**sent(hers.get(address).context["form"]).dict(), "name_en": "Sailor", "seen": 99}
    answer = hers.post(address, form)
    page = answer.content.decode()
    assert answer.status_code == 409 and 'value="Sailor"' in page
    assert "This field is required" not in page


def test_change_of_a_row_that_somebody_removed_leads_to_its_table(
    hers: Client, draft: BookDraft
) -> None:
    address = reverse("editor:row", args=[draft.pk, "ranks", "fighter"])
    form = sent(hers.get(address).context["form"]).dict()
    send(hers, draft, "act", "ranks", "fighter", act="remove")
    answer = hers.post(address, {**form, "seen": 0}, follow=True)
    assert "removed or renamed this row" in answer.content.decode()
    assert hers.get(address).status_code == 404


def test_page_of_a_draft_has_its_heading_once(hers: Client, draft: BookDraft) -> None:
    for name in ("edit", "names", "look", "languages", "publish", "share", "delete", "preview"):
        page = hers.get(reverse(f"editor:{name}", args=[draft.pk])).content.decode()
        assert page.count("<h1") == 1, name
        assert page.index("<h1") > page.index("<main")


def test_published_game_is_off_the_front_page_until_it_is_offered(
    hers: Client, draft: BookDraft
) -> None:
    make_version()
    send(hers, draft, "publish")
    state = draft.states.get()
    assert state not in BookVersion.objects.newest()
    assert hers.get("/rules/harbour/").status_code == 404
    assert hers.get(f"/rules/version/{state.pk}/").status_code == 200
    library.load(library.book_of(state.pk))
    assert state in BookVersion.objects.newest()
    assert hers.get("/rules/harbour/").status_code == 200


def test_list_costs_the_same_for_any_number_of_games(hers: Client, draft: BookDraft) -> None:
    with CaptureQueriesContext(connection) as few:
        assert "Version 1 is published" not in hers.get("/editor/").content.decode()
    for slug in ("quay", "mole"):
        start(draft.owner, slug)
    send(hers, draft, "publish")
    library.load(library.book_of(draft.states.get().pk))
    with CaptureQueriesContext(connection) as many:
        page = hers.get("/editor/").content.decode()
    assert "Version 1 is published" in page and page.count("Not published yet") == 2
    assert page.count("on the front page") == 1
    assert len(many) == len(few)


def test_publishing_twice_needs_a_change(hers: Client, draft: BookDraft) -> None:
    assert send(hers, draft, "publish").status_code == 302
    assert send(hers, draft, "publish").status_code == 422
    draft.refresh_from_db()
    data = {**documents.data_of(draft), "edition": "2"}
    store.save_data(draft, data, expected_version=draft.version)
    assert send(hers, draft, "publish").status_code == 302
    assert sorted(draft.states.values_list("number", flat=True)) == [1, 2]


def test_draft_with_mistakes_is_kept_but_not_published(hers: Client, draft: BookDraft) -> None:
    data = {**documents.data_of(draft), "life": "nowhere"}
    store.save_data(draft, data, expected_version=draft.version)
    page = hers.get(draft.get_absolute_url())
    (wrong,) = page.context["wrong"]
    assert wrong.where.endswith("/names/#field-life")
    assert send(hers, draft, "publish").status_code == 422
    assert not draft.states.exists()


@pytest.mark.parametrize(
    "broken",
    one_soon(
        [
            {"ranks": "none"},
            {"ranks": [3, {"key": "x"}]},
            {"campaign": []},
            {"tables": [{"key": "t", "rows": 4}]},
            {"sources": [1]},
            {"look": "red", "name": 4, "languages": "en"},
            {"samples": [{"name": 3}], "archetypes": {}},
        ]
    ),
)
def test_malformed_draft_still_shows_its_pages(
    hers: Client, draft: BookDraft, broken: dict[str, object]
) -> None:
    data = {**documents.data_of(draft), **broken}
    store.save_data(draft, data, expected_version=draft.version)
    page = hers.get(draft.get_absolute_url())
    assert page.status_code == 200 and page.context["wrong"]
    for name in ("names", "look", "languages", "publish"):
        assert hers.get(reverse(f"editor:{name}", args=[draft.pk])).status_code == 200
    for table in ("ranks", "campaign.steps", "samples", "sources", "tables"):
        assert hers.get(reverse("editor:table", args=[draft.pk, table])).status_code == 200


def test_checkers_list_has_the_notes_on_ready_made_gangs(hers: Client, alice: User) -> None:
    ranks = [dict(row) for row in start_empty()["ranks"]]
    ranks[1]["recruited"] = False
    members = [{"name": "Ann", "rank": "leader"}, {"name": "Ben", "rank": "fighter"}]
    sample = {
        "key": "two",
        "name": "The Two",
        "text": {"en": "Two.", "fr": "Deux."},
        "members": members,
    }
    draft = start(alice, ranks=ranks, samples=[sample])
    page = html.unescape(hers.get(draft.get_absolute_url()).content.decode())
    words = "“Ben” of “The Two”: the rank “fighter” cannot be recruited under these options"
    assert words in page
    row = reverse("editor:row", args=[draft.pk, "samples", "two"])
    assert f'href="{row}#field-members"' in page


def test_stale_edit_is_refused_and_loses_nothing(hers: Client, draft: BookDraft) -> None:
    store.save_data(draft, {**documents.data_of(draft), "edition": "2"}, expected_version=0)
    address = reverse("editor:names", args=[draft.pk])
    blank = sent(hers.get(address).context["form"]).dict()
    answer = hers.post(address, {**blank, "summary_en": "Typed", "seen": 0})
    assert answer.status_code == 409
    assert "Typed" in answer.content.decode()
    with pytest.raises(Stale):
        store.save_data(draft, documents.data_of(draft), expected_version=0)


def test_page_after_a_change_uses_what_the_change_has_checked(
    hers: Client, draft: BookDraft, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = reverse("editor:add", args=[draft.pk, "ranks"])
    blank = sent(hers.get(address).context["form"]).dict()
    checked: list[dict[str, Any]] = []
    examine = apart.examine_apart

    def count(data: dict[str, Any], *given: Any, **more: Any) -> Any:
        checked.append(data)
        return examine(data, *given, **more)

    monkeypatch.setattr(apart, "examine_apart", count)
    answer = hers.post(address, {**blank, "name_en": "Sailor", "price": 8, "seen": draft.version})
    assert answer.status_code == 302
    draft.refresh_from_db()
    assert checked == [documents.data_of(draft)], (
        "the checker sees what is stored, without defaults"
    )
    hers.get(draft.get_absolute_url())
    assert len(checked) == 1


def test_only_owner_and_editors_see_a_draft(
    client: Client, draft: BookDraft, alice: User, bob: User
) -> None:
    client.force_login(bob)
    assert client.get(draft.get_absolute_url()).status_code == 404
    store.share(draft, "BOB")
    assert client.get(draft.get_absolute_url()).status_code == 200
    assert client.get(reverse("editor:publish", args=[draft.pk])).status_code == 404
    assert client.get(reverse("editor:share", args=[draft.pk])).status_code == 404
    assert "New game" in client.get("/editor/").content.decode()
    store.unshare(draft, draft.editors.get().pk)
    assert client.get(draft.get_absolute_url()).status_code == 404


def test_sharing_does_not_show_whether_there_is_such_an_account(
    hers: Client, draft: BookDraft, bob: User
) -> None:
    for name in ("bob", "nobody-at-all"):
        assert hers.post(reverse("editor:share", args=[draft.pk]), {"person": name})
    page = hers.get(reverse("editor:share", args=[draft.pk])).content.decode()
    assert "bob" in page and "nobody-at-all" in page


@pytest.mark.parametrize("slug", ["version", "2nd", GOLD, "harbour"])
def test_slug_that_is_taken_or_in_the_way_is_refused(
    hers: Client, draft: BookDraft, slug: str
) -> None:
    make_version()
    form = {"name": "X", "slug": slug, "languages": "en", "start": "", "token": uuid.uuid4()}
    answer = hers.post("/editor/new/", form)
    assert answer.status_code == 422 and "slug" in answer.context["form"].errors


def test_draft_beyond_the_limits_of_strangers_is_refused(draft: BookDraft) -> None:
    data = {**documents.data_of(draft), "edition": "x" * LIMITS.size}
    with pytest.raises(store.Refused, match="too_big"):
        store.save_data(draft, data, expected_version=draft.version)


def test_form_that_arrives_twice_starts_one_game(alice: User) -> None:
    token = uuid.uuid4()
    data = {**start_empty(), "slug": "twice"}
    assert store.start_game(alice, data, token=token) == store.start_game(alice, data, token=token)


def test_author_of_a_new_game_is_typed(hers: Client, alice: User) -> None:
    page = hers.get("/editor/new/").content.decode()
    assert re.search(r'name="author"[^>]*value="alice"|value="alice"[^>]*name="author"', page)
    form = {"name": "Ours", "languages": "en", "start": ""}
    for number, author in enumerate(("", "The Ashford club")):
        token = str(uuid.uuid4())
        hers.post("/editor/new/", {**form, "slug": f"o{number}", "author": author, "token": token})
    nobody, club = BookDraft.objects.order_by("slug")
    assert "alice" not in nobody.data and documents.data_of(club)["author"] == "The Ashford club"


def test_game_starts_as_a_copy_of_another(hers: Client, alice: User) -> None:
    version = make_version()
    form = {"name": "Ours", "slug": "ours", "languages": ["en", "fr"], "start": version.pk}
    hers.post("/editor/new/", {**form, "token": str(uuid.uuid4())})
    draft = BookDraft.objects.get(slug="ours")
    checked = documents.check(draft)
    assert checked.book is not None and checked.wrong == ()
    assert checked.book.ranks == library.book_of(version.pk).ranks


def test_roll_is_tried_while_it_is_typed(hers: Client, draft: BookDraft) -> None:
    address = reverse("editor:add", args=[draft.pk, "rolls"])
    form = hers.get(address).context["form"]
    outcomes = {"outcomes-count": 2, "outcomes-0-is": "", "outcomes-1-is": ""}
    outcomes |= {"outcomes-0-name_en": "Hit", "outcomes-0-given": "six >= 5"}
    outcomes |= {"outcomes-1-name_en": "Missed"}
    steps = {"steps-count": 1, "steps-0-is": "sum", "steps-0-sum": "six"}
    steps |= {"steps-0-dice": 1, "steps-0-sides": 6, "steps-0-whose": "by"}
    typed = {**sent(form).dict(), **outcomes, **steps, "name_en": "Strike"}
    trial = reverse("editor:try", args=[draft.pk, "rolls", "-"])
    answer = hers.post(trial, typed)
    assert "no mistake in this row" in answer.content.decode()
    assert answer.context["odds"] == [("Hit", "33%"), ("Missed", "67%")]
    wrong = hers.post(trial, {**typed, "steps-0-sum": ""})
    assert "Name of the total: This field is required." in wrong.content.decode()
    draft.refresh_from_db()
    assert draft.version == 0 and "rolls" not in documents.data_of(draft)
