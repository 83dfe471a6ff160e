"""A process killed with SIGKILL in the middle of what it does leaves every gang replayable, and
loses nothing that was answered.

The processes are real: they are forked from a warm one, open the database again, do one act by the
functions that a page calls, and die at a chosen moment. What they left is looked at over a new
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

# A process is killed so often, whatever it is doing.
KILLS = cases(50, 500)
# Every moment of an act is tried; of one that sees the database more often, so many at random, and
# all of the last ones.
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
    """Every gang's snapshot and story are what its entries say."""
    said = StringIO()
    try:
        call_command("replay", stdout=said, stderr=said)
    except CommandError:
        pytest.fail(said.getvalue())


def everything() -> Any:
    return told(rows())


def campaigns() -> list[str]:
    """All campaigns as files: those that came in from a file have keys all of their own."""
    return [
        exporting.export_campaign(each).decode()
        for each in Campaign.objects.order_by("imported_at")
    ]


@contextmanager
def counted() -> Iterator[list[str]]:
    """What is asked of the database meanwhile, as a process that is to be killed would count it."""
    expected_version: list[str] = []

    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "SAVEPOINT" not in sql:
            expected_version.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        yield expected_version


def undisturbed(order: Order, facts: Callable[[], Any]) -> tuple[Any, int]:
    """What there is after the act, if nothing happens to it, and how often it sees the database.
    Nothing is written."""
    act, values = order
    with transaction.atomic():
        with counted() as expected_version:
            acts.ACTS[act](**values)
        wanted = facts()
        transaction.set_rollback(True)
    return wanted, len(expected_version)


def moments(count: int, dice: random.Random) -> Iterator[int]:
    """When to kill: first those that are chosen, in order, and then one by one."""
    early = range(1, max(1, count - LAST_MOMENTS))
    tried = MOST_MOMENTS - LAST_MOMENTS
    yield from early if len(early) <= tried else sorted(dice.sample(early, tried))
    # Each transaction of an import begins with a statement that was not counted.
    yield from range(early.stop, 2 * count + 20)


@pytest.mark.long
@pytest.mark.parametrize("bring", ORDERS, ids=lambda bring: bring.__name__)
def test_an_act_is_wholly_there_or_not_at_all(
    bring: Callable[[World], Order], world: World, hands: Hands
) -> None:
    """Killed at its first sight of the database, its second, and so on, until it is done. And once
    more then: that changes nothing."""
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
        # As long as every row is what it was, every gang replays as it did.
        if now != before:
            break
    assert now != before, "killed at every moment, it was never done"
    assert tries > 3
    check_replay()
    assert facts() == wanted
    again = hands.attempt(act, values)
    assert not again.killed
    assert seen() == now


def kept(said: dict[str, Any]) -> None:
    """What a process had acknowledged is there."""
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


def thrown_once(side: Side) -> dict[str, Any]:
    """Every throw of the draft is kept, once, and no other was ever made. The throws."""
    thrown = [(row.key, row.roll) for row in side.throws.all()]
    assert side.throws.exclude(taken_back_at=None).count() == 0
    assert len(thrown) == len(dict(thrown))
    assert dict(thrown) == side.answers.model_dump(mode="json")["rolls"]
    return dict(thrown)


def written_once(side: Side) -> None:
    """The post-game in the gang's history is what its answers bring about, each step once."""
    assert side.gang is not None
    written = side.gang.entries.filter(batch=side.batch).order_by("seq")
    assert [read_entry(entry) for entry in written] == list(drafts.load(side).playthrough.entries)
    assert side.gang.entries.filter(kind="played", data__game=str(side.game_id)).count() == 1


@pytest.mark.long
def test_no_throw_is_made_again(world: World, hands: Hands) -> None:
    """A post-game with the application's own dice, killed again and again, a moment later each
    time: whoever goes on finds what was answered, and what was thrown."""
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
            kept(said)
        assert side.draft_version >= version
        now = thrown_once(side)
        assert rolls.items() <= now.items()
        rolls, version = now, side.draft_version
    assert tries > 10 and len(rolls) > 1
    written_once(side)
    again = hands.attempt("play", {"side": side.pk})
    assert again.refused == "postgame_done"
    assert thrown_once(world.side(0)) == rolls
    written_once(world.side(0))


@pytest.mark.long
@pytest.mark.random(cases=KILLS)
def test_killed_from_outside(world: World, hands: Hands) -> None:
    """Game after game, from the plan to both post-games, and every now and then the process is
    killed, whatever it is doing. The next one goes on from there."""
    dice = random.Random(f"killed from outside {SEED}")
    values = {"campaign": str(world.campaign.pk), "result": RESULT}
    heard: list[dict[str, Any]] = []
    tries = 0
    finished = Game.objects.exclude(sides__in=Side.objects.undone())
    while len(heard) < KILLS or finished.count() < 2:
        tries += 1
        # A busy machine is given more time, try by try, so that this ends on every one.
        patience = dice.uniform(0.02, 0.5) * (1 + tries / 20)
        attempt = hands.attempt("season", values, after=patience)
        assert attempt.killed
        heard += attempt.said
        check_replay()
        for said in attempt.said:
            kept(said)
    for said in heard:
        if "answers" not in said:
            kept(said)
    sides = Side.objects.select_related("game__campaign", "gang")
    for side in sides.filter(game__status=Game.Status.CONFIRMED):
        thrown_once(side)
        if drafts.is_done(side):
            written_once(side)
    # A game counts for both gangs.
    for number in (0, 1):
        assert world.gang(number).roster.games >= finished.count()
