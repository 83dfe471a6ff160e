"""The pages of a game made from catalogues: files, questions, preview, game, notes."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from django.utils.safestring import SafeString

from accounts.models import User
from common import background
from common.models import Job
from rules import hooks
from rules.catalogues import apart
from rules.catalogues.examining import EXAMINED, Examined
from rules.catalogues.overview import Candidate, CostSummary, FileSummary, Overview, ProfileSummary
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.results import Answers, Imported, Note
from rules.editor.data import start_from
from rules.hooks import TrialGang
from rules.importing import store
from rules.importing.data_export import files_of
from rules.models import BookDraft, CatalogueImport
from tests.meanwhile import just_before
from tests.world.gangs import GOLD, shipped

pytestmark = pytest.mark.django_db
START = "/editor/catalogues/"
OVERVIEW = Overview(
    id="s",
    name="Lamplighters",
    catalogues=(
        FileSummary("c1", "Wicks", "b.cat", "2.03", 1, is_library=False, entries=9),
        FileSummary("c2", "Snuffers", "b.cat", "2.03", 1, is_library=False, entries=9),
        FileSummary("c3", "Shared", "c.cat", "2.03", 1, is_library=True, entries=9),
    ),
    costs=(CostSummary("pts", "Points"),),
    profiles=(ProfileSummary("p1", "Fighter", (("w", "Wounds"),)),),
    candidates=(
        Candidate("e1", "Experience", "group", "Wicks", "experience"),
        *(Candidate(f"x{number}", f"Lamp {number}", "upgrade", "Wicks") for number in range(60)),
    ),
)
GUESS = Answers(
    catalogues=("c1", "c2"), money="pts", worth="pts", member="p1", roles={"e1": "experience"}
)
NOTES = (Note("broken_link", ("Wicks", "Lamp")), Note("broken_link", ("Snuffers", "Cap")))


class Reader:
    """Stands in for the process that reads catalogues; remembers its questions."""

    def __init__(self) -> None:
        self.asked: list[tuple[Sequence[tuple[str, bytes]], Answers | None]] = []
        self.bad: Exception | None = None

    def examine(
        self, files: Sequence[tuple[str, bytes]], answers: Answers | None = None
    ) -> Examined:
        self.asked.append((files, answers))
        if self.bad is not None:
            raise self.bad
        data = start_from(shipped(GOLD))
        counts = {"entries": {"exact": 12, "noted": 2, "left": 1}}
        return Examined(answers or GUESS, OVERVIEW, Imported(data, NOTES, {}, counts))


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """Read nothing: the readers and the mapping have tests of their own."""
    found = Reader()
    monkeypatch.setattr(apart, "examine", found.examine)
    # The sheet would be the first template rendered, whose context tests see.
    sheet = TrialGang("Trial", SafeString("<p>a sheet</p>"), "", ())
    monkeypatch.setattr(hooks.gangs, "try_out", lambda book, sample, language: sheet)
    yield found


@pytest.fixture
def client(alice: User) -> Client:
    """Alice's browser."""
    found = Client()
    found.force_login(alice)
    return found


def upload(client: Client, token: uuid.UUID | None = None) -> CatalogueImport:
    """Send two files, and let the job read them."""
    files = [SimpleUploadedFile("a.gst", b"<a/>"), SimpleUploadedFile("b.cat", b"<b/>")]
    sent = {"catalogues": files, "token": str(token or uuid.uuid4())}
    answer = client.post(START, sent)
    assert answer.status_code == 302, answer.context["form"].errors
    background.carry_out(store.LANE)
    return CatalogueImport.objects.get(pk=answer["Location"].split("/")[-2])


def answers_of(page: HttpResponse, **changed: object) -> dict[str, object]:
    """The answers that the page's form would send."""
    form = page.context["form"]  # type: ignore[attr-defined]
    return {name: form[name].value() or "" for name in form.fields} | changed


def make(client: Client, row: CatalogueImport, **sent: object) -> HttpResponse:
    fields = {"name": "Lamplighters", "slug": "", "author": "", "seen": row.version}
    return client.post(f"{START}{row.pk}/make/", {**fields, **sent})


def test_files_become_a_game_with_notes(client: Client, reader: Reader) -> None:
    row = upload(client)
    assert [name for name, _content in reader.asked[0][0]] == ["a.gst", "b.cat"]
    page = client.get(row.get_absolute_url())
    assert page.context["counts"][0].exact == 12
    assert page.context["note_count"] == 2
    assert "a sheet" in page.content.decode()
    made = make(client, row)
    game = BookDraft.objects.get()
    assert made["Location"] == game.get_absolute_url()
    row.refresh_from_db()
    assert (row.draft, bytes(row.files)) == (game, b"")
    # A second press, and the old address, lead to the same game.
    assert make(client, row)["Location"] == game.get_absolute_url()
    assert client.get(row.get_absolute_url())["Location"] == game.get_absolute_url()
    assert client.get(game.get_absolute_url()).context["import_notes"] == 2


def test_form_that_arrives_twice_starts_one_import(client: Client) -> None:
    token = uuid.uuid4()
    assert upload(client, token) == upload(client, token)


def test_answers_are_read_with_and_shown(client: Client, reader: Reader) -> None:
    row = upload(client)
    page = client.get(row.get_absolute_url())
    sent = answers_of(page, catalogues=["c1"], with_texts="0", seen=row.version)
    sent["role-0"] = "list"
    client.post(f"{row.get_absolute_url()}answers/", sent)
    background.carry_out(store.LANE)
    asked = reader.asked[-1][1]
    assert asked is not None
    assert (asked.catalogues, asked.with_texts, asked.roles) == (("c1",), False, {"e1": "list"})
    form = client.get(row.get_absolute_url()).context["form"]
    assert (form["catalogues"].value(), form["role-0"].value()) == (["c1"], "list")


@pytest.mark.parametrize("act", ["answers", "make"])
def test_stale_page_changes_nothing(client: Client, act: str) -> None:
    row = upload(client)
    sent = answers_of(client.get(row.get_absolute_url()), name="Lamps", seen=row.version)
    store.answer(row, GUESS, expected_version=row.version)
    background.carry_out(store.LANE)
    answer = client.post(f"{row.get_absolute_url()}{act}/", sent)
    assert answer.status_code == 409 and answer.context["error"]
    assert not BookDraft.objects.exists()


def test_another_entry_gets_a_role_by_its_name(client: Client, reader: Reader) -> None:
    row = upload(client)
    page = client.get(row.get_absolute_url())
    address = f"{row.get_absolute_url()}answers/"
    sent = answers_of(page, other="Lamp 55", other_role="injury", seen=row.version)
    assert client.post(address, sent | {"other": "Lamp 77"}).context["form"].errors["other"]
    client.post(address, sent)
    background.carry_out(store.LANE)
    asked = reader.asked[-1][1]
    assert asked is not None and asked.roles == {"e1": "experience", "x55": "injury"}


def test_roles_of_entries_that_the_page_does_not_list_stay(client: Client, reader: Reader) -> None:
    row = upload(client)
    guess = GUESS.model_copy(update={"roles": {**GUESS.roles, "unlisted": "injury"}})
    examined = EXAMINED.validate_json(row.examined)
    row.examined = EXAMINED.dump_json(replace(examined, answers=guess)).decode()
    row.save()
    page = client.get(row.get_absolute_url())
    client.post(f"{row.get_absolute_url()}answers/", answers_of(page, seen=row.version))
    background.carry_out(store.LANE)
    asked = reader.asked[-1][1]
    assert asked is not None and asked.roles == {"e1": "experience", "unlisted": "injury"}


def test_wrong_answers_keep_what_was_typed(client: Client) -> None:
    row = upload(client)
    sent = answers_of(client.get(row.get_absolute_url()), money="no such", seen=row.version)
    answer = client.post(f"{row.get_absolute_url()}answers/", sent)
    assert answer.status_code == 422 and answer.context["form"].errors["money"]
    assert make(client, row, slug="9 lamps").status_code == 422


def test_unreadable_files_are_named(client: Client, reader: Reader) -> None:
    reader.bad = BadCatalogue("encoding", file="b.cat")
    row = upload(client)
    page = client.get(row.get_absolute_url())
    assert "b.cat" in page.context["failure"]
    client.post(f"{row.get_absolute_url()}delete/")
    assert not CatalogueImport.objects.exists()


def test_page_waits_while_the_files_are_read(client: Client, alice: User) -> None:
    row = CatalogueImport.objects.create(owner=alice, token=uuid.uuid4(), files=store.pack([]))
    page = client.get(row.get_absolute_url())
    state = page.context["state"]
    assert client.get(f"{row.get_absolute_url()}?since={state}").status_code == 204
    CatalogueImport.objects.update(
        state="failed", error='{"code":"busy","values":{},"is_file":false}'
    )
    assert client.get(f"{row.get_absolute_url()}?since={state}").status_code == 200


@pytest.mark.parametrize("ends_processes", [True, False])
def test_page_says_that_its_job_was_given_up(
    client: Client, reader: Reader, monkeypatch: pytest.MonkeyPatch, ends_processes: bool
) -> None:
    reader.bad = RuntimeError("a bug")
    row = upload(client)
    state = client.get(row.get_absolute_url()).context["state"]
    if ends_processes:
        changed = {"deaths": background.MOST_DEATHS - 1, "failed_at": None}
    else:
        changed = {"created_at": timezone.now() - timedelta(days=1)}
    Job.objects.update(next_at=timezone.now(), **changed)
    background.carry_out(store.LANE)
    assert Job.objects.given_up().count() == 1
    page = client.get(f"{row.get_absolute_url()}?since={state}")
    assert "Its log says why" in page.context["failure"]


def test_job_that_is_given_up_leaves_a_newer_request_alone(client: Client, alice: User) -> None:
    row = CatalogueImport.objects.create(
        owner=alice, token=uuid.uuid4(), files=store.pack([]), version=7
    )
    store.give_up(background.make_job(store.KIND, row=str(row.pk), version=6))
    row.refresh_from_db()
    assert (row.state, row.version) == ("reading", 7)


def test_job_of_an_older_request_writes_nothing(client: Client, reader: Reader) -> None:
    row = upload(client)
    reader.bad = BadCatalogue("encoding", file="b.cat")
    CatalogueImport.objects.update(version=7)
    job = background.make_job(store.KIND, row=str(row.pk), version=0)
    store.read(job)
    row.refresh_from_db()
    assert row.state == "ready" and len(reader.asked) == 1


def test_notes_are_ticked_off(client: Client) -> None:
    row = upload(client)
    make(client, row)
    game = BookDraft.objects.get()
    page = f"{START}notes/{game.pk}/"
    client.post(page, {"shown": [0, 1], "done": [1], "import": str(row.pk)})
    # A page that showed only the first note does not change the second.
    client.post(page, {"shown": [0], "import": str(row.pk)})
    row.refresh_from_db()
    assert row.done_notes == {1}
    assert client.get(game.get_absolute_url()).context["import_notes"] == 1
    lines = client.get(page).context["groups"][0].lines
    assert [line.is_done for line in lines] == [False, True]


def test_notes_of_another_import_are_not_ticked(client: Client) -> None:
    row = upload(client)
    make(client, row)
    page = f"{START}notes/{BookDraft.objects.get().pk}/"
    stale = client.post(page, {"shown": [0], "done": [0], "import": str(uuid.uuid4())})
    row.refresh_from_db()
    assert stale.status_code == 409 and not row.done_notes


def test_notes_of_an_import_that_is_replaced_meanwhile_are_not_ticked(client: Client) -> None:
    row = upload(client)
    make(client, row)
    page = f"{START}notes/{BookDraft.objects.get().pk}/"
    data = {"shown": [0], "done": [0], "import": str(row.pk)}
    replace = CatalogueImport.objects.filter(pk=row.pk).delete
    with just_before('FROM "rules_catalogueimport"', replace, nth=2):
        assert client.post(page, data).status_code == 409
    row.refresh_from_db()
    assert not row.done_notes


def test_language_of_the_catalogues_survives_the_answers(client: Client, reader: Reader) -> None:
    row = upload(client)
    CatalogueImport.objects.update(
        examined=row.examined.replace('"language":"en"', '"language":"fr"')
    )
    page = client.get(row.get_absolute_url())
    client.post(f"{row.get_absolute_url()}answers/", answers_of(page, seen=row.version))
    background.carry_out(store.LANE)
    asked = reader.asked[-1][1]
    assert asked is not None and asked.language == "fr"


def test_numbers_of_no_note_are_ignored(client: Client) -> None:
    row = upload(client)
    make(client, row)
    client.post(
        f"{START}notes/{BookDraft.objects.get().pk}/",
        {"done": [99999], "shown": [0], "import": str(row.pk)},
    )
    row.refresh_from_db()
    assert row.done_notes == frozenset()


def test_publishing_asks_for_the_right_to_share(client: Client) -> None:
    row = upload(client)
    make(client, row)
    game = BookDraft.objects.get()
    address = f"/editor/{game.pk}/publish/"
    refused = client.post(address, {"seen": game.version})
    assert refused.status_code == 422 and refused.context["unasked"]
    assert not game.states.exists()
    client.post(address, {"seen": game.version, "may_share": "1"})
    assert game.states.exists()


def test_quota_is_for_all_imports(client: Client, alice: User) -> None:
    upload(client)
    alice.quotas.create(kind="catalogues", most=1)
    files = [SimpleUploadedFile("a.gst", b"<a/>")]
    answer = client.post(START, {"catalogues": files, "token": str(uuid.uuid4())})
    assert answer.status_code == 422 and answer.context["form"].errors


def test_unfinished_imports_are_forgotten(client: Client) -> None:
    kept, old = upload(client), upload(client)
    make(client, kept)
    long_ago = timezone.now() - store.KEPT - timedelta(days=1)
    CatalogueImport.objects.update(changed_at=long_ago)
    assert store.forget_unfinished() == 1
    assert [*CatalogueImport.objects.all()] == [kept] and old.pk != kept.pk


def test_import_that_was_answered_lately_is_kept(client: Client) -> None:
    row = upload(client)
    long_ago = timezone.now() - store.KEPT - timedelta(days=1)
    CatalogueImport.objects.update(changed_at=long_ago)
    store.answer(row, GUESS, expected_version=row.version)
    assert store.forget_unfinished() == 0


def test_export_of_all_data_has_the_files(client: Client, alice: User) -> None:
    upload(client)
    names = [file.path.rpartition("/")[2] for file in files_of(alice)]
    assert names == ["answers.json", "result.json", "1-a.gst", "2-b.cat"]


def test_others_see_nothing(client: Client, bob: User) -> None:
    row = upload(client)
    other = Client()
    other.force_login(bob)
    for address in ("", "answers/", "make/", "delete/"):
        method = other.post if address else other.get
        assert method(f"{row.get_absolute_url()}{address}").status_code == 404
