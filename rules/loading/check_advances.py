"""Checks whether experience leads anywhere: advances, their prices, and what members start with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from common.wording.sentences import gettext_noop as _
from common.wording.sentences import say
from rules.book import schema
from rules.book.advancement import MOST_THRESHOLDS, Advancement, AdvancementRow, AnyAdvancement
from rules.book.fates import Rises, all_outcomes
from rules.book.model import Book
from rules.book.season import ExperienceStep
from rules.book.vocabulary import Add
from rules.loading.checks import Checks, RowPath, Wrong


def _cycle(book: Book, path: RowPath, advancement: AnyAdvancement) -> Wrong:
    triggers = {promotion.trigger for promotion in book.campaign.promotions}
    if "rank" in advancement.cycle and "advance" not in triggers:
        yield (*path, "cycle"), _("“rank” needs a promotion with the trigger “advance”")


def _row(book: Book, path: RowPath, row: AdvancementRow) -> Wrong:
    yield from _cycle(book, path, row)
    if not row.at and row.every is None:
        yield path, _("give “at” or “every”: without them this row brings no advance")
    if any(later <= sooner for sooner, later in pairwise(row.at)):
        yield (*path, "at"), _("each number must be higher than the one before")
    if len(row.at) > MOST_THRESHOLDS:
        yield (*path, "at"), say(_("must have at most %(most)s advances"), most=MOST_THRESHOLDS)
    if row.grows and row.every is None:
        yield (*path, "grows"), _("is only used with “every”")
    if row.group and not any(rank.squad and rank.squad.together for rank in book.ranks):
        yield (
            (*path, "group"),
            _("needs a rank with groups: give its “squad” the field “together”"),
        )
    if row.table is None:
        return
    if "rank" in row.cycle or row.trait_tags:
        yield (
            (*path, "table"),
            _("dice decide this advance: leave out “trait_tags”, and “rank” in “cycle”"),
        )
    if row.teachers is not None:
        yield (
            (*path, "teachers"),
            _("dice decide this advance: give “teachers” to an outcome “chooses_trait”"),
        )
    table = book.table.get(row.table)
    if table is not None and table.matching is not None:
        message = say(
            _("“%(key)s” needs several dice: only a step “rolls” can use this table"), key=table.key
        )
        yield (*path, "table"), message


def check_price(path: RowPath, trait: schema.Trait) -> Wrong:
    """Check how often a trait can be taken, and for how much experience."""
    if trait.dearer and not trait.experience:
        yield (*path, "dearer"), _("is only used with “experience”")
    if trait.most > 1 and trait.gained_at is not None:
        yield (
            (*path, "most"),
            _("must be 1: members gain this trait automatically, and only once"),
        )


def check_start(path: RowPath, rank: schema.Rank) -> Wrong:
    """Check the experience of a new member."""
    if rank.experience is not None and rank.starts_with > rank.experience:
        yield (
            (*path, "starts_with"),
            say(
                _("must be at most %(experience)s, the most experience of this rank"),
                experience=rank.experience,
            ),
        )


def find_useless(book: Book) -> Iterator[tuple[RowPath, str]]:
    """Notes on advances that nobody takes or that make a member worse, on experience that nobody
    has, and on traits that cost experience and only make their owner worse."""
    steps = book.campaign.steps
    earns = any(isinstance(step, ExperienceStep) for step in steps)
    if not any(step.kind == "advances" for step in steps):
        for index, unused in enumerate(book.campaign.advancements):
            message = say(_("“%(key)s” has no effect: add a step “advances”"), key=unused.key)
            yield ("campaign", "advancements", index), message
    for index, trait in enumerate(book.traits):
        here = ("traits", index)
        if trait.experience and not earns and not any(rank.starts_with for rank in book.ranks):
            message = say(
                _("“%(key)s” costs experience, but members cannot earn any"), key=trait.key
            )
            yield (*here, "experience"), message
        if (
            trait.experience
            and trait.effects
            and all(isinstance(effect, Add) and worsens(book, effect) for effect in trait.effects)
        ):
            message = say(_("“%(key)s” costs experience, but makes its owner worse"), key=trait.key)
            yield (*here, "effects"), message
    tables = {row.table for row in book.campaign.advancements}
    for index, table in enumerate(book.tables):
        for place, row in enumerate(table.rows if table.key in tables else ()):
            for outcome in all_outcomes(row.outcomes):
                if isinstance(outcome, Rises) and worsens(book, outcome):
                    message = say(
                        _("this advance makes “%(characteristic)s” worse: check the sign"),
                        characteristic=outcome.characteristic,
                    )
                    yield ("tables", index, "rows", place), message


def worsens(book: Book, change: Add | Rises) -> bool:
    """Whether a change moves a characteristic away from the values that are better."""
    row = book.characteristic.get(change.characteristic)
    is_low = row is not None and row.kind == "number" and row.better == "low"
    return change.amount > 0 if is_low else change.amount < 0


ADVANCE_CHECKS: Checks = {Advancement: _cycle, AdvancementRow: _row}
