"""Sending notices to devices: jobs stored in the transaction of their event, in a lane of their
own, encrypted for the device (RFC 8291) and signed by the site (RFC 8292).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from email.utils import parseaddr
from functools import partial
from http import HTTPStatus
from urllib.parse import urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from py_vapid.utils import b64urldecode

from accounts import notices
from accounts.models import Notice
from common.background import add_jobs, carries_out, make_job
from common.models import Job
from outbound import pacing
from outbound.client import Answer, NotSent, Sending
from outbound.push.devices import is_signed_in
from outbound.push.keys import load_key
from outbound.push.models import PushDevice

# The kind of these jobs.
PUSH = "push"
LANE = pacing.make_lane("push")
# News of yesterday wakes nobody.
STALE_AFTER = timedelta(days=1)
# A signature is valid for this long; at most a day is allowed.
SIGNED_FOR = timedelta(hours=12)
# Characters of a notice; push services take 4096 bytes, encrypted.
LONGEST = 800
# Answers that say that the browser no longer exists there.
GONE = {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}


def deliver(made: Sequence[Notice]) -> None:
    """Store a message for each device that shows these new notices, of one kind. One query, and
    another if there are such devices."""
    topic = notices.topic_of(made[0].kind)
    by_user = {notice.user_id: notice for notice in made}
    rows = PushDevice.objects.filter(user__in=by_user).values_list("pk", "user", "topics")
    add_jobs(
        make_job(PUSH, f"{PUSH}: {by_user[user].kind}", device=device, notice=by_user[user].pk)
        for device, user, topics in rows
        if topic in topics
    )


def send_test(device: PushDevice) -> None:
    """Store a message that shows whether a device gets any."""
    add_jobs([make_job(PUSH, f"{PUSH}: test", device=device.pk)])


@carries_out(PUSH, LANE)
def send(job: Job) -> None:
    """Send a message, unless it is a day old, its notice is read or its duty done. Forgets a device
    that the push service does not know any more, that has failed for long, or whose user has signed
    out. Raises TryLater."""
    if timezone.now() - job.created_at > STALE_AFTER:
        return
    rows = PushDevice.objects.select_related("user")
    device = rows.filter(pk=job.body.get("device")).first()
    if device is None or not device.user.is_active:
        return
    if not is_signed_in(device):
        device.delete()
        return
    message = _message(device, job.body.get("notice"))
    if message is None:
        return
    try:
        answer = _post(device, message)
        if answer.status in GONE:
            device.delete()
        elif HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
            pacing.succeed(device, sent_at=timezone.now())
        else:
            pacing.fail(device, answer)
    except pacing.FailedForLong:
        device.delete()


def _post(device: PushDevice, message: bytes) -> Answer:
    """Post a message to the push service and return its answer. Raises TryLater and
    FailedForLong."""
    try:
        return pacing.send(device, partial(_compose, device, message))
    except NotSent as error:
        pacing.fail(device, error)


def _compose(device: PushDevice, message: bytes) -> Sending:
    return Sending("POST", device.endpoint, _headers(device), encrypt(message, device))


def _message(device: PushDevice, number: int | None) -> bytes | None:
    """The content of a message: a notice, by its primary key, or a test. None if there is nothing
    to say any more."""
    url, tag = reverse("notices"), "test"
    with translation.override(device.user.language or device.language or settings.LANGUAGE_CODE):
        if number is None:
            words = _("It works: notices arrive on this device.")
        else:
            notice = notices.find_due(number)
            words = notices.describe(notice) if notice is not None else ""
            if notice is None or not words:
                return None
            url, tag = notice.url or url, f"notice-{number}"
    content = {"title": settings.SITE_NAME, "body": words[:LONGEST], "url": url, "tag": tag}
    return json.dumps(content, ensure_ascii=False).encode()


def encrypt(message: bytes, device: PushDevice) -> bytes:
    """Encrypt a message for a device."""
    encrypted: bytes = http_ece.encrypt(
        message,
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=b64urldecode(device.p256dh.encode()),
        auth_secret=b64urldecode(device.auth.encode()),
    )
    return encrypted


def _headers(device: PushDevice) -> dict[str, str]:
    """The headers of a message, with the site's signature for the device's push service."""
    claims = {
        "aud": f"https://{device.server}",
        "exp": int((timezone.now() + SIGNED_FOR).timestamp()),
        "sub": _contact(),
    }
    signature: dict[str, str] = load_key().sign(claims)
    return {
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(int(STALE_AFTER.total_seconds())),
        "Urgency": "high",
        **signature,
    }


def _contact() -> str:
    """The person whom a push service can ask about the site's messages."""
    site = urlsplit(settings.SITE_URL)
    if site.scheme == "https" and site.hostname and "." in site.hostname:
        return f"https://{site.hostname}"
    return f"mailto:{parseaddr(settings.DEFAULT_FROM_EMAIL)[1]}"
