"""The processor time of a campaign's pages as its season grows.

    .venv/bin/python bench/season.py [ROUNDS]

Sixteen ready-made gangs meet in pairs, at random but the same each time, played by the demo's hand
(campaigns/demo/player.py): reported, confirmed, with both post-games. After 16, 80 and 240 games a
process of its own (asked.py) is asked for each page: by a process that has just begun, after one
more game was played, and once more without a change. Setting up takes some minutes.

With ``SERVED`` in the environment, the code in that folder answers, on the data made by this one:
so two states of the code can be compared, as long as their tables are the same.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

from pages import ROOT, Reader, asked, begin, environment, run, signed_in

GANGS = 16
SIZES = (16, 80, 240)
# Evenings of eight games each.
A_NIGHT = 8
ROUNDS = 5
KEPT = 10


class Club:
    """Sixteen players whose gangs meet in one campaign, in the process that calls it."""

    def __init__(self) -> None:
        begin()
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous=OFF")
        self.dice = random.Random(20261122)
        self.played = 0

    def found(self) -> dict[str, str]:
        """Make players, gangs and a campaign; return the values that a reader's requests need."""
        from accounts.models import User
        from campaigns.club.people import joining
        from gangs.engine import actions
        from gangs.engine.entries import Renamed
        from gangs.ledger import writer
        from rules.library import newest_books

        version, book = next(
            pair for pair in newest_books() if len(pair[1].characteristics) > 6 and pair[1].samples
        )
        users = [User.objects.create_user(f"player{number}") for number in range(GANGS)]
        self.campaign = joining.start(
            name="Bench season",
            version=version,
            settings=book.default_settings(),
            notes="",
            organiser=users[0],
            token=uuid.uuid4(),
        )
        for number, user in enumerate(users):
            sample = book.samples[number % len(book.samples)]
            gang = writer.found(version, actions.found_from_sample(book, sample), owner=user)
            name: list[Any] = [Renamed(name=f"The {number + 1}. of Rust Creek")]
            writer.append(gang, name, expected_version=gang.version, actor=user)
            joining.join(self.campaign, gang, actor=user, expected_version=gang.version)
        return {
            "session": signed_in(users[0]),
            "campaign": str(self.campaign.pk),
            "feed": self.campaign.watch_key,
        }

    def play(self) -> None:
        """One more game, from its plan to both post-games."""
        from django.db import transaction
        from django.utils import timezone

        from campaigns.club.nights import schedule
        from campaigns.club.planning import plans
        from campaigns.demo import player
        from campaigns.engine.claims import Account
        from campaigns.games import results
        from gangs.models import Gang

        with transaction.atomic():
            weeks = self.played // A_NIGHT
            starts_at = timezone.now() - timedelta(days=7 * (40 - weeks))
            if self.played % A_NIGHT == 0:
                self.night = schedule.arrange(
                    self.campaign, starts_at=starts_at, place="", note="", token=uuid.uuid4()
                )
            here = Gang.objects.filter(memberships__campaign=self.campaign)
            keys = sorted(here.values_list("memberships__pk", "pk"))
            pair = [
                here.select_related("owner").get(pk=key) for _row, key in self.dice.sample(keys, 2)
            ]
            first, second = (gang.owner for gang in pair)
            assert first is not None and second is not None
            scenario, roll = plans.choose_scenario(self.campaign.rules, plans.ROLL)
            game = plans.plan(
                self.campaign,
                pair,
                plans.Plan(schedule.day_of(self.night), self.night, scenario, roll),
                actor=first,
                token=uuid.uuid4(),
            )
            rules = self.campaign.rules
            results.report(
                game,
                Account(
                    result=next(row.key for row in rules.results if row.kind == "decided"),
                    played_on=game.played_on,
                    sides=player.accounts(rules, list(game.sides.select_related("gang"))),
                ),
                actor=first,
                expected_version=game.version,
            )
            results.confirm(game, actor=second, expected_version=game.version)
            game.refresh_from_db()
            for side in game.sides.order_by("pk").select_related("game__campaign", "gang__owner"):
                self._postgame(side)
        self.played += 1

    def _postgame(self, side: Any) -> None:
        """Play a post-game in one go, without returning to a draft."""
        from campaigns.demo import player
        from campaigns.engine.script import play
        from campaigns.postgames import drafts
        from campaigns.postgames.drafts import base_of

        base, report, answers = base_of(side), drafts.game_report_of(side), side.answers
        first = base.gang.last_seq + 1
        for _ in range(player.MOST_ANSWERS):
            through = play(base.book, base.roster, first, report, answers)
            if through.current is None:
                break
            answers = player.next_answer(through.current, self.dice, (), through, answers)
        side.draft = answers.model_dump(mode="json")
        side.save(update_fields=["draft"])
        gang = base.gang
        drafts.commit(side, seen_draft=side.draft_version, seen_gang=gang.version, actor=gang.owner)


def pages(facts: dict[str, str]) -> dict[str, str]:
    """Return the requested pages, by name."""
    campaign = f"/campaigns/{facts['campaign']}/"
    return {
        "campaign": campaign,
        "records": f"{campaign}records/",
        "chronicle": f"{campaign}chronicle/",
        "charts": f"{campaign}charts/",
        "tonight": "/tonight/",
        "my gangs": "/gangs/",
        "campaigns": "/campaigns/",
        "feed": f"/campaigns/feeds/{facts['feed']}/chronicle.atom",
    }


def measure(
    club: Club, facts: dict[str, str], served: Path, env: dict[str, str], rounds: int
) -> None:
    """Request every page: cold, after each further game, and kept."""
    times: dict[str, dict[str, list[float]]] = {
        name: {"cold": [], "anew": [], "kept": []} for name in pages(facts)
    }
    sizes = {}
    for name, path in pages(facts).items():
        with asked("skirmish.wsgi", served, env, facts["session"]) as reader:
            # The first request of a process loads data that belongs to no page.
            reader.ask("/gangs/new/")
            times[name]["cold"].append(reader.ask(path)[0])
    tags: dict[str, list[float]] = {"304": []}
    with asked("skirmish.wsgi", served, env, facts["session"]) as reader:
        # A program that reads the feed signs in nowhere.
        stranger = Reader(reader.process, "")
        stranger.cookie = ""
        for path in pages(facts).values():
            reader.ask(path)
        for _ in range(rounds):
            for name, path in pages(facts).items():
                club.play()
                spent, status, size = reader.ask(path)
                assert status == 200, (name, status)
                times[name]["anew"].append(spent)
                times[name]["kept"] += [reader.ask(path)[0] for _ in range(KEPT)]
                sizes[name] = size
            feed = pages(facts)["feed"]
            tag: dict[str, Any] = {"If_None_Match": stranger.answer(feed)[3]}
            for _ in range(KEPT):
                spent, status, _size = stranger.ask(feed, **tag)
                assert status == 304, status
                tags["304"].append(spent)
    for name, row in times.items():
        cells = "  ".join(f"{key} {statistics.median(some):7.1f}" for key, some in row.items())
        print(f"  {name:10s} {cells}  {sizes[name] / 1000:6.1f} KB", flush=True)
    ratio = statistics.median(tags["304"]) / statistics.median(times["campaign"]["kept"])
    print(
        f"  feed’s 304 {statistics.median(tags['304']):.2f}, {ratio:.2f} of the kept campaign page"
    )


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        served = Path(os.environ.get("SERVED") or ROOT)
        env = environment(folder, folder / "static")
        run(
            sys.executable, "manage.py", "collectstatic", "--noinput", "-v0", folder=served, env=env
        )
        os.environ.update(env)
        club = Club()
        facts = club.found()
        for size in SIZES:
            while club.played < size:
                club.play()
            print(f"{size} games", flush=True)
            measure(club, facts, served, env, rounds)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
