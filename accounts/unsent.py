"""The mail backend of a site without a mail server."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

logger = logging.getLogger(__name__)


class UnsentMails(BaseEmailBackend):
    """Logs the subject and the addressees of each mail, never its text: its links open accounts and
    campaigns, and more people read a log than may do that."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Log each mail; return the number of mails sent: none."""
        for message in email_messages:
            logger.warning(
                "A mail was not sent, because EMAIL_HOST is not set: “%s” to %s. For a forgotten"
                " password, the page of the account under /administration/ makes a link.",
                message.subject,
                ", ".join(message.recipients()),
            )
        return 0
