"""A world for a process that is to be killed: a campaign of two gangs, at any moment of its
life.
"""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import User
from campaigns.engine.captives import Terms
from campaigns.engine.report import TAKEN_OUT, Report
from campaigns.files import exporting
from campaigns.games import results
from campaigns.games.captives import bargains
from campaigns.models import Campaign, Game, Side
from campaigns.postgames import correction as postgames_correction
from campaigns.postgames import drafts
from gangs.engine import actions as gang_acts
from gangs.engine import entries as kinds
from gangs.engine.computed import ComputedGang
from gangs.ledger import writer
from gangs.models import Gang, Strike
from rules.library import load
from tests.gangs.versions.test_upgrade_pages import newer
from tests.killing import acts
from tests.world.campaigns import make_campaign, make_game, make_player
from tests.world.gangs import POINTS, shipped

# A game with dice, injuries, experience, captives and money.
SLUG = POINTS
RESULT = "victory"

Order = tuple[str, dict[str, Any]]


class World:
    """A campaign with its organiser, and the gangs of two players."""

    def __init__(self) -> None:
        self.organiser = User.objects.create_user("organiser")
        self.players = [User.objects.create_user("first"), User.objects.create_user("second")]
        self.campaign: Campaign = make_campaign(self.organiser, SLUG)
        self.keys = [make_player(self.campaign, player).pk for player in self.players]
        for number, player in enumerate(self.players):
            gang = self.gang(number)
            named = [
                kinds.Named(member=member.id, name=f"{place} of {number}")
                for place, member in enumerate(gang.roster.members)
            ]
            writer.append(gang, named, expected_version=gang.version, actor=player)

    # Stored objects

    def gang(self, number: int) -> Gang:
        """Return a gang as it is stored now."""
        return Gang.objects.get(pk=self.keys[number])

    def game(self) -> Game:
        """Return the last game as it is stored now."""
        return Game.objects.select_related("campaign").latest("created_at")

    def side(self, number: int) -> Side:
        """Return a side of that game as it is stored now."""
        return acts.side_of(self.game().sides.get(gang=self.keys[number]).pk)

    # Events

    def plan(self) -> None:
        """Plan a game."""
        make_game(self.campaign, self.players[0], self.gang(0), self.gang(1))

    def telling(self) -> dict[str, Any]:
        """Return the first player's report of the planned game: two members of each gang went down,
        and more.
        """
        game = self.game()
        told = {}
        for number in (0, 1):
            side = self.side(number)
            gang = self.gang(number)
            who = [member.id for member in gang.roster.members]
            mark = sorted(gang.book.under(gang.roster.settings).mark)[0]
            what = Report(
                fielded=tuple(who),
                marks={who[0]: mark, who[1]: mark},
                counts={TAKEN_OUT: {who[2]: 2}},
                tallies={"nuggets": 30},
            )
            kind = "loser" if number else "winner"
            told[str(side.pk)] = {"side": kind, "report": what.model_dump(mode="json")}
        return {
            "game": str(game.pk),
            "told": told,
            "result": RESULT,
            "played_on": "2026-05-01",
            "actor": self.players[0].pk,
            "expected_version": game.version,
        }

    def report(self) -> None:
        """Report the game as the first player."""
        self.plan()
        acts.report(**self.telling())

    def confirm(self) -> None:
        """Confirm the report as the second player."""
        self.report()
        game = self.game()
        results.confirm(game, actor=self.players[1], expected_version=game.version)

    def answer(self, number: int) -> None:
        """Answer all questions of a post-game."""
        words = f"post-game {number}"
        while acts.is_open(self.side(number)):
            expected_version = self.side(number).draft_version
            acts.answer(
                self.side(number).pk,
                expected_version,
                self.players[number].pk,
                f"{words} {expected_version}",
            )

    def finish(self) -> None:
        """Play a game from the plan to both post-games."""
        self.confirm()
        for number in (0, 1):
            self.answer(number)
            acts.commit(**self.commitment(number))

    def commitment(self, number: int) -> dict[str, Any]:
        """Return the arguments that a post-game's page sends when it is committed."""
        return {
            "side": self.side(number).pk,
            "seen_draft": self.side(number).draft_version,
            "seen_gang": self.gang(number).version,
            "actor": self.players[number].pk,
        }

    def versions(self) -> dict[str, int]:
        """Return the gangs' versions."""
        return {str(key): self.gang(number).version for number, key in enumerate(self.keys)}


# Each function brings the world to a moment, and returns the act that is done then.


def an_answer(world: World) -> Order:
    """Answer a post-game's first question with dice."""
    world.confirm()
    side = world.side(0)
    assert drafts.load(side).playthrough.current is not None
    values = {"side": side.pk, "expected_version": side.draft_version, "actor": world.players[0].pk}
    return "answer", {**values, "words": "the first throw"}


def a_commit(world: World) -> Order:
    """Commit a post-game to the gang's history."""
    world.confirm()
    world.answer(0)
    return "commit", world.commitment(0)


def a_correction(world: World) -> Order:
    """Play a post-game again in its old place."""
    world.finish()
    side = world.side(0)
    postgames_correction.begin_correction(side, expected_version=side.draft_version)
    again = world.side(0)
    late = partial(acts.one_more, name="Late")
    drafts.answer(
        drafts.load(again), late, expected_version=again.draft_version, actor=world.players[0]
    )
    return "commit", {**world.commitment(0), "reason": "Something was forgotten."}


def a_report(world: World) -> Order:
    """Report a game."""
    world.plan()
    return "report", world.telling()


def a_confirmation(world: World) -> Order:
    """Confirm a report: the game counts for both gangs."""
    world.report()
    game = world.game()
    values = {"game": str(game.pk), "claim": game.claim_id, "expected_version": game.version}
    return "confirm", {**values, "actor": world.players[1].pk}


def a_strike(world: World) -> Order:
    """Undo a whole game in both gangs."""
    world.finish()
    game = world.game()
    values = {"game": str(game.pk), "expected_version": game.version, "versions": world.versions()}
    return "strike_game", {**values, "actor": world.organiser.pk}


def a_restored_game(world: World) -> Order:
    """Restore a whole game in both gangs."""
    act, values = a_strike(world)
    acts.ACTS[act](**values)
    game = world.game()
    values = {"game": str(game.pk), "expected_version": game.version, "actor": world.organiser.pk}
    return "restore_game", values


def a_bargain(world: World) -> Order:
    """Pay a ransom from one gang to the other, which frees a captive."""
    world.finish()
    giver, taker = world.gang(0), world.gang(1)
    captive = giver.roster.members[-1].id
    held = kinds.Suffered(member=captive, condition="captured", captors=(str(taker.pk),))
    gift = kinds.Earned(amount=300, why="gift")
    writer.append(giver, [gift, held], expected_version=giver.version, actor=world.players[0])
    [prisoner] = bargains.prisoners(world.campaign)
    ransom = prisoner.captive.price
    assert ransom
    bargain = bargains.offer(
        world.campaign,
        giver,
        taker,
        Terms(frees=(("giver", captive),), ransom=ransom, payer="giver"),
        note="",
        actor=world.players[0],
        token=uuid.uuid4(),
    )
    expected_version = [giver.version, taker.version]
    return "agree", {
        "bargain": bargain.pk,
        "actor": world.players[1].pk,
        "expected_version": expected_version,
    }


def a_founding(world: World) -> Order:
    """Found a gang."""
    browser = Client()
    browser.force_login(world.players[0])
    form = {"name": "Those who come after", "token": uuid.uuid4().hex}
    session = browser.cookies[settings.SESSION_COOKIE_NAME].value
    path = reverse("gangs:new", args=[SLUG])
    return "found", {"path": path, "session": session, "form": form}


def building(world: World) -> Order:
    """Recruit a member just like another, with all that they carry."""
    gang = world.gang(0)
    fits = [
        member.id
        for member in gang.roster.members
        if gang_acts.duplicate(
            ComputedGang.of(gang.book, gang.roster), member.id, gang.last_seq + 1
        )
    ]
    values = {"gang": str(gang.pk), "member": fits[-1], "expected_version": gang.version}
    return "copy_member", {**values, "token": "the form"}


def something_taken_back(world: World) -> Order:
    """Strike a batch of entries in a gang's history."""
    act, values = building(world)
    acts.ACTS[act](**values)
    gang = world.gang(0)
    batch = gang.entries.get(seq=gang.last_seq).batch
    return "strike", {"gang": str(gang.pk), "batch": str(batch), "expected_version": gang.version}


def something_restored(world: World) -> Order:
    """Restore struck entries."""
    act, values = something_taken_back(world)
    acts.ACTS[act](**values)
    gang = world.gang(0)
    correction = Strike.objects.get(gang=gang)
    return "restore", {"gang": str(gang.pk), "act": correction.pk, "expected_version": gang.version}


def an_upgrade(world: World) -> Order:
    """Move all gangs of a campaign to newer rules."""
    world.finish()
    version, _new = load(newer(shipped(SLUG)))
    campaign = Campaign.objects.get(pk=world.campaign.pk)
    values = {
        "campaign": str(campaign.pk),
        "version": version.pk,
        "expected_version": campaign.version,
    }
    return "upgrade", {**values, "actor": world.organiser.pk, "token": str(uuid.uuid4())}


def a_file(world: World) -> Order:
    """Import a whole campaign from a file."""
    world.finish()
    text = exporting.export_campaign(world.campaign).decode()
    return "bring", {"text": text, "importer": world.organiser.pk, "token": str(uuid.uuid4())}


ORDERS = (
    an_answer,
    a_commit,
    a_correction,
    a_report,
    a_confirmation,
    a_strike,
    a_restored_game,
    a_bargain,
    a_founding,
    building,
    something_taken_back,
    something_restored,
    an_upgrade,
    a_file,
)
