"""``manage.py demo``: create the demo club once, and print its logins."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.urls import reverse

from campaigns.demo import club

PASSWORD = "skirmish-demo"


class Command(BaseCommand):
    """Create the demo: a club of four players, with a campaign of every game."""

    help = "Make the demo (once), and print its logins and a link for spectators."

    def handle(self, **options: Any) -> None:
        """Create the demo unless it exists, print its logins, and let the front page link to it
        from the next start on."""
        if not club.exists():
            club.play_in(PASSWORD)
        for user in club.players():
            self.stdout.write(f"Demo login: {user} / {PASSWORD}")
        for campaign in club.campaigns()[:1]:
            path = reverse("campaigns:watch", args=[campaign.watch_key])
            # Without SITE_URL a typed command does not know where the site is served.
            self.stdout.write(f"To watch without signing in: {settings.SITE_URL}{path}")
            settings.DEMO_FILE.write_text(path + "\n", "ascii")
