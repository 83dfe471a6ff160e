"""The demo: two players, a gang each per game, and for every game a campaign with one night played.

Everything goes through the functions that a user's clicks reach, so the demo cannot show what the
site cannot do.
"""

from __future__ import annotations

import random
import uuid
from functools import partial

from django.db import transaction
from django.utils import timezone

from accounts import notices
from accounts.models import User
from campaigns import aftermath, answering, joining, planning, results
from campaigns.models import Campaign, Game, Side
from campaigns.planning import ROLL, choose_scenario
from campaigns.results import Told
from campaigns.situation import TAKEN_OUT, Answers, Report, marks, tallies
from campaigns.situation import results as results_of
from campaigns.steps import Playthrough, StepState
from gangs import acts, ledger
from gangs.findings import findings
from gangs.fold import fold
from gangs.models import Gang
from rules.book import Book, Sample
from rules.dice import Thrower
from rules.library import newest_books
from rules.models import BookVersion

PLAYERS = ("alice", "bob")
MOST_ANSWERS = 100


def exists() -> bool:
    """Whether the demo has been played in already."""
    return User.objects.filter(username__in=PLAYERS).exists()


@transaction.atomic
def play_in(password: str) -> None:
    """Make the demo's players, and of every game their gangs and a campaign."""
    users = [User.objects.create_user(name, password=password) for name in PLAYERS]
    for version, book in newest_books():
        gangs = [
            ledger.found(version, acts.found_from_sample(book, sample), owner=user)
            for user, sample in zip(users, _samples(book), strict=False)
        ]
        if len(gangs) == len(users) and _result(book) is not None:
            _campaign(version, book, users, gangs)


def _samples(book: Book) -> list[Sample]:
    """The rulebook's ready-made gangs, those first that are legal under its usual options."""
    usual = book.campaign_settings(book.default_settings())

    def errors(sample: Sample) -> int:
        roster = fold(book, enumerate(acts.found_from_sample(book, sample), start=1))
        roster = roster.model_copy(update={"settings": roster.settings | usual})
        return sum(finding.severity == "error" for finding in findings(book, roster))

    return sorted(book.samples, key=errors)


def _result(book: Book) -> str | None:
    """A way to end a game that somebody wins."""
    rows = results_of(book, book.default_settings()).values()
    return next((row.key for row in rows if row.kind == "decided"), None)


def _campaign(version: BookVersion, book: Book, users: list[User], gangs: list[Gang]) -> None:
    organiser = users[0]
    campaign = joining.start(
        name=f"{book.name.fr} (demo)",
        version=version,
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
    for user in users:
        # Everything that they were told of is done.
        notices.read(user)


def _night(campaign: Campaign, gangs: list[Gang], organiser: User) -> Game:
    """A game of which the first gang won; each lost somebody who is not its leader."""
    book = campaign.book
    scenario, roll = choose_scenario(book, ROLL, "")
    if roll is None:
        scenario = book.scenarios[0].key if book.scenarios else ""
    game = planning.plan(
        campaign,
        gangs,
        played_on=timezone.localdate(),
        scenario=scenario,
        roll=roll,
        actor=organiser,
        token=uuid.uuid4(),
    )
    told = {}
    for side in game.sides.select_related("gang"):
        assert side.gang is not None
        report = _report(book, campaign, [member.id for member in side.gang.roster.members])
        told[side.pk] = Told("winner" if side.gang.pk == gangs[0].pk else "loser", report)
    results.report(
        game,
        told,
        result=_result(book) or "",
        played_on=game.played_on,
        note="",
        actor=organiser,
        seen=game.version,
    )
    game.refresh_from_db()
    return game


def _report(book: Book, campaign: Campaign, members: list[int]) -> Report:
    """All were there; the first member put one of the lowest sort out, the last one fell."""
    fallen = next(iter(marks(book, campaign.settings)), None)
    sorts = [row.key for row in tallies(book, campaign.settings, "member") if row.takes_out]
    counts = {key: {members[0]: 1} for key in [*sorts[-1:], TAKEN_OUT]}
    return Report(
        fielded=tuple(members),
        marks={members[-1]: fallen} if fallen else {},
        counts=counts,
        tallies={row.key: 1 for row in tallies(book, campaign.settings, "gang")[-1:]},
    )


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
    """What a player in a hurry answers: he rolls everything, takes the first of what he may have,
    frees nobody and buys nothing."""
    if state.waiting:
        return answering.roll_all(through, answers, state.step.key, fair)
    for question in state.questions:
        if question.chosen is None:
            free = [place for place, refusal in enumerate(question.refusals) if refusal is None]
            # The last is what there is to choose if one cannot, or will not, pay.
            return answering.choose(through, answers, question.key, free[-1])
    for advance in state.advances:
        if advance.chosen is None:
            first = next(offer.row.key for offer in advance.offers if offer.refusal is None)
            return answering.take_advance(through, answers, advance.key, first)
    for vacancy in state.vacancies:
        if vacancy.chosen is None:
            heir = vacancy.candidates[0].id
            return answering.succeed(through, answers, vacancy.succession.key, heir)
    for captive in state.captives:
        if captive.decided is None:
            return answering.decide_captive(through, answers, captive.member.id, "stay")
    for rise in state.rises:
        if rise.must and rise.candidates and rise.refusal is None:
            how = "sent_away" if rise.rivals else ""
            key = rise.promotion.key
            return answering.promote(through, answers, key, rise.candidates[0].id, how)
    return answering.finish(through, answers, state.step.key)
