"""The part of the notices page about devices, and its buttons."""

from __future__ import annotations

from http import HTTPStatus

from allauth.core.ratelimit import consume
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.http import Request
from common.forms import INVALID, OK, require_safe_or_post
from outbound import pacing
from outbound.push import devices
from outbound.push.forms import BrowserForm, RenewalForm, TopicsForm
from outbound.push.keys import public_key
from outbound.push.models import PushDevice
from outbound.push.sending import send_test

# The limit on new and renewed addresses of devices.
SUBSCRIPTIONS = "push_subscribe"


def panel(request: HttpRequest) -> SafeString:
    """The devices of the reader, each with its topics, and the button that adds this one."""
    user = request.user
    assert user.is_authenticated
    here = request.session.get(devices.SESSION_KEY)
    found = devices.devices_of(user)
    for device in found:
        device.user = user
    now, tries = timezone.now(), pacing.next_tries(one for one in found if one.failing_since)
    later = {number: at for number, at in tries.items() if at > now}
    context = {
        "devices": [
            (device, TopicsForm(device), device.pk == here, later.get(device.pk))
            for device in found
        ],
        "is_here": any(device.pk == here for device in found),
        "is_full": len(found) >= devices.MOST_DEVICES,
        "public_key": public_key(),
    }
    return render_to_string("outbound/push/_panel.html", context, request)


@require_POST
def subscribe(request: Request) -> HttpResponse:
    """Let this browser show notices, with the address and keys that it has sent."""
    form = BrowserForm(request.POST)
    unusable = _("This browser’s push service cannot be used: %(why)s")
    if not form.is_valid():
        messages.error(request, unusable % {"why": _first_error(form)})
        return _back()
    if not consume(request, action=SUBSCRIPTIONS):
        messages.error(request, _("You have just tried several times. Try again in an hour."))
        return _back()
    try:
        is_added = devices.add(request, request.user, **form.cleaned_data)
    except devices.OthersBrowser:
        messages.error(request, unusable % {"why": _("The browser’s key is invalid.")})
        return _back()
    if is_added:
        messages.success(request, _("Notices arrive on this device from now on."))
    else:
        words = _("You have %(most)s devices, which is the limit. Remove one first.")
        messages.error(request, words % {"most": devices.MOST_DEVICES})
    return _back()


@require_safe_or_post
@never_cache
def renew(request: Request) -> JsonResponse:
    """Answer the service worker, which compares the browser's subscription with the site's: the
    sum of the address that the site knows of this browser, the site's key, and a token for sending
    another address and its keys (POST)."""
    if request.method != "POST":
        device = devices.device_here(request, request.user)
        known = device.digest if device is not None else ""
        return JsonResponse({"known": known, "key": public_key(), "token": get_token(request)})
    form = RenewalForm(request.POST)
    if not form.is_valid():
        return JsonResponse({"error": _first_error(form)}, status=INVALID)
    if not consume(request, action=SUBSCRIPTIONS):
        return JsonResponse({}, status=HTTPStatus.TOO_MANY_REQUESTS)
    try:
        is_renewed = devices.renew(request, request.user, **form.cleaned_data)
    except devices.OthersBrowser:
        return JsonResponse({"error": _("The browser’s key is invalid.")}, status=INVALID)
    return JsonResponse({}, status=OK if is_renewed else HTTPStatus.NOT_FOUND)


@require_POST
def choose(request: Request, device: int) -> HttpResponse:
    """Store the topics that a device shows."""
    found = _find(request, device)
    form = TopicsForm(found, request.POST)
    if form.is_valid():
        PushDevice.objects.filter(pk=found.pk).update(topics=form.cleaned_data["topics"])
        messages.success(request, _("Saved."))
    else:
        messages.error(request, str(form.errors["topics"][0]))
    return _back()


@require_POST
def test(request: Request, device: int) -> HttpResponse:
    """Send a message to a device, to show that it gets some."""
    found = _find(request, device)
    if consume(request, action="push_test"):
        send_test(found)
        messages.success(request, _("Sent. It should appear on the device in a moment."))
    else:
        messages.error(request, _("You have just sent several. Try again in an hour."))
    return _back()


@require_POST
def remove(request: Request, device: int) -> HttpResponse:
    """Send nothing to a device any more. The second of two presses finds it gone."""
    PushDevice.objects.filter(user=request.user, pk=device).delete()
    messages.success(request, _("Notices no longer arrive on that device."))
    return _back()


def _first_error(form: BrowserForm) -> str:
    return str(next(iter(form.errors.values()))[0])


def _find(request: Request, number: int) -> PushDevice:
    rows = PushDevice.objects.filter(user=request.user).select_related("user")
    return get_object_or_404(rows, pk=number)


def _back() -> HttpResponse:
    return redirect(f"{reverse('notices')}#devices")
