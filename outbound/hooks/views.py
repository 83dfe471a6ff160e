"""Pages of a campaign's channels, for its organisers."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts import quotas
from accounts.http import Request
from accounts.quotas import QuotaFull
from campaigns.access import organised_or_404
from campaigns.models import Campaign
from campaigns.refusals import refusal_sentence
from common import waiting
from common.errors import Refusal, Stale
from common.forms import CONFLICT, INVALID, OK, posted_version, require_safe_or_post
from outbound import pacing
from outbound.hooks import sending, storage
from outbound.hooks.forms import ChannelForm, NewChannelForm
from outbound.models import Hook

# Messages on a channel's page.
SHOWN = 50


@sensitive_post_parameters("address")
@require_safe_or_post
def channels(request: Request, campaign_id: uuid.UUID) -> HttpResponse:
    """List the campaign's channels, and add one."""
    campaign = organised_or_404(request, campaign_id)
    data = request.POST if request.method == "POST" else None
    form = NewChannelForm(data, initial={"language": get_language()})
    status = OK
    if form.is_bound:
        status = INVALID
        if form.is_valid():
            try:
                return _add(request, campaign, form)
            except QuotaFull as full:
                form.add_error(None, quotas.describe(full))
            except Refusal as refusal:
                form.add_error(None, refusal_sentence(refusal))
    hooks = list(Hook.objects.filter(campaign=campaign))
    context = {"campaign": campaign, "hooks": hooks, "form": form}
    context["is_full"] = len(hooks) >= storage.MOST
    return render(request, "outbound/hooks/channels.html", context, status=status)


def _add(request: Request, campaign: Campaign, form: NewChannelForm) -> HttpResponse:
    """Add the channel and show its page; that of a signed one has its secret, once."""
    found = form.cleaned_data
    hook, is_new = storage.add(
        campaign,
        found["address"],
        by=request.user,
        kinds=found["kinds"],
        language=found["language"],
        thread=found["thread"],
        token=found["token"],
    )
    if is_new and hook.signing_secret:
        return _page(request, campaign, hook, secret=hook.signing_secret)
    return redirect("hooks:channel", campaign.pk, hook.pk)


@require_safe_or_post
def channel(request: Request, campaign_id: uuid.UUID, hook_id: int) -> HttpResponse:
    """A channel with its messages; change its settings."""
    campaign, hook = _find(request, campaign_id, hook_id)
    if request.method != "POST":
        return _page(request, campaign, hook)
    form = ChannelForm(request.POST, with_thread=hook.is_discord)
    if not form.is_valid():
        return _page(request, campaign, hook, form=form, status=INVALID)
    found = form.cleaned_data
    try:
        storage.change(
            hook,
            kinds=found["kinds"],
            language=found["language"],
            thread=found.get("thread", ""),
            expected_version=posted_version(request.POST, "seen"),
        )
    except Stale:
        hook.refresh_from_db()
        error = _(
            "Somebody changed this channel in the meantime. What you chose is not saved yet: "
            "compare it, then save again."
        )
        return _page(request, campaign, hook, form=form, error=error, status=CONFLICT)
    messages.success(request, _("Saved."))
    return redirect("hooks:channel", campaign.pk, hook.pk)


def _find(request: Request, campaign_id: uuid.UUID, hook_id: int) -> tuple[Campaign, Hook]:
    campaign = organised_or_404(request, campaign_id)
    return campaign, get_object_or_404(Hook, pk=hook_id, campaign=campaign)


def _page(
    request: Request,
    campaign: Campaign,
    hook: Hook,
    *,
    form: ChannelForm | None = None,
    secret: str = "",
    error: str = "",
    status: int = OK,
) -> HttpResponse:
    rows = list(hook.deliveries.all()[:SHOWN])
    next_try = pacing.next_tries([hook])[hook.pk] if hook.failing_since else None
    state = waiting.state(
        hook.version,
        (hook.off_at, hook.failing_since, next_try, hook.thread),
        [(row.pk, row.wanted, row.is_waiting, row.tries, row.tried_at) for row in rows],
    )
    if status == OK and not secret and (known := waiting.nothing_new(request, state)):
        return known
    initial = {"kinds": hook.kinds, "language": hook.language, "thread": hook.thread}
    context = {
        "campaign": campaign,
        "hook": hook,
        "form": form or ChannelForm(initial=initial, with_thread=hook.is_discord),
        "rows": rows,
        "next_try": next_try,
        "secret": secret,
        "error": error,
        "state": "" if secret or status != OK else state,
    }
    response = render(request, "outbound/hooks/channel.html", context, status=status)
    if secret:
        # The page with a secret is in no browser's memory.
        response["Cache-Control"] = "no-store"
    return response


@require_POST
def act(request: Request, campaign_id: uuid.UUID, hook_id: int, name: str) -> HttpResponse:
    """Do something with a channel, as the address says: ``ACTS``."""
    campaign, hook = _find(request, campaign_id, hook_id)
    if name not in ACTS:
        raise Http404
    try:
        return ACTS[name](request, campaign, hook)
    except Refusal as refusal:
        return _page(request, campaign, hook, error=refusal_sentence(refusal), status=INVALID)


def _test(request: Request, campaign: Campaign, hook: Hook) -> HttpResponse:
    storage.test(hook)
    messages.success(request, _("A test message is on its way."))
    return redirect("hooks:channel", campaign.pk, hook.pk)


def _switch_off(request: Request, campaign: Campaign, hook: Hook) -> HttpResponse:
    sending.switch_off(hook, Hook.Off.BY_HAND)
    return redirect("hooks:channel", campaign.pk, hook.pk)


def _switch_on(request: Request, campaign: Campaign, hook: Hook) -> HttpResponse:
    storage.switch_on(hook)
    return redirect("hooks:channel", campaign.pk, hook.pk)


def _renew_secret(request: Request, campaign: Campaign, hook: Hook) -> HttpResponse:
    if hook.is_discord:
        raise Http404
    return _page(request, campaign, hook, secret=storage.renew_secret(hook))


def _delete(request: Request, campaign: Campaign, hook: Hook) -> HttpResponse:
    name = str(hook)
    hook.delete()
    messages.success(request, _("The channel %(name)s gets no more messages.") % {"name": name})
    return redirect("hooks:channels", campaign.pk)


ACTS: dict[str, Callable[[Request, Campaign, Hook], HttpResponse]] = {
    "test": _test,
    "off": _switch_off,
    "on": _switch_on,
    "secret": _renew_secret,
    "delete": _delete,
}
