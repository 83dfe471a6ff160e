"""Messages to any other server: JSON, signed as https://www.standardwebhooks.com describes."""

from __future__ import annotations

import base64
import json
import secrets
from datetime import UTC, datetime

from standardwebhooks.webhooks import Webhook

from accounts.http import public_url
from outbound.client import Answer, Sending
from outbound.models import Delivery, Hook
from outbound.verdicts import Limited, Verdict, read_pause

PREFIX = "whsec_"


def make_secret() -> str:
    """Make a secret for signatures."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def compose(hook: Hook, row: Delivery) -> Sending:
    """Return the signed request. A repeated try has the same id, so receivers can leave it out."""
    campaign, now = hook.campaign, datetime.now(UTC)
    change = "deleted" if not row.content else "updated" if row.sent_at else "created"
    data = {
        "type": f"{row.kind}.{change}",
        "timestamp": now.isoformat(timespec="seconds"),
        "data": {
            "key": row.key,
            "campaign": {
                "id": str(campaign.pk),
                "name": campaign.name,
                "url": f"{public_url()}{campaign.get_absolute_url()}",
            },
            "language": hook.language,
            "title": row.title,
            **row.content,
        },
    }
    body = json.dumps(data, ensure_ascii=False)
    number = f"msg_{row.pk}_{row.wanted[:16] or 'deleted'}"
    headers = {
        "Content-Type": "application/json",
        "webhook-id": number,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(hook.signing_secret).sign(number, now, body),
    }
    return Sending("POST", hook.secret_url, headers, body.encode())


def judge(answer: Answer) -> Verdict | Limited:
    """Decide what an answer means."""
    if 200 <= answer.status < 300:
        return Verdict.SENT
    if answer.status == 410:
        return Verdict.ENDED
    if answer.status == 429:
        return Limited(read_pause(None, answer.headers))
    return Verdict.LATER
