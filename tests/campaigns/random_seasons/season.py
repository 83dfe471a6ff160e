"""A random season: a campaign, its people and gangs, and random draws from them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import date
from typing import Any

from hypothesis import strategies as st

from accounts.models import User
from campaigns.club.people import joining
from campaigns.games.captives import bargains
from campaigns.games.captives.bargains import Prisoner
from campaigns.models import Bargain, Game, Side
from gangs.models import Gang, Strike
from rules.book.model import Book
from rules.book.vocabulary import Settings
from tests.campaigns.random_seasons import checks
from tests.campaigns.random_seasons.checks import facts
from tests.world.campaigns import make_campaign
from tests.world.gangs import make_gang

FIRST_DAY = date(2026, 5, 1)


class Season:
    """A campaign of two to four gangs, usually ready-made and sometimes empty.

    ``touched``: batches of post-games with entries corrected by hand; ``freed``: batches in which
    an organiser released a captive.
    """

    def __init__(self, data: Any, book: Book, organiser: User, players: list[User]) -> None:
        self.data = data
        self.book = book
        self.organiser = organiser
        self.players = players[: data.draw(st.integers(2, len(players)), "gangs")]
        self.touched: set[uuid.UUID] = set()
        self.freed: set[uuid.UUID] = set()
        self.checked: dict[Any, tuple[object, ...]] = {}
        self.campaign = make_campaign(organiser, book.slug, data.draw(options(book), "settings"))
        self.keys: list[uuid.UUID] = []
        samples = [*range(len(book.samples)), None]
        for player in self.players:
            gang = make_gang(player, book.slug, self.one_of(samples, "sample"))
            joining.join(self.campaign, gang, actor=player, expected_version=gang.version)
            self.keys.append(gang.pk)

    # Random draws

    def one_of(self, choices: Iterable[Any], label: str) -> Any:
        """Draw one of these, or None if there is none."""
        listed = list(choices)
        return self.data.draw(st.sampled_from(listed), label) if listed else None

    def perhaps(self, label: str) -> bool:
        """Draw True or False."""
        answer: bool = self.data.draw(st.booleans(), label)
        return answer

    def gang(self, gangs: Iterable[Gang] | None = None) -> Gang:
        """Draw one of the gangs that play here."""
        gang: Gang = self.one_of(self.here() if gangs is None else gangs, "gang")
        return gang

    def actor(self, gang: Gang) -> User:
        """Draw the person who corrects a gang: its owner or the organiser."""
        actor: User = self.one_of([gang.owner or self.organiser, self.organiser], "actor")
        return actor

    # Queries

    def gangs(self) -> list[Gang]:
        """Return every gang of the season, also those that have left."""
        found = Gang.objects.select_related("owner").in_bulk(self.keys)
        return [found[key] for key in self.keys]

    def here(self) -> list[Gang]:
        """Return the gangs that play in the campaign now."""
        staying = self.campaign.memberships.filter(left_at=None).values_list("gang", flat=True)
        keys = set(staying)
        return [gang for gang in self.gangs() if gang.pk in keys]

    def games(self, *statuses: str) -> list[Game]:
        """Return the games with this status, oldest first."""
        games = Game.objects.filter(campaign=self.campaign, status__in=statuses)
        return list(games.select_related("campaign").order_by("played_on", "created_at"))

    def sides(self, *, done: bool) -> list[Side]:
        """Return sides of confirmed games, oldest first; ``done``: with committed post-games."""
        sides = Side.objects.done() if done else Side.objects.undone()
        sides = sides.filter(game__campaign=self.campaign, game__status=Game.Status.CONFIRMED)
        sides = sides.filter(gang__isnull=False).select_related("game__campaign", "gang__owner")
        return list(sides.order_by("game__played_on", "game__created_at", "pk"))

    def restless(self) -> list[Gang]:
        """Return the gangs that may join again, and those without an owner."""
        here = self.here()
        return [gang for gang in self.gangs() if gang.owner is None or gang not in here]

    def prisoners(self) -> list[Prisoner]:
        """Return the captive members."""
        return bargains.prisoners(self.campaign)

    def bargains(self, status: str) -> list[Bargain]:
        """Return the bargains with this status; of the agreed ones, only those not struck."""
        known = bargains.standing(self.campaign)
        return [
            one
            for one in known
            if one.status == status and (one.batch is None or one.stands)  # type: ignore[attr-defined]
        ]

    def corrections(self) -> list[Strike]:
        """Return the corrections that were not undone, newest first."""
        acts = Strike.objects.filter(gang__in=self.keys, undone_by=None)
        return list(acts.order_by("-pk"))

    def all_facts(self) -> list[tuple[object, ...]]:
        """Return the stored state of the gangs."""
        return [facts(gang) for gang in self.gangs()]

    def standing(self) -> list[tuple[object, ...]]:
        """Return the same without the number of entries written."""
        return [checks.standing(gang) for gang in self.gangs()]

    # Invariants

    def check(self) -> None:
        """Check the campaign and every gang that has changed."""
        for gang in self.gangs():
            if self.checked.get(gang.pk) != facts(gang):
                checks.check_gang(gang, touched=self.touched, freed=self.freed)
                self.checked[gang.pk] = facts(gang)
        checks.check_games(self.campaign)
        checks.check_throws(self.campaign)
        checks.check_bargains(self.campaign)
        checks.check_standings(self.campaign)


@st.composite
def options(draw: st.DrawFn, book: Book) -> Settings:
    """Draw the rulebook's usual options with one or two changes."""
    if not book.settings:
        return {}
    rows = draw(st.lists(st.sampled_from(book.settings), max_size=2, unique_by=lambda row: row.key))
    chosen: Settings = {}
    for row in rows:
        if row.kind == "choice":
            chosen[row.key] = draw(st.sampled_from([choice.key for choice in row.choices]))
        else:
            chosen[row.key] = draw(st.sampled_from([row.minimum, row.default]))
    return chosen
