"""The page “Is it fair?” of a document: simulated fights as a measure of its prices.

Rows with too few fights show no result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, floor

from django.http import HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import Request
from accounts.language import rules_language
from rules.book.model import Book
from rules.editor.documents import Document, base_of, check
from rules.editor.fairness.fights import FIGHTS, FOUGHT, Clock, Place, Progress, progress
from rules.editor.page import open_document, show
from rules.editor.places import between
from rules.editor.text import row_label
from rules.engine.duels import Share
from rules.engine.fairness import Fair, Kind, Report
from rules.percent import percent

# The page requests more fights by itself; it must stop even if results cannot be kept.
MOST_ROUNDS = 120
LONGEST_ROUND = 3


@dataclass(frozen=True)
class WonShare:
    """A share of fights won, with its confidence interval in words and on a bar of 100."""

    share: str
    within: str
    low: int
    width: int


@dataclass(frozen=True)
class FightLine:
    """A row of the rulebook, with its cost and the results of its fights so far."""

    name: str
    kind: Kind
    key: str
    cost: str
    duel: WonShare | None
    sums: WonShare | None
    sizes: str
    hopeless: bool


@dataclass(frozen=True)
class ChangedPrice:
    """A row that a variant changes: ``both`` before and after; None where it does not exist."""

    name: str
    table: str
    key: str
    both: tuple[FightLine | None, FightLine | None]

    @property
    def is_there(self) -> bool:
        """Whether the row exists in the variant."""
        return self.both[1] is not None


@dataclass(frozen=True)
class Results:
    """Everything that the page says about fights. ``done`` of ``all`` rows are finished.

    ``untold``: the names of rows that fights cannot measure; ``unseen``: changed rows among them;
    ``shared``: changed rows that the typical enemy has, too.
    """

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
        """Whether every row is finished."""
        return self.done == self.all


def results(found: Progress, before: Progress | None, changed: Mapping[Place, str]) -> Results:
    """Describe the fights. ``changed``: the rows that differ from ``before``, with their names."""
    lines = {place: _line(found, place) for place in found.rows}
    old = {place: _line(before, place) for place in changed if before and place in before.rows}
    trials = found.trials
    typical = trials.rank.name.translated(rules_language())
    if trials.item is not None:
        names = {"rank": typical, "weapon": trials.item.name.translated(rules_language())}
        typical = _("%(rank)s with %(weapon)s") % names
    finished = [row for place, row in found.rows.items() if not found.waiting([place])]
    report = Report(FIGHTS, trials, tuple(finished))
    headings = {"rank": _("Ranks"), "item": _("Weapons"), "trait": _("Traits")}

    def named(rows: Iterable[Fair]) -> tuple[FightLine, ...]:
        return tuple(lines[row.trial.kind, row.trial.key] for row in rows)

    waiting = len(found.waiting(found.rows)) + (len(before.waiting(changed)) if before else 0)
    every = len(found.rows) + len(old)
    return Results(
        fights=number_format(FIGHTS, force_grouping=True),
        typical=typical,
        has_prices=trials.has_prices,
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
        untold=", ".join(row.name.translated(rules_language()) for row in trials.untold),
        unseen=", ".join(
            name for place, name in changed.items() if place not in lines and place not in old
        ),
        shared=", ".join(
            name
            for (kind, key), name in changed.items()
            if key == (trials.rank.key if kind == "rank" else trials.item and trials.item.key)
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
        duel=_describe_share(row.duel),
        sums=_describe_share(row.sums) if row.sums is not None else None,
        sizes=sizes,
        hopeless=place in found.hopeless,
    )


def _describe_share(share: Share) -> WonShare | None:
    """Describe a share of fights won; None if there were too few fights."""
    if share.fights < FIGHTS:
        return None
    low, high = share.within
    least, most = floor(100 * low), ceil(100 * high)
    within = _("%(low)s to %(high)s%%") % {"low": least, "high": most}
    return WonShare(percent(share.share), within, least, most - least)


@require_safe
@open_document
def fair(request: Request, document: Document) -> HttpResponse:
    """Show the fights of the document's rows so far; each request adds some.

    ``?round``: the number of requests that the page has made by itself.
    """
    checked = check(document)
    book = checked.book
    context = _fights_context(request, base_of(document), book) if book is not None else {}
    part = "#fights" if getattr(request, "htmx", False) else ""
    return show(request, document, "fair", checked=checked, part=part, **context)


def _fights_context(request: Request, base: Book | None, book: Book) -> dict[str, object]:
    """The template's context: the fights of a rulebook, and of its changes to its base."""
    before = progress(base) if base is not None else None
    found = progress(book, before.trials if before is not None else None)
    if found is None:
        return {}
    kinds = {table: kind for kind, table in FOUGHT.items()}
    changed: dict[Place, str] = {
        (kinds[line.table], line.row): row_label(line.table, line.data, line.row)
        for line in (between(base, book) if base is not None else ())
        if line.table in kinds
    }
    # Changed rows fight first, in the variant and in its base, and then all other rows.
    clock = Clock()
    found.go_on(changed, clock)
    if before is not None:
        before.go_on(changed, clock)
    found.go_on(found.rows, clock)
    said = request.GET.get("round", "")
    number = int(said) if said.isdecimal() and len(said) <= LONGEST_ROUND else 0
    return {
        "result": results(found, before, changed),
        "round": number + 1 if number < MOST_ROUNDS else None,
    }
