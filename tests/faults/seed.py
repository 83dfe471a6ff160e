"""Fills a site's database: a player with a gang in a campaign. Prints their addresses as JSON.

python -m tests.faults.seed
"""

from __future__ import annotations

import json
import os

import django


def main() -> None:
    """Migrate, and make the objects."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.faults.settings"
    django.setup()
    from django.core.management import call_command
    from django.test import Client

    from accounts.models import User
    from tests.world.campaigns import make_campaign, make_player
    from tests.world.gangs import GOLD

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("alice", "alice@example.org", "correct horse battery")
    campaign = make_campaign(user)
    gang = make_player(campaign, user)
    client = Client()
    client.force_login(user)
    told = {
        "session": client.cookies["sessionid"].value,
        "gang": gang.get_absolute_url(),
        "campaign": campaign.get_absolute_url(),
        "watch": f"/campaigns/watch/{campaign.watch_key}/",
        "book": f"/rules/{GOLD}/",
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
