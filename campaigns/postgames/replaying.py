"""Post-games that are worked out again after a correction of something earlier.

``gangs.engine.replaying`` decides what changes; this module plays the post-games from
their stored answers, reopens those that need new dice or choices, and closes those that no longer
do.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import F
from django.urls import reverse

from accounts.models import User
from campaigns import holders, notices
from campaigns.engine.report import Answers, GameReport
from campaigns.engine.script import PostgamePlayback, replay
from campaigns.engine.script_state import brought_key
from campaigns.models import Game, Side
from campaigns.postgames import drafts, text
from campaigns.postgames.drafts import Postgame, PostgameBase
from gangs.engine.replaying import BRINGING, LaterPostgame, Playback, Replayed
from gangs.engine.roster import Roster
from gangs.ledger.storage import read_entry
from gangs.models import Gang
from rules.book.model import Book


@dataclass(frozen=True)
class StoredPostgame:
    """A side's post-game, ready to be played again. ``numbers``: as in ``PostgameBase``."""

    side: Side
    game_report: GameReport
    numbers: tuple[tuple[str, int], ...]

    @property
    def batch(self) -> uuid.UUID:
        """The batch of its entries."""
        assert self.side.batch is not None
        return self.side.batch

    @property
    def is_reopened(self) -> bool:
        """Whether it has to be, or is being, played again already."""
        return self.side.correcting

    @property
    def url(self) -> str:
        """The address of its page."""
        return reverse("campaigns:postgame", args=[self.side.game_id, self.side.pk])

    def label(self) -> str:
        """The name of its game, in the reader's language."""
        book = self.side.game.campaign.book
        return text.game_label(book, self.side.game, self.game_report.opponent_names)

    def replay(self, book: Book, roster: Roster, next_number: int) -> PostgamePlayback:
        """Play it on this gang from the answers in the ledger. Raises Misfit if that cannot be."""
        answers = self.side.kept_answers if self.side.correcting else self.side.answers
        return self._replay(book, roster, next_number, answers)

    def replay_draft(self, book: Book, roster: Roster, next_number: int) -> PostgamePlayback:
        """Play it from the answers given since it was reopened. Raises as ``replay``."""
        return self._replay(book, roster, next_number, self.side.answers)

    def _replay(
        self, book: Book, roster: Roster, next_number: int, answers: Answers
    ) -> PostgamePlayback:
        return replay(book, roster, next_number, self.game_report, answers, self.numbers)

    def list_missing(self, book: Book, roster: Roster, playback: Playback) -> list[str]:
        """The missing dice and choices of a playback on this gang, in the reader's language."""
        if not isinstance(playback, PostgamePlayback) or playback.playthrough is None:
            return []
        base = PostgameBase(drafts.gang_of(self.side), book, roster)
        postgame = Postgame(self.side, base, self.game_report, playback.playthrough)
        return [
            words
            for line in text.step_lines(postgame)
            if line.is_open
            for words in text.list_missing(line)
        ]


def load_postgames(gang: Gang, batches: Collection[uuid.UUID]) -> dict[uuid.UUID, LaterPostgame]:
    """The gang's post-games with these batches, by batch; without those of other sites or deleted
    games. Three queries and, in a game with holdings, five more and one for each post-game."""
    confirmed = Side.objects.filter(
        gang=gang, batch__in=batches, game__status=Game.Status.CONFIRMED
    )
    sides = list(
        confirmed.select_related("game__campaign").prefetch_related("game__sides").order_by("pk")
    )
    numbers = _numbers(gang, batches) if sides else {}
    elsewhere: dict[uuid.UUID, frozenset[str]] = {}
    found: dict[uuid.UUID, LaterPostgame] = {}
    for side in sides:
        side.gang, campaign = gang, side.game.campaign
        if campaign.pk not in elsewhere:
            has_places = bool(campaign.book.holdings)
            held = holders.held_by_others(campaign, gang) if has_places else frozenset[str]()
            elsewhere[campaign.pk] = held
        game_report = drafts.game_report_of(side, elsewhere[campaign.pk])
        postgame = StoredPostgame(side, game_report, numbers.get(side.batch, ()))
        found[postgame.batch] = postgame
    return found


def _numbers(
    gang: Gang, batches: Collection[uuid.UUID]
) -> dict[uuid.UUID | None, tuple[tuple[str, int], ...]]:
    """The numbers of everything that all plays of these post-games have brought, as in
    ``PostgameBase``. One query."""
    kinds = [model.kind for model in BRINGING]
    rows = gang.entries.filter(batch__in=batches, kind__in=kinds).order_by("seq")
    brought: defaultdict[uuid.UUID | None, dict[int, str]] = defaultdict(dict)
    for row in rows:
        brought[row.batch][row.number] = brought_key(read_entry(row)) or ""
    return {
        batch: tuple((key, number) for number, key in found.items())
        for batch, found in brought.items()
    }


def lock_postgames(gangs: Collection[uuid.UUID]) -> None:
    """Lock the committed post-games of these gangs until the transaction ends. Callers lock them
    after games and before gangs. One query."""
    sides = Side.objects.filter(gang__in=gangs, batch__isnull=False).order_by("pk")
    list(sides.select_for_update(no_key=True).values_list("pk", flat=True))


def apply_replayed(gang: Gang, replayed: Sequence[Replayed], actor: User | None) -> None:
    """Reopen the post-games that have to be played again, and notify the gang's player. Close those
    whose entries are what their answers bring now. Two queries for each."""
    for outcome in replayed:
        side = Side.objects.filter(gang=gang, batch=outcome.postgame.batch)
        turned = {"draft_version": F("draft_version") + 1}
        if outcome.settled:
            side.filter(correcting=True).update(correcting=False, kept_draft=None, **turned)
        elif outcome.again:
            reopened = side.filter(correcting=False)
            if reopened.update(correcting=True, kept_draft=F("draft"), **turned):
                found = side.select_related("game__campaign", "gang__owner").get()
                notices.postgame_reopened(found, actor=actor)
