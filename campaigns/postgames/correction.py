"""Correcting a post-game that is in a gang's history: it is played again in its place, beginning
with its old answers. Nothing changes until it is committed; until then it can be cancelled."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from accounts.models import User
from campaigns import throws
from campaigns.engine.report import Answers
from campaigns.engine.script import replay
from campaigns.models import Game, Side
from campaigns.postgames import drafts
from campaigns.postgames.drafts import Postgame
from common.errors import Refusal, Stale
from common.locking import update_if
from gangs.history.log import sentences_of
from gangs.history.preview import wrong_entries
from gangs.ledger.revision import Weighed, weigh
from gangs.ledger.writer import Leftovers
from gangs.models import Gang


def begin_correction(side: Side, *, expected_version: int) -> None:
    """Open a post-game that is in the gang's history. Raises Refusal if it is not there, and Stale
    if its draft has changed since it was seen."""
    if side.game.status != Game.Status.CONFIRMED:
        raise Refusal("not_confirmed")
    if not drafts.is_done(side):
        raise Refusal("gone")
    update_if(
        Side.objects.filter(correcting=False),
        side.pk,
        expected_version,
        counter="draft_version",
        correcting=True,
        kept_draft=F("draft"),
    )


def is_due(side: Side) -> bool:
    """Whether a reopened post-game has to be played again: since something earlier was corrected,
    its committed answers no longer suffice. Plays the script once."""
    if not side.correcting:
        return False
    base, game_report = drafts.base_of(side), drafts.game_report_of(side)
    first = base.gang.last_seq + 1
    kept = replay(base.book, base.roster, first, game_report, side.kept_answers, base.numbers)
    return not kept.is_complete


def cancel_correction(side: Side, *, expected_version: int, actor: User | None = None) -> None:
    """Leave the post-game as it was. New throws are kept as taken back. Raises Stale, and Refusal
    if it has to be played again: only an organiser can leave it then."""
    organises = actor is None or side.game.campaign.is_run_by(actor)
    if not organises and is_due(side):
        raise Refusal("must_play_again")
    with transaction.atomic():
        kept = side.kept_answers
        update_if(
            Side.objects.filter(correcting=True),
            side.pk,
            expected_version,
            counter="draft_version",
            correcting=False,
            draft=kept.model_dump(mode="json"),
            kept_draft=None,
        )
        _throws_as_before(side, side.answers, kept, actor)


def _throws_as_before(side: Side, draft: Answers, kept: Answers, actor: User | None) -> None:
    """Let the throws of the kept answers count again, and take the other throws back."""
    gone = [key for key, roll in draft.rolls.items() if kept.rolls.get(key) != roll]
    again = {key: roll for key, roll in kept.rolls.items() if draft.rolls.get(key) != roll}
    throws.take_back(side.throws.filter(key__in=gone), actor)
    found = {
        throw.key: throw.pk
        for throw in side.throws.filter(key__in=again)
        if throw.sound_roll == again[throw.key]
    }
    side.throws.filter(pk__in=found.values()).update(taken_back_at=None, taken_back_by=None)


def replay_now(side: Side, actor: User, why: str) -> bool:
    """Write a post-game that was just reopened with its old dice and choices, if they suffice under
    the corrected result, and nothing later is in doubt. Returns whether it is written; otherwise it
    stays open. Plays the script four times.

    The caller holds the campaign, the game and all post-games of its gangs.
    """
    if not side.correcting or side.draft != side.kept_draft:
        return False
    postgame = drafts.load(side)
    refused = any(state.refused for state in postgame.playthrough.steps)
    if refused or not postgame.playthrough.complete:
        return False
    try:
        with transaction.atomic():
            weighed = consequences(postgame)
            if weighed is not None and (weighed.misfits or weighed.implausible):
                return False
            drafts.commit(
                side,
                seen_draft=side.draft_version,
                seen_gang=postgame.base.gang.version,
                actor=actor,
                reason=why,
            )
    except (Refusal, Leftovers, Stale):
        return False
    return True


def consequences(postgame: Postgame, also: Collection[int] = ()) -> Weighed | None:
    """Preview the post-game in its place in the past, with the later entries ``also`` struck; None
    if it goes to the end."""
    base = postgame.base
    if base.place is None:
        return None
    insert = base.insertions(postgame.playthrough)
    return weigh(base.gang, strike={*base.replaced, *also}, insert=insert)


@dataclass(frozen=True)
class LaterLine:
    """A later entry and what is wrong with it. ``is_misfit``: it cannot stay; ``is_ticked``: the
    user wants it struck, too."""

    seq: int
    sentence: str
    why: str
    is_misfit: bool
    is_ticked: bool = False


def later_lines(gang: Gang, weighed: Weighed, ticked: Collection[int] = ()) -> list[LaterLine]:
    """The later entries to decide on: the ticked entries, so that they can be unticked, then the
    entries that do not fit, then the doubtful entries."""
    if not (weighed.misfits or weighed.implausible or ticked):
        return []
    wrong = wrong_entries(weighed)
    sentences = sentences_of(gang, {*ticked, *(entry.seq for entry, _why, _must in wrong)})
    lines = [
        LaterLine(seq, sentences[seq], "", is_misfit=False, is_ticked=True)
        for seq in sorted(ticked)
        if seq in sentences
    ]
    lines += [LaterLine(entry.seq, sentences[entry.seq], why, must) for entry, why, must in wrong]
    return lines
