"""The part of the notices page about devices, and its buttons."""

from __future__ import annotations

from allauth.core.ratelimit import consume
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.http import Request
from outbound import pacing
from outbound.push import devices
from outbound.push.forms import BrowserForm, TopicsForm
from outbound.push.keys import public_key
from outbound.push.models import PushDevice
from outbound.push.sending import send_test


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
    if not form.is_valid():
        words = _("This browser’s push service cannot be used: %(why)s")
        why = next(iter(form.errors.values()))[0]
        messages.error(request, words % {"why": why})
    elif devices.add(request, request.user, **form.cleaned_data):
        messages.success(request, _("Notices arrive on this device from now on."))
    else:
        words = _("You have %(most)s devices, which is the limit. Remove one first.")
        messages.error(request, words % {"most": devices.MOST_DEVICES})
    return _back()


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


def _find(request: Request, number: int) -> PushDevice:
    rows = PushDevice.objects.filter(user=request.user).select_related("user")
    return get_object_or_404(rows, pk=number)


def _back() -> HttpResponse:
    return redirect(f"{reverse('notices')}#devices")
