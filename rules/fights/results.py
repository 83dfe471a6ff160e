"""What simulated fights say, in the reader's language: nothing of a row that has fought too few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, floor

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from accounts.language import rules_language
from rules.engine.duels import Share
from rules.engine.fairness import Fair, Kind, Report
from rules.fights.progress import FIGHTS, Place, Progress
from rules.percent import percent

# The tables of a rulebook whose rows are tried.
FOUGHT: dict[Kind, str] = {"rank": "ranks", "item": "items", "trait": "traits"}


@dataclass(frozen=True)
class Told:
    """A share of fights won, and between what it lies, in words; where that begins and how long it
    is on a bar of 100."""

    share: str
    within: str
    low: int
    width: int


@dataclass(frozen=True)
class FightLine:
    """A row of the rulebook: what it costs, and how its fights ended as far as they were fought."""

    name: str
    kind: Kind
    key: str
    cost: str
    duel: Told | None
    sums: Told | None
    sizes: str
    hopeless: bool


@dataclass(frozen=True)
class ChangedPrice:
    """A row that a variant changes: ``both`` as it was before and as it is after, one of them
    missing where nobody has it then. ``name``: what it is called now."""

    name: str
    table: str
    key: str
    both: tuple[FightLine | None, FightLine | None]

    @property
    def is_there(self) -> bool:
        """Whether somebody can have it now."""
        return self.both[1] is not None


@dataclass(frozen=True)
class Results:
    """Everything that a page says of fights. ``done`` of ``all`` rows have come to their end;
    ``untold``: those of which fights tell nothing, ``unseen``: those of the changed ones, and
    ``shared``: those of the changed ones that the typical enemy has, too."""

    fights: str
    typical: str
    has_prices: bool
    changes: tuple[ChangedPrice, ...]
    groups: tuple[tuple[str, tuple[FightLine, ...]], ...]
    overpriced: tuple[FightLine, ...]
    underpriced: tuple[FightLine, ...]
    untold: str
    unseen: str
    shared: str
    done: int
    all: int

    @property
    def finished(self) -> bool:
        """Whether every row has come to its end."""
        return self.done == self.all


def results(found: Progress, before: Progress | None, changed: Mapping[Place, str]) -> Results:
    """All of it. ``changed``: the rows that differ from those ``before``, with their names."""
    lines = {place: _line(found, place) for place in found.rows}
    old = {place: _line(before, place) for place in changed if before and place in before.rows}
    told = found.trials
    typical = told.rank.name.translated(rules_language())
    if told.item is not None:
        names = {"rank": typical, "weapon": told.item.name.translated(rules_language())}
        typical = _("%(rank)s with %(weapon)s") % names
    finished = [row for place, row in found.rows.items() if not found.waiting([place])]
    report = Report(FIGHTS, told, tuple(finished))
    headings = {"rank": _("Ranks"), "item": _("Weapons"), "trait": _("Traits")}

    def named(rows: Iterable[Fair]) -> tuple[FightLine, ...]:
        return tuple(lines[row.trial.kind, row.trial.key] for row in rows)

    waiting = len(found.waiting(found.rows)) + (len(before.waiting(changed)) if before else 0)
    every = len(found.rows) + len(old)
    return Results(
        fights=number_format(FIGHTS, force_grouping=True),
        typical=typical,
        has_prices=told.has_prices,
        changes=tuple(
            ChangedPrice(name, FOUGHT[place[0]], place[1], (old.get(place), lines.get(place)))
            for place, name in changed.items()
            if place in lines or place in old
        ),
        groups=tuple(
            (heading, tuple(line for (kind, _key), line in lines.items() if kind == each))
            for each, heading in headings.items()
            if any(kind == each for kind, _key in lines)
        ),
        overpriced=named(report.overpriced),
        underpriced=named(report.underpriced),
        untold=", ".join(row.name.translated(rules_language()) for row in told.untold),
        unseen=", ".join(
            name for place, name in changed.items() if place not in lines and place not in old
        ),
        shared=", ".join(
            name
            for (kind, key), name in changed.items()
            if key == (told.rank.key if kind == "rank" else told.item and told.item.key)
            and kind != "trait"
        ),
        done=every - waiting,
        all=every,
    )


def _line(found: Progress, place: Place) -> FightLine:
    row = found.rows[place]
    trial, book = row.trial, found.trials.rules.book
    measured = book.money or book.rating
    unit = measured.unit.translated(rules_language()) if measured and measured.unit else ""
    sizes = ""
    if trial.sizes is not None and trial.sizes != (1, 1):
        numbers = {"ours": trial.sizes[0], "theirs": trial.sizes[1]}
        sizes = _("%(ours)s against %(theirs)s") % numbers
    return FightLine(
        name=trial.name.translated(rules_language()),
        kind=trial.kind,
        key=trial.key,
        cost=f"{number_format(trial.cost)} {unit}".rstrip() if found.trials.has_prices else "",
        duel=_told(row.duel),
        sums=_told(row.sums) if row.sums is not None else None,
        sizes=sizes,
        hopeless=place in found.hopeless,
    )


def _told(share: Share) -> Told | None:
    """How often somebody won; None of fewer fights than tell something."""
    if share.fights < FIGHTS:
        return None
    low, high = share.within
    least, most = floor(100 * low), ceil(100 * high)
    within = _("%(low)s to %(high)s%%") % {"low": least, "high": most}
    return Told(percent(share.share), within, least, most - least)
