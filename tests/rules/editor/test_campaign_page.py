"""The page that gives a game a campaign to start with."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from rules.editor import documents, store
from rules.editor.campaigns.forms import MatchForm
from rules.editor.data import name_game, start_empty
from rules.models import BookDraft
from rules.skeletons.shipped import KEYS
from tests.rules.skeletons.ferry import make_ferry
from tests.world.gangs import GOLD, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    """Return a client with Alice signed in."""
    client.force_login(alice)
    return client


@pytest.fixture
def ferry(alice: User) -> BookDraft:
    """Return Alice's game, which has no campaign."""
    return store.start_game(alice, make_ferry(), token=uuid.uuid4())


def address_of(game: BookDraft, donor: str = "") -> str:
    """Return the address of the page."""
    page = reverse("editor:campaign", args=[game.pk])
    return f"{page}?from={donor}" if donor else page


def sent(form: MatchForm) -> dict[str, object]:
    """Return what a browser sends for the form as it is shown."""
    return {field.html_name: field.value() or "" for field in form}


def take(client: Client, game: BookDraft, donor: str, **answers: object) -> Any:
    """Send the form as it is shown, with other answers to some questions."""
    form = client.get(address_of(game, donor)).context["form"]
    fields = {**sent(form), "seen": game.version, "from": donor, **answers}
    return client.post(address_of(game), {"take": "1", **fields})


def test_game_without_a_campaign_offers_all_that_there_are(hers: Client, ferry: BookDraft) -> None:
    make_version(GOLD)
    assert address_of(ferry) in hers.get(ferry.get_absolute_url()).content.decode()
    page = hers.get(address_of(ferry))
    keys = [donor.key for donor in page.context["donors"]]
    assert keys[:3] == [*KEYS] and len(keys) == 4
    for key in keys:
        answer = hers.get(address_of(ferry, key))
        assert answer.status_code == 200 and answer.context["form"].fields


@pytest.mark.parametrize("key", KEYS)
def test_campaign_is_taken_with_one_press(hers: Client, ferry: BookDraft, key: str) -> None:
    answer = take(hers, ferry, key)
    assert answer["Location"] == ferry.get_absolute_url()
    ferry.refresh_from_db()
    checked = documents.check(ferry)
    assert checked.is_sound and checked.notes == ()
    page = hers.get(ferry.get_absolute_url()).content.decode()
    assert "The game has its campaign" in page and address_of(ferry) not in page


def test_answers_decide_what_stands_for_what(hers: Client, ferry: BookDraft) -> None:
    form = hers.get(address_of(ferry, "thresholds")).context["form"]
    labels = {str(form.fields[name].label): name for name in form.fields}
    assert form.fields[labels["Their “Fight” is your …"]].initial == "brawl"
    answers = {labels["Their “Fight” is your …"]: "might", labels["Their “Shoot” is your …"]: ""}
    looked = hers.post(
        address_of(ferry),
        {**sent(form), **answers, "seen": ferry.version, "from": "thresholds", "look": "1"},
    )
    assert looked.status_code == 200 and len(looked.context["left_out"]) == 3
    ferry.refresh_from_db()
    assert "advances" not in ferry.data
    answer = take(hers, ferry, "thresholds", **answers)
    assert answer["Location"] == address_of(ferry)
    ferry.refresh_from_db()
    data = json.loads(ferry.data)
    six = next(row for row in data["tables"][2]["rows"] if row["low"] == 6)
    assert six["outcomes"] == [{"kind": "rises", "characteristic": "might"}]


def test_notes_lead_to_their_rows_afterwards(hers: Client, ferry: BookDraft) -> None:
    form = hers.get(address_of(ferry, "thresholds")).context["form"]
    name = next(name for name, key in form.of_characteristics.items() if key == "shoot")
    take(hers, ferry, "thresholds", **{name: ""})
    page = hers.get(address_of(ferry))
    found = page.context["left_out"]
    assert len(found) == 3
    assert all(hers.get(one.where).status_code == 200 for one in found)
    assert "“Shaking hand” comes without a part of it" in page.content.decode()


def test_campaign_is_never_replaced(hers: Client, ferry: BookDraft) -> None:
    answers = sent(hers.get(address_of(ferry, "levels")).context["form"])
    take(hers, ferry, "levels")
    ferry.refresh_from_db()
    before = ferry.data
    again = {**answers, "seen": ferry.version, "from": "league", "take": "1"}
    answer = hers.post(address_of(ferry), again)
    assert answer.status_code == 422
    assert "its rows stay as they are" in answer.content.decode()
    ferry.refresh_from_db()
    assert ferry.data == before
    # Undo gives the choice back.
    hers.post(reverse("editor:undo", args=[ferry.pk]), {"seen": ferry.version})
    assert hers.get(address_of(ferry)).context["donors"]


def test_page_of_another_window_changes_nothing(hers: Client, ferry: BookDraft) -> None:
    answer = take(hers, ferry, "league", seen=ferry.version + 1)
    assert answer.status_code == 409
    ferry.refresh_from_db()
    assert "no_show" not in ferry.data


@pytest.mark.parametrize("donor", ["nonsense", "a" * 64, "é"])
def test_unknown_campaign_is_not_found(hers: Client, ferry: BookDraft, donor: str) -> None:
    assert hers.get(address_of(ferry), {"from": donor}).status_code == 404


def test_games_that_others_write_are_not_offered(hers: Client, bob: User, ferry: BookDraft) -> None:
    data = name_game(start_empty(), "secret", "Secret", ["en"], "Bob")
    game = store.start_game(bob, data, token=uuid.uuid4())
    state = store.publish(game, expected_version=game.version)
    assert hers.get(address_of(ferry, state.pk)).status_code == 404
    assert hers.get("/editor/new/").content.decode().count(state.pk) == 0


@pytest.mark.parametrize("answer", ["nonsense", "*"])
def test_answer_that_is_not_offered_is_shown_beside_its_field(
    hers: Client, ferry: BookDraft, answer: str
) -> None:
    page = take(hers, ferry, "thresholds", characteristic0=answer)
    assert page.status_code == 422
    assert page.context["form"].errors.keys() == {"characteristic0"}


def test_page_says_that_a_campaign_is_for_games_of_another_kind(hers: Client, alice: User) -> None:
    game = store.start_game(
        alice, {**make_ferry(), "play": {"against": "book"}}, token=uuid.uuid4()
    )
    page = hers.get(address_of(game, "levels"))
    assert page.status_code == 200 and "this campaign does not fit" in page.content.decode()
    assert "all of it fits" not in page.content.decode()
    answer = take(hers, game, "levels")
    assert answer.status_code == 422 and "this campaign does not fit" in answer.content.decode()


def test_new_game_leads_to_its_campaign(hers: Client, alice: User) -> None:
    form = {"name": "Marsh", "slug": "marsh", "languages": "fr", "campaign": "thresholds"}
    answer = hers.post("/editor/new/", {**form, "token": str(uuid.uuid4())})
    game = BookDraft.objects.get(owner=alice, slug="marsh")
    assert answer["Location"] == address_of(game, "thresholds")
    # Its characteristics come along, because it has hardly any.
    assert take(hers, game, "thresholds").status_code == 302
    game.refresh_from_db()
    assert documents.check(game).is_sound
    data = json.loads(game.data)
    assert {row["key"] for row in data["characteristics"]} >= {"move", "fight", "nerve"}
    assert data["tables"][0]["rows"][0]["name"] == {"en": "Mort", "fr": "Mort"}


def test_copy_of_a_game_keeps_its_own_campaign(hers: Client, alice: User) -> None:
    version = make_version(GOLD)
    form = {"name": "Marsh", "slug": "marsh", "languages": "en", "campaign": "levels"}
    answer = hers.post("/editor/new/", {**form, "start": version.pk, "token": str(uuid.uuid4())})
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"campaign"}
    assert not BookDraft.objects.filter(owner=alice).exists()
