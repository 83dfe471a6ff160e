"""English words left on a page that should be French."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from django.utils import translation
from playwright.sync_api import Page
from pydantic import BaseModel

from rules.book.vocabulary import Text
from rules.library import shipped_folders
from tests.test_translations import MESSAGES, leftovers
from tests.world.gangs import shipped

# All texts that can be read or are read out, except for parts marked as another language and
# letters that stand for a picture.
WORDS = """() => {
    const outside = "script, style, template, .face, body [lang]:not([lang|=fr])";
    const texts = [document.title];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ALL);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
        if (element.closest(outside)) continue;
        if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
        else if (node === element)
            for (const name of ["aria-label", "title", "placeholder", "alt"])
                if (node.hasAttribute(name)) texts.push(node.getAttribute(name));
    }
    return [...new Set(texts.map((text) => text.replace(/\\s+/g, " ").trim()).filter(Boolean))];
}"""
VALUE = re.compile(r"\{\w*\}")
# A text that consists only of values would match every other text.
WORD = re.compile(r"[^\W\d_]{2}")


def said(english: str) -> str:
    """Return the texts of a page in French."""
    with translation.override("fr"):
        return translation.gettext(english)


def english_on(page: Page) -> list[str]:
    """Return the English texts of the page that have a French version in the catalogue or in a
    rulebook.
    """
    texts = page.evaluate(WORDS)
    english, french = _rulebooks()
    found = [text for text in texts if english.fullmatch(text)] + leftovers(texts)
    # A single word may be the French for something else.
    also = {translated for message in MESSAGES for translated in message.translations}
    return [text for text in found if text not in also and not french.fullmatch(text)]


@cache
def _rulebooks() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the rulebooks' texts that are only English, and those that are French."""
    pairs = {
        pair for folder in shipped_folders() for pair in _spoken(shipped(folder.name)) if all(pair)
    }
    return (
        _any_of({english for english, french in pairs if english != french}),
        _any_of({french for _, french in pairs}),
    )


def _any_of(texts: set[str]) -> re.Pattern[str]:
    """Return a pattern that matches any of the texts, with any values in their placeholders."""
    telling = (" ".join(text.split()) for text in texts if WORD.search(VALUE.sub("", text)))
    written = (".+".join(map(re.escape, VALUE.split(text))) for text in telling)
    return re.compile("|".join(sorted(written)))


def _spoken(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Text):
        yield value["en"], value["fr"]
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _spoken(getattr(value, name))
    elif isinstance(value, dict):
        for one in value.values():
            yield from _spoken(one)
    elif isinstance(value, (tuple, list, frozenset)):
        for one in value:
            yield from _spoken(one)
