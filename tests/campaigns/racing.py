"""Races: two people, or two windows of one, press at the same moment."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from html import unescape
from typing import Any
from unittest.mock import patch

from django.contrib import messages
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.engine.captives import Terms
from campaigns.engine.report import Report
from campaigns.games.captives import bargains
from campaigns.models import Bargain, Game
from campaigns.postgames import drafts
from campaigns.season.loading import load_season
from campaigns.statistics.standings import season_rows, standings
from common.errors import Refusal, Stale
from gangs.engine.entries import Earned, Entry, Suffered
from gangs.ledger import writer
from gangs.models import Gang
from tests.world.campaigns import (
    answered,
    confirmed,
    make_campaign,
    make_game,
    make_player,
    reported,
    side_of,
)

PEOPLE = "au-un-pour-un"
VICTORY = "victory"

# A press, and its answer: the status, and the page or the message.
Press = Callable[[], Any]
Read = tuple[int, str]


def race(*acts: Press, in_step: bool = False) -> list[Read]:
    """Run all presses at the same time, each in a thread; return their answers in order.

    ``in_step``: the first transaction begins when all have read what they read before theirs, and
    so does the second. Not for presses that wait for one another outside of transactions.
    """
    start, steps = threading.Barrier(len(acts)), _Steps(len(acts))

    def run(act: Press) -> Read:
        try:
            start.wait(120)
            with steps.taking():
                answer = act()
            if isinstance(answer, tuple):
                return answer[0], answer[1]
            return answer.status_code, unescape(answer.content.decode()) + _flashed(answer)
        finally:
            connection.close()

    begins = partial(steps.begin, transaction.Atomic.__enter__)
    together = patch.object(transaction.Atomic, "__enter__", lambda block: begins(block))
    with together if in_step else nullcontext(), ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


class _Steps:
    """Lets threads begin each of their transactions together. A thread that has ended, or that
    waits for a lock in a transaction, keeps nobody waiting for longer than its lock."""

    def __init__(self, walkers: int) -> None:
        self._walkers, self._waiting, self._step = walkers, 0, 0
        self._changed, self._thread = threading.Condition(), threading.local()

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Keep this thread in step with the others."""
        self._thread.walks = True
        try:
            yield
        finally:
            with self._changed:
                self._walkers -= 1
                self._go_on()

    def begin(self, enter: Callable[[transaction.Atomic], None], block: transaction.Atomic) -> None:
        """Begin a transaction, or a block in one."""
        walks = getattr(self._thread, "walks", False)
        if walks and not connection.in_atomic_block:
            self._wait()
        enter(block)

    def _wait(self) -> None:
        with self._changed:
            step = self._step
            self._waiting += 1
            self._go_on()
            assert self._changed.wait_for(lambda: self._step > step, 120)

    def _go_on(self) -> None:
        if self._waiting >= self._walkers:
            self._waiting, self._step = 0, self._step + 1
            self._changed.notify_all()


def carrying_out(act: Callable[[], object]) -> Press:
    """Return the press of a button whose page does nothing but ``act``; its answer is the status,
    and the code of a refusal."""

    def press() -> Read:
        try:
            act()
        except Refusal as refusal:
            return 422, refusal.code
        except Stale:
            return 409, "stale"
        return 302, ""

    return press


def _flashed(answer: Any) -> str:
    """Return the messages that the next page would show."""
    return " ".join(str(one) for one in messages.get_messages(answer.wsgi_request))


def both(*acts: Callable[[], None]) -> None:
    """Run these functions at the same time, each in a thread; raise any error."""

    def run(act: Callable[[], None]) -> None:
        try:
            act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        for future in [pool.submit(run, act) for act in acts]:
            future.result()


def told(answers: list[Read], *statuses: int) -> str:
    """Assert these statuses in any order; return the text of the last answer."""
    assert sorted(status for status, _ in answers) == sorted(statuses)
    return max(answers)[1]


def fresh(game: Game) -> Game:
    """Return the game as it is stored now."""
    return Game.objects.select_related("campaign").get(pk=game.pk)


class Evening:
    """A campaign of alice's and dora's gangs, run by bob; each has a browser open."""

    def __init__(self, slug: str = PEOPLE) -> None:
        people = ("bob", "alice", "dora", "charlie")
        users = {name: User.objects.create_user(name, f"{name}@example.org") for name in people}
        self.bob, self.alice, self.dora, self.charlie = users.values()
        self.campaign = make_campaign(self.bob, slug)
        self.hers = make_player(self.campaign, self.alice)
        self.theirs = make_player(self.campaign, self.dora)

    def browser(self, user: User) -> Client:
        """Return another browser window of this user."""
        client = Client()
        client.force_login(user)
        return client

    def post(self, user: User, name: str, *args: object, **data: object) -> Press:
        """Return the press of a button, to be called later."""
        client, address = self.browser(user), reverse(f"campaigns:{name}", args=args)
        return lambda: client.post(address, data)

    def game(self, *, by: User | None = None, marks: dict[int, str] | None = None) -> Game:
        """Return a game that alice won and reported; ``marks``: marks of her members by place."""
        ids = [member.id for member in self.gang(self.hers).roster.members]
        report = Report(
            fielded=tuple(ids), marks={ids[at]: how for at, how in (marks or {}).items()}
        )
        game = make_game(self.campaign, self.alice, self.gang(self.hers), self.gang(self.theirs))
        return reported(game, by or self.alice, result=VICTORY, reports={str(self.hers.pk): report})

    def confirmed(self, **options: Any) -> Game:
        """Return the same game after dora agreed."""
        return confirmed(self.game(**options), self.dora)

    def settle(self, game: Game, *gangs: Gang) -> None:
        """Commit the post-games of these gangs, by default of both."""
        for gang in gangs or (self.hers, self.theirs):
            side = answered(side_of(game, gang))
            actor = self.alice if gang == self.hers else self.dora
            expected_version = self.gang(gang).version
            drafts.commit(
                side, seen_draft=side.draft_version, seen_gang=expected_version, actor=actor
            )

    def committing(self, game: Game, gang: Gang) -> Press:
        """Answer a post-game; return the press of its last button."""
        side = answered(side_of(game, gang))
        owner = self.alice if gang == self.hers else self.dora
        data = {"seen": side.draft_version, "seen_gang": self.gang(gang).version}
        return self.post(owner, "postgame-commit", game.pk, side.pk, **data)

    def striking(self, game: Game, user: User) -> Press:
        """Return the press of the last button that strikes a game."""
        versions = {f"seen-{gang.pk}": self.gang(gang).version for gang in (self.hers, self.theirs)}
        data = {"seen": fresh(game).version, "reason": "It was another game.", **versions}
        return self.post(user, "game-strike", game.pk, **data)

    def correcting(self, gang: Gang) -> Press:
        """Return the press by which the organiser strikes the gang's last batch."""
        now, client = self.gang(gang), self.browser(self.bob)
        last = now.entries.live().order_by("place", "seq").last()
        assert last is not None
        data = {"version": now.version, "strike": last.seq, "sure": "1", "reason": "By mistake."}
        address = reverse("gangs:correct", args=[gang.pk])
        return lambda: client.post(address, data)

    def offer(self) -> Bargain:
        """Return an open offer: alice's gang offers eight for a captive member."""
        game = self.confirmed()
        self.settle(game)
        for gang in (self.hers, self.theirs):
            self.give(gang, Earned(amount=50, why="gift"))
        member = self.gang(self.hers).roster.members[0].id
        now = self.gang(self.hers)
        taken = [Suffered(member=member, condition="captured", captors=(str(self.theirs.pk),))]
        batch = side_of(game, self.hers).batch
        writer.append(now, taken, expected_version=now.version, actor=None, batch=batch)
        self.give(self.hers, Earned(amount=1, why="gift"))
        return bargains.offer(
            self.campaign,
            self.gang(self.hers),
            self.gang(self.theirs),
            Terms(frees=(("giver", member),), ransom=8, payer="giver"),
            note="",
            actor=self.alice,
            token=uuid.uuid4(),
        )

    def answering(self, bargain: Bargain, user: User, act: str) -> Press:
        """Return the press that answers an offer."""
        giver, taker = (self.gang(gang).version for gang in (self.hers, self.theirs))
        data = {"act": act, "seen_giver": giver, "seen_taker": taker}
        return self.post(user, "bargain-answer", self.campaign.pk, bargain.pk, **data)

    @staticmethod
    def gang(gang: Gang) -> Gang:
        """Return the gang as it is stored now."""
        return Gang.objects.get(pk=gang.pk)

    def give(self, gang: Gang, *entries: Entry) -> None:
        """Add entries to a gang after its post-game."""
        now = self.gang(gang)
        writer.append(now, entries, expected_version=now.version, actor=None)

    def check(self) -> None:
        """Assert that every gang equals its entries, and that only unstruck games count."""
        for gang in Gang.objects.all():
            assert writer.replay_roster(gang) == gang.roster
            for side in gang.sides.with_standing().select_related("game"):
                assert side.done == (str(side.game_id) in gang.roster.played)
                assert side.game.status == "confirmed" or not side.done

    def wins(self) -> list[int]:
        """Return the number of wins of each gang in the standings."""
        season = load_season(self.campaign.pk).season
        rows = standings(season.book, season_rows(season))
        return sorted(row.won for row in rows)
