"""A spoiled file is either refused with an explanation, or every page of it can be shown."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from campaigns.files import exporting, reading
from campaigns.files import importing as files_importing
from campaigns.league import rounds
from campaigns.league.rounds import FixturePlan, RoundPlan
from campaigns.models import Campaign
from gangs.files.format import BadFile
from gangs.models import Gang
from printing import queue
from printing.press.jobs import Job
from tests.campaigns.files.poison import crawl, spoiled
from tests.random_cases import SEED, cases
from tests.seasons.playing import Season
from tests.seasons.script import season
from tests.seasons.test_round_trip import add_unfinished
from tests.world.campaigns import make_stage

ROUNDS = cases(8, 300)
FINE = {200, 302}


@pytest.fixture
def _quick_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the press, so prints are prepared but not typeset."""

    def ask(key: str, job: Callable[[], Job], kind: str = "sheet", **options: bool) -> bytes:
        job()
        return b"%PDF-1.7"

    monkeypatch.setattr(queue, "ask", ask)


def add_knock_out(campaign: Campaign) -> None:
    """Add a knock-out of four gangs with a final and a game for the third place."""
    gangs = list(Gang.objects.filter(memberships__campaign=campaign).order_by("pk")[:4])
    stage = make_stage(campaign, *gangs, stage_format="knock-out")
    plans = [FixturePlan(*gangs[:2]), FixturePlan(*gangs[2:], number=2, losers=True)]
    plan = RoundPlan(2, timezone.localdate(), None, plans)
    rounds.make_rounds(stage, [plan], expected_version=stage.version)


def addresses(campaign: Campaign) -> list[str]:
    """Return the addresses to crawl from, including pages that no page links to."""
    feeds = f"/campaigns/feeds/{campaign.watch_key}"
    return [
        campaign.get_absolute_url(),
        f"{campaign.get_absolute_url()}export/",
        f"{campaign.get_absolute_url()}yearbook.pdf",
        f"{feeds}/nights.ics",
        f"{feeds}/chronicle.atom",
        *(stage.get_absolute_url() for stage in campaign.stages.all()),
        *(game.get_absolute_url() for game in campaign.games.all()),
        *(f"{game.get_absolute_url()}pack.pdf" for game in campaign.games.all()),
        *(night.get_absolute_url() for night in campaign.nights.all()),
        *(gang.get_absolute_url() for gang in Gang.objects.filter(memberships__campaign=campaign)),
    ]


@pytest.mark.long
@pytest.mark.random(cases=ROUNDS)
@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["au-un-pour-un", "blackwater-gulch"])
def test_spoiled_campaign_is_refused_or_shown_completely(
    slug: str, client: Client, _quick_prints: None
) -> None:
    matches = season("")[:3]
    played = Season(slug)
    played.play(matches)
    add_unfinished(played, matches)
    campaign = Campaign.objects.get(pk=played.campaign.pk)
    add_knock_out(campaign)
    data = json.loads(exporting.export_campaign(campaign))
    client.force_login(played.organiser)
    organiser = [person["name"] for person in data["people"]].index(str(played.organiser))
    for kind in ("campaigns", "gangs", "imports"):
        played.organiser.quotas.create(kind=kind, most=100 * ROUNDS)
    dice = random.Random(f"{SEED} {slug}")
    outcomes = {"refused": 0, "shown": 0}
    wrong = []
    for _round in range(ROUNDS):
        bad, how = spoiled(data, dice)
        try:
            file = reading.read_file(json.dumps(bad).encode())
            arrived = files_importing.write_campaign(
                file, importer=played.organiser, own_place=organiser, token=uuid.uuid4()
            )
        except BadFile:
            outcomes["refused"] += 1
            continue
        outcomes["shown"] += 1
        gangs = Gang.objects.filter(memberships__campaign=arrived)
        gangs.update(owner=played.organiser)
        try:
            answers = crawl(client, *addresses(arrived))
        except Exception as error:  # noqa: BLE001 - Whatever a page stumbles over.
            wrong.append(f"{how}: {type(error).__name__} {error}")
            continue
        bad_answers = {path: code for path, code in answers.items() if code not in FINE}
        if bad_answers:
            wrong.append(f"{how}: {bad_answers}")
        assert len(answers) > 30
    assert not wrong, f"{SEED}: " + "\n".join(wrong)
    assert min(outcomes.values()) >= max(1, ROUNDS // 10), outcomes
