"""Games without a battle: their accounts, and what they pay.

No gang changes, except that the money and the amounts of other currencies that a side's report
names, if any, come in, with an entry for each.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence

from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import User
from campaigns.engine.claims import Account, SideAccount
from campaigns.engine.how import FORFEITS, ClubResults, Manner, find_rewards, pay_side
from campaigns.engine.income import pay_unfought
from campaigns.engine.report import Report, SideKind
from campaigns.models import Game, Side
from campaigns.table.crews import hiring
from campaigns.text import name_here
from common.errors import Refusal
from gangs.engine.entries import Earned
from gangs.engine.errors import Misfit
from gangs.ledger import writer
from gangs.ledger.writer import Leftovers
from gangs.models import Gang, StoredEntry
from rules.book.model import Rules
from rules.engine.costing import Points


def account_without_battle(
    game: Game, sides: Sequence[Side], how: Manner, absent: Collection[int] = ()
) -> Account:
    """Return the account of a game that nobody fought. ``absent``: the sides that did not come, or
    conceded; in a void or abandoned game they do not matter."""
    rules, club = game.campaign.rules, game.campaign.club_results
    kinds: dict[int, SideKind] = {side.pk: "level" for side in sides}
    if how in FORFEITS:
        kinds = {side.pk: "loser" if side.pk in absent else "winner" for side in sides}
    return Account(
        result="",
        how=how,
        played_on=min(game.played_on, timezone.localdate()),
        note=game.note,
        sides={pk: SideAccount(kind, _paid(rules, club, how, kind)) for pk, kind in kinds.items()},
    )


def _paid(rules: Rules, club: ClubResults, how: Manner, kind: SideKind) -> Report:
    if not rules.pays:
        return Report()
    money = pay_side(rules, club, how, kind, None, 2).money or 0
    return Report(money=int(money), rewards=find_rewards(rules, how, kind))


def settle(game: Game, sides: Sequence[Side], *, actor: User | None) -> None:
    """Bring the ledgers in line with a confirmed game: pay what a game without a battle brings, and
    take back what an earlier decision paid. Hired hands are sent back, and refunded.

    In the caller's transaction, which has locked the game and its sides. Locks the gangs.
    """
    paid = find_paid(sides)
    if game.is_fought and not paid:
        return
    rows = Gang.objects.select_for_update(of=("self",), no_key=True)
    keys = [side.gang_id for side in sides if side.gang_id is not None]
    gangs = {gang.pk: gang for gang in rows.filter(pk__in=keys).order_by("pk")}
    if not game.is_fought and hiring.give_back(game, actor=actor):
        gangs = {gang.pk: gang for gang in rows.filter(pk__in=keys)}
    for side in sides:
        due = [] if game.is_fought else pay_unfought(side.parsed_report)
        amounts = {one.currency: one.amount for one in due}
        if side.gang_id is not None and amounts != paid.get(side.pk, {}):
            _pay(side, gangs[side.gang_id], due, was_paid=side.pk in paid, actor=actor)


def _pay(
    side: Side, gang: Gang, due: Sequence[Earned], *, was_paid: bool, actor: User | None
) -> None:
    """Write what is due to a side, in place of what it was paid. Raises Refusal if the gang has
    spent that."""
    if was_paid and side.batch is not None:
        try:
            batch, version = side.batch, gang.version
            writer.strike(gang, batch, expected_version=version, actor=actor, leaving=True)
        except (Leftovers, Misfit):
            raise Refusal("unfought_spent", gang=name_here(side.game.campaign, gang)) from None
    side.batch = uuid.uuid4() if due else None
    if side.batch is not None:
        writer.append(
            gang,
            due,
            expected_version=gang.version,
            actor=actor,
            batch=side.batch,
        )
    side.save(update_fields=["batch"])


def find_paid(sides: Iterable[Side]) -> dict[int, dict[str | None, Points]]:
    """Return what games without a battle have paid to sides, by their keys: the amount of each
    currency, None for money. One query.

    The batch of a battle has an entry "played". Why money came in does not count: people may have
    corrected that.
    """
    by_batch = {side.batch: side for side in sides if side.batch is not None}
    if not by_batch:
        return {}
    battle = StoredEntry.objects.filter(
        batch=OuterRef("batch"), gang=OuterRef("gang"), kind="played"
    )
    rows = StoredEntry.objects.live().filter(~Exists(battle), batch__in=by_batch, kind="earned")
    paid: dict[int, dict[str | None, Points]] = {}
    for row in rows:
        side = by_batch[row.batch]
        if row.gang_id == side.gang_id:
            amounts = paid.setdefault(side.pk, {})
            currency = row.data.get("currency")
            amounts[currency] = amounts.get(currency, 0) + row.data["amount"]
    return paid
