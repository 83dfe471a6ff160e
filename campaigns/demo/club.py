"""The demo: a small club that plays every game. Each campaign has three past nights and one to
come, a captive to bargain about (where the game has captives), stories, and portraits.

The demo calls the same functions as a user's clicks, so it cannot show what the site cannot do.
Only the dates are moved back afterwards, by weeks.
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
from campaigns.postgames.drafts import gang_of
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
# New names where another player already has the same ready-made gang: one for the gang, and a last
# name for its members.
FAMILIES = {"charlie": ("Vasseur & Daughters", "Vasseur"), "dora": ("The Holt Cousins", "Holt")}
# The pairs of gangs, night by night; the first of each pair wins.
NIGHTS = (((0, 1), (2, 3)), ((2, 0), (3, 1)), ((0, 3), (1, 2)))
PLACE = "The back room"
# The stories of each night, game by game.
TALES: tuple[tuple[Sequence[str], ...], ...] = (
    (tales.FIRST,),
    (tales.SECOND,),
    (tales.THIRD, tales.LAST),
)
# This many members of a gang have a portrait. The others, and the last player's gang, show how
# members without a portrait look.
PORTRAITS = 3
# A portrait fits a name with one of these words: it has long hair and no beard.
WOMEN = frozenset(
    {
        "Ada",
        "Agathe",
        "Delphine",
        "Flora",
        "Gabrielle",
        "Josephine",
        "Klara",
        "Ruth",
        "Temperance",
        "Widow",
        "Ysolde",
    }
)


def exists() -> bool:
    """Whether this site has the demo already."""
    return players().exists()


def players() -> QuerySet[User]:
    """The players of the demo, in the order of ``PLAYERS``."""
    return User.objects.filter(username__in=PLAYERS).order_by("pk")


def campaigns() -> QuerySet[Campaign]:
    """The campaigns of the demo."""
    return Campaign.objects.organised_by(players()[0]).order_by("created_at")


@transaction.atomic
def play_in(password: str) -> None:
    """Make the demo's players and, for every game, their gangs and a campaign."""
    users = [User.objects.create_user(name, password=password) for name in PLAYERS]
    club_campaigns = []
    numbers = count()
    for version, book in newest_books():
        gangs = [_gang(version, book, place, user) for place, user in enumerate(users)]
        # The last player's gang has no pictures.
        for gang, number in zip(gangs[:-1], numbers, strict=False):
            if gang is not None:
                _put_up_pictures(gang, number)
        if _result(book) is not None and all(gangs):
            club_campaigns.append(_club(version, book, [gang for gang in gangs if gang]))
    _move_back(club_campaigns, timedelta(days=1))
    for number in range(len(NIGHTS)):
        for place, campaign in enumerate(club_campaigns):
            _night(campaign, place, number)
        _move_back(club_campaigns, timedelta(weeks=1))
    for campaign in club_campaigns:
        for gang in _gangs(campaign):
            # The stories of gangs keep dates, which have just moved.
            timelines.keep(gang, gang.roster)
        _next_night(campaign)
    for user in users:
        # The notices of past nights and games need no answer any more.
        notices.mark_read(user)
    for campaign in club_campaigns:
        _offer(campaign)


def _gang(version: BookVersion, book: Book, place: int, owner: User) -> Gang | None:
    """A ready-made gang for one of the players, with new names if another player has the same one;
    None if the rulebook has none."""
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
    """Give the gang a badge, and its first members portraits. ``number``: the gang's place in the
    demo."""
    colour = COLOURS[colour_of(str(gang.pk))]
    pictures_storage.keep(gang, None, drawings.badge(number, colour))
    dice = random.Random(number)  # the same faces every time
    for member in gang.roster.members[:PORTRAITS]:
        bearded = WOMEN.isdisjoint(member.name.split())
        pictures_storage.keep(gang, member.id, drawings.portrait(colour, dice, bearded=bearded))


def _samples(book: Book) -> list[Sample]:
    """The rulebook's ready-made gangs, first those that are legal under its usual options."""
    usual = book.campaign_settings(book.default_settings())

    def errors(sample: Sample) -> int:
        roster = fold(book, enumerate(actions.found_from_sample(book, sample), start=1))
        roster = roster.model_copy(update={"settings": roster.settings | usual})
        return sum(finding.severity == "error" for finding in findings(book, roster))

    return sorted(book.samples, key=errors)


def _result(book: Book) -> str | None:
    """A result with a winner, or None."""
    return next((row.key for row in book.usual.results if row.kind == "decided"), None)


def _club(version: BookVersion, book: Book, gangs: Sequence[Gang]) -> Campaign:
    """A campaign that the first player runs, with all gangs in it."""
    campaign = joining.start(
        name=f"{book.name.first} (demo)",
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
    """The gangs of a campaign as they are now, in the order of joining."""
    gangs = Gang.objects.filter(memberships__campaign=campaign).select_related("owner")
    return list(gangs.order_by("memberships__joined_at"))


def _owner(gang: Gang) -> User:
    assert gang.owner is not None
    return gang.owner


def _evening(days: int) -> datetime:
    """Half past seven in the evening, this many days from now."""
    evening = timezone.localtime().replace(hour=19, minute=30, second=0, microsecond=0)
    return evening + timedelta(days=days)


def _meet(campaign: Campaign, starts_at: datetime) -> Night:
    """A night to which all gangs come."""
    night = schedule.arrange(
        campaign, starts_at=starts_at, place=PLACE, note="", token=uuid.uuid4(), actor=players()[0]
    )
    for gang in _gangs(campaign):
        schedule.answer(night, gang, "yes", actor=players()[0])
    return night


def _night(campaign: Campaign, place: int, number: int) -> None:
    """Play past night ``number`` with its games and post-games. ``place``: the campaign's place in
    the demo, which chooses its stories."""
    # Somebody is a captive by the end of the last night.
    is_last = number == len(NIGHTS) - 1
    night = _meet(campaign, _evening(-7 * (len(NIGHTS) - number)))
    for at, (first, second) in enumerate(NIGHTS[number]):
        gangs = _gangs(campaign)
        note = tales.NOTES[place % len(tales.NOTES)] if number == at == 1 else ""
        game = _game(night, [gangs[first], gangs[second]], note)
        sides = list(game.sides.order_by("pk").select_related("game__campaign", "gang__owner"))
        if at < len(TALES[number]):
            tale = tales.tell_tale(place, TALES[number][at], *sides)
            game_story.save_tale(sides[0], tale, expected_version=game_story.fingerprint(""))
        for side in sides:
            _aftermath(side, captive=is_last and not bargains.prisoners(campaign))


def _game(night: Night, gangs: Sequence[Gang], note: str) -> Game:
    """A game that the first gang won: planned, reported by its player, and confirmed by the other.
    ``note``: the players' shared note."""
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
    """Play the side's post-game in a hurry. ``captive``: take a prisoner, if the game has them."""
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
    """The night to come, with one game planned, though one of its players is no longer sure. The
    other two gangs are still free."""
    night = _meet(campaign, _evening(5))
    gangs = {str(gang.pk): gang for gang in _gangs(campaign)}
    proposal = propose(
        schedule.candidates(night, list(gangs.values())), schedule.past_of(night), "meetings"
    )
    pair = [gangs[key] for key in proposal.pairs[0].gangs]
    plans.plan_pairs(night, [pair], actor=players()[0], token=uuid.uuid4())
    schedule.answer(night, pair[-1], "maybe", actor=_owner(pair[-1]))


def _offer(campaign: Campaign) -> None:
    """Offer a ransom in money for every captive, if their gang can pay it."""
    for prisoner in bargains.prisoners(campaign):
        gang, owner = prisoner.gang, prisoner.gang.owner
        price = prisoner.captive.price
        if prisoner.captive.currency is not None:
            continue
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


def _move_back(campaigns: Sequence[Campaign], time: timedelta) -> None:
    """Move the dates of everything written so far back by ``time``."""
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
