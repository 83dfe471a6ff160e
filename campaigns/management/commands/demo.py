"""``manage.py demo``: play in the demo once, and print how to sign in."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from campaigns import demo

PASSWORD = "skirmish-demo"


class Command(BaseCommand):
    """Play in the demo: two users, a gang each per game, and a campaign with a finished night."""

    help = "Play in the demo (once), and print its logins."

    def handle(self, **options: Any) -> None:
        """Play it in, unless it is there already; print the logins in any case."""
        if not demo.exists():
            demo.play_in(PASSWORD)
        for name in demo.PLAYERS:
            self.stdout.write(f"Demo login: {name} / {PASSWORD}")
