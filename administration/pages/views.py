"""The administrators' pages: the site's state, accounts, gangs, campaigns and tasks."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from allauth.account.models import EmailAddress
from django.core.paginator import Paginator
from django.db.models import Model, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts import quotas
from accounts.http import Request, site_url
from accounts.language import rules_language
from accounts.models import User
from administration.access import administrators_only
from administration.acts.account_acts import ACCOUNT_ACTS
from administration.acts.content_acts import CAMPAIGN_ACTS, GANG_ACTS, JOB_ACTS
from administration.acts.kinds import Acts, picture_choices
from administration.acts.views import history_of
from administration.archives import daily
from administration.models import HiddenText, Run
from administration.pages.content import texts_context
from administration.panels import (
    advise_on_time,
    describe_daily_backups,
    describe_progress,
    summary,
)
from administration.totals import TotalsPaginator
from campaigns.access import gangs_of
from campaigns.models import Campaign, Invitation, Participant, Side
from common.models import Job
from common.site_state import Level, panels
from gangs import short_codes
from gangs.cards import sheet as cards_sheet
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from gangs.pictures.views import picture_response

ON_A_PAGE = 50
MOST_LISTED = 200
UUID = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.I)
# The keys in addresses of shared sheets, invitations and links for spectators.
KEY = re.compile(r"[\w-]{20,32}")


@administrators_only
@require_safe
def overview(request: Request) -> HttpResponse:
    """Show the state of the site: problems with their remedies first, then everything."""
    told = panels()
    urgent = [
        (panel.title, fact)
        for level in (Level.ERROR, Level.WARNING)
        for panel in told
        for fact in panel.facts
        if fact.level == level
    ]
    return render(request, "administration/pages/overview.html", {"panels": told, "urgent": urgent})


def _list[M: Model](
    request: Request, template: str, find: Callable[[str, str], QuerySet[M]]
) -> HttpResponse:
    """Render a page of the results for ``?q=`` and ``?which=``."""
    query, which = clean_query(request.GET.get("q", "")), request.GET.get("which", "")
    found = find(query, which)
    pages = TotalsPaginator(found, ON_A_PAGE, (template, query, which))
    page = pages.get_page(request.GET.get("page"))
    context = {"page": page, "query": query, "which": which}
    return render(request, f"administration/pages/{template}", context)


@administrators_only
@require_safe
def accounts(request: Request) -> HttpResponse:
    """List accounts."""
    return _list(request, "accounts.html", find_accounts)


@administrators_only
@require_safe
def gangs(request: Request) -> HttpResponse:
    """List gangs."""
    return _list(request, "gangs.html", find_gangs)


@administrators_only
@require_safe
def campaigns(request: Request) -> HttpResponse:
    """List campaigns."""
    return _list(request, "campaigns.html", lambda query, _which: find_campaigns(query))


@administrators_only
@require_safe
def jobs(request: Request) -> HttpResponse:
    """List mails and tasks still to be done; with ``?which=lost``, those that were abandoned."""
    known = Job.objects.defer("body")
    return _list(
        request,
        "jobs.html",
        lambda query, which: (known.given_up() if which == "lost" else known.waiting()).filter(
            title__icontains=query
        ),
    )


@administrators_only
@require_safe
def job(request: Request, job: int) -> HttpResponse:
    """Show a mail or task, without its text, and the acts on it."""
    found = get_object_or_404(Job.objects.filter(periodic=False).defer("body"), pk=job)
    return _subject(request, JOB_ACTS, found)


@administrators_only
@require_safe
def backups(request: Request) -> HttpResponse:
    """List the recorded backups, newest first, and say how the site makes them."""
    page = Paginator(Run.objects.filter(kind=Run.Kind.BACKUP), ON_A_PAGE)
    found = page.get_page(request.GET.get("page"))
    rows = [(run, "" if run.error else summary(run), daily.is_kept(run)) for run in found]
    progress, last = daily.find_progress(), daily.daily_runs().filter(error="").first()
    context = {
        "page": found,
        "rows": rows,
        "daily": describe_daily_backups(),
        "progress": describe_progress(progress) if progress else "",
        "advice": advise_on_time(last),
    }
    return render(request, "administration/pages/backups.html", context)


def _subject[S: Model](
    request: Request, table: Acts[S], subject: S, **more: object
) -> HttpResponse:
    """Render the page of a subject, with the possible acts and the past ones."""
    context = {
        table.subject.value: subject,
        "acts": table.offered(subject, request.user),
        "history": history_of(table.subject, subject.pk),
        **more,
    }
    return render(request, f"administration/pages/{table.subject}.html", context)


@administrators_only
@require_safe
def account(request: Request, account: int) -> HttpResponse:
    """Show an account: its data and the acts on it."""
    found = get_object_or_404(User, pk=account)
    rooms = [(kind.name, *_room(found, kind.key)) for kind in quotas.kinds()]
    context = {
        "addresses": EmailAddress.objects.filter(user=found).order_by("-primary", "pk"),
        "rooms": rooms,
        "gangs": Gang.objects.owned_by(found).defer("snapshot").order_by("name")[:MOST_LISTED],
        "seats": found.participations.select_related("campaign")[:MOST_LISTED],
        "variants": found.variants.order_by("name")[:MOST_LISTED],
        "drafts": found.book_drafts.order_by("slug").only("slug")[:MOST_LISTED],
    }
    return _subject(request, ACCOUNT_ACTS, found, **context)


def _room(account: User, key: str) -> tuple[int, int, bool]:
    """Return an account's use and limit of a kind, and whether the limit was granted."""
    most = quotas.most(account, key)
    return quotas.count_used(account, key), most, most != quotas.usual(key)


@administrators_only
@require_safe
def gang(request: Request, gang: uuid.UUID) -> HttpResponse:
    """Show a gang: its sheet, its pictures, and acts on its public parts."""
    found = get_object_or_404(Gang.objects.select_related("owner", "book_version"), pk=gang)
    key = found.share_key
    # The sheet has no pictures, since its addresses for them are for the gang's readers; they are
    # shown separately.
    plain = replace(found.view, pictures={})
    context = {
        "parts": cards_sheet.sheet_parts(plain, rules_language()),
        "pictures": [
            (whose, found.pictures[place])
            for place, whose in picture_choices(found)
            if pictures_storage.content_of(found, found.pictures[place], pictures_storage.LARGE)
        ],
        "hidden_pictures": sorted(found.hidden_pictures.values()),
        **texts_context(found),
        "shared": f"{site_url(request)}{reverse('gangs:shared', args=[key])}" if key else "",
        "memberships": found.memberships.select_related("campaign"),
    }
    return _subject(request, GANG_ACTS, found, **context)


@administrators_only
@require_safe
def gang_picture(request: Request, gang: uuid.UUID, name: str) -> HttpResponse:
    """Return a gang's picture for an administrator's judgement."""
    found = get_object_or_404(Gang, pk=gang)
    return picture_response(request, found, name, pictures_storage.LARGE, even_hidden=True)


@administrators_only
@require_safe
def campaign(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """Show a campaign: its people, and acts on its links."""
    found = get_object_or_404(Campaign.objects.select_related("book_version"), pk=campaign)
    path = reverse("campaigns:watch", args=[found.watch_key])
    written = ~Q(note="") | Q(pk__in=HiddenText.objects.exclude(game=None).values("game"))
    told = Side.objects.exclude(tale="").filter(game__campaign=found).values("game")
    noted = ~Q(note="") | Q(pk__in=HiddenText.objects.exclude(night=None).values("night"))
    context = {
        "gangs": gangs_of(found)[:MOST_LISTED],
        "watching": path,
        "games": found.games.filter(written | Q(pk__in=told))[:MOST_LISTED],
        "nights": found.nights.filter(noted)[:MOST_LISTED],
        **texts_context(found),
    }
    return _subject(request, CAMPAIGN_ACTS, found, **context)


def clean_query(text: str) -> str:
    """Clean a search text so that any database accepts it."""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:200]


def find_accounts(query: str, which: str = "") -> QuerySet[User]:
    """Find accounts by name or mail address.

    ``which``: blocked, administrators, strangers (accounts that stand for people on other sites),
    or "" for all except strangers.
    """
    found = User.objects.order_by("-date_joined", "-pk")
    match which:
        case "blocked":
            found = found.filter(is_active=False, stands_for="")
        case "administrators":
            found = found.filter(Q(is_staff=True) | Q(is_superuser=True))
        case "strangers":
            found = found.exclude(stands_for="")
        case _:
            found = found.filter(stands_for="")
    if query:
        named = Q(username__icontains=query) | Q(email__icontains=query)
        found = found.filter(named | Q(stands_for__icontains=query))
    return found


def find_gangs(query: str, which: str = "") -> QuerySet[Gang]:
    """Find gangs by name, owner, key, short code or any of their addresses.

    ``which``: guests, or "" for all.
    """
    found = Gang.objects.select_related("owner").defer("snapshot").order_by("-changed_at", "-pk")
    if which == "guests":
        found = found.filter(owner=None, kept_at=None)
    if query:
        named = Q(name__icontains=query) | Q(share_key__in=KEY.findall(query))
        named |= Q(pk__in=_uuids(query)) | Q(share_code=short_codes.read_code(query))
        owners = User.objects.filter(username__icontains=query)
        found = found.filter(
            _any_of(Gang.objects.filter(named), Gang.objects.filter(owner__in=owners))
        )
    return found


def find_campaigns(query: str) -> QuerySet[Campaign]:
    """Find campaigns by name, organiser, key or any of their addresses."""
    found = Campaign.objects.with_seats().order_by("-created_at", "-pk")
    if query:
        keys = KEY.findall(query)
        named = Q(name__icontains=query) | Q(pk__in=_uuids(query))
        named |= Q(watch_key__in=keys) | Q(invite_key__in=keys)
        organisers = Participant.objects.filter(
            user__in=User.objects.filter(username__icontains=query),
            role=Participant.Role.ORGANISER,
        )
        known = Campaign.objects.all()
        organised = known.filter(pk__in=organisers.values("campaign"))
        invited = known.filter(pk__in=Invitation.objects.filter(key__in=keys).values("campaign"))
        found = found.filter(_any_of(known.filter(named), organised, invited))
    return found


def _any_of(first: QuerySet[Any], *others: QuerySet[Any]) -> Q:
    """Select the rows that any of these queries finds. A database uses the indexes of each of them,
    but none for conditions on several tables that are joined by OR."""
    keys = (one.order_by().values("pk") for one in others)
    return Q(pk__in=first.order_by().values("pk").union(*keys))


def _uuids(query: str) -> list[uuid.UUID]:
    return [uuid.UUID(key) for key in UUID.findall(query)]
