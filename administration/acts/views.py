"""Administrators' acts: the page with warnings and a reason, and the record of past acts."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Model, Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.http import Request, site_url
from accounts.models import User
from administration.access import administrators_only
from administration.acts.account_acts import ACCOUNT_ACTS
from administration.acts.content_acts import CAMPAIGN_ACTS, GANG_ACTS, JOB_ACTS, REPORT_ACTS
from administration.acts.kinds import ActKind, Acts, ReasonForm
from administration.acts.rulebook_acts import RULEBOOK_ACTS, UPLOADS
from administration.acts.writing_acts import DRAFT_ACTS, GAME_ACTS, NIGHT_ACTS, VARIANT_ACTS
from administration.models import Act, PageReport
from campaigns.models import Campaign, Game, Night
from campaigns.refusals import refusal_sentence
from common.errors import Refusal, Stale
from common.forms import CONFLICT, INVALID, OK, number, require_safe_or_post
from common.models import Job
from gangs.models import Gang
from rules.models import BookDraft, Rulebook, Variant

TABLES: Mapping[str, Acts[Any]] = {
    table.subject: table
    for table in (
        ACCOUNT_ACTS,
        GANG_ACTS,
        CAMPAIGN_ACTS,
        REPORT_ACTS,
        JOB_ACTS,
        RULEBOOK_ACTS,
        VARIANT_ACTS,
        DRAFT_ACTS,
        GAME_ACTS,
        NIGHT_ACTS,
    )
}
SENTENCES: dict[tuple[str, str], Promise] = {
    (table.subject, kind.key): kind.sentence
    for table in (*TABLES.values(), UPLOADS)
    for kind in table.kinds
}
# Of an act in earlier releases.
SENTENCES[Act.Subject.GANG, "stop-sharing"] = gettext_lazy(
    "%(by)s stopped the sharing of the gang %(subject)s."
)
MODELS: dict[str, type[Model]] = {
    Act.Subject.ACCOUNT: User,
    Act.Subject.GANG: Gang,
    Act.Subject.CAMPAIGN: Campaign,
    Act.Subject.REPORT: PageReport,
    Act.Subject.JOB: Job,
    Act.Subject.RULEBOOK: Rulebook,
    Act.Subject.VARIANT: Variant,
    Act.Subject.DRAFT: BookDraft,
    Act.Subject.GAME: Game,
    Act.Subject.NIGHT: Night,
}
ON_A_PAGE = 50


@administrators_only
@require_safe_or_post
def act(request: Request, subject: str, key: int | uuid.UUID | str, kind: str) -> HttpResponse:
    """Carry out an act on a subject of any kind; ``?report=``: the report that led here, to which
    the administrator returns.
    """
    table = TABLES[subject]
    wanted = next((known for known in table.kinds if known.key == kind), None)
    if wanted is None:
        raise Http404
    found = MODELS[subject]._default_manager.filter(pk=key).first()
    if found is None:
        return _gone(request)
    if request.method != "POST" and not wanted.offered(found, request.user):
        messages.warning(request, _("That is not possible here, or already done."))
        return redirect(_back(request, subject, key))
    form = wanted.form(found, request.POST if request.method == "POST" else None)
    status = INVALID if form.is_bound else OK
    if form.is_valid():
        try:
            return _perform(request, table, wanted, found, form)
        except Stale:
            status = CONFLICT
            form.add_error(None, _("That is no longer possible: see what has changed."))
        except Refusal as refusal:
            form.add_error(None, refusal_sentence(refusal))
    context = {
        "act": wanted,
        "name": table.name(found),
        "sort": Act.Subject(subject).label,
        "back": _back(request, subject, key),
        "form": form,
        "foretold": wanted.foretold(found) if wanted.foretold is not None else [],
    }
    return render(request, "administration/acts/act.html", context, status=status)


def _perform(
    request: Request, table: Acts[Any], kind: ActKind[Any], subject: Any, form: ReasonForm
) -> HttpResponse:
    name, key = table.name(subject), subject.pk
    values = table.perform(
        kind,
        subject,
        request.user,
        reason=form.cleaned_data["reason"],
        token=form.cleaned_data["token"],
        data=form.details(),
    )
    if values is not None and "_path" in values:
        context = {
            "act": kind,
            "name": name,
            "link": f"{site_url(request)}{values['_path']}",
            "back": page_of(table.subject, key),
        }
        return render(request, "administration/acts/link.html", context)
    done = _("Done and recorded: %(name)s · %(act)s.") % {"name": name, "act": kind.label}
    messages.success(request, done)
    return redirect("administration:acts" if kind.ends else _back(request, table.subject, key))


def _back(request: Request, subject: str, key: object) -> str:
    """Return the address of the report that led to an act, or else of its subject."""
    report = number(request.GET.get("report"))
    if report is not None and PageReport.objects.filter(pk=report).exists():
        return page_of(Act.Subject.REPORT, report)
    return page_of(subject, key)


def _gone(request: Request) -> HttpResponse:
    """Answer 404, or confirm the act if this form has just deleted the subject."""
    try:
        token = uuid.UUID(request.POST.get("token", ""))
    except ValueError:
        raise Http404 from None
    if not Act.objects.filter(token=token, by=request.user).exists():
        raise Http404
    messages.success(request, _("Already done."))
    return redirect("administration:acts")


def page_of(subject: str, key: object) -> str:
    """Return the address of the page of an act's subject."""
    return reverse(f"administration:{subject}", args=[key])


@administrators_only
@require_safe
def acts(request: Request) -> HttpResponse:
    """List all acts, newest first; ``?q=`` searches names and reasons."""
    query = request.GET.get("q", "").replace("\x00", "").strip()
    found = Act.objects.select_related("by")
    if query:
        named = Q(subject_name__icontains=query) | Q(by_name__icontains=query)
        found = found.filter(named | Q(reason__icontains=query))
    page = Paginator(found, ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "lines": describe_all(page.object_list), "query": query}
    return render(request, "administration/acts/list.html", context)


def describe_all(acts: Any) -> list[tuple[Act, str, str]]:
    """Describe acts, with the address of each subject's page ("" once it is deleted).

    One query for each kind of subject.
    """
    listed = list(acts)
    there: dict[str, set[str]] = {}
    for subject, model in MODELS.items():
        keys = {act.key for act in listed if act.subject == subject}
        rows = model._default_manager.filter(pk__in=keys) if keys else model._default_manager.none()
        there[subject] = {str(key) for key in rows.values_list("pk", flat=True)}
    return [
        (act, describe(act), page_of(act.subject, act.key) if act.key in there[act.subject] else "")
        for act in listed
    ]


def history_of(subject: str, key: object) -> list[tuple[Act, str, str]]:
    """Return the latest acts on one subject, newest first."""
    return [
        (act, describe(act), "")
        for act in Act.objects.filter(subject=subject, key=str(key))[:ON_A_PAGE]
    ]


def describe(act: Act) -> str:
    """Describe an act in the reader's language, without its reason."""
    values = {**act.values, "by": act.by_name, "subject": act.subject_name}
    sentence = SENTENCES.get((act.subject, act.kind))
    try:
        return str(sentence) % values if sentence is not None else act.kind
    except KeyError:
        # The sentence has changed since, and needs values that were not stored.
        return _("%(by)s: %(subject)s (%(kind)s)") % {**values, "kind": act.kind}
