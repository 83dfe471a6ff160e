"""The pages “How dice are thrown”: attacks from questions, and columns in words."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pydantic import ValidationError

from accounts.models import User
from rules.bounds.limits import MOST_CHANGES
from rules.editor import documents, edits, store
from rules.editor.dice.forms import DiceForm
from rules.editor.files import BadVariant
from rules.editor.overlay import Change
from rules.models import BookDraft, Variant
from tests.rules.rolling.guns import COLUMNS, make_guns, number
from tests.rules.small import Data, measured, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def hers(client: Client, alice: User) -> Client:
    """Return a client with Alice signed in."""
    client.force_login(alice)
    return client


def start(owner: User, **more: Any) -> BookDraft:
    """Return a new draft of the game with guns."""
    data = {**make_guns(**more), "slug": "harbour", "languages": ["en", "fr"]}
    return store.start_game(owner, data, token=uuid.uuid4())


@pytest.fixture
def draft(alice: User) -> BookDraft:
    """Return Alice's game, whose guns are in words."""
    return start(alice, typed=False, grids=[], states=[])


@pytest.fixture
def typed(alice: User) -> BookDraft:
    """Return Alice's game, whose guns have numbers."""
    return start(alice)


def address_of(game: BookDraft, row: str = "") -> str:
    """Return the address of the form of a roll, or of a new one."""
    if row:
        return reverse("editor:dice-roll", args=[game.pk, row])
    return reverse("editor:dice-new", args=[game.pk])


def sent(form: DiceForm) -> dict[str, Any]:
    """Return what a browser sends for the form as it is shown."""
    found = {one.html_name: one.value() for one in form}
    for name in ("hit_cells", "wound_cells"):
        found[name] = form.fields[name].prepare_value(found[name])
    return {name: value for name, value in found.items() if value not in (None, False)}


SHOT = {
    "name": "Shot",
    "groups": ["guns"],
    "reach_how": "value",
    "reach_value": "item.range",
    "attacks_how": "value",
    "attacks_value": "item.attacks",
    "hit_how": "own",
    "hit_own": "item.skill",
    "wound_how": "table",
    "wound_own": "item.strength",
    "wound_theirs": "at.toughness",
    "save_how": "theirs",
    "save_theirs": "at.armour",
    "save_worse": "item.pierce",
    "save_signed": "1",
    "harm": "life",
    "damage_how": "value",
    "damage_value": "item.damage",
    "mark": "out",
}


def send(client: Client, game: BookDraft, row: str = "", /, **answers: Any) -> Any:
    """Send the form as it is shown, with other answers to some questions."""
    form = client.get(address_of(game, row)).context["form"]
    game.refresh_from_db()
    fields = {**sent(form), "seen": game.version, **answers}
    return client.post(address_of(game, row), fields)


def rows_of(game: BookDraft, table: str) -> list[Data]:
    """Return the stored rows of a table."""
    game.refresh_from_db()
    found: list[Data] = documents.data_of(game).get(table, [])
    return found


def test_attack_is_written_with_its_table_and_distance(hers: Client, typed: BookDraft) -> None:
    answer = send(hers, typed, **SHOT)
    assert answer.status_code == 302
    (roll,) = rows_of(typed, "rolls")
    assert roll["key"] == "shot" and roll["name"] == {"en": "Shot", "fr": "Shot"}
    assert [one["key"] for one in rows_of(typed, "grids")] == ["to_wound", "shot-wound"]
    assert [one["key"] for one in rows_of(typed, "circumstances")] == ["distance"]
    checked = documents.check(typed)
    assert checked.is_sound
    page = hers.get(reverse("editor:dice", args=[typed.pk])).content.decode()
    assert address_of(typed, "shot") in page and "written by hand" not in page


def test_one_press_takes_everything_back(hers: Client, typed: BookDraft) -> None:
    before = typed.data
    send(hers, typed, **SHOT)
    typed.refresh_from_db()
    hers.post(reverse("editor:undo", args=[typed.pk]), {"seen": typed.version})
    typed.refresh_from_db()
    assert typed.data == before


def test_written_attack_is_shown_as_it_was_answered(hers: Client, typed: BookDraft) -> None:
    send(hers, typed, **SHOT)
    form = hers.get(address_of(typed, "shot")).context["form"]
    shown = sent(form)
    assert {name: shown.get(name) for name in SHOT} == SHOT
    assert shown["wound_grid"] == "shot-wound"
    stored = typed.data
    assert send(hers, typed, "shot").status_code == 302
    typed.refresh_from_db()
    assert typed.data != stored and len(rows_of(typed, "rolls")) == 1


def test_form_that_arrives_twice_writes_once(hers: Client, typed: BookDraft) -> None:
    form = hers.get(address_of(typed)).context["form"]
    fields = {**sent(form), **SHOT, "wound_how": "fixed", "seen": typed.version}
    for _time in range(2):
        assert hers.post(address_of(typed), fields).status_code == 302
    assert len(rows_of(typed, "rolls")) == 1


def test_changed_attack_keeps_its_words(hers: Client, typed: BookDraft) -> None:
    send(hers, typed, **SHOT)
    data = documents.data_of(typed) if typed.refresh_from_db() is None else {}
    words = {"en": "Bang", "fr": "Pan"}
    data["rolls"][0]["outcomes"][0]["name"] = words
    data["rolls"][0]["name"] = {"en": "Shot", "fr": "Tir"}
    store.save_data(typed, data, expected_version=typed.version)
    send(hers, typed, "shot", damage_how="dice", damage_number="1", damage_sides="3")
    (roll,) = rows_of(typed, "rolls")
    assert roll["outcomes"][0]["name"] == words and roll["name"]["fr"] == "Tir"
    assert {"sum": "damage"}.items() <= roll["steps"][-2].items()


def test_attack_changed_by_hand_says_so(hers: Client, typed: BookDraft) -> None:
    send(hers, typed, **SHOT)
    typed.refresh_from_db()
    data = documents.data_of(typed)
    data["rolls"][0]["steps"][1]["be"] = "2"
    store.save_data(typed, data, expected_version=typed.version)
    page = hers.get(address_of(typed, "shot"))
    assert page.context["by_hand"] and "changed by hand" in page.content.decode()
    overview = hers.get(reverse("editor:dice", args=[typed.pk])).content.decode()
    assert "written by hand" in overview


def test_odds_say_who_attacks_whom(hers: Client, typed: BookDraft) -> None:
    answer = send(hers, typed, look="1", **SHOT)
    page = answer.content.decode()
    assert answer.status_code == 200 and "Scout attacks Scout with Rifle:" in page
    asked = {"try_by": "fighter", "try_item": "pistol", "try_at": "chief"}
    answer = send(hers, typed, look="1", **SHOT, **asked)
    assert "Fighter attacks Chief with Pistol:" in answer.content.decode()
    odds = dict(answer.context["trial"]["odds"])
    assert set(odds) == {"Out of action", "Wounded", "No harm", "Missed"}
    assert rows_of(typed, "rolls") == []


def test_odds_come_alone_for_scripts(hers: Client, typed: BookDraft) -> None:
    fields = {**sent(hers.get(address_of(typed)).context["form"]), "seen": typed.version}
    answer = hers.post(
        address_of(typed), {**fields, **SHOT, "look": "1"}, headers={"hx-request": "true"}
    )
    page = answer.content.decode()
    assert "Scout attacks" in page and "<form" not in page
    wrong = {**fields, **SHOT, "hit_own": "", "look": "1"}
    answer = hers.post(address_of(typed), wrong, headers={"hx-request": "true"})
    assert answer.status_code == 200 and "Please choose" in answer.content.decode()


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        ({"name": ""}, "name"),
        ({"hit_own": ""}, "hit_own"),
        ({"hit_how": "fixed", "hit_number": "7"}, "hit_number"),
        ({"hit_how": "fixed", "hit_number": "1"}, "hit_number"),
        ({"hit_how": "what"}, "hit_how"),
        ({"wound_cells": "1 2\n3"}, "wound_cells"),
        ({"wound_cells": ""}, "wound_cells"),
        ({"wound_cells": "a b"}, "wound_cells"),
        ({"wound_theirs": ""}, "wound_theirs"),
        ({"reach_value": ""}, "reach_value"),
        ({"attacks_how": "fixed", "attacks_number": "99"}, "attacks_number"),
        ({"groups": ["arms"]}, "reach_value"),
        ({"groups": []}, "groups"),
        ({"save_theirs": "at.nothing"}, "save_theirs"),
        ({"harm": "state"}, "hurt_state"),
        ({"sides": "7"}, "sides"),
    ],
)
def test_wrong_answer_has_its_words_beside_the_field(
    hers: Client, typed: BookDraft, answers: dict[str, Any], field: str
) -> None:
    answer = send(hers, typed, **{**SHOT, **answers})
    assert answer.status_code == 422 and field in answer.context["form"].errors
    assert rows_of(typed, "rolls") == []


def test_one_point_of_life_is_no_life_to_lose(hers: Client, alice: User) -> None:
    data = make_guns()
    data["characteristics"][-1]["start"] = 1
    game = start(alice, characteristics=data["characteristics"])
    answer = send(hers, game, **SHOT)
    assert answer.status_code == 422 and "harm" in answer.context["form"].errors


def test_stale_page_is_refused(hers: Client, typed: BookDraft) -> None:
    form = hers.get(address_of(typed)).context["form"]
    store.save_data(typed, documents.data_of(typed), expected_version=typed.version)
    answer = hers.post(address_of(typed), {**sent(form), **SHOT, "seen": 0})
    assert answer.status_code == 409 and rows_of(typed, "rolls") == []


def test_roll_that_does_not_exist_is_not_found(hers: Client, typed: BookDraft) -> None:
    assert hers.get(address_of(typed, "nothing")).status_code == 404


def read_columns(client: Client, game: BookDraft, *places: str) -> Any:
    """Press “Read these columns” for some of them."""
    game.refresh_from_db()
    address = reverse("editor:dice", args=[game.pk])
    return client.post(address, {"seen": game.version, "column": places})


def test_columns_in_words_are_read_with_one_press(hers: Client, draft: BookDraft) -> None:
    page = hers.get(reverse("editor:dice", args=[draft.pk]))
    places = [one.place for one in page.context["readable"]]
    assert places == [f"guns.{key}" for key in COLUMNS]
    assert read_columns(hers, draft, *places).status_code == 302
    group = rows_of(draft, "groups")[-1]
    assert {one["kind"] for one in group["columns"]} == {"number", "length"}
    checked = documents.check(draft)
    assert checked.is_sound
    assert not hers.get(reverse("editor:dice", args=[draft.pk])).context["readable"]


def test_column_with_other_words_names_their_rows(hers: Client, alice: User) -> None:
    data = make_guns(typed=False)
    data["items"][-1]["columns"] = {**data["items"][-1]["columns"], "strength": "User"}
    game = start(alice, typed=False, items=data["items"], grids=[], states=[])
    page = hers.get(reverse("editor:dice", args=[game.pk]))
    assert "Laser" in page.content.decode() and "(User)" in page.content.decode()
    assert read_columns(hers, game, "guns.strength").status_code == 422
    assert read_columns(hers, game).status_code == 422
    assert {one["kind"] for one in rows_of(game, "groups")[-1]["columns"] if "kind" in one} <= {
        "text"
    }


def test_columns_that_mend_one_mistake_and_make_another_are_not_read(
    hers: Client, alice: User
) -> None:
    data = make_guns(typed=False)
    # A characteristic that no expression can name, in the cells of one column.
    data["characteristics"].append(number("if", 4))
    for gun, cell in zip(data["items"][-3:], ("If", "If+1", "5"), strict=True):
        gun["columns"] = {**gun["columns"], "strength": cell}
    # A number for empty cells, which only a typed column may have.
    pierce = next(one for one in data["groups"][-1]["columns"] if one["key"] == "pierce")
    pierce["blank"] = 0
    changed = {name: data[name] for name in ("characteristics", "groups", "items")}
    game = start(alice, typed=False, **changed, grids=[], states=[])
    [before] = documents.check(game).wrong
    answer = read_columns(hers, game, "guns.pierce", "guns.strength")
    assert answer.status_code == 422
    assert "Strength" in answer.context["error"]
    game.refresh_from_db()
    assert documents.check(game).wrong == (before,)
    # One that only mends is read.
    assert read_columns(hers, game, "guns.pierce").status_code == 302
    game.refresh_from_db()
    assert documents.check(game).is_sound


@pytest.mark.parametrize(
    ("table", "bad"),
    [
        ("characteristics", [{"kind": "number"}, {"kind": "word", "words": [{"name": "4+"}]}, 7]),
        ("groups", [{"key": "guns", "columns": [{"key": "skill"}, 3]}, "x"]),
        ("items", [{"group": "guns", "columns": {"skill": 4}}, {"fits": 3, "modes": [1]}]),
        ("rolls", [{"key": "shot", "steps": [{"let": "attacks"}], "outcomes": 3}, 5]),
        ("rolls", [{"key": "shot", "steps": [{"sum": "damage", "dice": "x", "sides": 6}]}]),
        ("ranks", [{"key": "chief", "values": 3}, 4]),
        ("states", ["x"]),
        ("grids", [{"key": "to_wound", "cells": 3}]),
    ],
)
def test_malformed_game_still_has_its_pages(
    hers: Client, alice: User, table: str, bad: list[Any]
) -> None:
    data = make_guns(typed=False)
    game = start(alice, typed=False, **{table: [*data.get(table, []), *bad]})
    overview = reverse("editor:dice", args=[game.pk])
    assert hers.get(overview).status_code == 200
    assert read_columns(hers, game, "guns.skill", ".None", "guns.range").status_code in (302, 422)
    assert hers.get(address_of(game)).status_code == 200
    for more in ({}, {"look": "1"}):
        assert send(hers, game, **SHOT, **more).status_code in (200, 302, 422)
    if table == "rolls":
        assert hers.get(address_of(game, "shot")).status_code == 200


@pytest.fixture
def variant(typed: BookDraft) -> Variant:
    """Return Alice's variant of the game with guns, as it is published."""
    state = store.publish(typed, expected_version=typed.version)
    return store.start_variant(typed.owner, state, "Ours", token=uuid.uuid4())


def test_variant_gets_an_attack_of_its_own(hers: Client, variant: Variant) -> None:
    page = reverse("editor:dice-new", args=[variant.pk])
    assert (
        reverse("editor:dice", args=[variant.pk])
        in hers.get(variant.get_absolute_url()).content.decode()
    )
    fields = {**sent(hers.get(page).context["form"]), **SHOT}
    wrong = {**fields, "hit_own": "", "seen": variant.draft_version}
    assert hers.post(page, wrong).status_code == 422
    answer = hers.post(page, {**fields, "seen": variant.draft_version})
    assert answer.status_code == 302, answer.context["form"].errors
    variant.refresh_from_db()
    book = documents.check(variant).book
    assert book is not None and [roll.key for roll in book.rolls] == ["shot"]
    shown = hers.get(reverse("editor:dice-roll", args=[variant.pk, "shot"])).context["form"]
    assert {name: sent(shown).get(name) for name in SHOT} == SHOT


def change_shot(client: Client, variant: Variant, **answers: Any) -> list[Change]:
    """Send the form of the base's attack with other answers; return the variant's changes."""
    page = reverse("editor:dice-roll", args=[variant.pk, "shot"])
    fields = {**sent(client.get(page).context["form"]), "seen": variant.draft_version, **answers}
    answer = client.post(page, fields)
    assert answer.status_code == 302, (answer.context["form"].errors, answer.context["error"])
    variant.refresh_from_db()
    checked = documents.check(variant)
    assert checked.is_sound and not checked.misfits
    return [*documents.overlay_of(variant).changes]


@pytest.mark.parametrize(
    ("answers", "fields"),
    [
        ({}, set()),
        ({"name": "Bang"}, {"name"}),
        ({"hit_own": "", "hit_how": "fixed", "hit_number": "3"}, {"steps"}),
    ],
)
def test_variant_stores_only_the_changed_fields_of_an_attack(
    hers: Client, typed: BookDraft, answers: dict[str, Any], fields: set[str]
) -> None:
    send(hers, typed, **SHOT)
    typed.refresh_from_db()
    state = store.publish(typed, expected_version=typed.version)
    variant = store.start_variant(typed.owner, state, "Ours", token=uuid.uuid4())
    changes = change_shot(hers, variant, **answers)
    assert {(one.kind, one.table, one.row) for one in changes} <= {("set", "rolls", "shot")}
    assert {one.field[0] for one in changes if one.kind == "set"} == fields


def test_only_an_excess_of_changes_is_refused_as_such(variant: Variant) -> None:
    written = documents.read(variant)
    name = written.tables["items"]["rifle"]["name"]
    for count in range(MOST_CHANGES + 1):
        edits.add_row(written, "traits", f"new-{count}", {"key": f"new-{count}", "name": name})
    with pytest.raises(BadVariant) as refused:
        documents.write(variant, written)
    assert refused.value.code == "too_many"
    written = documents.read(variant)
    del written.tables["items"]["rifle"]["status"]
    with pytest.raises(ValidationError):
        documents.write(variant, written)


def test_variant_is_offered_no_characteristic_that_it_cannot_change(
    hers: Client, alice: User
) -> None:
    data = make_guns(typed=False)
    words = [{"key": f"w{one}", "name": text(f"{one}+")} for one in (3, 4, 5)]
    more = measured("word", "dodge", words=words, start="w4")
    game = start(
        alice, typed=False, grids=[], states=[], characteristics=[*data["characteristics"], more]
    )
    page = reverse("editor:dice", args=[game.pk])
    assert ".dodge" in [one.place for one in hers.get(page).context["readable"]]
    state = store.publish(game, expected_version=game.version)
    variant = store.start_variant(alice, state, "Ours", token=uuid.uuid4())
    page = reverse("editor:dice", args=[variant.pk])
    places = [one.place for one in hers.get(page).context["readable"]]
    assert places == [f"guns.{key}" for key in COLUMNS]
    # An older page may still offer it.
    sent_places = [*places, ".dodge"]
    answer = hers.post(page, {"seen": variant.draft_version, "column": sent_places})
    assert answer.status_code == 302
    variant.refresh_from_db()
    assert documents.check(variant).is_sound


def test_variant_reads_columns_of_its_base(hers: Client, draft: BookDraft) -> None:
    state = store.publish(draft, expected_version=draft.version)
    variant = store.start_variant(draft.owner, state, "Ours", token=uuid.uuid4())
    page = reverse("editor:dice", args=[variant.pk])
    places = [one.place for one in hers.get(page).context["readable"]]
    answer = hers.post(page, {"seen": variant.draft_version, "column": places})
    assert places and answer.status_code == 302
    variant.refresh_from_db()
    book = documents.check(variant).book
    assert book is not None
    assert {one.kind for group in book.groups for one in group.columns} == {"number", "length"}
