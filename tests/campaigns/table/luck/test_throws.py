"""Throws of the application: drawn from committed seeds, and checked afterwards."""

from __future__ import annotations

import hashlib
import hmac
import html
import json
import re
import subprocess
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from campaigns.club.planning.sides import roll as roll_for_roles
from campaigns.engine.report import Report
from campaigns.models import Campaign, Game, Side, Table, TableSide, TableThrow, Throw
from campaigns.postgames import drafts
from campaigns.seeds import dice_of
from campaigns.table import people, storage, taps
from campaigns.table.luck import undone
from campaigns.throws import ROLES_KEY
from gangs.models import Gang
from tests.campaigns.table.attempts.test_views import duel_address, fields, figures
from tests.campaigns.table.test_storage import opened
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)
from tests.world.gangs import POINTS

AsUser = Callable[[User], Client]


@pytest.fixture
def table(campaign: Campaign, alice: User, hers: Gang, theirs: Gang) -> Table:
    return opened(campaign, alice, hers, theirs)


def throw(client: Client, table: Table) -> None:
    """Make a test with dice of the application that changes nothing at the table."""
    address = reverse("campaigns:table-attempt", args=[table.pk, "any_quality"])
    query = {"by": figures(table, 1)[0]}
    data = fields(client.get(address, query).content.decode()) | {"how": "throw"}
    assert client.post(address, data | query).status_code == 302


def end(client: Client, table: Table) -> None:
    """End play."""
    told = {"taps": '[{"kind": "over"}]', "token": uuid.uuid4(), "after": 99, "turn": 1}
    address = reverse("campaigns:table-taps", args=[table.pk])
    assert client.post(address, told).status_code == 302


def page_of(client: Client, game: Game) -> str:
    return client.get(reverse("campaigns:game-throws", args=[game.pk])).content.decode()


def for_browsers(page: str) -> list[dict[str, Any]]:
    """The seeds that a page shows, as its script reads them."""
    found = re.search(r'<script id="throws" type="application/json">(.*?)</script>', page)
    assert found
    return json.loads(found[1])  # type: ignore[no-any-return]


def draw_by_hand(seed: str, place: str, thrown: dict[str, Any]) -> list[list[int]]:
    """The dice of a throw, computed as the page explains, independently of the application."""
    row: list[int] = []
    shown = []
    block = 0
    for sides, _face in thrown["dice"]:
        if not row:
            block += 1
            text = "\n".join([f"{place} {thrown['number']} {block}", *thrown["words"]])
            digits = hmac.new(seed.encode(), text.encode(), hashlib.sha256).hexdigest()
            row = [int(digits[start : start + 8], 16) for start in range(0, 64, 8)]
        shown.append([sides, row.pop(0) % sides + 1])
    return shown


def prove(page: str) -> list[int]:
    """Check every throw that the page shows with its seed; return their number by seed."""
    seeds = for_browsers(page)
    for found in seeds:
        seed = found["seed"]
        assert hashlib.sha256(seed.encode()).hexdigest() == found["fingerprint"]
        assert [one["number"] for one in found["throws"]] == [*range(1, len(found["throws"]) + 1)]
        for one in found["throws"]:
            assert draw_by_hand(seed, found["place"], one) == one["dice"]
            assert [face for _sides, face in one["dice"]] == one["told"]
    return [len(found["throws"]) for found in seeds]


@pytest.mark.long
def test_seeds_of_throws_are_shown_when_play_is_over(
    as_user: AsUser, table: Table, alice: User
) -> None:
    client, game = as_user(alice), Game.objects.get(table=table)
    before = page_of(client, game)
    assert for_browsers(before) == []
    fingerprint = table.fingerprint(1)
    assert fingerprint in before and table.seed(1) not in before
    assert (
        f'data-fingerprint="{fingerprint}"' in client.get(table.get_absolute_url()).content.decode()
    )
    for _time in range(3):
        throw(client, table)
    during = page_of(client, game)
    assert for_browsers(during) == [] and table.seed(1) not in during
    end(client, table)
    after = page_of(client, game)
    assert prove(after) == [3]
    assert (for_browsers(after)[0]["fingerprint"], for_browsers(after)[0]["seed"]) == (
        fingerprint,
        table.seed(1),
    )
    # The log has the drawn dice.
    rolled = [one.tap for one in storage.log_of(table) if isinstance(one.tap, taps.Rolled)]
    drawn = TableThrow.objects.order_by("number").values_list("dice", flat=True)
    assert [[face for faces in tap.faces for face in faces] for tap in rolled] == [
        [face for _sides, face in dice] for dice in drawn
    ]


@pytest.mark.long
def test_throws_after_the_end_use_the_next_seed(as_user: AsUser, table: Table, alice: User) -> None:
    client, game = as_user(alice), Game.objects.get(table=table)
    throw(client, table)
    end(client, table)
    next_one = table.fingerprint(2)
    assert next_one in page_of(client, game)
    throw(client, table)
    throw(client, table)
    assert prove(page_of(client, game)) == [1]
    end(client, table)
    assert prove(page_of(client, game)) == [1, 2]
    # Nothing was drawn from the third seed: it stays hidden.
    end(client, table)
    assert prove(page_of(client, game)) == [1, 2]


@pytest.mark.long
def test_word_changes_the_next_throw(as_user: AsUser, table: Table, alice: User, bob: User) -> None:
    client, game = as_user(alice), Game.objects.get(table=table)
    address = reverse("campaigns:game-throws", args=[game.pk])
    mine = {side.gang.owner_id: side for side in game.sides.select_related("gang") if side.gang}
    throw(client, table)
    side = mine[alice.pk]
    assert client.post(address, {"side": side.pk, "word": " wild   horses "}).status_code == 302
    throw(client, table)
    end(client, table)
    page = page_of(client, game)
    assert prove(page) == [2]
    assert [one["words"] for one in for_browsers(page)[0]["throws"]] == [[], ["wild horses"]]
    assert TableSide.objects.get(table=table, gang=side.gang_id).word == "wild horses"
    # A player chooses no word for others, and no word that is too long.
    other = mine[next(owner for owner in mine if owner != alice.pk)]
    stranger = as_user(User.objects.create_user("a stranger"))
    assert stranger.post(address, {"side": side.pk, "word": "mine"}).status_code == 404
    if not game.campaign.is_run_by(alice):
        assert client.post(address, {"side": other.pk, "word": "mine"}).status_code == 404
    long = client.post(address, {"side": side.pk, "word": "x" * 41})
    assert long.status_code == 422 and "x" * 41 in long.content.decode()
    assert Side.objects.get(pk=side.pk).word == "wild horses"


def test_table_opened_later_has_the_words_of_its_sides(
    campaign: Campaign, alice: User, hers: Gang, theirs: Gang
) -> None:
    game = make_game(campaign, alice, hers, theirs)
    Side.objects.filter(game=game, gang=hers).update(word="mustang")
    table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
    assert dict(table.sides.values_list("gang", "word")) == {hers.pk: "mustang", theirs.pk: ""}


def test_same_form_draws_once(as_user: AsUser, table: Table, alice: User) -> None:
    client, address = as_user(alice), duel_address(table)
    data = fields(client.get(address).content.decode()) | {"how": "throw"}
    for _time in range(2):
        assert client.post(address.partition("?")[0], data).status_code == 302
    assert TableThrow.objects.count() == 1
    assert Table.objects.get(pk=table.pk).draws == 1


def test_phone_cannot_claim_a_throw_of_the_application(
    as_user: AsUser, table: Table, alice: User
) -> None:
    """Not by a push from a script, and not by a form."""
    client = as_user(alice)
    figure = people.start_of(table).figures[0].key
    tap = {"kind": "rolled", "roll": "jump", "by": figure, "faces": [[6, 6]], "thrown": True}
    row = {"device": str(uuid.uuid4()), "n": 1, "after": 0, "at": 1, "turn": 1}
    row |= {"act": str(uuid.uuid4()), "tap": tap}
    address = reverse("campaigns:table-taps", args=[table.pk])
    pushed = client.post(address, json.dumps([row]), content_type="application/json")
    assert pushed.json()["refused"] == {}
    form = {"taps": json.dumps([tap]), "token": uuid.uuid4(), "after": 0, "turn": 1}
    assert client.post(address, form).status_code == 302
    told = [one.tap for one in storage.log_of(table)]
    assert [(tap.thrown, tap.by_phone) for tap in told if isinstance(tap, taps.Rolled)] == [
        (False, True),
        (False, True),
    ]


@pytest.mark.long
def test_throws_of_a_post_game_are_shown_when_it_is_finished(
    as_user: AsUser, alice: User, bob: User, dora: User
) -> None:
    campaign = make_campaign(bob, POINTS)
    hers, theirs = make_player(campaign, alice), make_player(campaign, dora)
    out = Report(
        fielded=tuple(member.id for member in hers.roster.members),
        marks={member.id: "out" for member in hers.roster.members[1:]},
    )
    game = make_game(campaign, alice, hers, theirs)
    told = reported(game, alice, result="victory", reports={str(hers.pk): out})
    game = confirmed(told, dora)
    client, side = as_user(alice), side_of(game, hers)
    address = reverse("campaigns:postgame", args=[game.pk, side.pk])
    fingerprint = side.fingerprint(1)
    assert f'data-fingerprint="{fingerprint}"' in client.get(address).content.decode()
    version = side.draft_version
    answer = reverse("campaigns:postgame-answer", args=[game.pk, side.pk])
    assert client.post(answer, {"act": "throw-all", "seen": version}).status_code == 302
    thrown = Throw.objects.filter(side=side)
    assert thrown and set(thrown.values_list("seed", "number")) == {(1, 1)}
    assert for_browsers(page_of(client, game)) == []
    # A press of a stale button draws nothing.
    client.post(answer, {"act": "throw-all", "seen": version})
    assert Side.objects.get(pk=side.pk).draws == 1
    side = answered(side_of(game, hers))
    drafts.commit(
        side_of(game, hers),
        seen_draft=side_of(game, hers).draft_version,
        seen_gang=Gang.objects.get(pk=hers.pk).version,
        actor=alice,
    )
    page = page_of(client, game)
    assert prove(page) == [1]
    assert for_browsers(page)[0]["seed"] == side.seed(1)
    assert dice_of(side_of(game, hers)).seed == 2


def test_dice_before_a_game_use_the_seed_of_their_side(
    campaign: Campaign, alice: User, bob: User, hers: Gang, theirs: Gang
) -> None:
    game = make_game(campaign, alice, hers, theirs)
    scenario = next(row.key for row in campaign.book.scenario.values() if row.roles)
    Game.objects.filter(pk=game.pk).update(scenario=scenario)
    game = Game.objects.get(pk=game.pk)
    roll_for_roles(game, actor=bob, expected_version=game.version)
    drawn = Throw.objects.filter(game=game, key=ROLES_KEY).values_list("side", "seed", "number")
    sides = game.sides.order_by("pk")
    numbers = {
        side.pk: [(seed, number) for whose, seed, number in drawn if whose == side.pk]
        for side in sides
    }
    for side in sides:
        assert numbers[side.pk] == [(1, number) for number in range(1, side.draws + 1)]
        assert side.draws >= 1


def test_shown_command_reproduces_the_first_throw(
    as_user: AsUser, table: Table, alice: User
) -> None:
    client, game = as_user(alice), Game.objects.get(table=table)
    TableSide.objects.filter(table=table).update(word="it’s 'wild' $HOME")
    throw(client, table)
    end(client, table)
    page = page_of(client, game)
    found = re.search(r'<pre class="by-hand"[^>]*><code>(.*?)</code>', page, re.DOTALL)
    assert found
    told = subprocess.run(
        ["/bin/sh", "-c", html.unescape(found[1])], capture_output=True, text=True, check=True
    )
    digits = told.stdout.split()[-1]
    [[sides, face], *_others] = for_browsers(page)[0]["throws"][0]["dice"]
    assert int(digits[:8], 16) % sides + 1 == face


@pytest.mark.long
def test_spoiled_throw_breaks_no_page(as_user: AsUser, table: Table, alice: User) -> None:
    client, game = as_user(alice), Game.objects.get(table=table)
    throw(client, table)
    throw(client, table)
    end(client, table)
    for column, spoiled in (("dice", [[6]]), ("dice", "x"), ("words", {"a": []}), ("words", 7)):
        kept = list(TableThrow.objects.order_by("number").values_list("dice", "words"))[0]
        TableThrow.objects.filter(number=1).update(**{column: spoiled})
        page = page_of(client, game)
        assert [one["number"] for one in for_browsers(page)[0]["throws"]] == [2]
        TableThrow.objects.filter(number=1).update(dice=kept[0], words=kept[1])


@pytest.mark.long
def test_dice_that_something_spent_leaves_out_stay_in_the_check(
    as_user: AsUser, table: Table, alice: User
) -> None:
    """A luck die that ends the first of two attacks ends the roll before the dice of the second."""
    client = as_user(alice)
    throw(client, table)
    [logged] = [one for one in storage.log_of(table) if isinstance(one.tap, taps.Rolled)]
    less = taps.TAPS.validate_python(logged.tap.model_dump() | {"faces": ()})
    storage.say(table, alice, logged.device, [less], act=logged.act, after=9, turn=1, seen=1)
    end(client, table)
    assert prove(page_of(client, Game.objects.get(table=table))) == [1]


@pytest.mark.long
def test_throws_without_a_seed_are_listed_separately(
    as_user: AsUser, table: Table, alice: User
) -> None:
    client, game = as_user(alice), Game.objects.get(table=table)
    throw(client, table)
    TableThrow.objects.all().delete()
    assert "1 more roll cannot be checked" in page_of(client, game)


def words_of(page: str) -> str:
    """The readable text of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.unescape(page)))


@pytest.mark.long
def test_undone_roll_is_marked_on_every_page(
    as_user: AsUser, table: Table, alice: User, dora: User
) -> None:
    hers, game = as_user(alice), Game.objects.get(table=table)
    for _time in range(3):
        throw(hers, table)
    log = storage.log_of(table)
    first, second = TableThrow.objects.order_by("number").values_list("act", flat=True)[:2]
    address = reverse("campaigns:table-taps", args=[table.pk])

    def tell(client: Client, *told: taps.AnyTap) -> None:
        text = taps.TAPS_LIST.dump_json(told, exclude_none=True).decode()
        form = {"taps": text, "token": uuid.uuid4(), "after": 99, "turn": 2}
        assert client.post(address, form).status_code == 302

    for act in (first, second):
        tell(
            hers,
            *(taps.Struck(device=o.device, device_seq=o.device_seq) for o in log if o.act == act),
        )
    asked = storage.log_of(table)[len(log)].act
    tell(as_user(dora), taps.UndoAnswered(asked=asked, agreed=True))
    throw(hers, table)
    end(hers, table)
    page = page_of(hers, game)
    # An undone roll is checked like every other.
    assert prove(page) == [4]
    assert [one["taken_back"] for one in for_browsers(page)[0]["throws"]] == [1, 0, 0, 0]
    said = words_of(page)
    assert "1 roll that the site made was undone." in said and "alice · 1" in said
    assert said.count("undone by alice, then rolled again (turn 2, dora agreed)") == 1
    assert said.count("alice asked to undo it; nobody agreed, and it counts") == 1
    assert page.count("<del>") == 1


def test_page_reports_that_no_roll_was_undone(as_user: AsUser, table: Table, alice: User) -> None:
    client, game = as_user(alice), Game.objects.get(table=table)
    throw(client, table)
    end(client, table)
    page = page_of(client, game)
    assert "None of the rolls that the site made." in page and "<del>" not in page
    assert [one["taken_back"] for one in for_browsers(page)[0]["throws"]] == [0]


def test_repeated_scenario_roll_is_marked_and_cannot_be_checked(
    as_user: AsUser, campaign: Campaign, alice: User, bob: User, hers: Gang, theirs: Gang
) -> None:
    game, client = make_game(campaign, alice, hers, theirs), as_user(bob)
    for _time in range(2):
        game.refresh_from_db()
        data = {"seen": game.version, "played_on": game.played_on, "scenario": "roll"}
        address = reverse("campaigns:game-plan", args=[game.pk])
        assert client.post(address, data).status_code == 302
    page = page_of(client, game)
    said = words_of(page)
    assert re.search(r"undone by bob, then rolled again \(\d+ \w+, \d+:\d+\)", said)
    assert "1 roll that the site made was undone." in said and "bob · 1" in said
    assert "These dice are drawn from no seed" in said and page.count("<del>") == 1


def test_undone_roll_of_a_post_game_shows_its_replacement(
    campaign: Campaign, alice: User, bob: User, hers: Gang, theirs: Gang
) -> None:
    game = make_game(campaign, alice, hers, theirs)
    side = side_of(game, hers)

    def kept(key: str, by: str, why: str = "", *, is_gone: bool = False) -> Throw:
        roll = {"dice": "2d6", "faces": [1, 2], "thrown_by": by, "why": why}
        gone = {"taken_back_at": timezone.now(), "taken_back_by": bob} if is_gone else {}
        return Throw.objects.create(game=game, side=side, key=key, roll=roll, actor=alice, **gone)

    rows = [
        kept("a", "app", is_gone=True),
        kept("a", "table", "The table had fallen over.", is_gone=True),
        kept("b", "app", is_gone=True),
        kept("b", "app"),
        kept("c", "app", is_gone=True),
        kept("d", "table", is_gone=True),
    ]
    found = undone.find_throws(rows)
    assert [*found] == [rows[0].pk, rows[2].pk, rows[4].pk]
    assert [one.words.partition(" (")[0] for one in found.values()] == [
        "undone by bob, then overruled by an organiser",
        "undone by bob, then rolled again",
        "undone by bob",
    ]
    assert undone.summary(found.values()).by == (("bob", 3),)
