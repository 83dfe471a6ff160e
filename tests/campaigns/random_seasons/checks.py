"""Invariants of a campaign and its gangs, computed a second way where possible."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Collection
from datetime import UTC

from django.db.models import Q

from campaigns.engine.claims import ClaimData
from campaigns.models import Bargain, Campaign, Game, Side, Throw
from campaigns.season import loading
from campaigns.season.loading import load_season
from campaigns.statistics.charts import figures
from campaigns.statistics.chronicle import chronicle
from campaigns.statistics.records import graveyard, meetings
from campaigns.statistics.season_facts import Season as SeasonFacts
from campaigns.statistics.standings import season_rows, standings
from gangs.engine import entries as kinds
from gangs.engine.entries import Entry
from gangs.engine.fold import fold
from gangs.engine.roster import Roster
from gangs.engine.validation import findings
from gangs.engine.valuation import gang_price, gang_rating
from gangs.ledger import storage, writer
from gangs.models import Gang, StoredEntry
from rules.book.limits import PurseLimit
from rules.book.model import Book
from rules.book.vocabulary import Settings
from rules.engine.dice import DiceRoll

# Kinds of entries that only a post-game or a bargain brings.
BROUGHT = {"rolled", "died", "left", "suffered", "recovered", "item_lost", "learned", "earned"}
BROUGHT |= {"fined", "promoted"}
Batches = Collection[uuid.UUID]


def facts(gang: Gang) -> tuple[object, ...]:
    """Return the gang's stored state and its unstruck entries."""
    gang = Gang.objects.get(pk=gang.pk)
    return (*standing(gang), gang.last_seq)


def standing(gang: Gang) -> tuple[object, ...]:
    """Return the same without the number of entries written."""
    gang = Gang.objects.get(pk=gang.pk)
    live = tuple(gang.entries.live().order_by("seq").values_list("seq", flat=True))
    done = tuple(gang.sides.done().order_by("pk").values_list("pk", flat=True))
    return gang.snapshot, gang.name, gang.size, gang.rating, live, done


# A gang


def check_gang(gang: Gang, *, touched: Batches, freed: Batches) -> None:
    """Assert that the gang equals its entries. ``touched``, ``freed``: as in ``Season``."""
    roster = gang.roster
    entries = storage.number_entries(gang.entries.live())
    assert writer.replay_roster(gang) == roster
    rating = gang_rating(gang.book, roster).total
    assert (gang.name, gang.size, gang.rating) == (roster.name, len(roster.members), rating)
    check_people(roster, [entry for _, entry in entries])
    check_played(gang, roster, touched, freed)
    check_money(gang, roster, entries, touched)


def check_people(roster: Roster, entries: list[Entry]) -> None:
    """Assert that nobody is here twice or also departed, and that the dead stay dead."""
    everyone = [member.id for member in roster.everyone()]
    assert len(everyone) == len(set(everyone))
    items = [owned.id for member in roster.everyone() for owned in member.items]
    items += [owned.id for owned in roster.stash]
    assert len(items) == len(set(items))
    assert not set(items) & set(everyone)
    died = {entry.member for entry in entries if isinstance(entry, kinds.Died)}
    assert not died & {member.id for member in roster.members}
    fates = {gone.member.id for gone in roster.departed if gone.fate == "dead"}
    assert fates <= died


def check_played(gang: Gang, roster: Roster, touched: Batches, freed: Batches) -> None:
    """Assert that the gang played only confirmed games, each once, and kept what they brought."""
    stored = list(gang.entries.order_by("place", "seq"))
    live = [entry for entry in stored if entry.struck_id is None]
    numbers = [entry.number for entry in live]
    assert len(numbers) == len(set(numbers))
    games = {entry.data["game"] for entry in stored if entry.kind == "played"}
    status = {str(key): it for key, it in Game.objects.values_list("pk", "status")}
    assert all(status[game] in ("confirmed", "struck") for game in games)
    played = [entry.data["game"] for entry in live if entry.kind == "played"]
    assert len(played) == len(set(played)) and tuple(played) == roster.played
    assert all(status[game] == "confirmed" for game in played)
    for side in gang.sides.with_standing():
        assert side.done == (str(side.game_id) in played)
    agreed = set(Bargain.objects.filter(status="agreed").values_list("batch", flat=True))
    settled = {entry.batch for entry in live if entry.kind == "played"}
    brought = {entry.batch for entry in live if entry.kind in BROUGHT}
    assert brought <= settled | agreed | set(freed)
    learned = Counter(
        (entry.batch, entry.data["member"], entry.data["award"])
        for entry in live
        if entry.kind == "learned" and entry.data["award"] and entry.batch not in touched
    )
    assert all(count == 1 for count in learned.values()), "an award was given twice"


def check_money(
    gang: Gang, roster: Roster, entries: list[tuple[int, Entry]], touched: Batches
) -> None:
    """Assert that the purse is the income from games and bargains less the payments since.

    A finding reports each discrepancy. The income of a game is computed again unless somebody
    has corrected it by hand.
    """
    book = gang.book
    first = next((at for at, (_, entry) in enumerate(entries) if entry.kind == "played"), None)
    later = [] if first is None else entries[first:]
    founding = fold(book, entries[:first])
    budget = book.under(founding.settings).budget
    left = 0 if budget is None else budget - gang_price(book, founding)
    purse = [limit for limit in book.limits if isinstance(limit, PurseLimit)]
    # A check of the founding alone says nothing of a gang that plays.
    lasting = {limit.kind for limit in purse if first is None or limit.phase != "founding"}
    over = max(0, -left) if "overspent" in lasting else 0
    kept = left if later and left > 0 and book.under(founding.settings).keeps_budget else 0
    earned = sum(entry.amount for _, entry in entries if isinstance(entry, kinds.Earned))
    assert roster.earned == kept + earned
    assert roster.spent == sum(getattr(entry, "paid", 0) for _, entry in later)
    assert roster.treasury == roster.earned - roster.spent
    for side in gang.sides.done().filter(correcting=False).select_related("game"):
        if side.batch is not None and side.batch not in touched:
            rows = gang.entries.live().filter(batch=side.batch, kind="earned")
            brought = sum(row.data["amount"] for row in rows)
            assert brought == reward(book, roster.settings, side)
    debt = -roster.treasury if first is not None and roster.treasury < 0 else 0
    kind = {limit.text: limit.kind for limit in purse}
    said: dict[str, float] = Counter()
    for finding in findings(book, roster):
        if finding.text in kind:
            amount = finding.values["amount"]
            assert isinstance(amount, (int, float))
            said[kind[finding.text]] += amount
    assert (said["overspent"], said["debt"]) == (over, debt)


def reward(book: Book, chosen: Settings, side: Side) -> int:
    """Return a side's income from a game, from the rulebook and the report alone."""
    steps = [step for step in book.under(chosen).steps if step.kind == "income"]
    if not steps:
        return 0
    row = next(row for row in book.campaign.results if row.key == side.game.result)
    amount: int = {
        "level": row.each,
        "decided": row.winner if side.side == "winner" else row.loser,
        "open": side.report["money"],
    }[row.kind]
    for tally in book.under(chosen).tallies:
        worth = tally.money * (int(chosen[tally.times]) if tally.times else 1)
        if tally.per == "gang":
            amount += worth * side.report["tallies"].get(tally.key, 0)
        else:
            amount += worth * sum(side.report["counts"].get(tally.key, {}).values())
    ratings = [other.rating for other in side.game.sides.exclude(pk=side.pk)]
    above = max(ratings) - side.rating
    for row in book.under(chosen).underdog:
        amount += max(0, min(row.most, above // row.step))
    return amount


# The campaign


def check_games(campaign: Campaign) -> None:
    """Assert that each game follows a claim and counts if all agree on it or it was decided, and
    that the indexes find the post-games that are open."""
    games = Game.objects.filter(campaign=campaign).exclude(status="planned")
    for game in games.select_related("claim"):
        assert game.claim is not None
        claim = ClaimData.model_validate(game.claim.data)
        sides = list(game.sides.select_related("gang"))
        assert (game.result, game.played_on) == (claim.account.result, claim.account.played_on)
        for side in sides:
            told = claim.account.sides[side.pk]
            assert (side.kind, side.parsed_report) == (told.side, told.report)
        if game.status in ("confirmed", "struck"):
            assert claim.decided or {side.pk for side in sides} <= set(claim.behind)
        else:
            assert not claim.decided
    sides = Side.objects.filter(game__campaign=campaign, gang__isnull=False)
    is_open = Q(pk__in=Side.objects.undone()) | Q(correcting=True)
    undone = sides.filter(is_open, game__status=Game.Status.CONFIRMED)
    gangs = set(sides.values_list("gang", flat=True))
    assert set(sides.open(gangs)) == set(undone)


def check_throws(campaign: Campaign) -> None:
    """Assert that no dice were thrown twice for one thing, and that the results match the dice."""
    throws = Throw.objects.filter(game__campaign=campaign, taken_back_at=None)
    shown: dict[int, dict[str, DiceRoll]] = {}
    for throw in throws.exclude(side=None):
        assert throw.side_id is not None
        kept = shown.setdefault(throw.side_id, {})
        assert throw.key not in kept, "dice were thrown twice for one thing"
        kept[throw.key] = DiceRoll.model_validate(throw.roll)
    for side in Side.objects.filter(game__campaign=campaign):
        assert shown.get(side.pk, {}) == side.answers.rolls


def check_bargains(campaign: Campaign) -> None:
    """Assert that payments match receipts, and that a bargain is in both gangs or none."""
    for bargain in Bargain.objects.filter(campaign=campaign, status="agreed"):
        entries = StoredEntry.objects.filter(batch=bargain.batch)
        live = entries.filter(struck=None)
        assert live.count() in (0, entries.filter(added_by=None).count())
        paid = sum(row.data["paid"] for row in live if row.kind == "recovered")
        earned = sum(row.data["amount"] for row in live if row.kind == "earned")
        assert paid == earned == (bargain.terms["ransom"] if live else 0)


def check_standings(campaign: Campaign) -> None:
    """Assert that exactly the confirmed games count, for each of their sides."""
    season = load_season(campaign.pk).season
    _check_kept(season, campaign)
    rows = standings(season.book, season_rows(season))
    games = Side.objects.filter(game__campaign=campaign, game__status=Game.Status.CONFIRMED)
    counted = Counter(str(key) for key in games.values_list("gang", flat=True))
    assert {row.gang: row.played for row in rows if row.played} == counted
    wins = Counter(str(key) for key in games.filter(side="winner").values_list("gang", flat=True))
    assert {row.gang: row.won for row in rows if row.won} == wins


def _check_kept(season: SeasonFacts, campaign: Campaign) -> None:
    """Assert that the incrementally loaded season equals a freshly loaded one."""
    loading._seasons.kept.clear()
    anew = load_season(campaign.pk).season
    assert season_rows(season) == season_rows(anew)
    assert chronicle(season, UTC) == chronicle(anew, UTC)
    assert figures(season, "rating") == figures(anew, "rating")
    assert (graveyard(season), meetings(season)) == (graveyard(anew), meetings(anew))
