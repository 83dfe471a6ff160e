"""Counting the things that an amount is rolled, paid or given for."""

from __future__ import annotations

from campaigns.engine.report import Report
from campaigns.engine.script_state import ScriptRun
from gangs.engine.own_items import extend_book
from gangs.engine.roster import Member
from rules.book.amounts import Each, ItemSelector
from rules.book.schema import Item
from rules.bounds.work import spend


def count_each(run: ScriptRun, each: Each, member: Member | None) -> int:
    """How many things ``each`` counts in the gang as it is now.

    A tally per member is the ``member``'s own, or the sum of all if it is about the gang.
    """
    report = run.game_report.report
    if each.tally is not None:
        count = _tally(report, each.tally, member)
    elif each.members is not None:
        selector = each.members
        count = sum(
            (not each.fielded or one.id in report.fielded)
            and report.marks.get(one.id) not in each.not_marks
            and run.picks(selector, one)
            for one in run.roster.members
        )
    elif each.holdings:
        count = sum(held.key in each.holdings for held in run.roster.holdings)
    else:
        count = _items(run, each.items or ItemSelector())
    return count if each.most is None else min(count, each.most)


def _tally(report: Report, key: str, member: Member | None) -> int:
    if key in report.tallies:
        return report.tallies[key]
    counts = report.counts.get(key, {})
    return sum(counts.values()) if member is None else counts.get(member.id, 0)


def _items(run: ScriptRun, selector: ItemSelector) -> int:
    """The number of items that the selector picks, in the stash and with members."""
    known = extend_book(run.book, run.roster).item
    owned = [*run.roster.stash, *(item for who in run.roster.members for item in who.items)]
    spend(len(owned))
    return sum(_picks(selector, known[one.key]) for one in owned)


def _picks(selector: ItemSelector, item: Item) -> bool:
    return (
        (not selector.items or item.key in selector.items)
        and (not selector.groups or item.group in selector.groups)
        and (not selector.item_tags or not item.tags.isdisjoint(selector.item_tags))
    )
