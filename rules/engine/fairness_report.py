"""What simulated fights say of a rulebook's prices, as lines of text for its author."""

from __future__ import annotations

from collections.abc import Iterator

from rules.engine.duels import FEWEST_CLAIMED, Share
from rules.engine.fairness import Fair, Report

LEFT_OUT = (
    "Left out: movement, ranges, terrain, and whatever players do well or badly. Everybody stands",
    "and acts once a turn with the attack likeliest to put the enemy out; circumstances are what",
    "they usually are; points are spread evenly; who begins a turn is drawn by lot.",
)
KINDS = {"rank": "Ranks", "item": "Weapons", "trait": "Traits"}


def lines(report: Report | None, slug: str) -> Iterator[str]:
    """The report, from what is assumed to what is dearest and cheapest for what it does."""
    if report is None:
        yield f"{slug}: nothing in this rulebook can be fought with"
        return
    trials = report.trials
    item = f" with {trials.item.name.en}" if trials.item else ""
    yield f"{slug}: {report.fights} fights each against {trials.rank.name.en}{item}"
    yield from LEFT_OUT
    if not trials.has_prices:
        yield "This game sells nothing: fights one against one are all there is to compare."
    for kind, heading in KINDS.items():
        rows = [row for row in report.rows if row.trial.kind == kind]
        if rows:
            yield ""
            yield f"{heading:<28}{'cost':>6}  {'one against one':<22}{'equal sums':<22}"
            yield from map(_line, rows)
    if trials.untold:
        yield ""
        yield f"These fights tell nothing of: {', '.join(row.name.en for row in trials.untold)}"
    yield ""
    if report.fights < FEWEST_CLAIMED:
        yield f"Nothing is claimed of fewer than {FEWEST_CLAIMED} fights."
    elif trials.has_prices:
        yield _named("Dear for what they do", report.overpriced)
        yield _named("Cheap for what they do", report.underpriced)


def _line(row: Fair) -> str:
    trial = row.trial
    sums = "" if row.sums is None else _share(row.sums)
    against = "" if trial.sizes is None else f" {trial.sizes[0]} against {trial.sizes[1]}"
    line = f"{trial.name.en[:27]:<28}{trial.cost!s:>6}  {_share(row.duel):<22}{sums:<22}{against}"
    return line.rstrip()


def _share(share: Share) -> str:
    """How often it won, and between what that lies in truth: "57% (54 to 60)"."""
    low, high = (f"{100 * bound:.0f}" for bound in share.within)
    return f"{float(share.share):.0%} ({low} to {high})"


def _named(heading: str, rows: list[Fair]) -> str:
    names = ", ".join(
        f"{row.trial.name.en} ({float(row.sums.share):.0%})" for row in rows if row.sums
    )
    return f"{heading}: {names or 'none that these fights would tell'}"
