"""The demo: a small club that plays every game. Each campaign has three nights behind it, another
to come, a captive to bargain about where the game has such a thing, stories, and faces.

Everything goes through the functions that a user's clicks reach, so the demo cannot show what the
site cannot do. Only the clock is turned back afterwards: what is played within a second here was
written down weeks ago.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from accounts import notices
from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.club.people import joining
from campaigns.club.planning import plans
from campaigns.club.planning.plans import ROLL, Plan, choose_scenario
from campaigns.demo import drawings, player, tales
from campaigns.engine.captives import Terms, captive_steps
from campaigns.engine.claims import Account
from campaigns.engine.pairing import propose
from campaigns.games import game_story, results
from campaigns.games.captives import bargains
from campaigns.models import (
    Attendance,
    Campaign,
    Claim,
    Game,
    Membership,
    Night,
    Participant,
    Side,
    Throw,
)
from campaigns.postgames import drafts
from campaigns.postgames.base import gang_of
from gangs.engine import actions
from gangs.engine.entries import Entry, Named, Renamed
from gangs.engine.fold import fold
from gangs.engine.validation import findings
from gangs.ledger import timelines, writer
from gangs.models import Gang, StoredEntry
from gangs.pictures import storage as pictures_storage
from gangs.pictures.faces import COLOURS, colour_of
from rules.book.model import Book, Sample
from rules.library import newest_books
from rules.models import BookVersion

PLAYERS = ("alice", "bob", "charlie", "dora")
# Families for those whose ready-made gang somebody else has taken: what the gang is called, and its
# members' last name.
FAMILIES = {"charlie": ("Vasseur & Daughters", "Vasseur"), "dora": ("The Holt Cousins", "Holt")}
# Who meets whom, night by night; the first of each two wins.
NIGHTS = (((0, 1), (2, 3)), ((2, 0), (3, 1)), ((0, 3), (1, 2)))
WEEK = timedelta(weeks=1)
PLACE = "The back room"
# The stories of each night, game by game.
TALES: tuple[tuple[Sequence[str], ...], ...] = (
    (tales.FIRST,),
    (tales.SECOND,),
    (tales.THIRD, tales.LAST),
)
# How many of a gang have a portrait; the others, and the gang of the last player, show what those
# look like who have none.
PORTRAITS = 3


def exists() -> bool:
    """Whether the demo has been played in already."""
    return players().exists()


def players() -> QuerySet[User]:
    """Those who play in it."""
    return User.objects.filter(username__in=PLAYERS).order_by("pk")


def campaigns() -> QuerySet[Campaign]:
    """The campaigns of the demo."""
    return Campaign.objects.organised_by(players()[0]).order_by("created_at")


@transaction.atomic
def play_in(password: str) -> None:
    """Make the demo's players, and of every game their gangs and a campaign."""
    users = [User.objects.create_user(name, password=password) for name in PLAYERS]
    club_campaigns = []
    numbers = count()
    for version, book in newest_books():
        gangs = [_gang(version, book, place, user) for place, user in enumerate(users)]
        # Not those of the last player.
        for gang, number in zip(gangs[:-1], numbers, strict=False):
            if gang is not None:
                _put_up_pictures(gang, number)
        if _result(book) is not None and all(gangs):
            club_campaigns.append(_club(version, book, [gang for gang in gangs if gang]))
    _time_passes(club_campaigns, timedelta(days=1))
    for number, pairs in enumerate(NIGHTS):
        for campaign in club_campaigns:
            _night(campaign, club_campaigns.index(campaign), number, pairs)
        _time_passes(club_campaigns, WEEK)
    for campaign in club_campaigns:
        for gang in _gangs(campaign):
            # Stories know when things happened.
            timelines.keep(gang, gang.roster)
        _next_night(campaign)
    for user in users:
        # Everything that they had a notice of so far is done.
        notices.mark_read(user)
    for campaign in club_campaigns:
        _offer(campaign)


def _gang(version: BookVersion, book: Book, place: int, owner: User) -> Gang | None:
    """A ready-made gang for one of the players; None if the rulebook has none. One that
    somebody else has, too, gets another name."""
    samples = _samples(book)
    if not samples:
        return None
    sample = samples[place % min(2, len(samples))]
    gang = writer.found(version, actions.found_from_sample(book, sample), owner=owner)
    if owner.username in FAMILIES:
        name, family = FAMILIES[owner.username]
        renamed: list[Entry] = [Renamed(name=name)]
        for first, member in zip(player.FIRST_NAMES, gang.roster.members, strict=False):
            renamed.append(Named(member=member.id, name=f"{first} {family}"))
        writer.append(gang, renamed, expected_version=gang.version, actor=owner)
    return gang


def _put_up_pictures(gang: Gang, number: int) -> None:
    """A badge, and portraits of the first. ``number``: which of the demo's gangs it is."""
    colour = COLOURS[colour_of(str(gang.pk))]
    pictures_storage.keep(gang, None, drawings.badge(number, colour))
    dice = random.Random(number)  # the same faces every time
    for member in gang.roster.members[:PORTRAITS]:
        pictures_storage.keep(gang, member.id, drawings.portrait(colour, dice))


def _samples(book: Book) -> list[Sample]:
    """The rulebook's ready-made gangs, those first that are legal under its usual options."""
    usual = book.campaign_settings(book.default_settings())

    def errors(sample: Sample) -> int:
        roster = fold(book, enumerate(actions.found_from_sample(book, sample), start=1))
        roster = roster.model_copy(update={"settings": roster.settings | usual})
        return sum(finding.severity == "error" for finding in findings(book, roster))

    return sorted(book.samples, key=errors)


def _result(book: Book) -> str | None:
    """A way to end a game that somebody wins."""
    return next((row.key for row in book.usual.results if row.kind == "decided"), None)


def _club(version: BookVersion, book: Book, gangs: Sequence[Gang]) -> Campaign:
    """A campaign that the first player runs, with everybody's gang in it."""
    campaign = joining.start(
        name=f"{book.name.fr} (demo)",
        version=version,
        settings=book.default_settings(),
        notes="",
        organiser=_owner(gangs[0]),
        token=uuid.uuid4(),
    )
    for gang in gangs:
        joining.join(campaign, gang, actor=_owner(gang), expected_version=gang.version)
    return campaign


def _gangs(campaign: Campaign) -> list[Gang]:
    """The gangs of a campaign as they are now, in the order in which they joined."""
    gangs = Gang.objects.filter(memberships__campaign=campaign).select_related("owner")
    return list(gangs.order_by("memberships__joined_at"))


def _owner(gang: Gang) -> User:
    assert gang.owner is not None
    return gang.owner


def _evening(days: int) -> datetime:
    """Half past seven, so many days from now."""
    evening = timezone.localtime().replace(hour=19, minute=30, second=0, microsecond=0)
    return evening + timedelta(days=days)


def _meet(campaign: Campaign, starts_at: datetime) -> Night:
    """A night to which everybody comes."""
    night = schedule.arrange(
        campaign, starts_at=starts_at, place=PLACE, note="", token=uuid.uuid4(), actor=players()[0]
    )
    for gang in _gangs(campaign):
        schedule.answer(night, gang, "yes", actor=_owner(gang))
    return night


def _night(campaign: Campaign, place: int, number: int, pairs: Sequence[tuple[int, int]]) -> None:
    """One of the nights behind us: its games, and everybody's post-game. ``place``: of the campaign
    among those of the demo, each of which has stories of its own."""
    # By the end of the last one, somebody is a prisoner.
    is_last = number == len(NIGHTS) - 1
    starts_at = _evening(-7 * (len(NIGHTS) - number))
    night = _meet(campaign, starts_at)
    for at, pair in enumerate(pairs):
        gangs = _gangs(campaign)
        note = tales.NOTES[place % len(tales.NOTES)] if number == at == 1 else ""
        game = _game(night, [gangs[number] for number in pair], note)
        sides = list(game.sides.order_by("pk").select_related("game__campaign", "gang__owner"))
        if at < len(TALES[number]):
            tale = tales.tell_tale(place, TALES[number][at], *sides)
            game_story.save_tale(sides[0], tale, expected_version=game_story.fingerprint(""))
        for side in sides:
            _aftermath(side, captive=is_last and not bargains.prisoners(campaign))


def _game(night: Night, gangs: Sequence[Gang], note: str) -> Game:
    """A game that the first gang won: planned, claimed by its player, agreed to by the other.
    ``note``: what will be remembered of it."""
    campaign, book = night.campaign, night.campaign.book
    first, second = map(_owner, gangs)
    scenario, roll = choose_scenario(campaign.rules, ROLL)
    game = plans.plan(
        campaign,
        gangs,
        Plan(schedule.day_of(night), night, scenario, roll),
        actor=first,
        token=uuid.uuid4(),
    )
    results.report(
        game,
        Account(
            result=_result(book) or "",
            played_on=game.played_on,
            sides=player.accounts(campaign.rules, list(game.sides.select_related("gang"))),
            note=note,
        ),
        actor=first,
        expected_version=game.version,
    )
    results.confirm(game, actor=second, expected_version=game.version)
    game.refresh_from_db()
    return game


def _aftermath(side: Side, *, captive: bool) -> None:
    """Play the side's post-game in a hurry. ``captive``: somebody is taken prisoner, if the game
    knows such a thing."""
    campaign, gang = side.game.campaign, gang_of(side)
    captivity = set(captive_steps(campaign.rules)) if captive else set()
    dice = random.Random(f"{gang} {gang.roster.games}")  # the same demo every time
    postgame = drafts.load(side)
    for _ in range(player.MOST_ANSWERS):
        state = postgame.playthrough.current
        if state is None:
            break
        postgame = drafts.answer(
            postgame,
            partial(player.next_answer, state, dice, captivity),
            expected_version=side.draft_version,
            actor=_owner(gang),
        )
    drafts.commit(side, seen_draft=side.draft_version, seen_gang=gang.version, actor=_owner(gang))


def _next_night(campaign: Campaign) -> None:
    """The night to come: one pair is planned, though one of the two is no longer sure; the other
    pair waits to be proposed."""
    night = _meet(campaign, _evening(5))
    gangs = {str(gang.pk): gang for gang in _gangs(campaign)}
    proposal = propose(
        schedule.candidates(night, list(gangs.values())), schedule.meetings(campaign), "meetings"
    )
    pair = [gangs[key] for key in proposal.pairs[0].gangs]
    plans.plan_pairs(night, [pair], actor=players()[0], token=uuid.uuid4())
    schedule.answer(night, pair[-1], "maybe", actor=_owner(pair[-1]))


def _offer(campaign: Campaign) -> None:
    """The gangs that miss somebody offer a ransom for them, and wait for the answer."""
    for prisoner in bargains.prisoners(campaign):
        gang, owner = prisoner.gang, prisoner.gang.owner
        price = prisoner.captive.price
        ransom = min(5, gang.roster.treasury) if price is None else price
        if owner is None or not prisoner.captors or ransom > gang.roster.treasury:
            continue
        bargains.offer(
            campaign,
            gang,
            prisoner.captors[0],
            Terms(
                frees=(("giver", prisoner.captive.member.id),),
                ransom=ransom,
                payer="giver" if ransom else None,
            ),
            note="He snores. You will be glad.",
            actor=owner,
            token=uuid.uuid4(),
        )


def _time_passes(campaigns: Sequence[Campaign], time: timedelta) -> None:
    """Everything that was written down so far happened so much earlier."""
    keys = [campaign.pk for campaign in campaigns]
    gangs = Gang.objects.filter(memberships__campaign__in=keys)
    games = Game.objects.filter(campaign__in=keys)
    written: list[tuple[QuerySet[Any], str]] = [
        (Campaign.objects.filter(pk__in=keys), "created_at"),
        (Participant.objects.filter(campaign__in=keys), "joined_at"),
        (Membership.objects.filter(campaign__in=keys), "joined_at"),
        (Gang.objects.filter(pk__in=gangs.values("pk")), "created_at"),
        (StoredEntry.objects.filter(gang__in=gangs), "at"),
        (Attendance.objects.filter(night__campaign__in=keys), "at"),
        (games, "created_at"),
        (Claim.objects.filter(game__in=games), "at"),
        (Throw.objects.filter(game__in=games), "at"),
    ]
    for rows, when in written:
        rows.update(**{when: F(when) - time})
