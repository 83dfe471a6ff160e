"""A whole season exported to a file and imported elsewhere, without loss or difference."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from campaigns.club.nights import schedule
from campaigns.club.planning import plans
from campaigns.club.upgrades import whole_campaign
from campaigns.engine import answers as engine_answers
from campaigns.engine.report import Answers
from campaigns.engine.script_state import Playthrough
from campaigns.files import exporting, reading
from campaigns.files import importing as files_importing
from campaigns.games import game_story, results
from campaigns.games.corrections import strikes
from campaigns.models import Bargain, Campaign, CampaignUpgrade, Game, Side, Throw
from campaigns.postgames import correction, drafts
from campaigns.table import people, storage, taps
from gangs.engine.entries import Named
from gangs.ledger import writer
from gangs.ledger.revision import instead
from gangs.models import Gang, StoredEntry, Strike
from rules.library import load
from rules.models import BookVersion
from tests.campaigns.table.test_storage import pushed
from tests.gangs.versions.test_upgrade_pages import newer
from tests.random_cases import one_soon
from tests.seasons.playing import Season, in_words
from tests.seasons.script import Match, season
from tests.seasons.test_without import MIDDLE, decide
from tests.seasons.watching import watched
from tests.world.gangs import SLUGS, shipped

# Seasons with captives and ransoms; no member is hired where a ransom is dear.
LUCK = {"au-un-pour-un": "i ", "blackwater-gulch": "b "}
THRIFTY = {"blackwater-gulch"}


def correct(played: Season, matches: list[Match]) -> None:
    """Make every kind of correction once."""
    # An entry of the founding is edited in its place.
    gang = played.gang(0)
    row = gang.entries.filter(kind="named").latest("seq")
    made = Named(member=row.data["member"], name="Called otherwise")
    strike, insert = instead(gang, row, made)
    edited = {
        "expected_version": gang.version,
        "actor": played.organiser,
        "reason": "A slip of the pen.",
    }
    writer.revise(gang, strike=strike, insert=insert, by_organiser=True, **edited)
    # A learned advance is undone, and redone.
    gang = played.gang(1)
    seq = gang.entries.live().filter(kind__in=("learned", "earned", "died")).latest("seq").seq
    act = writer.revise(gang, strike=[seq], expected_version=gang.version, actor=played.players[1])
    gang = played.gang(1)
    writer.revise(
        gang, undoes=act, expected_version=gang.version, actor=played.players[1], reason="No."
    )
    # The last post-game is replayed in its place, without recruits.
    last = matches[-1]
    side = played.side(last, last.gangs[1])
    correction.begin_correction(side, expected_version=side.draft_version)
    side = played.side(last, last.gangs[1])
    if side.answers.recruits:

        def sent_home(through: Playthrough, answers: Answers) -> Answers:
            return engine_answers.take_back(through, answers, "recruits", 0)

        drafts.answer(
            drafts.load(side),
            sent_home,
            expected_version=side.draft_version,
            actor=played.organiser,
        )
        side = played.side(last, last.gangs[1])
    drafts.commit(
        side,
        seen_draft=side.draft_version,
        seen_gang=played.gang(last.gangs[1]).version,
        actor=played.organiser,
        reason="He went home.",
    )
    # A whole game is undone.
    middle = matches[MIDDLE[played.book.slug]]
    choice = decide(played, middle)
    game = played.game(middle)
    strikes.strike_game(
        game,
        actor=played.organiser,
        reason="It never took place.",
        expected_version=game.version,
        versions={stroke.gang.pk: stroke.gang.version for stroke in choice.strokes},
        also=choice.also,
    )


def log_table(game: Game) -> None:
    """Log a table: a member throws dice and puts another out, who comes back next turn."""
    table = storage.open_for(game, list(game.sides.select_related("gang__owner")))
    by, *_others, at = [one.key for one in people.start_of(table).figures]
    roll = next(row.key for row in table.book.rolls if row.by == "member")
    facts, alarm = {"far": 1, "by": "nobody"}, table.book.alarms[0].key
    told = (
        taps.Rolled(roll=roll, by=by, at=at, facts=facts, faces=((6, 6),), alarm=alarm),
        taps.Out(figure=at, by=by),
        taps.Note(text="Somebody shouts."),
        taps.TurnEnded(),
        taps.Back(figure=at),
    )
    storage.push(table, None, [pushed(tap) for tap in told])


def add_unfinished(played: Season, matches: list[Match]) -> None:
    """Add a story of a game, a cancelled night, and a game with two different claims."""
    side = played.side(matches[-1], matches[-1].gangs[0])
    game_story.save_tale(
        side, "They came at **dawn**.", expected_version=game_story.fingerprint(side.tale)
    )
    night = schedule.arrange(
        played.campaign,
        starts_at=timezone.now() + timedelta(days=3),
        until=timezone.now() + timedelta(days=3, hours=4),
        place="The other club",
        note="Bring dice.",
        token=uuid.uuid4(),
    )
    schedule.answer(night, played.gang(2), "maybe", actor=played.players[2])
    schedule.cancel(night, expected_version=night.version, actor=played.organiser)
    match = matches[0]
    game = plans.plan(
        played.campaign,
        [played.gang(number) for number in match.gangs],
        plans.Plan(timezone.localdate()),
        actor=played.players[0],
        token=uuid.uuid4(),
    )
    log_table(game)
    played.games[match], kept = game.pk, played.games[match]
    played.report(match, agreed=False)
    game = played.game(match)
    results.dispute(game, comment="Not so.", actor=played.players[1], expected_version=game.version)
    played.games[match] = kept


def upgrade(played: Season) -> None:
    """Upgrade all gangs to a newer version of the rules."""
    version = load(newer(shipped(played.book.slug)))[0]
    campaign = Campaign.objects.get(pk=played.campaign.pk)
    expected_version, actor = campaign.version, played.organiser
    whole_campaign.upgrade(
        campaign, version, actor=actor, expected_version=expected_version, token=uuid.uuid4()
    )


def state(campaign: Campaign) -> list[Any]:
    """Return the gangs in words, with their present and former versions of the rules."""
    gangs = Gang.objects.filter(memberships__campaign=campaign).order_by("name")
    for gang in gangs:
        assert writer.replay_roster(gang) == gang.roster
    return [
        (in_words(gang.book, gang), gang.book_version_id, gang.founded_with_id, str(gang.owner))
        for gang in gangs
    ]


def throws(campaign: Campaign) -> list[Any]:
    """Return every throw: member, purpose, faces, thrower and time."""
    thrown = Throw.objects.filter(game__campaign=campaign).order_by("at", "pk")
    return [
        (throw.game.played_on, throw.side and throw.side.name, throw.key, throw.about, throw.roll)
        + (str(throw.actor), throw.at, throw.taken_back_at)
        for throw in thrown.select_related("game", "side", "actor")
    ]


def acts(campaign: Campaign) -> list[Any]:
    """Return every correction: gang, user, reason, and the entries undone or redone."""
    found = Strike.objects.filter(gang__memberships__campaign=campaign).order_by("at", "gang__name")
    return [
        (act.gang.name, str(act.actor), act.reason, act.by_organiser, act.at, act.restored)
        + (sorted(act.entries.values_list("seq", flat=True)),)
        for act in found.select_related("gang", "actor")
    ]


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize("slug", one_soon(SLUGS))
def test_an_exported_season_is_unchanged_after_import_elsewhere(slug):
    matches = season(LUCK.get(slug, ""))
    played = Season(slug, idle=matches if slug in THRIFTY else ())
    played.play(matches)
    correct(played, matches)
    upgrade(played)
    add_unfinished(played, matches)
    campaign = Campaign.objects.get(pk=played.campaign.pk)
    agreed = Bargain.objects.filter(campaign=campaign, status="agreed")
    assert agreed.exists() == (slug in LUCK)
    text = exporting.export_campaign(campaign).decode()
    everything = [
        state(campaign),
        watched(campaign, whole=True),
        throws(campaign),
        acts(campaign),
    ]
    versions = dict(BookVersion.objects.values_list("pk", "canonical"))
    assert len(versions) == 2
    assert len(everything[3]) >= 5

    # Elsewhere, on a site without any of these users and rows.
    organiser = str(played.organiser)
    Side.objects.all().delete()
    Campaign.objects.all().delete()
    StoredEntry.objects.all().delete()
    Gang.objects.all().delete()
    CampaignUpgrade.objects.all().delete()
    BookVersion.objects.all().delete()
    User.objects.all().delete()
    someone = User.objects.create_user("someone-else")

    file = reading.read_file(text.encode())
    place = file.names.index(organiser)
    arrived = files_importing.write_campaign(
        file, importer=someone, own_place=None, token=uuid.uuid4()
    )
    assert state(arrived) == everything[0]
    assert watched(arrived, whole=True) == everything[1]
    assert throws(arrived) == everything[2]
    assert acts(arrived) == everything[3]
    assert dict(BookVersion.objects.values_list("pk", "canonical")) == versions
    # The importing user also runs it now. Nothing else is different in its file.
    there, here = json.loads(exporting.export_campaign(arrived)), json.loads(text)
    assert there.pop("people") == [
        *here.pop("people"),
        {"name": "someone-else", "role": "organiser"},
    ]
    assert there == here

    # If the organiser imports it, their name is the only difference.
    arriving = User.objects.create_user("the-organiser")
    again = files_importing.write_campaign(
        reading.read_file(text.encode()),
        importer=arriving,
        own_place=place,
        token=uuid.uuid4(),
    )
    assert exporting.export_campaign(again).decode() == text.replace(organiser, "the-organiser")
