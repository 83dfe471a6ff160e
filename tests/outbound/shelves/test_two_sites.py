"""Two sites, each with its own database: a game and a gang move from one to the other and back."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from gangs.files.exporting import export_gang
from gangs.models import Gang
from outbound.shelves import watching
from rules.models import BookVersion, ForeignGame
from tests.outbound.servers import Internet, Request, answer, serving
from tests.outbound.shelves.test_shelves import fetch, look
from tests.outbound.shelves.test_watching import let_a_day_pass
from tests.two_sites.servers import Site, environment, manage

pytestmark = [pytest.mark.django_db, pytest.mark.long]
HOST = "club.example"
# The author over there, who publishes and shares by the same functions as the pages.
PUBLISH = """
import json, uuid
from accounts.models import User
from rules.editor import store
from rules.editor.data import start_empty
from rules.models import BookDraft, Rulebook
from rules.shelf.store import share
author, _new = User.objects.get_or_create(username="author")
data = {**start_empty(), "slug": "harbour", "languages": ["en"], "name": {"en": "Harbour wars"},
        "edition": "%(edition)s"}
draft = BookDraft.objects.filter(slug="harbour").first()
draft = draft or store.start_game(author, data, token=uuid.uuid4())
store.save_data(draft, data, expected_version=draft.version)
state = store.publish(draft, expected_version=draft.version)
share(Rulebook.objects.get(slug="harbour"), state.pk, "CC BY 4.0", by=author, draft=draft)
print(state.pk)
"""
# A gang over there, as a file; and one from here, brought there.
FOUND = """
import json
from accounts.models import User
from django.test import Client
from gangs.files.exporting import export_gang
from gangs.models import Gang
client = Client()
client.force_login(User.objects.get(username="author"))
client.post("/gangs/new/harbour/?version=%(digest)s", {"name": "The dockers"})
print(export_gang(Gang.objects.get(name="The dockers")))
"""
BRING = """
from accounts.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from gangs.models import Gang
from rules.models import BookVersion
before = BookVersion.objects.count()
client = Client()
client.force_login(User.objects.get(username="author"))
content = open(%(path)r, "rb").read()
client.post("/gangs/import/", {"file": SimpleUploadedFile("gang.json", content)})
gang = Gang.objects.get(name="The crew")
print(gang.book_version_id, BookVersion.objects.count() - before)
"""


class There:
    """The other site: a process with a database of its own, behind TLS."""

    def __init__(self, folder: Path) -> None:
        self.given = environment(
            DATA_DIR=str(folder), DEBUG="1", ALLOWED_HOSTS="127.0.0.1,testserver"
        )
        manage(self.given, "migrate", "--verbosity", "0")
        self.site = Site(self.given, workers=1, threads=2)

    def run(self, code: str, **values: str) -> str:
        """Run code over there; return what it prints."""
        return manage(self.given, "shell", "--no-imports", "-c", code % values).strip()

    def respond(self, request: Request) -> bytes:
        """Pass a request on, and answer as the other site does."""
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=60)
        with closing(connection):
            connection.request(request.method, request.path)
            found = connection.getresponse()
            return answer(found.status, found.read())


@pytest.fixture
def there(internet: Internet, tmp_path: Path) -> Iterator[There]:
    """Run the other site at ``club.example``."""
    folder = tmp_path / "there"
    folder.mkdir()
    found = There(folder)
    try:
        with serving(internet, tmp_path, HOST) as server:
            server.respond = found.respond
            yield found
    finally:
        found.site.stop()


def test_game_and_gang_move_between_two_sites(
    there: There, client: Client, alice: User, tmp_path: Path
) -> None:
    first = there.run(PUBLISH, edition="v1")
    client.force_login(alice)
    # The game comes, and both sites have the same.
    assert look(client, f"https://{HOST}/rules/version/{first}/").status_code == 302
    assert fetch(client, first).status_code == 302
    game = ForeignGame.objects.get()
    assert client.post(game.get_absolute_url()).status_code == 302
    assert BookVersion.objects.get().pk == first
    # A gang from there is at home here, and one from here is at home there.
    theirs = there.run(FOUND, digest=first)
    assert bring(client, theirs).status_code == 302
    assert Gang.objects.get(name="The dockers").book_version_id == first
    assert BookVersion.objects.count() == 1
    client.post(f"/gangs/new/harbour/?version={first}", {"name": "The crew"})
    file = tmp_path / "gang.json"
    file.write_text(export_gang(Gang.objects.get(name="The crew")), "utf-8")
    assert there.run(BRING, path=str(file)) == f"{first} 0"
    # The next edition there is news here, and is taken by a press.
    second = there.run(PUBLISH, edition="v2")
    assert second != first
    let_a_day_pass()
    watching.look()
    game.refresh_from_db()
    assert (game.news, game.news_edition) == (second, "v2")
    assert BookVersion.objects.count() == 1
    fetch(client, second)
    newer = ForeignGame.objects.get(digest=second)
    client.post(newer.get_absolute_url())
    assert {*BookVersion.objects.values_list("pk", flat=True)} == {first, second}
    assert {*Gang.objects.values_list("book_version_id", flat=True)} == {first}
    assert there.site.failures() == []


def bring(client: Client, text: str) -> Any:
    """Import the file of a gang."""
    file = SimpleUploadedFile("gang.json", text.encode())
    return client.post("/gangs/import/", {"file": file})
