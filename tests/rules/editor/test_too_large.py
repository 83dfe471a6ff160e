"""Variants that are small to send and huge to compute are refused in words on arrival."""

from __future__ import annotations

import json
import re
import time
import uuid
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from rules.book.model import Variation
from rules.editor import moving, store
from rules.editor.files import write_variant
from rules.editor.overlay import AddRow, Misfit, Overlay
from rules.library import load
from rules.loading import apart
from rules.loading.apart import Busy, TooLarge
from rules.models import Variant
from rules.untrusted import BadVersion, read_version, read_versions
from tests.rules.loading.test_size import NUMBERS, chain
from tests.rules.small import row, small
from tests.world.gangs import POINTS, make_version, shipped

pytestmark = pytest.mark.django_db
WORDS = "This rulebook takes too long to work out."


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    """Return a client with Alice signed in."""
    client.force_login(alice)
    return client


@pytest.fixture
def variant(alice: User) -> Variant:
    """Return Alice's variant without changes."""
    return store.start_variant(alice, make_version(), "Club rules", token=uuid.uuid4())


def adding(table: str, data: dict[str, Any]) -> AddRow:
    return AddRow(kind="add", table=table, row=data["key"], data=data)


def bomb(length: int = 25, uses: int = 6) -> Overlay:
    """Return procedures that each use the next ``uses`` times, and a roll that uses the first."""
    roll = row("r", steps=[{"use": "p0"}], numbers=NUMBERS)
    procedures = [adding("procedures", one) for one in chain(length, uses)]
    return Overlay(changes=(*procedures, adding("rolls", roll)))


def sent(client: Client, overlay: Overlay) -> Any:
    make_version()
    content = write_variant("Bomb", shipped(POINTS), overlay).encode()
    file = SimpleUploadedFile("bomb.json", content)
    return client.post("/editor/import/", {"file": file, "token": str(uuid.uuid4())})


def words_of(response: Any) -> str:
    return unescape(re.sub(r"\s+", " ", response.content.decode()))


@pytest.mark.parametrize(("length", "uses"), [(25, 6), (6, 8)])
def test_an_import_lists_procedures_that_unfold_too_far_as_mistakes(
    hers: Client, length: int, uses: int
) -> None:
    apart.read_apart(json.loads(small().canonical()), "")
    start = time.thread_time()
    response = sent(hers, bomb(length, uses))
    assert response.status_code == 302
    page = hers.get(response["Location"])
    assert time.thread_time() - start < 2
    assert "at most 2000 steps, with the shared steps that it uses" in words_of(page)
    variant = Variant.objects.get()
    published = hers.post(f"/editor/{variant.pk}/publish/", {"seen": variant.draft_version})
    assert published.status_code == 422
    assert not variant.states.exists()


def test_an_import_that_unfolds_too_far_is_refused_in_french(hers: Client) -> None:
    page = hers.get(sent(hers, bomb())["Location"], headers={"Accept-Language": "fr"})
    assert "Doit avoir au plus 2000 étapes, avec les étapes communes qui y servent." in words_of(
        page
    )


def too_large(*_args: object, **_more: object) -> Any:
    raise TooLarge


def test_an_overlay_that_takes_too_much_work_is_not_imported(
    hers: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "examine_apart", too_large)
    response = sent(hers, bomb(1, 1))
    assert response.status_code == 422
    assert WORDS in words_of(response)
    assert not Variant.objects.exists()


def test_a_change_that_takes_too_much_work_stays_in_its_form(
    hers: Client, variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = shipped(POINTS).ranks[0].key
    address = f"/editor/{variant.pk}/tables/ranks/{key}/"
    form = hers.get(address).context["form"]
    typed = {name: form[name].value() for name in form.fields}
    typed = {name: value for name, value in typed.items() if value not in (None, False)}
    monkeypatch.setattr(apart, "examine_apart", too_large)
    typed |= {"seen": variant.draft_version, "price": 77}
    response = hers.post(address, typed)
    assert response.status_code == 422
    assert WORDS in words_of(response)
    assert response.context["form"]["price"].value() == "77"
    variant.refresh_from_db()
    assert variant.draft_version == 0


def test_a_draft_that_takes_too_much_work_can_be_viewed_and_archived(
    hers: Client, variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The draft was stored before the limits existed."""
    monkeypatch.setattr(apart, "examine_apart", too_large)
    Variant.objects.filter(pk=variant.pk).update(draft=bomb(2, 1).model_dump_json())
    page = hers.get(f"/editor/{variant.pk}/")
    assert page.status_code == 200
    assert "oo complex to work out" in words_of(page)
    assert hers.post(f"/editor/{variant.pk}/archive/").status_code == 302


def test_publishing_tries_the_rolls_of_the_draft(
    hers: Client, variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = apart.read_apart

    def tried(*args: Any, **more: Any) -> Any:
        if more.get("tried"):
            raise TooLarge
        return read(*args, **more)

    monkeypatch.setattr(apart, "read_apart", tried)
    response = hers.post(f"/editor/{variant.pk}/publish/", {"seen": variant.draft_version})
    assert response.status_code == 422
    assert WORDS in words_of(response)
    assert not variant.states.exists()


def test_a_busy_reader_asks_the_user_to_try_again(
    hers: Client, variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_args: object, **_more: object) -> Any:
        raise Busy

    monkeypatch.setattr(apart, "examine_apart", busy)
    Variant.objects.filter(pk=variant.pk).update(draft=bomb(3, 1).model_dump_json())
    response = hers.get(f"/editor/{variant.pk}/")
    assert response.status_code == 503
    assert "The site is very busy." in words_of(response)


def test_changes_that_never_fit_are_tried_a_limited_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each try leaves out one more change."""
    overlay = Overlay(
        changes=tuple(adding("ranks", row(f"x{number}", price="dear")) for number in range(40))
    )
    tries = []
    read = moving.check_overlay

    def counted(base: Any, changes: Overlay, variation: Any) -> Any:
        tries.append(len(changes.changes))
        checked = read(base, changes, variation)
        if not changes.changes:
            return checked
        last = Misfit(changes.changes[-1], "malformed")
        return type(checked)(checked.written, (last,), formed=False)

    monkeypatch.setattr(moving, "check_overlay", counted)
    move = moving.fit(overlay, small(), Variation(key="x", name="X", number=1))
    assert not move.overlay.changes
    assert len(move.lost) >= 40
    assert len(tries) == moving.MOST_ROUNDS + 2


def test_imported_versions_have_the_same_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    book = small()
    assert read_version(book.digest, book.canonical()) == book
    (version,) = read_versions({book.digest: book.canonical()})
    assert (version.slug, version.number) == (book.slug, 1)
    data = json.loads(book.canonical())
    data |= {"alarms": [{}] * 50}
    with pytest.raises(BadVersion, match="must have at most 40 rows"):
        read_version("a" * 64, json.dumps(data))
    with pytest.raises(BadVersion, match="too_many"):
        read_versions({str(number): "" for number in range(41)})
    monkeypatch.setattr(apart, "read_apart", too_large)
    with pytest.raises(BadVersion, match="too large to work out"):
        read_version(book.digest, book.canonical())


@pytest.mark.long
def test_a_rules_page_that_takes_too_much_work_says_so(
    hers: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules page of a book whose tables roll on others thousands of times."""
    ahead = [{"kind": "rolls_on", "table": "t1", "times": "9999"}]
    tables = [table("t0", ahead), table("t1", [{**ahead[0], "table": "t2"}]), table("t2", [])]
    version, _new = load(small(tables=tables))
    address = f"/rules/{version.slug}/"
    response = hers.get(address)
    assert response.status_code == 413
    assert "working this out would take too long" in words_of(response)
    french = hers.get(address, headers={"Accept-Language": "fr"})
    assert "calcul prendrait trop de temps" in words_of(french)
    short = hers.get(address, headers={"HX-Request": "true"})
    assert short.status_code == 413
    assert short["Content-Type"] == "text/plain; charset=utf-8"


def table(key: str, outcomes: list[Any]) -> dict[str, Any]:
    """Return a table of one die with these outcomes on all faces but a 1."""
    rows = [
        {"low": 1, "high": 1, "name": {"en": "Lost", "fr": "Perdu"}, "source": "house",
         "outcomes": [{"kind": "dies"}]},
        {"low": 2, "high": 6, "name": {"en": "More", "fr": "Encore"}, "source": "house",
         "outcomes": outcomes},
    ]  # fmt: skip
    return row(key, dice="1d6", rows=rows)
