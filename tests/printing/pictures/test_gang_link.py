"""Link previews in other programs, and the pages that have them."""

from __future__ import annotations

import re
from html import unescape
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from accounts.models import User
from gangs.engine.entries import Renamed
from gangs.ledger import writer
from gangs.models import Gang
from gangs.pictures import storage
from printing import queue
from printing.pictures import answers
from printing.pictures.drawing import job
from printing.pictures.gang_link import preview_of
from printing.pictures.values import SIZES, Face, Preview
from printing.press.jobs import Job
from printing.press.worker import Died
from printing.queue import shown_pictures
from rules.library import load
from tests.printing.pictures.drawn import png
from tests.random_cases import one_soon
from tests.world.campaigns import make_campaign, make_player
from tests.world.gangs import GOLD, make_gang, make_version, shipped

PATH = shipped(GOLD).look.emblem


def read_metadata(client: Client, address: str) -> dict[str, str]:
    """A page's metadata for other programs."""
    page = client.get(address).content.decode()
    found = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', page)
    return {
        name: unescape(text)
        for name, text in found
        if name.startswith(("og:", "twitter:")) or name == "description"
    }


def share_link(gang: Gang) -> str:
    """The link of a gang's sheet."""
    return reverse("gangs:shared", args=[gang.share_key])


def picture(client: Client, address: str) -> tuple[str, tuple[int, int]]:
    """The format and size of the picture at this address."""
    answer = client.get(address)
    with Image.open(BytesIO(answer.content)) as opened:
        return answer["Content-Type"], opened.size


def test_shared_gang_describes_itself(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    said = read_metadata(client, share_link(gang))
    base = "http://testserver"
    assert said.pop("og:image").startswith(f"{base}{share_link(gang)}preview.png?")
    text = f"{gang.book.title.translated('en')} · {gang.rating} XP · {gang.size} figures"
    assert said == {
        "description": text,
        "og:site_name": "Skirmish",
        "og:type": "website",
        "og:locale": "en_GB",
        "og:title": gang.name,
        "og:description": text,
        "og:url": f"{base}{share_link(gang)}",
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": gang.name,
        "twitter:card": "summary_large_image",
    }


@pytest.mark.django_db
def test_preview_addresses_are_the_sites_own(client: Client, alice: User, settings: Any) -> None:
    settings.SITE_URL = "https://gangs.example.org"
    said = read_metadata(client, share_link(make_gang(alice)))
    assert {said[name].split("/s/")[0] for name in ("og:url", "og:image")} == {settings.SITE_URL}


def test_private_pages_have_no_preview(client: Client, alice: User) -> None:
    gang, campaign = make_gang(alice), make_campaign(alice)
    client.force_login(alice)
    for address in (
        gang.get_absolute_url(),
        reverse("gangs:sheet", args=[gang.pk]),
        reverse("gangs:list"),
        campaign.get_absolute_url(),
    ):
        assert set(read_metadata(client, address)) == {"description"}, address
        assert gang.name not in read_metadata(client, address)["description"]


@pytest.mark.long
def test_preview_pictures_have_the_announced_size(client: Client, alice: User) -> None:
    gang, campaign = make_gang(alice), make_campaign(alice)
    make_player(campaign, alice)
    make_version(GOLD)
    for address in (
        share_link(gang),
        reverse("rules:book", args=[GOLD]),
        reverse("rules:chapter", args=[GOLD, "items"]),
        reverse("campaigns:watch", args=[campaign.watch_key]),
    ):
        said = read_metadata(client, address)
        assert said["og:url"] == f"http://testserver{address}"
        where = said["og:image"].removeprefix("http://testserver")
        assert picture(client, where) == ("image/png", SIZES["wide"])
    assert said["og:description"] == f"{campaign.book.title.translated('en')} · 1 gang · 0 games"


def test_older_version_of_the_rules_has_no_preview(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    digest = gang.book_version_id
    assert "og:title" in read_metadata(client, reverse("rules:version", args=[digest]))
    older = shipped(gang.book.slug).model_copy(update={"edition": "Second"})
    load(older)
    assert set(read_metadata(client, reverse("rules:version", args=[digest]))) == {"description"}


def test_preview_picture_is_drawn_once_until_the_gang_changes(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    gang = make_gang(alice)
    gang_name, drawn = gang.name, list[str]()

    def draw(preview: Preview) -> Job:
        drawn.append(preview.title)
        return job(preview)

    monkeypatch.setattr(answers, "job", draw)
    where = f"{share_link(gang)}preview.png"
    first = client.get(where)
    assert client.get(where).content == first.content
    known = client.get(where, headers={"If-None-Match": first["ETag"]})
    assert (known.status_code, known.content) == (304, b"")
    assert {answer["X-Robots-Tag"] for answer in (first, known)} == {"noindex"}
    old = read_metadata(client, share_link(gang))["og:image"]
    writer.append(gang, [Renamed(name="Others")], expected_version=gang.version, actor=alice)
    assert client.get(where).content != first.content
    assert drawn == [gang_name, "Others"]
    assert read_metadata(client, share_link(gang))["og:image"] != old


def test_preview_picture_disappears_with_the_link(client: Client, alice: User) -> None:
    gang = make_gang(alice)
    where = f"{share_link(gang)}preview.png"
    assert client.get(where).status_code == 200
    Gang.objects.filter(pk=gang.pk).update(share_key=None)
    assert client.get(where).status_code == 404
    assert client.get("/campaigns/watch/nobody-knows/preview.png").status_code == 404
    assert client.get("/rules/no-such-game/preview.png").status_code == 404


@pytest.mark.parametrize("late", [queue.Waiting(3), queue.Busy(), queue.Unavailable(), Died()])
def test_late_preview_is_refused_without_a_page(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch, late: Exception
) -> None:
    def ask(*_arguments: object, **_options: object) -> bytes:
        raise late

    monkeypatch.setattr(queue, "ask", ask)
    where = f"{share_link(make_gang(alice))}preview.png"
    answer = client.get(where, headers={"Accept": "text/html"})
    assert (answer.status_code, answer["Retry-After"], answer.content) == (503, "10", b"")
    assert not answer["Content-Type"].startswith("text/html")


def test_preview_faces_are_portraits_or_letters(alice: User) -> None:
    gang = make_gang(alice)
    storage.keep(gang, None, storage.Decoded((b"no picture", b"no picture at all")))
    gang.refresh_from_db()
    preview = preview_of(gang)
    assert preview.badge is not None
    [stored] = shown_pictures(job(preview)).values()
    assert stored == b"no picture at all"
    assert [face.picture for face in preview.faces] == [""] * len(gang.roster.members[:8])
    # A spoiled portrait is replaced by letters.
    plain = Face(preview.badge.letters, preview.badge.colour)
    assert png(preview) == png(
        Preview(**{**vars(preview), "badge": plain})  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    "title",
    one_soon(
        ["", "X", "Nordöstliche Łódź-Жизнь", "🤠 Six", "W" * 80, "Some words and " * 5, "\u0000"]
    ),
)
def test_preview_is_drawn_with_any_name(title: str) -> None:
    preview = Preview(title, title, title, title, PATH, "#f0c040", Face("??", "#0d6565"))
    assert png(preview) == png(preview)


# Links to watch a campaign


def test_watch_link_redirects_a_browser_to_the_campaign(client: Client, alice: User) -> None:
    campaign = make_campaign(alice)
    link = reverse("campaigns:watch", args=[campaign.watch_key])
    browser = client.get(link, headers={"Sec-Fetch-Mode": "navigate"})
    assert (browser.status_code, browser["Location"]) == (302, campaign.get_absolute_url())
    assert Client().get(link)["X-Robots-Tag"] == "noindex"


def test_watch_link_forwards_an_old_browser_by_its_page(client: Client, alice: User) -> None:
    campaign = make_campaign(alice)
    page = client.get(reverse("campaigns:watch", args=[campaign.watch_key])).content.decode()
    on = campaign.get_absolute_url()
    assert f'<meta http-equiv="refresh" content="0; url={on}">' in page
    assert f'href="{on}"' in page
    assert client.get(on).status_code == 200
