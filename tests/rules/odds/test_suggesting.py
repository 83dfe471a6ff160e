"""The odds page opens with figures for which its roll is possible, or names what it depends on."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.utils.translation import override

from rules.book.model import Book
from rules.book.rolls import Roll
from rules.library import load
from rules.odds.fighters import figure_of_sample
from rules.odds.player_items import with_fittings
from rules.odds.suggesting import name_needs, suggest
from tests.random_cases import one_soon
from tests.rules.odds.games import ATTACK, MORALE, POKER, ROLLS, SMALL, game
from tests.rules.small import Data, row, text, told
from tests.world.gangs import SLUGS, shipped

SAMPLE = {
    "key": "crew",
    "name": "Crew",
    "text": text("Ready."),
    "members": [
        {"name": "Ada", "rank": "chief"},
        {"name": "Bo", "rank": "scout", "items": ["rope"]},
    ],
}


def a_test(usable: str, **fields: object) -> Data:
    """Return a simple roll that is possible if an expression is true."""
    thrown = {"steps": [{"sum": "n"}], "outcomes": [{"key": "done", "name": text("Done")}]}
    return row("trial", usable=usable, **{**thrown, **fields})


@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_every_roll_of_shipped_rulebooks_is_possible_with_the_suggested_figures(
    slug: str, client: Client, db: None
) -> None:
    book = shipped(slug)
    load(book)
    for roll in book.usual.rolls:
        if not suggest(book.usual, roll):
            continue
        page = client.get(f"/rules/{slug}/odds/?roll-key={roll.key}").content.decode()
        assert "This roll is not possible like this" not in page, roll.key


@pytest.mark.parametrize(
    ("usable", "fields"),
    [
        ("by.might > 0", {}),
        ("by.has_trait('lucky')", {"by-rank": ["scout"], "by-trait": ["lucky"]}),
        ("by.has_condition('lame')", {"by-rank": ["scout"], "by-condition": ["lame"]}),
        ("by.has_origin('hill')", {"by-rank": ["scout"], "by-origin": ["hill"]}),
        ("by.in_state('asleep')", {"by-rank": ["scout"], "by-state": ["asleep"]}),
        # Figures made by hand have no items; a member of a ready-made gang does.
        ("by.carries('rope')", {"by-who": ["sample.crew.1"]}),
        ("by.carries('bow')", {}),
        ("by.might > 6", {}),
    ],
)
def test_a_roll_starts_with_a_figure_for_which_it_is_possible(
    usable: str, fields: dict[str, list[str]]
) -> None:
    book = game(rolls=[a_test(usable), *ROLLS["rolls"]], samples=[SAMPLE])
    assert suggest(book.usual, book.roll["trial"]) == fields


def test_both_figures_of_a_roll_are_suggested() -> None:
    roll = a_test("by.has_trait('lucky') and at.has_trait('quick')", at="member")
    book = game(rolls=[roll, *ROLLS["rolls"]])
    assert suggest(book.usual, book.roll["trial"]) == {
        "by-rank": ["scout"],
        "by-trait": ["lucky"],
        "at-rank": ["scout"],
        "at-trait": ["quick"],
    }


def test_an_attack_that_needs_a_trait_and_a_weapon_is_possible_from_the_start() -> None:
    attack = {**ATTACK, "usable": "item.tagged('ranged') and by.has_trait('lucky')"}
    book = game(rolls=[MORALE, attack, POKER])
    suggested = suggest(book.usual, book.roll["attack"])
    assert suggested == {"by-rank": ["scout"], "by-trait": ["lucky"]}


def test_suggested_traits_are_those_that_the_rank_may_have() -> None:
    traits = [told("lucky", price=4, ranks=["chief"]), told("quick", price=2)]
    book = game(rolls=[a_test("by.has_trait('lucky')"), *ROLLS["rolls"]], traits=traits)
    assert suggest(book.usual, book.roll["trial"]) == {"by-rank": ["chief"], "by-trait": ["lucky"]}


def test_needs_of_a_roll_are_named() -> None:
    usable = "by.has_trait('lucky') and item.tagged('blade') and by.might > 6 and cover == 1"
    tags = [{"key": "blade", "name": text("Blades"), "source": "house"}]
    book = game(rolls=[MORALE, {**ATTACK, "usable": usable}, POKER], tags=tags)
    with override("en"):
        assert name_needs(book.usual, book.roll["attack"]) == ["Lucky", "Might", "Cover", "Blades"]


@pytest.mark.django_db
def test_page_opens_with_a_suggested_figure_and_keeps_a_chosen_one(client: Client) -> None:
    load(game(rolls=[a_test("by.has_trait('lucky')"), *ROLLS["rolls"]]))
    address = "/rules/small/odds/?roll-key=trial"
    opened = client.get(address).content.decode()
    assert re.search(r'name="by-trait" value="lucky"[^>]*checked', opened)
    assert "This roll is not possible" not in opened
    # The address to share asks for the same figure.
    assert "by-trait=lucky" in unescape(opened)
    chosen = unescape(client.get(f"{address}&by-rank=chief").content.decode())
    assert "It depends on: Lucky." in chosen


SIGHT = told("sight", group="goods", fits={"items": ["bow"], "tags": ["scoped"]})
SCOPED = {**ATTACK, "usable": "item.tagged('scoped')"}


def _with_sight(**more: object) -> Book:
    """Return a game whose attack is only possible with a sight on a bow."""
    return game(
        rolls=[MORALE, SCOPED, POKER],
        items=[*SMALL["items"], SIGHT],
        tags=[{"key": "scoped", "name": text("Scoped"), "source": "house"}],
        **more,
    )


@pytest.mark.django_db
def test_page_offers_weapons_with_a_part_fitted_to_them(client: Client) -> None:
    load(_with_sight())
    page = unescape(client.get("/rules/small/odds/?roll-key=attack").content.decode())
    assert "Bow (Sight)" in page and "This roll is not possible" not in page


def test_member_of_a_ready_made_gang_has_the_part_on_the_weapon() -> None:
    members = [{"name": "Bo", "rank": "scout", "items": ["bow", "sight"]}]
    book = with_fittings(_with_sight(samples=[{**SAMPLE, "members": members}]))
    figure, [bow] = figure_of_sample(book, book.samples[0], 0)
    assert figure.items == (bow.key, "sight") and bow.key in book.item
    trial = a_test("by.carries_tagged('scoped')")
    rolls = [Roll.model_validate(trial), *book.rolls]
    assert suggest(book.changed(rolls=tuple(rolls)).usual, rolls[0]) == {
        "by-who": ["sample.crew.0"]
    }
