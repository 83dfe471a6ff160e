"""Rows with impossible values, from before files were read strictly.

Every page shows the rest and says that something is left out.
"""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from campaigns.models import Bargain, Campaign, Claim, Game, Side, Throw
from gangs.models import Gang
from tests.campaigns.files.poison import crawl
from tests.campaigns.files.test_poison import FINE, _quick_prints, addresses  # noqa: F401
from tests.world.campaigns import confirmed, make_campaign, make_game, make_player, reported

SAYS_SO = "cannot be read and is left out"
DIE: dict[str, Any] = {"dice": "1d6", "faces": [3], "thrown_by": "app"}


@pytest.fixture
def game(bob: User, alice: User, client: Client) -> Game:
    """A confirmed game with a throw, a claim and an offer; the organiser owns all gangs."""
    campaign = make_campaign(bob)
    gangs = [make_player(campaign, alice), make_player(campaign, bob)]
    played = confirmed(reported(make_game(campaign, alice, *gangs), alice), bob)
    Gang.objects.update(owner=bob)
    side = played.sides.first()
    Throw.objects.create(game=played, side=side, key="x", roll=DIE, at=timezone.now())
    Bargain.objects.create(
        campaign=campaign,
        giver=gangs[0],
        taker=gangs[1],
        giver_name="One",
        taker_name="Other",
        terms={"frees": [["giver", 2]]},
    )
    client.force_login(bob)
    return Game.objects.get(pk=played.pk)


SPOILED: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "roll without faces": (Throw, {"roll": {**DIE, "dice": "d66", "faces": []}}),
    "roll of no dice": (Throw, {"roll": {**DIE, "dice": "rubbish"}}),
    "roll beyond its die": (Throw, {"roll": {**DIE, "faces": [-40]}}),
    "roll that is a list": (Throw, {"roll": [1]}),
    "scenario without faces": (Game, {"scenario_roll": {**DIE, "dice": "d66", "faces": []}}),
    "scenario of nothing": (Game, {"scenario_roll": {}}),
    "report that is a list": (Side, {"report": []}),
    "report of strangers": (Side, {"report": {"marks": {"x": 3}}}),
    "claim of nothing": (Claim, {"data": {}}),
    "claim as a text": (Claim, {"data": "no"}),
}
QUIET: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "about as a list": (Throw, {"about": ["x"]}),
    "about whom": (Throw, {"about": {"member": ["x"], "table": {}}}),
    "about what": (Throw, {"about": {"what": {"en": 1}}}),
    "draft as a text": (Side, {"draft": "x"}),
    "draft without faces": (Side, {"draft": {"rolls": {"x": {**DIE, "faces": []}}}}),
    "rolls before it": (Side, {"before": {"rolls": [1]}}),
    "crew of nobody": (Side, {"crew": [{"a": 1}]}),
    "crew of texts": (Side, {"crew": "x"}),
    "terms of nothing": (Bargain, {"terms": {}}),
}


def batches() -> list[list[str]]:
    """Return all kinds of damage in batches with at most one damage for each field."""
    made: list[dict[tuple[type[Any], str], str]] = []
    for name, (model, values) in {**SPOILED, **QUIET}.items():
        [key] = [(model, field) for field in values]
        batch = next((batch for batch in made if key not in batch), None)
        if batch is None:
            made.append(batch := {})
        batch[key] = name
    return [[*batch.values()] for batch in made]


def spoil(*names: str) -> None:
    """Write the named values of the tables above into the rows."""
    for name in names:
        model, values = {**SPOILED, **QUIET}[name]
        model._default_manager.update(**values)


@pytest.mark.long
@pytest.mark.parametrize("names", batches(), ids=", ".join)
@pytest.mark.parametrize("status", ["confirmed", "planned"])
def test_pages_show_the_rest_of_spoiled_rows(
    names: list[str],
    status: str,
    game: Game,
    client: Client,
    _quick_prints: None,  # noqa: F811
) -> None:
    Game.objects.update(status=status)
    spoil(*names)
    answers = crawl(client, *addresses(Campaign.objects.get()), most=60)
    assert {path: code for path, code in answers.items() if code not in FINE} == {}
    assert len(answers) > 30


@pytest.mark.long
@pytest.mark.parametrize("name", [*SPOILED, *QUIET])
def test_game_page_opens_with_each_kind_of_damage(
    name: str, game: Game, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """It says that something is left out when a reader would miss it."""
    spoil(name)
    with caplog.at_level(logging.WARNING, logger="campaigns.stored"):
        answers = {page: client.get(page.get_absolute_url()) for page in (game, game.campaign)}
    assert {answer.status_code for answer in answers.values()} == {200}
    says_so = {page for page, answer in answers.items() if SAYS_SO in answer.content.decode()}
    model, _values = {**SPOILED, **QUIET}[name]
    if name in SPOILED:
        assert caplog.records
        assert game in says_so
    if name in SPOILED and model in (Game, Side):
        assert game.campaign in says_so


def test_sound_rows_show_no_warning(game: Game, client: Client) -> None:
    for page in (game, game.campaign):
        assert SAYS_SO not in client.get(page.get_absolute_url()).content.decode()
