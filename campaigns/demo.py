"""The demo: two players, a gang each per game, and a campaign with one finished night.

Everything goes through the functions that a user's clicks reach, so the demo cannot show what the
site cannot do.
"""

from __future__ import annotations

import random
import uuid
from functools import partial

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from campaigns import aftermath, answering, joining, results
from campaigns.models import Campaign, Game, Side
from campaigns.results import ROLL, Told, choose_scenario
from campaigns.situation import TAKEN_OUT, Answers, Report
from campaigns.steps import Playthrough, StepState
from gangs import acts, ledger
from gangs.models import Gang
from rules.dice import Thrower
from rules.library import newest_books

PLAYERS = ("alice", "bob")
CAMPAIGN = "Demo"
MOST_ANSWERS = 100


def exists() -> bool:
    """Whether the demo has been played in already."""
    return User.objects.filter(username__in=PLAYERS).exists()


@transaction.atomic
def play_in(password: str) -> None:
    """Make the demo's players, gangs and campaign."""
    users = [User.objects.create_user(name, password=password) for name in PLAYERS]
    first: list[Gang] = []
    for version, book in newest_books():
        gangs = [
            ledger.found(version, acts.found_from_sample(book, sample), owner=user)
            for user, sample in zip(users, book.samples, strict=False)
        ]
        first = first or gangs
    if len(first) == len(users):
        _campaign(users, first)


def _campaign(users: list[User], gangs: list[Gang]) -> None:
    organiser = users[0]
    book = gangs[0].book
    campaign = joining.start(
        name=CAMPAIGN,
        version=gangs[0].book_version,
        settings=book.default_settings(),
        notes="",
        organiser=organiser,
        token=uuid.uuid4(),
    )
    for user, gang in zip(users, gangs, strict=True):
        joining.join(campaign, gang, actor=user, seen=gang.version)
    game = _night(campaign, gangs, organiser)
    for other in users[1:]:
        results.confirm(game, actor=other, seen=game.version)
        game.refresh_from_db()
    for side in Side.objects.filter(game=game).select_related("game__campaign", "gang"):
        _aftermath(side)


def _night(campaign: Campaign, gangs: list[Gang], organiser: User) -> Game:
    """A game of which the first gang won; each lost somebody who is not its leader."""
    book = gangs[0].book
    scenario, roll = choose_scenario(book, ROLL, "")
    if roll is None:
        scenario = book.scenarios[0].key if book.scenarios else ""
    game = results.plan(
        campaign,
        gangs,
        played_on=timezone.localdate(),
        scenario=scenario,
        roll=roll,
        actor=organiser,
        token=uuid.uuid4(),
    )
    decided = [row for row in book.campaign.results if row.kind == "decided"]
    fallen = book.campaign.marks[0] if book.campaign.marks else None
    told = {}
    for side in game.sides.select_related("gang"):
        assert side.gang is not None
        members = side.gang.roster.members
        report = Report(
            fielded=tuple(member.id for member in members),
            marks={members[-1].id: fallen.key} if fallen else {},
            counts={TAKEN_OUT: {members[0].id: 1}},
        )
        told[side.pk] = Told("winner" if side.gang.pk == gangs[0].pk else "loser", report)
    results.report(
        game,
        told,
        result=decided[0].key,
        played_on=game.played_on,
        note="",
        actor=organiser,
        seen=game.version,
    )
    game.refresh_from_db()
    return game


def _aftermath(side: Side) -> None:
    """Play the side's post-game: roll what is to be rolled, buy nothing."""
    thrower = random.Random(side.name)  # the same demo every time

    def fair(sides: int) -> int:
        return thrower.randint(1, sides)

    for _ in range(MOST_ANSWERS):
        state = aftermath.played(side).current
        if state is None:
            break
        aftermath.answer(side, partial(_next_answer, state, fair), seen=side.draft_version)
    gang = aftermath.gang_of(side)
    owner = gang.owner
    assert owner is not None
    aftermath.commit(side, seen_draft=side.draft_version, seen_gang=gang.version, actor=owner)


def _next_answer(
    state: StepState, fair: Thrower, through: Playthrough, answers: Answers
) -> Answers:
    """What a player in a hurry answers: he rolls everything, frees nobody and buys nothing."""
    if state.waiting:
        return answering.roll_all(through, answers, state.step.key, fair)
    for captive in state.captives:
        if captive.decided is None:
            return answering.decide_captive(through, answers, captive.member.id, "stay")
    return answering.finish(through, answers, state.step.key)
