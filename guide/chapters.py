"""The guide for players: ``docs/playing.md`` and its translations, split into chapters.

A chapter begins with a line that names it, the same in both languages, and a heading:

    <a id="report"></a>
    ## Report a game
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from threading import Lock

from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse
from django.utils.text import Truncator
from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCUMENTS = settings.BASE_DIR / "docs"
# The usual document, and the form of its translations; readers without one get the usual one.
USUAL, TRANSLATION = "playing.md", "playing.{language}.md"
_reading = Lock()
# The number of characters that search engines show of a page.
LONGEST_SUMMARY = 155
START = re.compile(r'^<a id="([a-z-]+)"></a>\n+## (.+)$', re.M)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a chapter with its heading, and its anchor on the chapter's page."""

    anchor: str
    title: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter in one language. ``slug``: its name in addresses."""

    slug: str
    title: str
    # The first paragraph as plain text.
    summary: str
    sections: tuple[Section, ...]
    body: str

    def get_absolute_url(self) -> str:
        """The chapter's page."""
        return reverse("guide:chapter", args=[self.slug])


@dataclass(frozen=True, slots=True)
class Guide:
    """The whole document in one language."""

    title: str
    introduction: str
    chapters: tuple[Chapter, ...]

    def chapter(self, slug: str) -> Chapter | None:
        """The chapter of this name; None if there is none."""
        return next((chapter for chapter in self.chapters if chapter.slug == slug), None)


def guide(language: str) -> Guide:
    """The guide in a reader's language, made once per process."""
    # The Markdown parser builds its tables at first use, and is not thread-safe until then.
    with _reading:
        return _guide(language)


@cache
def _guide(language: str) -> Guide:
    translation = DOCUMENTS / TRANSLATION.format(language=language)
    path = translation if translation.is_file() else DOCUMENTS / USUAL
    text = path.read_text("utf-8")
    head, *cut = START.split(text)
    title, _, introduction = head.removeprefix("# ").partition("\n")
    slugs, titles, bodies = cut[::3], cut[1::3], cut[2::3]
    chapters = zip(slugs, titles, bodies, strict=True)
    return Guide(
        title,
        _plain(MarkdownIt().parse(introduction)),
        tuple(_chapter(slug, title, body, set(slugs)) for slug, title, body in chapters),
    )


def _chapter(slug: str, title: str, text: str, slugs: set[str]) -> Chapter:
    """Make a chapter from its title and its Markdown."""
    # HTML tags are shown as text: the documents have none inside a chapter.
    markdown = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable("table")
    tokens = markdown.parse(text)
    sections: list[Section] = []
    for token, inside in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and inside is not None:
            sections.append(Section(f"part-{len(sections) + 1}", _plain([inside])))
            token.attrSet("id", sections[-1].anchor)
        if token.type.startswith("heading"):
            # The page's title is its first heading, so the document's headings move up one level.
            token.tag = f"h{int(token.tag[1]) - 1}"
        for child in token.children or ():
            _settle(child, slugs)
    first = [token for token in tokens if token.type == "inline"][:1]
    body = markdown.renderer.render(tokens, markdown.options, {})
    body = body.replace("<table>", '<div class="scroll-x"><table class="table">')
    body = body.replace("</table>", "</table></div>")
    summary = Truncator(_plain(first)).chars(LONGEST_SUMMARY)
    return Chapter(slug, title, summary, tuple(sections), body)


def _settle(token: Token, slugs: set[str]) -> None:
    """Change the addresses of a link or a picture to addresses on the site."""
    address = str(token.attrGet("href") or "")
    if address.removeprefix("#") in slugs:
        token.attrSet("href", reverse("guide:chapter", args=[address.removeprefix("#")]))
    if token.type == "image":
        from PIL import Image

        path = str(token.attrGet("src"))
        with Image.open(DOCUMENTS / path) as picture:
            width, height = picture.size
        token.attrSet("src", static(path.replace("pictures/", "guide/", 1)))
        # With a size, pictures do not move the text while they load.
        token.attrSet("width", str(width))
        token.attrSet("height", str(height))
        token.attrSet("loading", "lazy")
        token.attrSet("class", "guide-phone" if height > width else "guide-wide")


def _plain(tokens: Sequence[Token]) -> str:
    """The text without marks."""
    children = [child for token in tokens for child in token.children or ()]
    words = (" " if child.type == "softbreak" else child.content for child in children)
    return "".join(words).strip()
