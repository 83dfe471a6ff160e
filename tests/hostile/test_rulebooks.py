"""Generated variants: every field is attacked, every shape gets somewhere, and pages open."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from common.errors import Refusal
from rules.book.model import Variation
from rules.editor import files, store
from rules.editor.files import BadVariant
from rules.editor.moving import fit
from rules.editor.places import LISTS, SINGLES
from rules.models import Variant
from tests.hostile.rulebooks import drawing, vocabulary
from tests.hostile.rulebooks.drawing import FROM_MODELS, Drawn, draw, draw_shape, place_of, shapes
from tests.hostile.rulebooks.findings import Findings
from tests.hostile.rulebooks.vocabulary import Maker, fields, places
from tests.hostile.rulebooks.writing import SHAPES, SLUGS, add, base, file_of
from tests.world.gangs import make_version


def is_sound(drawn: Drawn) -> bool:
    """Whether a variant is accepted without mistakes."""
    try:
        file = files.read_variant(drawn.content)
    except BadVariant:
        return False
    variation = Variation(key="import", name=file.name, number=1)
    return fit(file.overlay, drawn.on.book, variation).checked.book is not None


# Rounds of drawing until nested parts have had their turn, too.
MOST_ROUNDS = 12


@pytest.mark.long
def test_draw_reaches_every_field_of_the_vocabulary() -> None:
    every = places()
    assert {place_of(turn) for turn in range(len(every))} == set(every)
    assert {table for table, *_ in every} == {*LISTS, *SINGLES, vocabulary.DICE_ROWS}
    unseen = set(fields())
    for round_ in range(MOST_ROUNDS):
        for turn in range(len(every)):
            unseen -= draw_shape("new_rows", f"{round_}", turn, turn).fields
        if not unseen:
            break
    assert not unseen


def test_maker_refuses_a_type_that_it_cannot_make() -> None:
    with pytest.raises(NotImplementedError):
        Maker(Random(1), base(SLUGS[0])).value(bytes, [], 0)


@pytest.mark.long
def test_draw_gives_the_same_variant_for_the_same_seed() -> None:
    numbers = range(len(shapes()) * 2)
    drawn = [[draw(seed, number).content for number in numbers] for seed in ("1", "1", "2")]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_shape_passes_the_size_limits_of_files(name: str) -> None:
    """A file that is always refused does not attack anything behind that check."""
    for number in range(12):
        try:
            files.read_variant(draw_shape(name, "let in", number).content)
        except BadVariant:
            continue
        return
    pytest.fail("never let in")


@pytest.mark.long
def test_most_variants_made_from_the_models_have_no_mistakes() -> None:
    kinds = ("fields", "new_rows")
    assert sum(is_sound(draw_shape(kinds[at % 2], "sound", at)) for at in range(20)) >= 10


def test_draw_alternates_between_shapes_and_models() -> None:
    names = [draw("turns", number).shape for number in range(len(SHAPES) * 2)]
    assert set(names) == set(shapes())
    assert names[::2][:5] == [*FROM_MODELS]
    assert drawing.MODULES


def test_findings_list_the_result_of_each_shape(tmp_path: Any) -> None:
    findings, drawn = Findings(tmp_path), draw("1", 1)
    tried = findings.take(drawn)
    findings.end(tried, "draft")
    assert findings.keep(drawn).read_bytes() == drawn.content
    assert f"| {drawn.shape} | 1 |" in findings.table()
    assert findings.reached("draft") == 1 and findings.reached("played") == 0


# A few variants in this process: the pages that each must open ------------------------------

# One kind of many: kinds that take longer are for script/hostile, which can end a server.
FEW = (
    "actions_and_tracks",
    "columns_of_columns",
    "conditions_beyond",
    "dice_thrown_again",
    "drawings",
    "huge_characteristics",
    "large_grids",
    "long_lists",
    "odd_keys",
    "odd_formulas",
    "odd_sentences",
    "odd_texts",
    "promotions_in_a_circle",
    "rolls_that_follow",
    "selectors",
    "settings",
    "states_by_themselves",
    "tables_in_a_circle",
    "taken_out",
    "wide_tables",
)


def imported(client: Client, content: bytes) -> Any:
    """Return the answer to an import without the changes that do not fit."""
    path = reverse("editor:import")
    file = SimpleUploadedFile("variant.json", content, "application/json")
    form = client.get(path).context["form"]
    answer = client.post(path, {"file": file, "token": form["token"].value()})
    if answer.status_code == 200:
        asked = answer.context["form"]
        fields_ = {name: asked[name].value() for name in ("content", "token")}
        answer = client.post(path, {**fields_, "anyway": 1})
    return answer


@cache
def admitted(name: str) -> Drawn:
    """Return the first variant of a shape without mistakes, or else the first."""
    every = [draw_shape(name, "few", number) for number in range(6)]
    return next((drawn for drawn in every if is_sound(drawn)), every[0])


@pytest.mark.long
@pytest.mark.parametrize("name", FEW)
def test_pages_of_a_variant_open(client: Client, alice: User, name: str) -> None:
    drawn = admitted(name)
    make_version(drawn.on.slug)
    client.force_login(alice)
    assert imported(client, drawn.content).status_code in (302, 422)
    variant = Variant.objects.first()
    if variant is None:
        return
    tables = {change["table"] for change in drawn.changes if "." not in change["table"]}
    paths = [variant.get_absolute_url()]
    for table in sorted(tables):
        name = "single" if table in SINGLES else "table"
        paths.append(reverse(f"editor:{name}", args=[variant.pk, table]))
    with suppress(Refusal):
        state = store.publish(variant, expected_version=variant.draft_version)
        version = reverse("rules:version", args=[state.pk])
        own = [change["row"] for change in drawn.changes if change["table"] == "rolls"]
        paths += [version, f"{version}odds/", f"{version}search/?q=x"]
        paths += [f"{version}odds/?roll-key={key}" for key in own]
    for path in paths:
        # Refused in words if it is too large to compute.
        assert client.get(path).status_code in (200, 302, 413, 422), path


@pytest.mark.long
def test_most_drawn_variants_are_published() -> None:
    """Most variants that the pages test uses are accepted: otherwise that test would open
    nothing.
    """
    assert sum(is_sound(admitted(name)) for name in FEW) > len(FEW) * 2 / 3


def test_file_with_half_a_character_is_refused_or_read_but_never_fails(
    client: Client, alice: User
) -> None:
    on = base(SLUGS[0])
    make_version(on.slug)
    client.force_login(alice)
    row = {"key": "half", "name": {"en": "\ud800", "fr": "x\udfff"}, "source": "house"}
    content = file_of(on, "half \ud83d", [add("glossary", {**row, "text": row["name"]})])
    assert json.loads(content)["name"] == "half \ud83d"
    assert imported(client, content).status_code in (302, 422)
