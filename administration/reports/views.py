"""Reporting a page to the administrators, and their pages of reports."""

from __future__ import annotations

import uuid
from functools import partial
from http import HTTPStatus
from typing import Any

from allauth.core import ratelimit
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts import notices
from accounts.http import Request, actor
from accounts.models import User
from administration.access import administrators_only
from administration.acts.content_acts import REPORT_ACTS
from administration.acts.views import history_of, page_of
from administration.models import Act, PageReport
from administration.reports.pages import Reported, find_link, reported_or_404, subjects_of
from common.forms import INVALID, OK, CrispyForm, NotesField, require_safe_or_post

ON_A_PAGE = 50
# The largest number of open reports: more than anybody reads, too few to fill a disk.
MOST_OPEN = 500
SENTENCES: dict[str, Promise] = {
    "page_reported": gettext_lazy("A page was reported: %(title)s. %(why)s."),
    "sharing_stopped": gettext_lazy(
        "An administrator has stopped the sharing of %(gang)s. Why: %(reason)s"
    ),
    "hidden": gettext_lazy("An administrator has hidden %(name)s. Why: %(reason)s"),
    "shown_again": gettext_lazy("An administrator shows %(name)s again."),
    "renamed": gettext_lazy(
        "An administrator has renamed %(before)s to %(after)s. Why: %(reason)s"
    ),
    "text_hidden": gettext_lazy(
        "An administrator has hidden a text about %(name)s. Why: %(reason)s"
    ),
    "text_shown": gettext_lazy("An administrator shows the text about %(name)s again."),
    "pictures_hidden": gettext_lazy(
        "An administrator has hidden pictures of %(gang)s. Why: %(reason)s"
    ),
    "pictures_shown": gettext_lazy("An administrator shows pictures of %(gang)s again."),
    "pictures_taken_down": gettext_lazy(
        "An administrator has removed pictures of %(gang)s. Why: %(reason)s"
    ),
    "watching_stopped": gettext_lazy(
        "An administrator has stopped the link for spectators of %(campaign)s. Why: %(reason)s"
    ),
    "invitation_stopped": gettext_lazy(
        "An administrator has stopped the invitation to %(campaign)s. Why: %(reason)s"
    ),
    "game_offered": gettext_lazy(
        "An administrator has put %(game)s on the front page. Why: %(reason)s"
    ),
    "game_taken_off": gettext_lazy(
        "An administrator has taken %(game)s off the front page. Why: %(reason)s"
    ),
    "game_off_shelf": gettext_lazy(
        "An administrator has taken %(game)s off the shelf. Why: %(reason)s"
    ),
}


class ReportForm(CrispyForm):
    """The problem with a page. The token turns a double click into one report."""

    why = forms.ChoiceField(
        label=gettext_lazy("What is wrong with it?"),
        choices=PageReport.Why.choices,
        widget=forms.RadioSelect,
    )
    words = NotesField(
        label=gettext_lazy("In your own words: what, and where on the page?"),
        required=True,
        max_length=1000,
    )
    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)


@login_not_required
@require_safe_or_post
def report_page(request: HttpRequest, page: str) -> HttpResponse:
    """Report a page of this site to the administrators."""
    reported = reported_or_404(request, f"/{page}")
    form = ReportForm(request.POST if request.method == "POST" else None)
    status: int = INVALID if form.is_bound else OK
    if form.is_valid():
        token = form.cleaned_data["token"]
        if PageReport.objects.filter(token=token).exists() or _store(request, reported, form):
            messages.success(request, _("Thank you. An administrator will look at it."))
            return redirect(reported.page)
        form.add_error(None, _("That is enough reports for now: try again later."))
        status = HTTPStatus.TOO_MANY_REQUESTS
    context = {"reported": reported, "form": form}
    return render(request, "administration/reports/form.html", context, status=status)


def _store(request: HttpRequest, reported: Reported, form: ReportForm) -> bool:
    """Store the report and notify the administrators; return False if there are too many."""
    if not ratelimit.consume(request, action="report"):
        return False
    if PageReport.objects.filter(handled_at=None).count() >= MOST_OPEN:
        return False
    with transaction.atomic():
        # Of two simultaneous requests, one creates the report and the other finds it.
        report, new = PageReport.objects.get_or_create(
            token=form.cleaned_data["token"],
            defaults={
                "page": reported.page,
                "title": reported.title[:150],
                "gang": reported.gang,
                "campaign": reported.campaign,
                "book_version": reported.book_version,
                "why": form.cleaned_data["why"],
                "words": form.cleaned_data["words"],
                "reporter": actor(request),
            },
        )
        if new:
            tell_administrators(report)
    return True


@administrators_only
@require_safe
def reports(request: Request) -> HttpResponse:
    """List open reports, newest first; with ``?settled``, the settled ones."""
    settled = "settled" in request.GET
    found = PageReport.objects.select_related("reporter").filter(handled_at__isnull=not settled)
    page = Paginator(found, ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "settled": settled}
    return render(request, "administration/reports/list.html", context)


@administrators_only
@require_safe
def report(request: Request, report: int) -> HttpResponse:
    """Show a report: the page, the reporter's words, and the acts."""
    rows = PageReport.objects.select_related(
        "reporter",
        "gang__owner",
        "campaign",
        "book_version__variant__owner",
        "book_version__draft__owner",
    )
    found = get_object_or_404(rows, pk=report)
    context = {
        "report": found,
        "watching": find_link(found),
        "report_label": Act.Subject.REPORT.label,
        # Acts on something else lead back here.
        "back": f"?report={found.pk}",
        "acts": REPORT_ACTS.offered(found, request.user),
        "subjects": [
            {
                "title": f"{table.subject.label} · {table.name(subject)}",
                "base": page_of(table.subject, subject.pk),
                "acts": table.offered(subject, request.user),
            }
            for table, subject in subjects_of(found)
        ],
        "history": history_of(Act.Subject.REPORT, found.pk),
        "others": PageReport.objects.filter(page=found.page).exclude(pk=found.pk)[:10],
    }
    return render(request, "administration/reports/report.html", context)


def register() -> None:
    """Register the sentences of these notices."""
    for kind in SENTENCES:
        topic = notices.SITE if kind == "page_reported" else notices.OTHER
        notices.register(kind, partial(_sentence, kind), topic=topic)


def _sentence(kind: str, values: dict[str, Any]) -> str:
    values = dict(values)
    if "why" in values:
        values["why"] = PageReport.Why(values["why"]).label
    return str(SENTENCES[kind]) % values


def tell_administrators(report: PageReport) -> None:
    """Notify every administrator of a report."""
    readers = User.objects.filter(is_staff=True, is_active=True)
    values = {"title": report.title, "why": report.why}
    url = reverse("administration:report", args=[report.pk])
    notices.notify(readers, "page_reported", values, url, except_for=report.reporter)
