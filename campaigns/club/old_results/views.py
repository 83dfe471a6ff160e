"""The page on which organisers import old results: read the table, explain it, look it over, import
it, and undo that."""

from __future__ import annotations

import hashlib
import json
import uuid
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts import quotas
from accounts.http import Request
from accounts.quotas import QuotaFull
from campaigns.access import organised_or_404
from campaigns.club.old_results import own_tables, storage
from campaigns.club.old_results.forms import (
    MAPPED,
    ColumnsForm,
    MeaningsForm,
    SourceForm,
    meanings,
    names_form,
    results_form,
)
from campaigns.club.old_results.lines import (
    MOST_NAMES,
    KnownGames,
    Mapped,
    ResultLine,
    digest_of,
    names_in,
    read_lines,
    unknown_results,
)
from campaigns.club.old_results.reading import MOST_BYTES, Grid, decode
from campaigns.models import Campaign, ResultsImport
from campaigns.refusals import refusal_sentence
from common.errors import Refusal
from common.forms import INVALID, OK, require_safe_or_post
from common.text import fold_letters, one_line


@dataclass(frozen=True)
class Table:
    """A table of old results with an organiser's explanation. ``title``: the name of its file;
    ``data``: the post."""

    campaign: Campaign
    grid: Grid
    text: str
    title: str
    data: QueryDict | None

    @cached_property
    def columns(self) -> ColumnsForm:
        """The columns; guessed after the first reading."""
        return ColumnsForm(self.grid, self.data)

    @cached_property
    def _mapped(self) -> Mapped | None:
        if not self.columns.is_valid():
            return None
        headed = bool(self.columns.cleaned_data["headed"])
        order = self.columns.date_order
        return Mapped(self.columns.columns(), headed, order, counted=self._counted)

    @property
    def _counted(self) -> frozenset[str]:
        """The keys of rows that count although the site proposes to leave them out."""
        return frozenset(self.data.getlist("count") if self.data else ())

    @cached_property
    def names(self) -> MeaningsForm | None:
        """The gangs of the names; None until the columns are known. Raises Refusal for too many
        names."""
        if self._mapped is None:
            return None
        names = names_in(self.grid, self._mapped)
        if len(names) > MOST_NAMES:
            raise Refusal("too_many_names", most=MOST_NAMES)
        rows = self.campaign.memberships.select_related("gang__owner").defer("gang__snapshot")
        gangs = sorted(
            (row.gang for row in rows), key=lambda gang: (fold_letters(gang.name), gang.pk)
        )
        return names_form(names, gangs, self.data)

    @cached_property
    def results(self) -> MeaningsForm | None:
        """The meanings of unknown results; None until the columns are known. Raises Refusal for too
        many."""
        if self._mapped is None:
            return None
        texts = unknown_results(self.grid, self._mapped)
        if len(texts) > MOST_NAMES:
            raise Refusal("too_many_names", most=MOST_NAMES)
        return results_form(texts, self.data)

    @cached_property
    def lines(self) -> list[ResultLine]:
        """Every row as a game; empty until the columns are known."""
        if self._mapped is None or self.names is None or self.results is None:
            return []
        mapped = replace(self._mapped, names=self.names.chosen(), results=meanings(self.results))
        return read_lines(self.grid, mapped, self.campaign.book, timezone.localdate(), self.known)

    @cached_property
    def known(self) -> KnownGames:
        """The games that the campaign has already."""
        return storage.known_games(self.campaign)

    @property
    def seen(self) -> str:
        """Identifies everything that the preview shows."""
        names = self.names.chosen() if self.names else {}
        known = [line.number for line in self.lines if line.known]
        shown = [digest_of(self.lines), sorted(names.items()), sorted(self._counted), known]
        return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:32]


@require_safe_or_post
def old_results(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """Import a table of old results: nothing is stored until ``import`` is pressed."""
    campaign = organised_or_404(request, campaign_id)
    if campaign.book.who_plays.is_together:
        # A row of the table names two gangs that met.
        raise Http404
    if request.method != "POST":
        return _page(request, campaign, SourceForm(), None)
    source = SourceForm(request.POST, request.FILES)
    try:
        table = _read(request, campaign, source)
        if table is not None:
            # Read completely, so that a refusal comes before the page is drawn.
            table.lines  # noqa: B018
    except Refusal as refusal:
        source.add_error(None, refusal_sentence(refusal))
        table = None
    if table is None:
        return _page(request, campaign, source, None, status=INVALID)
    error = _import(request, table) if "import" in request.POST else ""
    if error is None:
        return redirect("campaigns:old-results", campaign.pk)
    status = INVALID if error else OK
    return _page(request, campaign, _as_text(table), table, error=error, status=status)


def _read(request: Request, campaign: Campaign, source: SourceForm) -> Table | None:
    """The table in a post; None if the form has mistakes. Raises Refusal."""
    if not source.is_valid():
        return None
    upload, text = source.cleaned_data["file"], source.cleaned_data["text"]
    title = one_line(request.POST.get("title", ""))[:120]
    if upload:
        if upload.size > MOST_BYTES:
            raise Refusal("results_too_large", characters=MOST_BYTES)
        text, title = decode(upload.read()), one_line(upload.name)[:120]
    data = request.POST if MAPPED in request.POST and not upload else None
    return Table(campaign, own_tables.read_table(text), text, title, data)


def _as_text(table: Table) -> SourceForm:
    """The form with the table as text, so that mistakes can be mended on the page."""
    return SourceForm(initial={"text": table.text})


def _import(request: Request, table: Table) -> str | None:
    """Import the good rows; returns why that is impossible, or None after success."""
    if _was_sent(request):
        return None
    if request.POST.get("seen") != table.seen:
        return _("The table has changed since you looked it over: please check it again.")
    again = "again" in request.POST
    lines = [line for line in table.lines if line.is_good and (again or not line.known)]
    digest = digest_of(table.lines)
    if not again and table.campaign.results_imports.filter(digest=digest).exists():
        return _("This table was imported before: tick the box to import it once more.")
    if not lines or table.names is None:
        return _("No row can be imported yet: mend the mistakes below.")
    try:
        act = storage.import_results(
            table.campaign,
            lines,
            table.names.chosen(),
            known=table.known,
            title=table.title,
            digest=digest,
            actor=request.user,
            token=_token(request),
        )
    except QuotaFull as full:
        return quotas.describe(full)
    except Refusal as refusal:
        return refusal_sentence(refusal)
    count = act.games.count()
    words = ngettext("%(count)s game is imported.", "%(count)s games are imported.", count)
    messages.success(request, words % {"count": count})
    return None


def _token(request: Request) -> uuid.UUID:
    try:
        return uuid.UUID(request.POST.get("token", ""))
    except ValueError:
        return uuid.uuid4()


def _was_sent(request: Request) -> bool:
    """Whether the same form has imported already: the second of two clicks."""
    return ResultsImport.objects.filter(token=_token(request)).exists()


def _page(
    request: Request,
    campaign: Campaign,
    source: SourceForm,
    table: Table | None,
    *,
    error: str = "",
    status: int = OK,
) -> HttpResponse:
    context: dict[str, Any] = {
        "campaign": campaign,
        "source": source,
        "table": table,
        "error": error,
        "imports": campaign.results_imports.select_related("by").annotate(count=Count("games")),
        "token": uuid.uuid4(),
    }
    if table is not None:
        lines = table.lines
        twins = campaign.results_imports.filter(digest=digest_of(lines)).exists()
        context |= {
            "good": sum(line.is_good and not line.known for line in lines),
            "bad": sum(bool(line.mistakes) and not line.is_left for line in lines),
            "left": sum(line.is_left for line in lines),
            "known": sum(line.is_good and line.known for line in lines),
            "twin": bool(lines) and twins,
        }
    return render(request, "campaigns/club/old_results/page.html", context, status=status)


@require_POST
def undo(request: Request, campaign_id: uuid.UUID, act: int) -> HttpResponse:
    """Take an import back, with all its games."""
    campaign = organised_or_404(request, campaign_id)
    try:
        count = storage.undo(campaign, act)
    except Refusal as refusal:
        messages.error(request, refusal_sentence(refusal))
    else:
        if count is None:
            messages.info(request, _("This import was undone before."))
        else:
            words = ngettext("Undone: %(count)s game.", "Undone: %(count)s games.", count)
            messages.success(request, words % {"count": count})
    return redirect("campaigns:old-results", campaign.pk)
