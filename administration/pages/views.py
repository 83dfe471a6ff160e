"""The administrators' pages: the state of the site; its accounts, gangs and campaigns."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import replace

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
from campaigns.access import gangs_of
from campaigns.models import Campaign, Participant
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
# As in the addresses of shared sheets, invitations and links for spectators.
KEY = re.compile(r"[\w-]{20,32}")


@administrators_only
@require_safe
def overview(request: Request) -> HttpResponse:
    """The state of the site: first what is wrong and what to do about it, then everything."""
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
    """A page of what ``?q=`` and ``?which=`` find."""
    query, which = clean_query(request.GET.get("q", "")), request.GET.get("which", "")
    page = Paginator(find(query, which), ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "query": query, "which": which}
    return render(request, f"administration/pages/{template}", context)


@administrators_only
@require_safe
def accounts(request: Request) -> HttpResponse:
    """Find accounts."""
    return _list(request, "accounts.html", find_accounts)


@administrators_only
@require_safe
def gangs(request: Request) -> HttpResponse:
    """Find gangs."""
    return _list(request, "gangs.html", find_gangs)


@administrators_only
@require_safe
def campaigns(request: Request) -> HttpResponse:
    """Find campaigns."""
    return _list(request, "campaigns.html", lambda query, _which: find_campaigns(query))


@administrators_only
@require_safe
def jobs(request: Request) -> HttpResponse:
    """Mails and tasks that are still to be done; ``?which=lost``: those that were given up."""
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
    """One mail or task, without its text, and what may be done about it."""
    found = get_object_or_404(Job.objects.filter(periodic=False).defer("body"), pk=job)
    return _subject(request, JOB_ACTS, found)


def _subject[S: Model](
    request: Request, table: Acts[S], subject: S, **more: object
) -> HttpResponse:
    """The page of one thing, with what may be done to it and what has been."""
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
    """One account: what it has, and what may be done to it."""
    found = get_object_or_404(User, pk=account)
    rooms = [(kind.name, *_room(found, kind.key)) for kind in quotas.kinds()]
    context = {
        "addresses": EmailAddress.objects.filter(user=found).order_by("-primary", "pk"),
        "rooms": rooms,
        "gangs": Gang.objects.owned_by(found).defer("snapshot").order_by("name")[:MOST_LISTED],
        "seats": found.participations.select_related("campaign")[:MOST_LISTED],
    }
    return _subject(request, ACCOUNT_ACTS, found, **context)


def _room(account: User, key: str) -> tuple[int, int, bool]:
    """How many of a kind an account has and may have, and whether it was granted that."""
    most = quotas.most(account, key)
    return quotas.count_used(account, key), most, most != quotas.usual(key)


@administrators_only
@require_safe
def gang(request: Request, gang: uuid.UUID) -> HttpResponse:
    """One gang: its sheet and its pictures, and what may be done to what others see of it."""
    found = get_object_or_404(Gang.objects.select_related("owner", "book_version"), pk=gang)
    key = found.share_key
    # Its own pictures are for whoever may see the gang; here they stand apart.
    plain = replace(found.view, pictures={})
    context = {
        "parts": cards_sheet.sheet_parts(plain, rules_language()),
        "pictures": [
            (whose, found.pictures[place])
            for place, whose in picture_choices(found)
            if pictures_storage.content_of(found, found.pictures[place], pictures_storage.LARGE)
        ],
        "shared": f"{site_url(request)}{reverse('gangs:shared', args=[key])}" if key else "",
        "memberships": found.memberships.select_related("campaign"),
    }
    return _subject(request, GANG_ACTS, found, **context)


@administrators_only
@require_safe
def gang_picture(request: Request, gang: uuid.UUID, name: str) -> HttpResponse:
    """One of a gang's pictures, for an administrator who has to judge it."""
    found = get_object_or_404(Gang, pk=gang)
    return picture_response(request, found, name, pictures_storage.LARGE)


@administrators_only
@require_safe
def campaign(request: Request, campaign: uuid.UUID) -> HttpResponse:
    """One campaign: who runs it and plays in it, and what may be done to who sees it."""
    found = get_object_or_404(Campaign.objects.select_related("book_version"), pk=campaign)
    path = reverse("campaigns:watch", args=[found.watch_key])
    context = {"gangs": gangs_of(found)[:MOST_LISTED], "watching": path}
    return _subject(request, CAMPAIGN_ACTS, found, **context)


def clean_query(text: str) -> str:
    """What was typed to be found, as the database can be asked for it."""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:200]


def find_accounts(query: str, which: str = "") -> QuerySet[User]:
    """Accounts by name or address; ``which``: blocked, administrators, strangers (those who only
    stand for somebody from another site), or "" for all others."""
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
    """Gangs by name, owner, key, short code or any of their addresses; ``which``: guests, or ""
    for all."""
    found = Gang.objects.select_related("owner").defer("snapshot").order_by("-changed_at", "-pk")
    if which == "guests":
        found = found.filter(owner=None, kept_at=None)
    if query:
        named = Q(name__icontains=query) | Q(owner__username__icontains=query)
        named |= Q(pk__in=_uuids(query)) | Q(share_key__in=KEY.findall(query))
        named |= Q(share_code=short_codes.read_code(query))
        found = found.filter(named)
    return found


def find_campaigns(query: str) -> QuerySet[Campaign]:
    """Campaigns by name, by who runs them, by key or any of their addresses."""
    found = Campaign.objects.with_seats().order_by("-created_at", "-pk")
    if query:
        keys = KEY.findall(query)
        organising = Participant.objects.filter(
            user__username__icontains=query, role=Participant.Role.ORGANISER
        )
        named = Q(name__icontains=query) | Q(pk__in=organising.values("campaign"))
        named |= Q(pk__in=_uuids(query)) | Q(watch_key__in=keys) | Q(invite_key__in=keys)
        found = found.filter(named)
    return found


def _uuids(query: str) -> list[uuid.UUID]:
    return [uuid.UUID(key) for key in UUID.findall(query)]
