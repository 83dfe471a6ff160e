"""Items fitted to other items on a gang's pages."""

from __future__ import annotations

import html

from django.test import Client

from accounts.models import User
from gangs.ledger import writer
from rules.book.model import Book
from rules.library import load
from tests.games.test_fittings import ANN, BILLHOOK, FITTED, HANDLE, STAVE, founding
from tests.gangs.builder.test_builder import Player


def test_builder_fits_takes_off_and_undoes(client: Client, alice: User, terraces: Book) -> None:
    client.force_login(alice)
    gang = writer.found(load(terraces)[0], [*founding(terraces), FITTED], owner=alice)
    player = Player(client, gang)
    page = html.unescape(client.get(f"{player.base}?open={ANN}").content.decode())
    assert "Billhook (Long handle)" in page and "Fit to Stave" in page and "Take off" in page
    player.press(f"items/{HANDLE}/", to=f"on-{STAVE}")
    assert player.roster().holder(HANDLE)[1].on == STAVE
    player.press(f"items/{HANDLE}/", to=str(ANN))
    assert player.roster().holder(HANDLE)[1].on is None
    player.press(f"items/{HANDLE}/", to="stash")
    page = html.unescape(client.get(player.base).content.decode())
    assert "Fit to Ann: Billhook" in page
    player.press(f"items/{HANDLE}/", to=f"on-{BILLHOOK}")
    assert player.roster().holder(HANDLE)[1].on == BILLHOOK
    assert player.press(f"items/{HANDLE}/", to="on-99").status_code == 422
    assert player.press(f"items/{HANDLE}/", to="on-x").status_code == 422
    sheet = html.unescape(client.get(f"{player.base}sheet/").content.decode())
    assert "Billhook (Long handle)" in sheet and "Harm +2" in sheet
    history = html.unescape(client.get(f"{player.base}history/").content.decode())
    assert "Long handle was fitted to Billhook." in history
