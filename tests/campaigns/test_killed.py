"""A process killed with SIGKILL during an act leaves every gang replayable and loses no answer.

The processes are real: they are forked from a warm one, open the database again, do one act with
the functions that a page calls, and die at a chosen moment. The test reads the result over a new
connection.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from campaigns.files import exporting
from campaigns.models import Campaign, Game, Side
from campaigns.postgames import drafts
from gangs.ledger.storage import read_entry
from tests.killing import acts
from tests.killing.facts import rows, told
from tests.killing.hands import Hands
from tests.killing.world import ORDERS, RESULT, Order, World, a_file
from tests.random_cases import SEED, cases

pytestmark = pytest.mark.django_db(transaction=True)

# Number of kills at arbitrary moments.
KILLS = cases(50, 500)
# Every moment of an act is tried; if an act has more queries than this, a random sample and all of
# the last moments are tried.
MOST_MOMENTS = 32
LAST_MOMENTS = 10


@pytest.fixture(scope="module")
def hands(django_db_setup: None) -> Iterator[Hands]:
    """Processes that may be killed."""
    with Hands() as found:
        yield found


@pytest.fixture
def world() -> World:
    return World()


def check_replay() -> None:
    """Assert that every gang's snapshot and history equal its entries."""
    said = StringIO()
    try:
        call_command("replay", stdout=said, stderr=said)
    except CommandError:
        pytest.fail(said.getvalue())


def everything() -> Any:
    return told(rows())


def campaigns() -> list[str]:
    """Return all campaigns as files, since imported campaigns have keys of their own."""
    return [
        exporting.export_campaign(each).decode()
        for each in Campaign.objects.order_by("imported_at")
    ]


@contextmanager
def counted() -> Iterator[list[str]]:
    """Collect the queries made meanwhile, counted like in a process to be killed."""
    expected_version: list[str] = []

    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "SAVEPOINT" not in sql:
            expected_version.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        yield expected_version


def undisturbed(order: Order, facts: Callable[[], Any]) -> tuple[Any, int]:
    """Return the facts after the undisturbed act and its number of queries; roll it back."""
    act, values = order
    with transaction.atomic():
        with counted() as expected_version:
            acts.ACTS[act](**values)
        wanted = facts()
        transaction.set_rollback(True)
    return wanted, len(expected_version)


def moments(count: int, dice: random.Random) -> Iterator[int]:
    """Yield the moments to kill at: first the chosen ones in order, then one by one."""
    early = range(1, max(1, count - LAST_MOMENTS))
    tried = MOST_MOMENTS - LAST_MOMENTS
    yield from early if len(early) <= tried else sorted(dice.sample(early, tried))
    # Each transaction of an import begins with a statement that was not counted.
    yield from range(early.stop, 2 * count + 20)


@pytest.mark.long
@pytest.mark.parametrize("bring", ORDERS, ids=lambda bring: bring.__name__)
def test_killed_act_is_complete_or_absent(
    bring: Callable[[World], Order], world: World, hands: Hands
) -> None:
    """The act is killed at its first query, its second, and so on, until it is done.

    Repeating it then changes nothing.
    """
    act, values = order = bring(world)
    # An import writes in many transactions, but nobody sees anything of it before the last.
    seen, facts = (campaigns, campaigns) if bring is a_file else (rows, everything)
    check_replay()
    before, unchanged = seen(), facts()
    wanted, count = undisturbed(order, facts)
    assert seen() == before
    assert wanted != unchanged
    tries = 0
    for moment in moments(count, random.Random(act)):
        attempt = hands.attempt(act, values, kill=moment)
        assert attempt.killed and not attempt.said
        tries += 1
        now = seen()
        # While no row has changed, every gang still replays as before.
        if now != before:
            break
    assert now != before, "the act was never done"
    assert tries > 3
    check_replay()
    assert facts() == wanted
    again = hands.attempt(act, values)
    assert not again.killed
    assert seen() == now


def check_kept(said: dict[str, Any]) -> None:
    """Assert that everything a process had acknowledged is stored."""
    if "game" in said:
        order = [Game.Status.PLANNED, Game.Status.REPORTED, Game.Status.CONFIRMED]
        status = Game.Status(Game.objects.get(pk=said["game"]).status)
        assert order.index(status) >= order.index(said["status"])
        return
    side = acts.side_of(said["side"])
    if said.get("committed"):
        assert drafts.is_done(side)
        return
    assert side.draft_version >= said["version"]
    now, then = side.answers.model_dump(mode="json"), said["answers"]
    assert then["rolls"].items() <= now["rolls"].items()
    assert now["done"][: len(then["done"])] == then["done"]
    assert then["choices"].items() <= now["choices"].items()
    for name in ("promotions", "recruits"):
        assert now[name][: len(then[name])] == then[name]


def check_throws(side: Side) -> dict[str, Any]:
    """Assert that exactly the throws of the draft are stored, once each; return them."""
    thrown = [(row.key, row.roll) for row in side.throws.all()]
    assert side.throws.exclude(taken_back_at=None).count() == 0
    assert len(thrown) == len(dict(thrown))
    assert dict(thrown) == side.answers.model_dump(mode="json")["rolls"]
    return dict(thrown)


def check_history(side: Side) -> None:
    """Assert that the gang's history has each step of the answered post-game once."""
    assert side.gang is not None
    written = side.gang.entries.filter(batch=side.batch).order_by("seq")
    assert [read_entry(entry) for entry in written] == list(drafts.load(side).playthrough.entries)
    assert side.gang.entries.filter(kind="played", data__game=str(side.game_id)).count() == 1


@pytest.mark.long
def test_no_throw_is_repeated_after_a_kill(world: World, hands: Hands) -> None:
    """A post-game with the app's dice is killed repeatedly, a moment later each time.

    The next process finds the earlier answers and throws.
    """
    world.confirm()
    side = world.side(0)
    rolls: dict[str, Any] = {}
    version = side.draft_version
    tries = 0
    while not drafts.is_done(side):
        tries += 1
        attempt = hands.attempt("play", {"side": side.pk}, kill=tries)
        check_replay()
        side = world.side(0)
        for said in attempt.said:
            check_kept(said)
        assert side.draft_version >= version
        now = check_throws(side)
        assert rolls.items() <= now.items()
        rolls, version = now, side.draft_version
    assert tries > 10 and len(rolls) > 1
    check_history(side)
    again = hands.attempt("play", {"side": side.pk})
    assert again.refused == "postgame_done"
    assert check_throws(world.side(0)) == rolls
    check_history(world.side(0))


@pytest.mark.long
@pytest.mark.random(cases=KILLS)
def test_season_survives_kills_at_any_moment(world: World, hands: Hands) -> None:
    """Plays games from the plan to both post-games; kills come at arbitrary moments.

    The next process continues where the last one died.
    """
    dice = random.Random(f"killed from outside {SEED}")
    values = {"campaign": str(world.campaign.pk), "result": RESULT}
    heard: list[dict[str, Any]] = []
    tries = 0
    finished = Game.objects.exclude(sides__in=Side.objects.undone())
    while len(heard) < KILLS or finished.count() < 2:
        tries += 1
        # Each try gets more time, so the test also ends on a busy machine.
        patience = dice.uniform(0.02, 0.5) * (1 + tries / 20)
        attempt = hands.attempt("season", values, after=patience)
        assert attempt.killed
        heard += attempt.said
        check_replay()
        for said in attempt.said:
            check_kept(said)
    for said in heard:
        if "answers" not in said:
            check_kept(said)
    sides = Side.objects.select_related("game__campaign", "gang")
    for side in sides.filter(game__status=Game.Status.CONFIRMED):
        check_throws(side)
        if drafts.is_done(side):
            check_history(side)
    # Each game counts for both gangs.
    for number in (0, 1):
        assert world.gang(number).roster.games >= finished.count()
