"""The client in docs/api.md, run as it is printed against the site."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from api import tokens
from campaigns.models import Campaign, Game
from gangs.models import Gang
from tests.world.campaigns import make_game, make_night


def client_of_docs() -> str:
    """The program in the page about the API."""
    text = (settings.BASE_DIR / "docs" / "api.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


def test_client_prints_the_next_night_and_the_standings(
    transactional_db: None,
    live_server: LiveServer,
    campaign: Campaign,
    alice: User,
    hers: Gang,
    theirs: Gang,
) -> None:
    night = make_night(campaign, place="The back room")
    game = make_game(campaign, alice, hers, theirs)
    Game.objects.filter(pk=game.pk).update(night=night)
    _token, secret = tokens.make(alice, "script")

    def run(token: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"], "SKIRMISH": live_server.url, "TOKEN": token}
        command = [sys.executable, "-c", client_of_docs()]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    told = run(secret)
    assert told.returncode == 0, told.stderr
    assert "The back room" in told.stdout and f"{hers.name} – {theirs.name}" in told.stdout
    assert f"{hers.name} (alice) 0 won" in told.stdout
    refused = run("wrong")
    assert refused.returncode == 1 and "Send a valid token" in refused.stderr
    assert "def ask" in client_of_docs() and client_of_docs().count("\n") <= 65
