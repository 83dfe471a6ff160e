"""Help in the product: the documents for players as pages, in both languages."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.template import engines
from django.test import Client
from django.urls import reverse
from django.utils import translation

from guide import chapters
from guide.chapters import guide
from tests.test_house import TEMPLATES
from tests.test_translations import MESSAGES, TRANSLATIONS, open_catalogue

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "fr")
DOCUMENTS = {"en": "playing.md", "fr": "playing.fr.md", "de": "playing.de.md"}
# The order of a season. People share addresses of chapters, so they stay.
CHAPTERS = [
    "build",
    "print",
    "join",
    "night",
    "report",
    "post-game",
    "correct",
    "charts",
    "table",
    "offline",
    "dice",
    "rules",
    "variants",
    "own-game",
    "share",
    "organise",
    "league",
    "account",
]


def shown(client: Client, address: str, language: str) -> str:
    """Return the page for a reader whose browser asks for that language."""
    response = client.get(address, headers={"accept-language": language})
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_chapters_have_the_same_names_in_both_languages(language: str) -> None:
    assert [chapter.slug for chapter in guide(language).chapters] == CHAPTERS


def test_each_link_to_help_leads_to_a_chapter() -> None:
    texts = [path.read_text("utf-8") for path in TEMPLATES]
    linked = {slug for text in texts for slug in re.findall(r'{% help_link "([^"]+)" %}', text)}
    assert {"build", "join", "night", "report", "post-game"} <= linked <= set(CHAPTERS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_link_names_its_chapter(language: str) -> None:
    with translation.override(language):
        drawn = engines["django"].from_string('{% load help %}{% help_link "report" %}').render()
    title = {"en": "Report a game", "fr": "Faire le compte rendu"}[language]
    words = {"en": "Help", "fr": "Aide"}[language]
    assert drawn == (
        f'<a class="help-link" href="/help/report/" title="{title}">'
        f'<span class="help-word">{words}</span>'
        f'<span class="visually-hidden"> ({title})</span></a>'
    )


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_visitor_reads_every_chapter(client: Client, language: str) -> None:
    index = shown(client, "/help/", language)
    for chapter in guide(language).chapters:
        assert f'<a href="/help/{chapter.slug}/">{chapter.title}</a>' in index
        page = shown(client, f"/help/{chapter.slug}/", language)
        assert re.findall(r"<h1>(.*)</h1>", page) == [chapter.title]
        assert re.findall(r'<meta name="description" content="(.+?)">', page)
        assert f'<html lang="{language}"' in page
        # The Markdown is rendered, and links lead to chapters.
        body = chapter.body
        assert not re.search(r"\*\*|^#|\]\(|^\| ", body, re.M)
        inside = set(re.findall(r'href="([^"]+)"', body))
        assert inside <= {reverse("guide:chapter", args=[slug]) for slug in CHAPTERS}
        anchors = re.findall(r'<h2 id="([^"]+)"', body)
        assert anchors == [section.anchor for section in chapter.sections]


@pytest.mark.django_db
def test_unknown_chapter_is_not_found(client: Client) -> None:
    assert client.get("/help/nowhere/").status_code == 404
    assert client.get("/help/..%2Frunning.md/").status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_pictures_exist_and_reserve_their_space_while_they_load(language: str) -> None:
    images = re.findall(r"<img [^>]*>", "".join(each.body for each in guide(language).chapters))
    assert len(images) >= 12
    for image in images:
        said = dict(re.findall(r'(\w+)="([^"]*)"', image))
        path = finders.find(said["src"].removeprefix("/static/"))
        assert path is not None, said["src"]
        assert said["alt"] and int(said["width"]) and int(said["height"])
        assert said["loading"] == "lazy"


@pytest.mark.parametrize("language", LANGUAGES)
def test_guide_is_rendered_once(language: str) -> None:
    assert guide(language) is guide(language)


def test_guide_is_rendered_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Markdown library is not thread-safe when several readers ask first at the same time."""
    inside: list[int] = []
    most: list[int] = []

    def slowly(_language: str) -> None:
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.02)
        inside.pop()

    monkeypatch.setattr(chapters, "_guide", slowly)
    with ThreadPoolExecutor(4) as readers:
        list(readers.map(guide, LANGUAGES * 2))
    assert most == [1] * 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_bold_words_of_the_guide_are_on_the_pages(language: str) -> None:
    """After a change of a button's words, the guide needs them, too."""
    text = (ROOT / "docs" / DOCUMENTS[language]).read_text("utf-8")
    bold = {
        re.sub(r"[ \n]+", " ", words).removesuffix(".")
        for words in re.findall(r"\*\*(.+?)\*\*", text, re.S)
    } - {"bold", "gras", "fett"}
    # Bold words at the beginning of a list item name its subject; pages need not contain them.
    led = set(re.findall(r"^(?:- |\d+\. )\*\*([^*]+?)\.?\*\*", text, re.M))
    if language in TRANSLATIONS:
        translated = open_catalogue(language).messages
        words = {text for message in translated for text in message.translations}
    else:
        words = {message.english for message in MESSAGES}
    assert sorted(bold - led - words) == []


@pytest.mark.django_db
def test_every_page_links_to_help(client: Client) -> None:
    page = shown(client, reverse("account_login"), "en")
    foot = page[page.index('<footer class="foot">') :]
    assert '<a href="/help/">Help</a>' in foot
